"""Signals of collusion: accounts that act together behind each other's boxes or at each other's side (R-46, RTS 11).

Pure: settled rounds and the addresses of those who were in them in, signals out, the same every time. Everybody plays
against the house alone, so these are no proof of a wrong: they tell a supervisor whom to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Line
from ventuno.house.accounts.player_limits import DAY

SPAN = 7 * DAY
"""The rounds that count."""
BEHIND = "behind"
"""How the words of all bets behind a box begin."""


class Pattern(StrEnum):
    BEHIND_EACH_OTHER = "behind-each-other"
    PROXY_HAND = "proxy-hand"
    WIN_TRANSFER = "win-transfer"
    SHARED_ADDRESS = "shared-address"
    SEATS_TOGETHER = "seats-together"


class Backing(NamedTuple):
    """A bet behind: who stood behind whose box, with how much, beside how much of the owner's on his hands."""

    bettor: PlayerId
    owner: PlayerId
    staked: Cents
    beside: Cents


class SharedRound(NamedTuple):
    """A settled round of several players: boxes and result of each player, and who stood behind whom."""

    code: str
    at: int
    boxes: Mapping[PlayerId, int]
    nets: Mapping[PlayerId, Cents]
    backings: tuple[Backing, ...]


class Signal(NamedTuple):
    """A pattern between two accounts, in the order of their names, with the numbers that made it."""

    pattern: Pattern
    first: PlayerId
    second: PlayerId
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which number on a signal is given; all within 7 days."""

    each_way: int = 10
    """`behind-each-other`: rounds in which the one stood behind the other, and as many the other way round."""
    proxy_rounds: int = 20
    proxy_factor: int = 10
    """`proxy-hand`: in so many rounds one stood behind the other, in all with so many times the owner's own stakes."""
    transfer_rounds: int = 20
    transfer_share: int = 60
    transfer_least: Cents = 5_000
    transfer_evenness: int = 50
    """`win-transfer`: of so many common rounds, so many of a hundred were lost by the one and won by the other, always
    in this direction; each side of it comes to that much, and the smaller is so many of a hundred of the larger. Of two
    who bet flat and by themselves 13 of a hundred were, in 3,000 rounds.
    """
    address_rounds: int = 10
    """`shared-address`: common rounds of two who had an address in common."""
    seats: int = 5
    seats_rounds: int = 10
    """`seats-together`: boxes that two with an address in common held together, in so many rounds."""


BOUNDS = Bounds()


def make_shared_round(code: str, at: int, lines: Iterable[Line]) -> SharedRound:
    """A round from its settlement."""
    owners: dict[int, PlayerId] = {}
    hands: dict[int, Cents] = {}
    nets: dict[PlayerId, Cents] = {}
    behind: dict[tuple[PlayerId, int], Cents] = {}
    for line in lines:
        nets[line.player] = nets.get(line.player, 0) + line.returned - line.stake
        if line.bet.startswith(BEHIND):
            spot = line.player, line.box
            behind[spot] = behind.get(spot, 0) + line.stake
        elif line.box:
            owners[line.box] = line.player
            hands[line.box] = hands.get(line.box, 0) + (line.stake if line.hand else 0)
    boxes = {player: sum(owner == player for owner in owners.values()) for player in nets}
    backings = [Backing(who, owners[box], staked, hands[box]) for (who, box), staked in behind.items()]
    return SharedRound(code, at, boxes, nets, tuple(backings))


def find_companions(rounds: Iterable[SharedRound], bounds: Bounds = BOUNDS) -> set[PlayerId]:
    """Whose addresses are worth knowing: those with enough common rounds."""
    met = Counter(pair for shared in rounds for pair in combinations(sorted(shared.nets), 2))
    return {player for pair, count in met.items() if count >= bounds.address_rounds for player in pair}


def find_signals(
    rounds: Iterable[SharedRound], addresses: Mapping[PlayerId, frozenset[str]], at: int, bounds: Bounds = BOUNDS
) -> list[Signal]:
    """The signals that stand at this moment, in a fixed order."""
    counted = [
        common_round for common_round in rounds if at - SPAN < common_round.at <= at and len(common_round.nets) > 1
    ]
    common: dict[tuple[PlayerId, PlayerId], list[SharedRound]] = {}
    for common_round in counted:
        for pair in combinations(sorted(common_round.nets), 2):
            common.setdefault(pair, []).append(common_round)
    signals = [
        signal
        for (first, second), shared in common.items()
        for signal in _find_signals_between(first, second, shared, addresses, bounds)
    ]
    return sorted(signals, key=lambda common_round: common_round[:3])


def _find_signals_between(
    first: PlayerId,
    second: PlayerId,
    shared: Sequence[SharedRound],
    addresses: Mapping[PlayerId, frozenset[str]],
    bounds: Bounds,
) -> Iterator[Signal]:
    ways = [_sum_backings(shared, *pair) for pair in ((first, second), (second, first))]
    if min(ways[0][0], ways[1][0]) >= bounds.each_way:
        numbers = {"first_behind_second": ways[0][0], "second_behind_first": ways[1][0]}
        yield Signal(Pattern.BEHIND_EACH_OTHER, first, second, numbers)
    rounds, staked, beside = max(ways, key=lambda way: way[1])
    if rounds >= bounds.proxy_rounds and staked >= bounds.proxy_factor * beside:
        yield Signal(Pattern.PROXY_HAND, first, second, {"rounds": rounds, "behind": staked, "own": beside})
    for loser, winner in ((first, second), (second, first)):
        if numbers := _measure_transfer(shared, loser, winner, bounds):
            yield Signal(Pattern.WIN_TRANSFER, first, second, numbers)
    if not addresses.get(first, frozenset()) & addresses.get(second, frozenset()):
        return
    if len(shared) >= bounds.address_rounds:
        yield Signal(Pattern.SHARED_ADDRESS, first, second, {"rounds": len(shared)})
    boxes_of_both = [(shared_round.boxes[first], shared_round.boxes[second]) for shared_round in shared]
    many = sum(min(boxes) > 0 and sum(boxes) >= bounds.seats for boxes in boxes_of_both)
    if many >= bounds.seats_rounds:
        yield Signal(Pattern.SEATS_TOGETHER, first, second, {"rounds": many})


def _sum_backings(shared: Sequence[SharedRound], bettor: PlayerId, owner: PlayerId) -> tuple[int, Cents, Cents]:
    """Rounds with this one behind that one, what he staked there, what stood beside it."""
    backings = [
        [backing for backing in shared_round.backings if backing[:2] == (bettor, owner)] for shared_round in shared
    ]
    bets = [backing for shared_round in backings for backing in shared_round]
    return sum(map(bool, backings)), sum(backing.staked for backing in bets), sum(backing.beside for backing in bets)


def _measure_transfer(
    shared: Sequence[SharedRound], loser: PlayerId, winner: PlayerId, bounds: Bounds
) -> dict[str, int]:
    ways = [
        (-shared_round.nets[loser], shared_round.nets[winner])
        for shared_round in shared
        if shared_round.nets[loser] < 0 < shared_round.nets[winner]
    ]
    lost, won = sum(way[0] for way in ways), sum(way[1] for way in ways)
    small, large = min(lost, won), max(lost, won)
    if len(shared) < bounds.transfer_rounds or 100 * len(ways) < bounds.transfer_share * len(shared):
        return {}
    if small < bounds.transfer_least or 100 * small < bounds.transfer_evenness * large:
        return {}
    return {"rounds": len(shared), "opposite": len(ways), "lost": lost, "won": won}
