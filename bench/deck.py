"""How far from a card a camera may be: printed cards filmed by a simulated camera of 1280 x 720, and read by ZXing.

For each size of card and each width of what the camera sees: pixels to a square of the code, and how many of the cards
were read. They lie anyhow, seen from a side, soft, dark and noisy (tests/support/card_pictures.py), in the same places
in every run. Exits 1 where a card is missed at the distance that docs/deck.md promises.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import pypdfium2

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.card_pictures import FRAME, INCH, film, read_codes, render_page
from ventuno.core.rules.card_codes import write_code
from ventuno.deck.layout import Print, draw_deck, lay_out
from ventuno.deck.pdf import write_pdf
from ventuno.deck.sizes import SIZES, Size

DOTS, BLEED = 300.0, 3.0
WIDTHS = (3.0, 3.5, 4.0, 5.0, 6.0)
"""In cards."""
PROMISED = 3.5


def count_read(size: Size, wide: float, step: int) -> tuple[int, int]:
    """Cards that were read, and that were shown."""
    order = Print(size, bleed=BLEED, words="Carta di taglio")
    pages = lay_out(order)
    document = pypdfium2.PdfDocument(write_pdf("Ventuno", draw_deck(order), pages))
    chance, edge = random.Random(1), round(BLEED / INCH * DOTS)
    shown = [page.placed[0].name for page in pages[:53]][::step]
    right = 0
    for at, name in enumerate(shown):
        page = render_page(document, at * step, DOTS)
        card = page.crop((edge, edge, page.width - edge, page.height - edge))
        right += set(read_codes(film(card, wide, chance))) == {write_code(name)}
    document.close()
    return right, len(shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=3, help="look at one card in so many, 3 by default")
    given = parser.parse_args()
    started, missed = time.perf_counter(), 0
    print("| card | the camera sees | pixels to a square | read |\n|---|---|---|---|")
    for name, size in SIZES.items():
        for wide in WIDTHS:
            right, shown = count_read(size, wide, given.step)
            pixels = FRAME[0] / (wide * size.width) * size.module
            print(f"| {name} | {wide * size.width / 10:.0f} cm | {pixels:.1f} | {right} of {shown} |", flush=True)
            missed += shown - right if wide <= PROMISED else 0
    print(f"\n{time.perf_counter() - started:.0f} s; missed within {PROMISED:g} cards: {missed}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
