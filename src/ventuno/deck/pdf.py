"""A PDF of drawings: paths in process inks, the boxes that print shops ask for, and nothing else.

No fonts, no pictures, no transparency, no colour but CMYK: there is nothing that a shop could lack or convert. What is
drawn more than once is stored once. The same drawings give the same bytes.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ventuno.deck.shapes import Drawing, Ink, Shape

POINTS = 72 / 25.4
"""Points of a millimetre."""


@dataclass(frozen=True, slots=True)
class Box:
    """In millimetres from the top left corner of a page."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A drawing by its name, and where its origin lies on the page."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Page:
    width: float
    height: float
    placed: tuple[Placed, ...]
    trim: Box
    """Where it is cut."""
    bleed: Box
    """How far ink goes beyond."""
    marks: Drawing = ()


def write_pdf(title: str, drawings: Mapping[str, Drawing], pages: Sequence[Page]) -> bytes:
    """The file. Objects: 1 the catalogue, 2 the pages, 3 the title, then drawings, contents of pages, and pages."""
    names = {name: number for number, name in enumerate(drawings)}
    forms = {name: 4 + number for name, number in names.items()}
    contents = list(dict.fromkeys(_write_content(page, names) for page in pages))
    first_page = 4 + len(forms) + len(contents)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{_refer(range(first_page, first_page + len(pages)))}] >>".encode(),
        f"<< /Title {_text(title)} /Creator (Ventuno) /Producer (Ventuno) /Trapped /False >>".encode(),
        *(_write_form(drawing) for drawing in drawings.values()),
        *(_stream(content) for content in contents),
    ]
    for page in pages:
        used = " ".join(f"/D{names[name]} {forms[name]} 0 R" for name in dict.fromkeys(one.name for one in page.placed))
        content = 4 + len(forms) + contents.index(_write_content(page, names))
        boxes = " ".join(f"/{name} [{_write_box(page, box)}]" for name, box in _list_boxes(page))
        resources = f"/Resources << /XObject << {used} >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {boxes} {resources} /Contents {content} 0 R >>".encode())
    return _assemble(objects)


def _list_boxes(page: Page) -> Iterator[tuple[str, Box]]:
    whole = Box(0, 0, page.width, page.height)
    yield from (("MediaBox", whole), ("CropBox", whole), ("BleedBox", page.bleed), ("TrimBox", page.trim))


def _write_box(page: Page, box: Box) -> str:
    bottom = page.height - box.y - box.height
    corners = (box.x, bottom, box.x + box.width, bottom + box.height)
    return " ".join(_number(length * POINTS) for length in corners)


def _write_content(page: Page, names: Mapping[str, int]) -> bytes:
    """Downwards and in millimetres from here on."""
    lines = [f"{_number(POINTS)} 0 0 {_number(-POINTS)} 0 {_number(page.height * POINTS)} cm"]
    for placed in page.placed:
        lines.append(f"q 1 0 0 1 {_number(placed.x)} {_number(placed.y)} cm /D{names[placed.name]} Do Q")
    lines += map(_write_shape, page.marks)
    return "\n".join(lines).encode()


def _write_form(drawing: Drawing) -> bytes:
    points = [point for shape in drawing for segment in shape.path for point in segment.points]
    margin = max((shape.width for shape in drawing), default=0)
    left, top = (min(point[axis] for point in points) - margin for axis in (0, 1))
    right, bottom = (max(point[axis] for point in points) + margin for axis in (0, 1))
    box = " ".join(map(_number, (left, top, right, bottom)))
    content = "\n".join(map(_write_shape, drawing)).encode()
    return _stream(content, f"/Type /XObject /Subtype /Form /BBox [{box}] /Resources << >> ")


def _write_shape(shape: Shape) -> str:
    parts = []
    if shape.fill is not None:
        parts.append(f"{_ink(shape.fill)} k")
    if shape.stroke is not None:
        dash = " ".join(map(_number, shape.dash))
        parts.append(f"{_ink(shape.stroke)} K {_number(shape.width)} w {int(shape.is_round)} J [{dash}] 0 d")
    for kind, points in shape.path:
        parts.append(" ".join([*(f"{_number(x)} {_number(y)}" for x, y in points), kind]))
    match (shape.fill is not None, shape.stroke is not None):
        case (True, True):
            parts.append("B")
        case (True, False):
            parts.append("f")
        case (False, True):
            parts.append("S")
        case _:
            parts.append("n")
    return " ".join(parts)


def _ink(ink: Ink) -> str:
    return " ".join(map(_number, ink))


def _number(value: float) -> str:
    """To a hundred-thousandth, without an exponent."""
    return f"{value:.5f}".rstrip("0").rstrip(".") if round(value, 5) else "0"


def _text(text: str) -> str:
    encoded = b"\xfe\xff" + text.encode("utf-16-be")
    return f"<{encoded.hex()}>"


def _refer(numbers: range) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _stream(content: bytes, entries: str = "") -> bytes:
    packed = zlib.compress(content, 9)
    head = f"<< {entries}/Length {len(packed)} /Filter /FlateDecode >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def _assemble(objects: Sequence[bytes]) -> bytes:
    """Objects in order, the table of where each begins, and the trailer."""
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(file)
    digest = hashlib.sha256(file).hexdigest()[:32]
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    file += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    file += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R /ID [<{digest}> <{digest}>] >>\n".encode()
    return bytes(file + f"startxref\n{table}\n%%EOF\n".encode())
