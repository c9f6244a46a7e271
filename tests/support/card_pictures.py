"""Printed cards as pictures: pages of a PDF as a scanner's glass has them, and cards as a camera above a table does."""

import random
from collections.abc import Sequence

import pypdfium2
import zxingcpp
from PIL import Image, ImageEnhance, ImageFilter

TABLE = (28, 74, 54)
FRAME = (1280, 720)
"""What cheap cameras give."""
INCH = 25.4


def render_page(document: pypdfium2.PdfDocument, page: int, dots: float) -> Image.Image:
    """A page at so many dots an inch."""
    picture: Image.Image = document[page].render(scale=dots / 72).to_pil()
    return picture.convert("RGB")


def read_codes(picture: Image.Image) -> list[str]:
    """What an independent reader finds, by place from the top."""
    codes = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return [code.text for code in sorted(codes, key=lambda code: code.position.top_left.y)]


def film(card: Image.Image, wide: float, chance: random.Random, *, blur: float = 0.7) -> Image.Image:
    """A frame of a camera that sees a part of the table `wide` times as wide as a card: the card lies anyhow, the
    camera looks at it from a side, the lens is soft, the light is poor and the sensor is noisy.
    """
    width = round(FRAME[0] / wide)
    small = card.resize((width, round(width * card.height / card.width)), Image.Resampling.LANCZOS).convert("RGBA")
    side = round((small.width**2 + small.height**2) ** 0.5) + 4
    field = Image.new("RGBA", (side, side))
    field.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
    field = field.rotate(chance.uniform(0, 360), Image.Resampling.BICUBIC)
    lean = side * chance.uniform(0.02, 0.1)
    corners = (-lean, 0.0, 0.0, float(side), float(side), side - lean, side + lean / 2, 0.0)
    field = field.transform((side, side), Image.Transform.QUAD, corners, Image.Resampling.BICUBIC)
    frame = Image.new("RGB", FRAME, TABLE)
    frame.paste(field, (chance.randint(0, FRAME[0] - side), (FRAME[1] - side) // 2), field)
    frame = frame.filter(ImageFilter.GaussianBlur(blur))
    frame = ImageEnhance.Brightness(frame).enhance(chance.uniform(0.6, 0.95))
    return Image.blend(frame, Image.effect_noise(FRAME, 60).convert("RGB"), 0.08)


def find_misprints(
    document: pypdfium2.PdfDocument, expected: Sequence[Sequence[str]], dots: float
) -> dict[int, list[str]]:
    """Pages on which other codes are read than are expected there, with what was read."""
    found = {page: read_codes(render_page(document, page, dots)) for page in range(len(document))}
    assert len(found) == len(expected)
    return {page: codes for page, codes in found.items() if codes != list(expected[page])}
