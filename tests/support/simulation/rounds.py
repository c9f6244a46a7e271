"""I-8: a round is settled once, pays what the reference pays, and its record pays the same when enacted alone."""

from __future__ import annotations

import msgspec

from tests.support.simulation import reference
from tests.support.simulation.disk import Broken
from ventuno.core.messages.events import (
    BettingEnded,
    Event,
    FollowChosen,
    HandDoubled,
    HandSplit,
    MoneyBrought,
    MoneyTaken,
)
from ventuno.core.rules.money import PlayerId
from ventuno.core.scenario import recorder, runner
from ventuno.core.table.round import Line, Round
from ventuno.core.table.state import BETTING, ROUND, Table
from ventuno.house.store.records import Batch

_BY_ROUND = ("main", "split", "ante")
_DISTURBS = frozenset((FollowChosen, MoneyBrought, MoneyTaken))


class Opening(msgspec.Struct, frozen=True):
    """The table as betting ended, and all events since."""

    table: Table
    events: tuple[Event, ...]


def opened(held: Opening | None, begun: Table | None, events: tuple[Event, ...]) -> Opening | None:
    """The opening of the round that is open after these events, which began it where there is a table as it began."""
    if held is not None:
        return Opening(held.table, held.events + events)
    if begun is None:
        return None
    return Opening(begun, events[[*map(type, events)].index(BettingEnded) + 1 :])


def settled(opening: Opening, table: Table, codes: set[str]) -> None:
    """A round has just been settled; the table stands after it."""
    play = table.round
    if play is None or table.phase is ROUND:
        raise Broken(f"I-8: {table.id} has settled no round")
    if play.code in codes:
        raise Broken(f"I-8: {play.code} is settled twice")
    codes.add(play.code)
    found = sorted([(one.player, one.bet, one.box, one.hand, one.stake, one.returned) for one in play.lines])
    if found != sorted(reference.payments(table.sheet, play)):
        raise Broken(f"I-8: {play.code} paid {found}, the reference {reference.payments(table.sheet, play)}")
    if not reference.is_played_out(table.sheet, play):
        raise Broken(f"V-18: the dealer of {play.code} ends with {play.dealer}")
    if table.streaks != streaks(opening.table.streaks, play.lines):
        raise Broken(f"V-35: the streaks after {play.code} are {table.streaks}")
    if is_enactable(opening):
        scenario = recorder.extract_scenario(opening.table, opening.events)
        again = runner.play_scenario(table.sheet, scenario).table.round
        if again is None or not is_equal(again, play):
            raise Broken(f"I-8: {play.code} paid {play.lines}, its record pays {again and again.lines}")


def is_equal(again: Round, play: Round) -> bool:
    return again.dealer == play.dealer and sorted(again.lines) == sorted(play.lines)


def is_enactable(opening: Opening) -> bool:
    """A scenario knows the sheet's own limits, one purse for the whole round, and one pre-decision for each bettor."""
    table = opening.table
    if table.limits != table.sheet.stakes.limits or any(table.vip.values()):
        return False
    if _DISTURBS.isdisjoint(map(type, opening.events)):
        return True
    raised = set[int]()
    for event in opening.events:
        if isinstance(event, HandDoubled | HandSplit):
            raised.add(event.box)
        elif isinstance(event, MoneyBrought | MoneyTaken) or (isinstance(event, FollowChosen) and event.box in raised):
            return False
    return True


def voided(before: Table, batch: Batch) -> None:
    """R-08: what is settled is not voided; an open round that is voided ends as a round that was."""
    if before.phase not in (ROUND, BETTING):
        raise Broken(f"R-08: {before.id} was voided while {before.phase}")
    if before.phase is ROUND and not [row for row in batch.rounds if row.voided]:
        raise Broken(f"R-07: a void of {before.id} left no round behind")


def streaks(before: object, lines: tuple[Line, ...]) -> dict[PlayerId, int]:
    """V-35: one more for who won a hand and lost none, nothing for who lost one, the rest as it was."""
    counts = dict(before) if isinstance(before, dict) else {}
    nets: dict[PlayerId, list[int]] = {}
    for line in lines:
        if line.bet in _BY_ROUND:
            nets.setdefault(line.player, []).append(line.returned - line.stake)
    for player, net in nets.items():
        if min(net) < 0:
            counts.pop(player, None)
        elif max(net) > 0:
            counts[player] = counts.get(player, 0) + 1
    return counts


__all__ = ["Opening", "is_enactable", "opened", "settled", "streaks", "voided"]
