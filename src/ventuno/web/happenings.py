"""What happens to a player at a table and stays in no view of it: told once, when it is durable.

A bet that came back, a decision that another took the place of, a seat about to be lost, a round that was voided
(V-27, V-34, V-42, V-59, V-77). Nobody hears what concerns another; a void concerns everybody who watches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ventuno.core.events import BetRemoved, DecisionReplaced, Event, FollowSkipped, RoundVoided, SeatFreed, SeatWarned
from ventuno.core.money import PlayerId
from ventuno.web.wire.tells import Notice, NoticeKind

RETURNED = {
    "owner-sits-out": "the owner of the box does not play this round",
    "below-minimum": "the bet was below its minimum",
}
"""Why chips go back to who placed them without having asked for it."""


_TOLD = (RoundVoided, BetRemoved, DecisionReplaced, FollowSkipped, SeatWarned, SeatFreed)


def told(table: str, events: Iterable[Event], watching: Collection[PlayerId]) -> Iterator[tuple[PlayerId, Notice]]:
    """Whom of those who watch to tell, and what. Most events are seen on the table, and nothing is said of them."""
    for event in [one for one in events if isinstance(one, _TOLD)]:
        if isinstance(event, RoundVoided):
            back = dict(event.refunds)
            for player in watching:
                yield player, Notice("voided", event.reason, table, {"amount": back.get(player, 0)})
        else:
            yield from (one for one in _own(table, event) if one[0] in watching)


def _own(table: str, event: Event) -> Iterator[tuple[PlayerId, Notice]]:
    match event:
        case BetRemoved(player, wagers, reason) if reason in RETURNED:
            for box, bet, amount in wagers:
                yield player, _notice("refunded", RETURNED[reason], table, box=box, bet=bet, amount=amount)
        case DecisionReplaced(player, box, asked, done, missing):
            detail = f"{missing} cents were missing to {asked}: {done} took its place"
            yield player, _notice("replaced", detail, table, box=box, asked=asked, done=done, missing=missing)
        case FollowSkipped(player, box, action, missing):
            detail = f"{missing} cents were missing to follow: {action}"
            yield player, _notice("not-followed", detail, table, box=box, action=action, missing=missing)
        case SeatWarned(player, box, rounds):
            yield player, _notice("seat-warned", "without a bet the seat is lost", table, box=box, rounds=rounds)
        case SeatFreed(player, box, "inactive"):
            yield player, _notice("seat-lost", "too many rounds without a bet", table, box=box)
        case _:
            pass


def _notice(kind: NoticeKind, detail: str, table: str, **numbers: Any) -> Notice:
    return Notice(kind, detail, table, numbers)
