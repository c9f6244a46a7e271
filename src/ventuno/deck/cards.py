"""Each printed card in millimetres, cut at the origin: its picture, index and codes, and what lies beyond the cut.

The codes stand in the two corners that have no index, so that one of them is seen from either end of the card. A QR
code of version 1 holds our text at level H: nearly a third of it may be worn away.
"""

from __future__ import annotations

from collections.abc import Iterator

import segno

from ventuno.core.rules import card_codes
from ventuno.deck import shapes, svg
from ventuno.deck.shapes import Drawing, Matrix, Path, Segment, Shape
from ventuno.deck.sizes import Size

UNIT = 0.254
"""Millimetres of a unit of the art, which is 250 x 350: a poker card is as wide and high as it."""
MODULES = 21
QUIET = 4
"""Modules that stay white around a code."""
CORNER = 0.8
"""How round the paper of a code on the cut card is."""


def draw_face(name: str, size: Size) -> Drawing:
    """A card: the drawing of the pages, and its code at two corners."""
    elements = svg.read_elements(svg.load_art()["faces"][name])
    picture, (index, suit, turned) = elements[:-3], elements[-3:]
    if (index.tag, suit.tag, turned.tag) != ("text", "path", "g"):
        raise svg.NotOurArt(f"{name} does not end with its index, its suit and both turned")
    ink = svg.RED if name[1] in "HD" else svg.BLACK
    middle = [shape for element in picture for shape in svg.draw(element, ink, "index")]
    corner = (*svg.draw(index, ink, "index"), *svg.draw(suit, ink, "index"))
    scale = UNIT * size.picture
    centred = Matrix(scale, 0, 0, scale, size.width / 2 - 125 * scale, size.height / 2 - 175 * scale)
    corners = _both_ends(shapes.move(corner, shapes.stretch(scale)), size)
    return (*shapes.move(tuple(middle), centred), *corners, *draw_codes(name, size))


def draw_back(size: Size) -> Drawing:
    """The woven back; on a narrower card it is as much narrower."""
    elements = svg.read_elements(svg.load_art()["back"])
    ground, weave, *rest = (shape for element in elements for shape in svg.draw(element, svg.BRASS, "display"))
    rim = Shape(shapes.rectangle(14.6, 14.6, 220.8, 320.8, 7.5), stroke=svg.GREEN, width=4.8)  # over the weave's ends
    return shapes.move((ground, weave, rim, *rest), shapes.stretch(size.width / 250, size.height / 350))


def draw_cut_card(words: str, size: Size, bleed: float) -> Drawing:
    """Brass to beyond the cut, so that its edge is seen in a stack; the same on both sides."""
    width, height = size.width, size.height
    ground = Shape(shapes.rectangle(-bleed, -bleed, width + 2 * bleed, height + 2 * bleed), svg.BRASS)
    x, y = width / 2, height / 2
    inset = size.code_margin - QUIET * size.module  # the paper of a code fills a corner of the frame
    frame = Shape(
        shapes.rectangle(inset, inset, width - 2 * inset, height - 2 * inset, CORNER), stroke=svg.GREEN, width=0.35
    )
    outer, inner = _lozenge(x, y, 13.2, 18.3), _lozenge(x, y, 11.4, 15.8)
    seal = (Shape(outer, svg.GREEN), Shape(inner, stroke=svg.BRASS, width=0.35))
    number = svg.letter("21", x, y + 4.3, 12.7, ink=svg.PAPER, spacing=-0.25)
    line = svg.letter(words.upper(), x, y - 24.6, 3.5, ink=svg.GREEN, spacing=0.55)
    return (ground, frame, *seal, *number, *_both_ends(line, size), *draw_codes(card_codes.CUT, size, on_colour=True))


def draw_codes(name: str, size: Size, *, on_colour: bool = False) -> Drawing:
    """The code of a card at the top right, and turned at the bottom left; on a colour it has paper of its own."""
    side, quiet = MODULES * size.module, QUIET * size.module
    left, top = size.width - size.code_margin - side, size.code_margin
    dark = _draw_modules(card_codes.write_code(name), left, top, size.module)
    paper = Shape(shapes.rectangle(left - quiet, top - quiet, side + 2 * quiet, side + 2 * quiet, CORNER), svg.PAPER)
    return _both_ends((paper, dark) if on_colour else (dark,), size)


def _draw_modules(text: str, x: float, y: float, module: float) -> Shape:
    """Dark squares in black alone: one plate prints them sharp, and scanners with red light see them."""
    code = segno.make(text, version=1, error="h", micro=False, boost_error=False)
    path: list[Segment] = []
    for row, line in enumerate(code.matrix):
        for start, length in _find_runs(line):
            path += shapes.rectangle(x + start * module, y + row * module, length * module, module)
    return Shape(tuple(path), svg.BLACK)


def _find_runs(line: bytearray) -> Iterator[tuple[int, int]]:
    """Where dark squares begin and how many follow each other."""
    at = 0
    while at < len(line):
        end = at
        while end < len(line) and line[end]:
            end += 1
        if end > at:
            yield at, end - at
        at = end + 1


def _both_ends(drawing: Drawing, size: Size) -> Drawing:
    return (*drawing, *shapes.move(drawing, shapes.turn(180, size.width / 2, size.height / 2)))


def _lozenge(x: float, y: float, half_width: float, half_height: float) -> Path:
    corners = ((x, y - half_height), (x + half_width, y), (x, y + half_height), (x - half_width, y))
    return (Segment("m", corners[:1]), *(Segment("l", (corner,)) for corner in corners[1:]), Segment("h"))
