"""The trainer: what an open decision is worth, and what decisions of finished rounds have cost (X-03, X-17).

A decision is valued by nothing but the cards that its player saw when it was open (H-1): what came afterwards changes
nothing. Rounds that are over are valued from their own records, so that anybody can recompute them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ventuno.core.messages.desk_events import CardScanned
from ventuno.core.messages.events import ShoeLoaded, ShoeRetired
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Action, Origin, Stage
from ventuno.core.views.private_view import PrivateView, build_private_view
from ventuno.core.views.public_view import Box, PublicView, build_public_view
from ventuno.house.application import Application
from ventuno.house.history.round_detail import RecordedRound
from ventuno.house.history.round_steps import list_steps
from ventuno.house.store.records import read_table_event
from ventuno.house.tables.authority import LiveTable, TableOpened
from ventuno.web.messages.odds import ActionValue, HandAdvice, ReviewedDecision

OPEN = ("playing", "choosing")
OWN = (Origin.PLAYER, Origin.EARLY)
"""Who decided: what a clock or a rule did in his place is not his."""
ALIKE = 1e-9
"""Two decisions whose values differ by less are equally good."""
TABLES = 256
"""Tables of which the count of cards is kept; of another one it begins anew."""
EVERY_ROUND = "every-round"
HIDDEN_RECORDS = frozenset(kind.__name__ for kind in (ShoeLoaded, TableOpened, CardScanned))
"""Records that are not read: no card in them was shown."""
_ACTIONS = frozenset(map(str, Action))


class NoTrainerHere(Refusal):
    """X-03: where others play for money, everybody decides by himself."""

    table: str


class OpenHand(NamedTuple):
    """A hand that has to decide, and the question about it that the calculator reads."""

    box: int
    hand: int
    stake: int
    actions: tuple[str, ...]
    question: Mapping[str, Any]


class Decision(NamedTuple):
    """A decision that was made, and the hand as it was then."""

    seq: int
    action: str
    hand: OpenHand


def find_open_hands(
    sheet: Sheet, seen: PublicView, own: PrivateView, earlier: tuple[int, ...] = ()
) -> tuple[OpenHand, ...]:
    """Every hand of the viewer that has a decision open now, in the order of the boxes.

    `earlier` are the values of cards that were seen in earlier rounds of the same shoe.
    """
    open_now: dict[int, list[str]] = {}
    for option in own.options.decisions:
        if option.price is not None:
            open_now.setdefault(option.box, []).append(str(option.action))
    boxes = {box.box: box for box in seen.boxes}
    return tuple(_open_hand(sheet, seen, boxes[box], tuple(actions), earlier) for box, actions in open_now.items())


def advise(hand: OpenHand, values: Mapping[str, float] | None) -> HandAdvice:
    """The worth of each decision, the best first."""
    worths = [ActionValue(action, (values or {}).get(action)) for action in hand.actions]
    worths.sort(key=lambda worth: -99.0 if worth.value is None else worth.value, reverse=True)
    best = worths[0].action if worths and worths[0].value is not None else ""
    return HandAdvice(hand.box, hand.hand, hand.stake, best, tuple(worths))


def find_decisions(played: RecordedRound, viewer: PlayerId) -> tuple[Decision, ...]:
    """What this player decided in the round, in order."""
    table, decisions = played.opening, []
    for record, event in zip(played.records, played.events, strict=True):
        for step in list_steps(event, record.seq, record.at, viewer):
            if step.what in _ACTIONS and step.origin in OWN and table.round is not None:
                views = build_public_view(table), build_private_view(table, viewer)
                hands = {hand.box: hand for hand in find_open_hands(table.sheet, *views)}
                if step.box in hands and step.what in hands[step.box].actions:
                    decisions.append(Decision(step.seq, str(step.what), hands[step.box]))
        table = evolve(table, event)
    return tuple(decisions)


def review(
    code: str, game: str, decisions: Sequence[Decision], values: Sequence[Mapping[str, float] | None]
) -> Iterator[ReviewedDecision]:
    """Each decision beside the best one; what cannot be valued is left out."""
    for (seq, action, hand), worths in zip(decisions, values, strict=True):
        best = advise(hand, worths).best
        if best and worths is not None and action in worths:
            cost = worths[best] - worths[action]
            if cost <= ALIKE:
                best, cost = action, 0.0
            yield ReviewedDecision(code, game, seq, hand.box, hand.hand, action, best, cost, hand.stake)


class CardCount(NamedTuple):
    """The values of the cards seen since the shuffle, up to a record."""

    upto: int = 0
    values: tuple[int, ...] = ()


class CardCounts:
    """The cards of a shoe that were seen in its earlier rounds: where a shoe goes on, they are known to be gone (X-03).

    Counted from what was shown of those rounds, so that no card is among them that was never turned (H-1). The count of
    each table is kept, so that of every round only its own records are read.
    """

    def __init__(self) -> None:
        self._counts: OrderedDict[str, CardCount] = OrderedDict()

    async def count_earlier(self, app: Application, live: LiveTable, viewer: PlayerId) -> tuple[int, ...]:
        """What was seen of this shoe before the round that is open now."""
        table = live.table
        if table.sheet.shoe.reshuffle == EVERY_ROUND or table.round is None:
            return ()
        count, last = self._counts.pop(table.id, CardCount()), live.first - 1
        if count.upto > last:
            count = CardCount()
        values = [*count.values]
        for record in await app.history.read_table_records(live.stream, count.upto, last):
            if record.kind == ShoeRetired.__name__:
                values.clear()
            elif record.kind not in HIDDEN_RECORDS:
                event = read_table_event(record.kind, record.body)
                shown = " ".join(step.cards for step in list_steps(event, record.seq, record.at, viewer))
                values += _values(shown.split())
        self._counts[table.id] = CardCount(max(last, count.upto), tuple(values))
        while len(self._counts) > TABLES:
            self._counts.popitem(last=False)
        return tuple(values)


def _open_hand(
    sheet: Sheet, seen: PublicView, box: Box, actions: tuple[str, ...], earlier: tuple[int, ...]
) -> OpenHand:
    index = next((at for at, hand in enumerate(box.hands) if hand.status in OPEN), 0)
    hand = box.hands[index]
    question: dict[str, Any] = {"stage": "insurance" if seen.stage == Stage.INSURANCE else "play"}
    question |= {"hand": _values(hand.cards), "seen": [*_values(_other_cards(seen, box.box, index)), *earlier]}
    if sheet.game.family == DUEL:
        left, right = _values(seen.dealer.community)
        question |= {"left": left, "right": right}
    else:
        question |= {"up": _values(seen.dealer.cards)[0], "split": len(box.hands) > 1, "added": index > 0}
    return OpenHand(box.box, index + 1, hand.stake, actions, question)


def _other_cards(seen: PublicView, box: int, index: int) -> Iterator[str]:
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
