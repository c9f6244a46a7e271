"""Where the cards of a printed deck stand: one to a page with its boxes, or several on a sheet that is cut at home."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ventuno.core.rules import card_codes, cards
from ventuno.deck.cards import draw_back, draw_cut_card, draw_face
from ventuno.deck.pdf import Box, Page, Placed
from ventuno.deck.shapes import Drawing, Ink, Segment, Shape
from ventuno.deck.sizes import Size

BACK = "back"
ALL_PLATES: Ink = (1, 1, 1, 1)
"""Marks are on every plate, so that the shop sees whether these lie on each other."""
MARK, MARK_GAP, MARK_WIDTH = 4.0, 1.0, 0.09
MARGIN = MARK + MARK_GAP + 1
A4 = (210.0, 297.0)
ORDER = tuple(rank + suit for suit in "SHCD" for rank in "A23456789TJQK")
"""As a new deck lies: suit by suit, from the ace to the king."""
assert sorted(ORDER) == sorted(cards.NAMES)


class DoesNotFit(ValueError):
    """So many cards with such a bleed are larger than a sheet: how much room they need, and how much there is."""

    def __init__(self, needed: tuple[float, float], room: tuple[float, float]) -> None:
        super().__init__(needed, room)
        self.needed, self.room = needed, room


@dataclass(frozen=True, slots=True)
class Print:
    """What is asked for. `sheet_of`: cards on a sheet of A4, or 0 for one to a page."""

    size: Size
    decks: int = 1
    bleed: float = 3
    marks: bool = False
    words: str = ""
    sheet_of: int = 0


def draw_deck(order: Print) -> dict[str, Drawing]:
    """Every drawing once: 52 faces, the cut card, the back."""
    drawings = {name: draw_face(name, order.size) for name in ORDER}
    drawings[card_codes.CUT] = draw_cut_card(order.words, order.size, order.bleed)
    drawings[BACK] = draw_back(order.size)
    return drawings


def lay_out(order: Print) -> list[Page]:
    """The pages: the faces of all decks, the cut card, and the back; on sheets each side is followed by its other."""
    names = (*ORDER * order.decks, card_codes.CUT)
    if not order.sheet_of:
        return [_lay_single(name, order) for name in (*names, BACK)]
    groups = [names[at : at + order.sheet_of] for at in range(0, len(names), order.sheet_of)]
    return [page for group in groups for page in _lay_sheet(group, order)]


def _lay_single(name: str, order: Print) -> Page:
    margin = order.bleed + (MARGIN if order.marks else 0)
    size = order.size
    trim = Box(margin, margin, size.width, size.height)
    return Page(
        size.width + 2 * margin,
        size.height + 2 * margin,
        (Placed(name, margin, margin),),
        trim,
        _widen(trim, order.bleed),
        _mark([trim], order.bleed) if order.marks else (),
    )


def _lay_sheet(names: Sequence[str], order: Print) -> Iterator[Page]:
    """Both sides of a sheet: the other is turned over its long edge, and shows each card's back where the card is."""
    width, height = A4
    columns = math.ceil(math.sqrt(order.sheet_of))
    rows = math.ceil(order.sheet_of / columns)
    step = order.size.width + 2 * order.bleed, order.size.height + 2 * order.bleed
    needed = columns * step[0] + 2 * MARGIN, rows * step[1] + 2 * MARGIN
    if needed[0] > width or needed[1] > height:
        raise DoesNotFit(needed, A4)
    left = (width - columns * step[0]) / 2 + order.bleed
    top = (height - rows * step[1]) / 2 + order.bleed
    whole = Box(left, top, columns * step[0] - 2 * order.bleed, rows * step[1] - 2 * order.bleed)
    for is_back in (False, True):
        boxes, placed = [], []
        for at, name in enumerate(names):
            row, column = divmod(at, columns)
            x = left + (columns - 1 - column if is_back else column) * step[0]
            boxes.append(Box(x, top + row * step[1], order.size.width, order.size.height))
            shown = BACK if is_back and name != card_codes.CUT else name
            placed.append(Placed(shown, boxes[-1].x, boxes[-1].y))
        marks = _mark(boxes, order.bleed)
        yield Page(width, height, tuple(placed), whole, _widen(whole, order.bleed), marks)


def _widen(box: Box, by: float) -> Box:
    return Box(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by)


def _mark(boxes: Sequence[Box], bleed: float) -> Drawing:
    """Short lines outside everything that is printed, in line with each cut."""
    left, top = min(box.x for box in boxes) - bleed, min(box.y for box in boxes) - bleed
    right = max(box.x + box.width for box in boxes) + bleed
    bottom = max(box.y + box.height for box in boxes) + bleed
    across = sorted({round(x, 4) for box in boxes for x in (box.x, box.x + box.width)})
    down = sorted({round(y, 4) for box in boxes for y in (box.y, box.y + box.height)})
    lines = [
        *(((x, top - MARK_GAP - MARK), (x, top - MARK_GAP)) for x in across),
        *(((x, bottom + MARK_GAP), (x, bottom + MARK_GAP + MARK)) for x in across),
        *(((left - MARK_GAP - MARK, y), (left - MARK_GAP, y)) for y in down),
        *(((right + MARK_GAP, y), (right + MARK_GAP + MARK, y)) for y in down),
    ]
    return tuple(
        Shape((Segment("m", (start,)), Segment("l", (end,))), stroke=ALL_PLATES, width=MARK_WIDTH)
        for start, end in lines
    )
