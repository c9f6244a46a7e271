"""A film of printed cards for a browser's fake camera: each lies there for a while, and is then taken away."""

import io
import random
from collections.abc import Iterable
from pathlib import Path

import pypdfium2
from PIL import Image

from tests.support.card_pictures import FRAME, INCH, TABLE, film, render_page
from ventuno.deck.layout import Print, draw_deck, lay_out
from ventuno.deck.pdf import write_pdf
from ventuno.deck.sizes import SIZES

DOTS = 300.0
BLEED = 3.0
A_SECOND = 30
"""Frames, as a browser plays the pictures of such a file."""


def render_cards(names: Iterable[str]) -> dict[str, Image.Image]:
    """Cards as they come out of the press, cut."""
    order = Print(SIZES["poker"], bleed=BLEED, words="Carta di taglio")
    pages = lay_out(order)
    document = pypdfium2.PdfDocument(write_pdf("Ventuno", draw_deck(order), pages))
    places = {page.placed[0].name: at for at, page in enumerate(pages)}
    edge = round(BLEED / INCH * DOTS)
    found = {}
    for name in names:
        page = render_page(document, places[name], DOTS)
        found[name] = page.crop((edge, edge, page.width - edge, page.height - edge))
    document.close()
    return found


def write_film(file: Path, cards: Iterable[Image.Image], *, seconds: float = 1.5, between: float = 0.3) -> None:
    """Pictures one after the other (MJPEG). A card is never quite still: it has three pictures, in turn."""
    chance = random.Random(21)
    table = _compress(Image.new("RGB", FRAME, TABLE))
    with file.open("wb") as film_file:
        for card in cards:
            place = chance.random()
            pictures = [_compress(film(card, 3.2, random.Random(place), blur=0.5 + step / 10)) for step in range(3)]
            film_file.writelines(pictures[frame % 3] for frame in range(round(seconds * A_SECOND)))
            film_file.writelines([table] * round(between * A_SECOND))


def _compress(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()
