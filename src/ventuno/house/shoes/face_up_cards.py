"""Which cards of the shoe a round has turned face up: their places in the order of play, from its events alone.

What lies face down is known here by its place, never by its card, and is told only when an event turns it (H-1).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ventuno.core.messages import events
from ventuno.core.messages.events import Event
from ventuno.core.table.state import Table

MARKS = (
    events.BettingEnded,
    events.DealerChose,
    events.DealerDrew,
    events.DuelDealt,
    events.HandDoubled,
    events.HandHit,
    events.HandsDealt,
    events.HandSplit,
    events.HiddenTurned,
    events.HoleTurned,
    events.Peeked,
    events.RoundVoided,
)
"""The events that change a felt."""
_NONE: Mapping[int, int] = MappingProxyType({})


class Felt(NamedTuple):
    """A round's cards by their places: `up` as they were turned; `down` the dealer's, in the order in which he will
    turn them; `own` the face-down card of each box.
    """

    code: str = ""
    shoe: int = 0
    up: tuple[int, ...] = ()
    down: tuple[int, ...] = ()
    own: Mapping[int, int] = _NONE


def turn_cards(felt: Felt, event: Event, before: Table) -> Felt:
    """The felt after an event that a table, as it was before, went through."""
    place = before.shoe.position if before.shoe else 0
    match event:
        case events.BettingEnded(code):
            return Felt(code, before.shoe.number if before.shoe else 0)
        case events.HandsDealt(hands):
            last = place + 2 * len(hands) + 1
            return felt._replace(up=tuple(range(place, last)), down=(last,))
        case events.DuelDealt(hands):
            return _deal_duel(felt, [box for box, _ in hands], place)
        case events.HandHit() | events.HandDoubled() | events.DealerDrew():
            return felt._replace(up=(*felt.up, place))
        case events.HandSplit():
            return felt._replace(up=(*felt.up, place, place + 1))
        case events.HoleTurned() | events.DealerChose() | events.Peeked(True):
            return felt._replace(up=(*felt.up, *felt.down[:1]), down=felt.down[1:])
        case events.HiddenTurned(box):
            return felt._replace(up=(*felt.up, felt.own[box]))
        case events.RoundVoided():
            return Felt()
        case _:
            return felt


def _deal_duel(felt: Felt, boxes: list[int], place: int) -> Felt:
    """An up card each, the dealer's first, the two community cards, a hidden card each, the dealer's second (D-06)."""
    count = len(boxes)
    first, hidden = place + count, place + count + 3
    return felt._replace(
        up=(*range(place, first), first + 1, first + 2),
        down=(first, hidden + count),
        own={box: hidden + number for number, box in enumerate(boxes)},
    )
