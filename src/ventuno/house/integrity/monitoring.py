"""Monitoring of play: now and then it looks at who has played, and tells the supervisor (R-39, R-46).

It reads what is durable and applies the rules of `harm_markers` and `collusion`; their marks and signals go to the list
once a day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts
from ventuno.house.accounts.cash_entries import Deposited
from ventuno.house.accounts.player_limits import DAY, MINUTE, RaiseAsked
from ventuno.house.accounts.sessions import SessionOpened
from ventuno.house.integrity import collusion, harm_markers
from ventuno.house.integrity.account_links import list_households
from ventuno.house.integrity.alerts import Alerts
from ventuno.house.integrity.collusion import SharedRound, make_shared_round
from ventuno.house.integrity.harm_markers import Habits, PlayedRound
from ventuno.house.store.committer import Committer
from ventuno.house.store.store import LAST, HistoryFilter, Store

CHECK_INTERVAL = 10 * MINUTE
"""From one look to the next."""
SETTLE_DELAY = 5_000
"""Rounds that ended within the last moments wait for the next look: then all of their time are durable."""
ADDRESS_SPAN = 30 * DAY
"""How long an address counts as somebody's."""


class Monitoring:
    """Looks first at the last day, and for collusion at the last week, so that a restart misses nothing of them."""

    def __init__(
        self, commits: Committer, alerts: Alerts, shared: Iterable[str], is_person: Callable[[PlayerId], bool]
    ) -> None:
        self._commits, self._alerts, self._games, self._is_person = commits, alerts, tuple(shared), is_person
        at = commits.now()
        self._next, self._is_running = at + CHECK_INTERVAL, False
        self._active = at - DAY, "", ""
        self._seen = dict.fromkeys(self._games, (at - collusion.SPAN, ""))
        self._rounds: deque[SharedRound] = deque()

    def is_due(self, at: int) -> bool:
        return at >= self._next and not self._is_running

    async def run(self, at: int) -> None:
        """One look; it takes as long as there are players to look at, and the next waits for its end."""
        self._next, self._is_running = at + CHECK_INTERVAL, True
        try:
            await self._check_players(at)
        finally:
            self._is_running = False

    async def _check_players(self, at: int) -> None:
        for player in await self._list_active(at - SETTLE_DELAY):
            marks = harm_markers.find_marks(await read_habits(self._commits.store, player, at), at)
            if batch := self._alerts.add_marks(player, marks, at):
                await self._commits.write(batch)
        await self._update_rounds(at)
        players = sorted(collusion.find_companions(self._rounds))
        households = {player: await read_households(self._commits.store, player, at) for player in players}
        pairs = [
            signal
            for signal in collusion.find_signals(self._rounds, households, at)
            if all(map(self._is_person, signal[1:3]))
        ]
        if batch := self._alerts.add_signals(pairs, at):
            await self._commits.write(batch)

    async def _list_active(self, until: int) -> list[PlayerId]:
        """Who has been in a round since the last look; the house's own players are nobody's concern."""
        players: set[PlayerId] = set()
        while page := [share for share in await self._commits.store.list_shares(self._active) if share.ended <= until]:
            players |= {share.player for share in page}
            self._active = page[-1].ended, page[-1].code, page[-1].player
        return sorted(filter(self._is_person, players))

    async def _update_rounds(self, at: int) -> None:
        """The shared rounds of the last week: those that are new in, those that are old out."""
        for game in self._games:
            while page := await self._commits.store.list_settlements(game, self._seen[game]):
                page = [shared for shared in page if shared[1] <= at - SETTLE_DELAY]
                if not page:
                    break
                new_rounds = [make_shared_round(code, ended, lines) for code, ended, lines in page]
                self._rounds.extend(shared for shared in new_rounds if len(shared.nets) > 1)
                self._seen[game] = page[-1][1], page[-1][0]
        while self._rounds and self._rounds[0].at <= at - collusion.SPAN:
            self._rounds.popleft()


async def read_habits(store: Store, player: PlayerId, at: int) -> Habits:
    """A player's own record up to a moment, from the store alone."""
    lines = await store.list_account_rows(
        player, limit=LAST, selection=HistoryFilter(first=at - harm_markers.SPAN, last=at)
    )
    events = [
        (record.at, accounts.read_public(record.kind, record.body))
        for record in await store.read_records(f"{accounts.PUBLIC}{player}")
    ]
    return Habits(
        tuple((when, event.amount) for when, event in events if isinstance(event, Deposited)),
        tuple(PlayedRound(row.ended, row.staked, row.returned) for row in reversed(lines) if not row.voided),
        tuple(when for when, event in events if isinstance(event, RaiseAsked)),
    )


async def read_households(store: Store, player: PlayerId, at: int) -> frozenset[str]:
    """Where somebody has lately logged in from, as households."""
    events = [
        accounts.read_private(record.kind, record.body)
        for record in await store.read_records(f"{accounts.PRIVATE}{player}")
        if record.at > at - ADDRESS_SPAN
    ]
    return list_households(event.address for event in events if isinstance(event, SessionOpened))
