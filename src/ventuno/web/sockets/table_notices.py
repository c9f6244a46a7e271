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

RETURNED = {
    "owner-sits-out": "the owner of the box does not play this round",
    "below-minimum": "the bet was below its minimum",
}
"""Why chips go back to who placed them without having asked for it."""
AddressedNotice = tuple[PlayerId, Notice]


def find_notices(table: str, events: Iterable[Event], watching: Collection[PlayerId]) -> Iterator[AddressedNotice]:
    """Whom of those who watch to tell, and what. Most events are seen on the table, and nothing is said of them."""
    for event in events:
        if isinstance(event, RoundVoided):
            back = dict(event.refunds)
            for player in watching:
                yield player, Notice("voided", event.reason, table, {"amount": back.get(player, 0)})
        elif says := NOTIFIERS.get(type(event)):
            yield from (addressed for addressed in says(table, event) if addressed[0] in watching)


def notify_refund(table: str, event: BetRemoved) -> Iterator[AddressedNotice]:
    if detail := RETURNED.get(event.reason):
        for box, bet, amount in event.wagers:
            yield event.player, _notice("refunded", detail, table, box=box, bet=bet, amount=amount)


def notify_replacement(table: str, event: DecisionReplaced) -> Iterator[AddressedNotice]:
    asked, done, missing = event.asked, event.done, event.missing
    detail = f"{missing} cents were missing to {asked}: {done} took its place"
    yield event.player, _notice("replaced", detail, table, box=event.box, asked=asked, done=done, missing=missing)


def notify_skipped_follow(table: str, event: FollowSkipped) -> Iterator[AddressedNotice]:
    detail = f"{event.missing} cents were missing to follow: {event.action}"
    numbers = {"box": event.box, "action": event.action, "missing": event.missing}
    yield event.player, _notice("not-followed", detail, table, **numbers)


def notify_seat_warning(table: str, event: SeatWarned) -> Iterator[AddressedNotice]:
    detail = "without a bet the seat is lost"
    yield event.player, _notice("seat-warned", detail, table, box=event.box, rounds=event.rounds)


def notify_seat_loss(table: str, event: SeatFreed) -> Iterator[AddressedNotice]:
    if event.reason == "inactive":
        yield event.player, _notice("seat-lost", "too many rounds without a bet", table, box=event.box)


NOTIFIERS: Mapping[type, Callable[[str, Any], Iterator[AddressedNotice]]] = {
    BetRemoved: notify_refund,
    DecisionReplaced: notify_replacement,
    FollowSkipped: notify_skipped_follow,
    SeatWarned: notify_seat_warning,
    SeatFreed: notify_seat_loss,
}
EVENTS = (RoundVoided, *NOTIFIERS)
"""What anybody is told of."""


def _notice(kind: NoticeKind, detail: str, table: str, **numbers: Any) -> Notice:
    return Notice(kind, detail, table, numbers)
