"""The trainer's questions: the open decisions of a player, with nothing but the cards that he sees (X-03, H-1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table.round import Stage
from ventuno.core.views.view import BoxView, TableView
from ventuno.web.messages.odds import ActionValue, HandAdvice

OPEN = ("playing", "choosing")


@dataclass(frozen=True, slots=True)
class NoTrainerHere(Refusal):
    """X-03: where others play for money, everybody decides by himself."""

    table: str


class HandQuestion(NamedTuple):
    """A hand that has to decide, and how it is asked of the calculator."""

    box: int
    hand: int
    stake: int
    actions: tuple[str, ...]
    question: Mapping[str, Any]


def find_questions(sheet: Sheet, seen: TableView, earlier: tuple[int, ...] = ()) -> tuple[HandQuestion, ...]:
    """Every hand of the viewer that has a decision open now, in the order of the boxes.

    `earlier` are the values of cards that were seen in earlier rounds of the same shoe.
    """
    open_now: dict[int, list[str]] = {}
    for (box, action), verdict in seen.options.decisions.items():
        if isinstance(verdict, int):
            open_now.setdefault(box, []).append(str(action))
    boxes = {box_view.box: box_view for box_view in seen.boxes}
    return tuple(to_question(sheet, seen, boxes[box], tuple(actions), earlier) for box, actions in open_now.items())


def advise(question: HandQuestion, values: Mapping[str, float] | None) -> HandAdvice:
    """The worth of each decision, the best first."""
    worths = [ActionValue(action, (values or {}).get(action)) for action in question.actions]
    worths.sort(key=lambda worth: -99.0 if worth.value is None else worth.value, reverse=True)
    best = worths[0].action if worths and worths[0].value is not None else ""
    return HandAdvice(question.box, question.hand, question.stake, best, tuple(worths))


def to_question(
    sheet: Sheet, seen: TableView, box: BoxView, actions: tuple[str, ...], earlier: tuple[int, ...]
) -> HandQuestion:
    index = next((at for at, hand in enumerate(box.hands) if hand.status in OPEN), 0)
    hand = box.hands[index]
    others = [*_others(seen, box.box, index)]
    question: dict[str, Any] = {"stage": "insurance" if seen.stage == Stage.INSURANCE else "play"}
    question |= {"hand": _values(hand.cards), "seen": [*_values(others), *earlier]}
    if sheet.game.family == DUEL:
        left, right = _values(seen.dealer.community)
        question |= {"left": left, "right": right}
    else:
        question |= {"up": _values(seen.dealer.cards)[0], "split": len(box.hands) > 1, "added": index > 0}
    return HandQuestion(box.box, index + 1, hand.stake, actions, question)


def _others(seen: TableView, box: int, index: int) -> Iterator[str]:
    """All cards that lie open beside this hand, the up-card and the community cards apart.

    A duel's hand that has chosen shows the community card it took: that one lies on the table once.
    """
    community = set(seen.dealer.community)
    for box_view in seen.boxes:
        for at, hand in enumerate(box_view.hands):
            if (box_view.box, at) != (box, index):
                shared = community if community and len(hand.cards) > 1 else set()
                yield from (text for place, text in enumerate(hand.cards) if not (place == 1 and text in shared))
    yield from seen.dealer.cards[1:]


def _values(cards: Any) -> list[int]:
    return [VALUES[card(text)] for text in cards]
