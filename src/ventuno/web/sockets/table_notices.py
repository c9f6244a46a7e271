"""What happens to a player at a table and stays in no view of it: told once, when it is durable.

A bet that came back, a decision that another took the place of, a seat about to be lost, a round that was voided
(V-27, V-34, V-42, V-59, V-77). Nobody hears what concerns another; a void concerns everybody who watches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ventuno.core.messages.events import (
    BetRemoved,
    DecisionReplaced,
    Event,
    FollowSkipped,
    RoundVoided,
    SeatFreed,
    SeatWarned,
)
from ventuno.core.rules.money import PlayerId
from ventuno.web.messages.server_messages import Notice, NoticeKind

RETURNED = frozenset(("owner-sits-out", "below-minimum"))
"""Why chips go back to who placed them without having asked for it."""
AddressedNotice = tuple[PlayerId, Notice]


def find_notices(table: str, events: Iterable[Event], watching: Collection[PlayerId]) -> Iterator[AddressedNotice]:
    """Whom of those who watch to tell, and what. Most events are seen on the table, and nothing is said of them."""
    for event in events:
        if isinstance(event, RoundVoided):
            back = dict(event.refunds)
            for player in watching:
                yield player, Notice("voided", table, {"reason": event.reason, "amount": back.get(player, 0)})
        elif notify := NOTIFIERS.get(type(event)):
            yield from (addressed for addressed in notify(table, event) if addressed[0] in watching)


def notify_refund(table: str, event: BetRemoved) -> Iterator[AddressedNotice]:
    if event.reason in RETURNED:
        for box, bet, amount in event.wagers:
            yield event.player, _notice("refunded", table, box=box, bet=bet, amount=amount, reason=event.reason)


def notify_replacement(table: str, event: DecisionReplaced) -> Iterator[AddressedNotice]:
    numbers = {"box": event.box, "asked": event.asked, "done": event.done, "missing": event.missing}
    yield event.player, _notice("replaced", table, **numbers)


def notify_skipped_follow(table: str, event: FollowSkipped) -> Iterator[AddressedNotice]:
    numbers = {"box": event.box, "action": event.action, "missing": event.missing}
    yield event.player, _notice("not-followed", table, **numbers)


def notify_seat_warning(table: str, event: SeatWarned) -> Iterator[AddressedNotice]:
    yield event.player, _notice("seat-warned", table, box=event.box, rounds=event.rounds)


def notify_seat_loss(table: str, event: SeatFreed) -> Iterator[AddressedNotice]:
    if event.reason == "inactive":
        yield event.player, _notice("seat-lost", table, box=event.box)


NOTIFIERS: Mapping[type, Callable[[str, Any], Iterator[AddressedNotice]]] = {
    BetRemoved: notify_refund,
    DecisionReplaced: notify_replacement,
    FollowSkipped: notify_skipped_follow,
    SeatWarned: notify_seat_warning,
    SeatFreed: notify_seat_loss,
}
EVENTS = (RoundVoided, *NOTIFIERS)
"""What anybody is told of."""


def _notice(kind: NoticeKind, table: str, **numbers: Any) -> Notice:
    return Notice(kind, table, numbers)
