"""`ventuno deck --pdf FILE`: our own deck for a print shop, with codes that scanners and cameras read (docs/deck.md).

One card to a page with trim and bleed boxes, or several on sheets of A4 for a printer at home.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ventuno.cli import output
from ventuno.cli.errors import Fault
from ventuno.deck.sizes import SIZES
from ventuno.words import LANGUAGES, say

MOST_DECKS = 8
LARGEST_BLEED = 10.0
BLEED = 3.0
ON_A_SHEET = (2, 4, 6, 9)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pdf", metavar="FILE", type=Path, required=True, help="the file to write")
    parser.add_argument("--decks", metavar="N", type=_read_decks, default=1, help="decks of a shoe, 1 by default")
    parser.add_argument("--size", choices=tuple(SIZES), default="poker", help="63.5 x 88.9 mm (poker) or 57.15 x 88.9")
    parser.add_argument(
        "--bleed", metavar="MM", type=_read_bleed, help="ink beyond the cut, 3 by default; 0 on sheets, which touch"
    )
    parser.add_argument("--marks", action="store_true", help="crop marks around each page; sheets always have them")
    parser.add_argument("--language", choices=LANGUAGES, default="it", help="words on the cut card, Italian by default")
    parser.add_argument("--sheet-of", type=int, choices=ON_A_SHEET, help="so many on a sheet of A4, for both sides")


def run(given: argparse.Namespace) -> int:
    from ventuno.deck.layout import DoesNotFit, Print, draw_deck, lay_out  # with its library for codes
    from ventuno.deck.pdf import write_pdf

    bleed = given.bleed if given.bleed is not None else 0.0 if given.sheet_of else BLEED
    words = say(given.language, "scan.cut")
    order = Print(SIZES[given.size], given.decks, bleed, given.marks, words, given.sheet_of or 0)
    try:
        pages = lay_out(order)
    except DoesNotFit as fault:
        (width, height), (wide, high) = fault.needed, fault.room
        raise Fault(
            f"{given.sheet_of} cards with a bleed of {bleed:g} mm need {width:.1f} x {height:.1f} mm, and a sheet has "
            f"{wide:g} x {high:g}: less bleed, or fewer on a sheet"
        ) from None
    output.write_bytes(given.pdf, write_pdf("Ventuno", draw_deck(order), pages))
    return 0


def _read_decks(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DECKS:
        raise argparse.ArgumentTypeError(f"{text!r}: a shoe has 1 to {MOST_DECKS} decks")
    return int(text)


def _read_bleed(text: str) -> float:
    try:
        bleed = float(text)
    except ValueError:
        bleed = -1.0
    if not 0 <= bleed <= LARGEST_BLEED:
        raise argparse.ArgumentTypeError(f"{text!r}: from 0 to {LARGEST_BLEED:g} millimetres")
    return bleed
