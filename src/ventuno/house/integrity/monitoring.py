"""The house's eye on its players: now and then it looks at who has played, and tells the supervisor (R-39, R-46).

It reads what is durable and applies the rules of `harm` and `collusion`; what they find goes to the list, once a day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts
from ventuno.house.accounts.sessions import SessionOpened
from ventuno.house.integrity import collusion, harm_markers
from ventuno.house.integrity.account_links import homes
from ventuno.house.integrity.alerts import Concerns
from ventuno.house.integrity.collusion import SharedRound, shared_round
from ventuno.house.integrity.harm_markers import Habits, Played
from ventuno.house.money.cash_entries import Deposited
from ventuno.house.protection.player_limits import DAY, MINUTE, RaiseAsked
from ventuno.house.store.round_queries import LAST, Chosen
from ventuno.house.store.store import Store
from ventuno.house.tables.table_host import House

EVERY = 10 * MINUTE
"""From one look to the next."""
LAG = 5_000
"""Rounds that ended within the last moments wait for the next look: then all of their time are durable."""
REMEMBERED = 30 * DAY
"""How long an address counts as somebody's."""


class Vigil:
    """Looks first at the last day, and for collusion at the last week, so that a restart misses nothing of them."""

    def __init__(
        self, house: House, concerns: Concerns, shared: Iterable[str], is_person: Callable[[PlayerId], bool], at: int
    ) -> None:
        self._house, self._concerns, self._games, self._is_person = house, concerns, tuple(shared), is_person
        self._next, self._looking = at + EVERY, False
        self._active = at - DAY, "", ""
        self._seen = dict.fromkeys(self._games, (at - collusion.SPAN, ""))
        self._rounds: deque[SharedRound] = deque()

    def is_due(self, at: int) -> bool:
        return at >= self._next and not self._looking

    async def look(self, at: int) -> None:
        """One look; it takes as long as there are players to look at, and the next waits for its end."""
        self._next, self._looking = at + EVERY, True
        try:
            await self._look(at)
        finally:
            self._looking = False

    async def _look(self, at: int) -> None:
        for player in await self._players(at - LAG):
            found = harm_markers.marks(await habits(self._house.store, player, at), at)
            if batch := self._concerns.mark(player, found, at):
                await self._house.write(batch)
        await self._gather(at)
        players = sorted(collusion.companions(self._rounds))
        known = {player: await addresses(self._house.store, player, at) for player in players}
        pairs = [one for one in collusion.signals(self._rounds, known, at) if all(map(self._is_person, one[1:3]))]
        if batch := self._concerns.suspect(pairs, at):
            await self._house.write(batch)

    async def _players(self, until: int) -> list[PlayerId]:
        """Who has been in a round since the last look; the house's own players are nobody's concern."""
        found: set[PlayerId] = set()
        while page := [one for one in await self._house.store.shares(self._active) if one.ended <= until]:
            found |= {one.player for one in page}
            self._active = page[-1].ended, page[-1].code, page[-1].player
        return sorted(filter(self._is_person, found))

    async def _gather(self, at: int) -> None:
        """The shared rounds of the last week: those that are new in, those that are old out."""
        for game in self._games:
            while page := await self._house.store.settlements(game, self._seen[game]):
                page = [one for one in page if one[1] <= at - LAG]
                if not page:
                    break
                made = [shared_round(code, ended, lines) for code, ended, lines in page]
                self._rounds.extend(one for one in made if len(one.nets) > 1)
                self._seen[game] = page[-1][1], page[-1][0]
        while self._rounds and self._rounds[0].at <= at - collusion.SPAN:
            self._rounds.popleft()


async def habits(store: Store, player: PlayerId, at: int) -> Habits:
    """A player's own record up to a moment, from the store alone."""
    lines = await store.account(player, limit=LAST, chosen=Chosen(first=at - harm_markers.SPAN, last=at))
    events = [
        (record.at, accounts.read_open(record.kind, record.body))
        for record in await store.records(f"{accounts.PUBLIC}{player}")
    ]
    return Habits(
        tuple((when, event.amount) for when, event in events if isinstance(event, Deposited)),
        tuple(Played(one.ended, one.staked, one.returned) for one in reversed(lines) if not one.voided),
        tuple(when for when, event in events if isinstance(event, RaiseAsked)),
    )


async def addresses(store: Store, player: PlayerId, at: int) -> frozenset[str]:
    """Where somebody has lately logged in from, as households."""
    opened = [
        accounts.read_hidden(record.kind, record.body)
        for record in await store.records(f"{accounts.PRIVATE}{player}")
        if record.at > at - REMEMBERED
    ]
    return homes(event.address for event in opened if isinstance(event, SessionOpened))
