"""The whole state of a table: what decide reads and evolve replaces."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ventuno.core.messages.events import Wager
from ventuno.core.rules.cards import Card, Shoe
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import CardPlace, Round, with_fast_replace

NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Phase(StrEnum):
    SHUFFLING = "shuffling"
    BETTING = "betting"
    ROUND = "round"
    RESULTS = "results"
    CLOSED = "closed"


BETTING: Final = Phase.BETTING
ROUND: Final = Phase.ROUND
RESULTS: Final = Phase.RESULTS
CLOSED: Final = Phase.CLOSED


class Seat(NamedTuple):
    """A taken seat. `idle` counts rounds without a bet; a leaving player's box plays on by itself (V-41, V-42)."""

    player: PlayerId
    idle: int = 0
    leaving: bool = False


def list_wagers(totals: Mapping[tuple[int, str], Cents]) -> tuple[Wager, ...]:
    return tuple([Wager(box, bet, amount) for (box, bet), amount in totals.items()])


class Slip(NamedTuple):
    """The bets of one player for the coming round, step by step so that undo can go back (V-51)."""

    steps: tuple[tuple[Wager, ...], ...] = ()
    final: bool = False

    def totals(self) -> dict[tuple[int, str], Cents]:
        """What lies on each spot."""
        sums: dict[tuple[int, str], Cents] = {}
        for step in self.steps:
            for box, bet, amount in step:
                spot = box, bet
                sums[spot] = sums.get(spot, 0) + amount
        return sums

    @property
    def total(self) -> Cents:
        return sum([wager.amount for step in self.steps for wager in step])


NO_SLIP = Slip()


class PauseNote(NamedTuple):
    """Who paused the table, why and when; `remaining` is what the running deadline had left."""

    by: str
    reason: str
    remaining: int | None
    at: int | None = None


class Scan(NamedTuple):
    """A card that was scanned for its place; a face-down one with its salt and its commitment."""

    card: Card
    place: CardPlace
    player: PlayerId
    at: int
    salt: str = ""
    commitment: str = ""


class Studio(NamedTuple):
    """What a table with scanned cards has besides (X-27): who deals, the scans of this round (those of burnt cards
    before the first), how many cards of this shoe were burnt, whether the last scan may be another reading of itself.
    """

    dealer: PlayerId = ""
    scans: tuple[Scan, ...] = ()
    burnt: int = 0
    cut_out: bool = False
    misdeal: str = ""
    taken_back: bool = False


@with_fast_replace
class Table(NamedTuple):
    """A table between two events. Mappings are never changed in place. `closing` says why it closes, if it does."""

    id: str
    sheet: Sheet
    phase: Phase
    seats: tuple[Seat | None, ...]
    purses: Mapping[PlayerId, Cents] = NOTHING
    brought: Mapping[PlayerId, Cents] = NOTHING
    vip: Mapping[PlayerId, int] = NOTHING
    slips: Mapping[PlayerId, Slip] = NOTHING
    previous: Mapping[PlayerId, tuple[Wager, ...]] = NOTHING
    follows: Mapping[tuple[PlayerId, int], tuple[bool, bool]] = NOTHING
    forbids: frozenset[PlayerId] = frozenset()
    streaks: Mapping[PlayerId, int] = NOTHING
    limits: Mapping[str, tuple[Cents, Cents]] = NOTHING
    next_limits: Mapping[str, tuple[Cents, Cents]] = NOTHING
    shoe: Shoe | None = None
    spare: Shoe | None = None
    shoes: int = 0
    round: Round | None = None
    rounds: int = 0
    opened: int = 0
    deadline: int | None = None
    pause: PauseNote | None = None
    closing: str | None = None
    studio: Studio | None = None

    def owner(self, box: int) -> PlayerId | None:
        """Who sits at a box."""
        seat = self.seats[box - 1] if 1 <= box <= len(self.seats) else None
        return seat.player if seat else None

    def purse(self, player: PlayerId) -> Cents:
        return self.purses.get(player, 0)

    def limit(self, bet: str, player: PlayerId) -> tuple[Cents, Cents]:
        """Least and most on a spot of this kind, for this player's VIP level (D-05, L-05)."""
        least, most = self.limits[bet]
        rules = self.sheet.stakes
        if share := rules.shares.get(bet):
            most = min(most, self.limits["main"][1] // share // rules.unit * rules.unit)
        factors = rules.vip
        return least, most * factors[min(self.vip.get(player, 0), len(factors) - 1)]

    def total_stake_of(self, player: PlayerId) -> Cents:
        """TOTAL BET: all stakes of the player on the table now (V-52)."""
        if self.phase is ROUND and self.round:
            return self.round.total_stake_of(player)
        return self.slips.get(player, NO_SLIP).total
