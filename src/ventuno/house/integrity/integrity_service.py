"""What a supervisor is told of players, and what follows for them (R-39, R-46, H-5, H-8).

Now and then it looks at who has played: it reads what is durable and applies the rules of `harm_markers` and
`collusion`. The list is the supervisor's alone, and each look at it is written down first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.cash_entries import Deposited
from ventuno.house.accounts.player_limits import DAY, MINUTE, RaiseAsked
from ventuno.house.accounts.rights import Right
from ventuno.house.accounts.sessions import SessionOpened
from ventuno.house.integrity import collusion, harm_markers
from ventuno.house.integrity.account_links import list_households
from ventuno.house.integrity.alerts import AlertEntry, Alerts, LinkUnfit
from ventuno.house.integrity.collusion import SharedRound, make_shared_round
from ventuno.house.integrity.harm_markers import Habits, PlayedRound
from ventuno.house.store.audit_log import AuditLog, SupervisorViewed
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch
from ventuno.house.store.store import LAST, HistoryFilter, Store

CHECK_INTERVAL = 10 * MINUTE
"""From one look to the next."""
SETTLE_DELAY = 5_000
"""Rounds that ended within the last moments wait for the next look: then all of their time are durable."""
ADDRESS_SPAN = 30 * DAY
"""How long an address counts as somebody's."""
QUIET = 30 * DAY
"""How long nobody is advertised to after a marker of harm."""


class IntegrityService:
    """Looks first at the last day, and for collusion at the last week, so that a restart misses nothing of them."""

    def __init__(
        self, commits: Committer, accounts: AccountService, audit: AuditLog, alerts: Alerts, shared_games: Iterable[str]
    ) -> None:
        self._commits, self._accounts, self._audit, self._alerts = commits, accounts, audit, alerts
        at, self._games = commits.now(), tuple(shared_games)
        self._next, self._is_running = at + CHECK_INTERVAL, False
        self._active = at - DAY, "", ""
        self._seen = dict.fromkeys(self._games, (at - collusion.SPAN, ""))
        self._rounds: deque[SharedRound] = deque()

    def start_due_check(self, at: int) -> None:
        """Begin to look at who has played, where it is time."""
        if at >= self._next and not self._is_running:
            self._commits.start_task(self.check_players(at))

    async def check_players(self, at: int) -> None:
        """One look; it takes as long as there are players to look at, and the next waits for its end."""
        self._next, self._is_running = at + CHECK_INTERVAL, True
        try:
            await self._look_at_players(at)
        finally:
            self._is_running = False

    async def list_alerts(self, by: PlayerId, before: int | None = None, limit: int = 50) -> list[AlertEntry] | Refusal:
        """The list, newest first."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        entries = self._alerts.list_entries(before, limit)
        records = self._audit.write(self._commits.now(), SupervisorViewed(by, "concerns", ""))
        await self._commits.commit(Batch(records=records))
        return entries

    def list_alerts_of(self, player: PlayerId, limit: int = 50) -> list[AlertEntry]:
        """What the list says of one player, newest first; who asks writes the look down."""
        return self._alerts.list_of(player, limit)

    async def link(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        """From now on these two do not bet behind each other, whatever address they come from."""
        if refusal := self._accounts.check_right(by, Right.LINK_PLAYERS, reason) or self._check_accounts(first, second):
            return refusal
        return await self._commits.commit(self._alerts.link(first, second, by, reason, self._commits.now()))

    async def unlink(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        if refusal := self._accounts.check_right(by, Right.LINK_PLAYERS, reason) or self._check_accounts(first, second):
            return refusal
        return await self._commits.commit(self._alerts.unlink(first, second, by, reason, self._commits.now()))

    def may_advertise_to(self, player: PlayerId) -> bool:
        """Whether marketing may reach a player: none of who is excluded, pauses, is closed or was marked (R-39)."""
        account, now = self._accounts[player], self._commits.now()
        closed = account.player_limits.check_play(now) is not None or bool(account.player.disabled)
        return not closed and not self._alerts.has_marker(player, now - QUIET)

    def _is_person(self, player: PlayerId) -> bool:
        account = self._accounts.get(player)
        return account is not None and not account.player.is_house_bot

    def _check_accounts(self, *players: PlayerId) -> LinkUnfit | None:
        unknown = [player for player in players if player not in self._accounts]
        return LinkUnfit(players[0], players[-1], "no-account", unknown[0]) if unknown else None

    async def _look_at_players(self, at: int) -> None:
        """Marks of harm of who has played, and signals of who has played together: they go to the list once a day."""
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
