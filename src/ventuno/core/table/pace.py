"""The pace of the cards: how long screens take to show what a step has dealt.

A table decides at once what a dealer's hands need seconds for. A clock that somebody plays against starts when the
cards that led to it lie on the felt, so it is set so much later; screens show it full until then (V-45, V-56, V-60).
"""

from __future__ import annotations

from collections.abc import Iterable

from ventuno.core.messages import desk_events, events
from ventuno.core.messages.events import Event
from ventuno.core.table import legal
from ventuno.core.table.round import INSURANCE, Box, Round
from ventuno.core.table.shoes import count_cards
from ventuno.core.table.state import BETTING, RESULTS, ROUND, Table

CARD = 250
"""Milliseconds in which one card is dealt or turned on the screens."""
TURNED = {events.HoleTurned: 3, events.HiddenTurned: 1, events.DealerChose: 1}
"""Cards that lay there and are turned, in times of a card: the hole card has a breath before it."""


def find_start(table: Table, at: int, batch: Iterable[Event]) -> int:
    """When everything that this batch dealt is shown, and all of the round that was dealt faster than can be shown."""
    if table.studio is not None:  # they were shown as they were scanned, the last of them now
        turned = sum([TURNED.get(type(event), 0) for event in batch])
        return at + CARD * (turned + any(type(event) is desk_events.CardScanned for event in batch))
    start = at + CARD * sum([count_cards(event) or TURNED.get(type(event), 0) for event in batch])
    play = table.round if table.phase is ROUND else None
    return max(start, play.started + CARD * _count_on_felt(play)) if play else start


def _count_on_felt(play: Round) -> int:
    boxes = sum([len(hand.cards) for box in play.boxes for hand in box.hands])
    hidden = sum([1 for box in play.boxes if box.hidden is not None])
    return boxes + hidden + len(play.dealer) + len(play.hidden) + len(play.community)


def find_span(table: Table) -> int | None:
    """How long the clock is that everybody plays against now, in milliseconds: no more of it is ever shown.

    None where none runs: before the first bet of a round nobody is timed, whatever is done about seats (V-42).
    """
    clocks, play = table.sheet.clocks, table.round
    if table.deadline is None or is_waiting(table):
        return None
    if table.phase is BETTING:
        return table.deadline - table.opened or None
    if table.phase is RESULTS or play is None:
        seconds = clocks.results
    else:
        turn = None if play.stage is INSURANCE else legal.turn(play)
        seconds = find_seconds(table, *turn) if turn else clocks.insurance
    return seconds * 1000 or None


def find_seconds(table: Table, box: Box, index: int) -> int:
    """The time for a decision; less of it after two time-outs in a row on this hand (reading 11)."""
    clocks = table.sheet.clocks
    is_late = index >= 0 and box.hands[index].timeouts >= 2
    return clocks.decision_again if is_late and clocks.decision_again else clocks.decision


def is_waiting(table: Table) -> bool:
    """Whether the clock is that of a table where nobody bets: the first bet then has the whole time before it."""
    return (
        table.phase is BETTING
        and table.deadline is not None
        and table.deadline == table.opened + find_idle_seconds(table) * 1000
    )


def find_idle_seconds(table: Table) -> int:
    """Betting, insurance, one decision, results: nobody is hurried more than beside somebody who plays."""
    clocks = table.sheet.clocks
    return clocks.betting + clocks.insurance + clocks.decision + clocks.results
