"""Cards leave the shoe; a table gets a new one when the cut card is out (V-81, V-82, R-28)."""

from __future__ import annotations

from collections import Counter

from ventuno.core.messages import events
from ventuno.core.messages.commands import LoadShoe
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal, ShoeExhausted, ShoeUnfit, TableClosing, TooManyCopies, WrongPhase
from ventuno.core.rules.cards import Card, Shoe, find_surplus, pack, text
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Table


class OutOfCards(Exception):
    """A round asks for a card that the shoe does not hold: decide turns this into a refusal."""

    def __init__(self, refusal: ShoeExhausted) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def draw(shoe: Shoe | None, count: int) -> tuple[Card, ...]:
    """The next cards, without taking them: evolve does that."""
    cards = shoe.next(count) if shoe else ()
    if len(cards) < count:
        size, position = (len(shoe.cards), shoe.position) if shoe else (0, 0)
        raise OutOfCards(ShoeExhausted(position + count, size))
    return cards


def count_cards(event: Event) -> int:
    """How many cards leave the shoe with an event, face down ones included."""
    match event:
        case events.HandHit() | events.DealerDrew() | events.HandDoubled():
            return 1
        case events.HandSplit():
            return 2
        case events.HandsDealt(hands):
            return 2 * len(hands) + 2
        case events.DuelDealt(hands):
            return 2 * len(hands) + 4
        case _:
            return 0


def load(table: Table, command: LoadShoe) -> list[Event] | Refusal:
    """Accept a shoe: the whole pack of the sheet, its cut within the window; stacked ones only bounded by the pack.

    A stacked shoe without a cut is played as long as it has cards.
    """
    rules = table.sheet.shoe
    if table.closing is not None:
        return TableClosing(table.closing)
    if table.studio is not None:
        return WrongPhase("cards-scanned")
    if table.shoe and (rules.sets < 2 or table.spare):
        return WrongPhase("shoe-in-use")
    if command.stacked:
        if extra := find_surplus(command.cards, rules.decks):
            return TooManyCopies(text(extra), rules.decks)
        return [events.ShoeLoaded(command.cards, 0, command.cut or len(command.cards) + 1, table.shoes + 1)]
    if Counter(command.cards) != dict.fromkeys(pack(1), rules.decks):
        return ShoeUnfit("not-the-cards", rules.decks)
    least, most = cut_window(table.sheet)
    if not least <= command.cut <= most:
        return ShoeUnfit("cut-outside", least=least, most=most, asked=command.cut)
    return [events.ShoeLoaded(command.cards, rules.burn, command.cut, table.shoes + 1)]


def cut_window(sheet: Sheet) -> tuple[int, int]:
    """Least and most cards dealt when the cut card comes out (reading 16)."""
    size = sheet.shoe.decks * 52
    if sheet.shoe.reshuffle == "every-round":
        return 1, 1
    least, most = sheet.shoe.cut
    return size * least // 100, size * most // 100
