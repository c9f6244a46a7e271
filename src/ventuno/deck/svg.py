"""The drawings of the client as shapes: the part of SVG that its art uses, with inks for its colours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

from ventuno.deck import shapes
from ventuno.deck.shapes import Drawing, Ink, Matrix, Shape, read_path

PAPER: Ink = (0, 0, 0, 0)
BLACK: Ink = (0, 0, 0, 1)
RED: Ink = (0.08, 1, 0.85, 0.14)
GREEN: Ink = (0.86, 0.42, 0.76, 0.46)
BRASS: Ink = (0.16, 0.32, 0.74, 0.06)
INKS: Mapping[str, Ink | None] = {
    "none": None,
    "var(--card)": PAPER,
    "var(--card-edge)": None,
    "var(--card-skin)": (0.02, 0.08, 0.22, 0),
    "var(--card-back)": GREEN,
    "var(--brass)": BRASS,
    "var(--brass-lit)": (0.06, 0.16, 0.46, 0),
}
"""The colours of the pages on coated paper. Paper itself is the white of a card; its edge is where it is cut."""
_CALL = re.compile(r"(\w+)\(([^)]*)\)")


class NotOurArt(ValueError):
    """The art has an element, a colour or a transformation that no ink and no shape is known for."""


@cache
def load_art() -> Any:
    return json.loads(files(__package__).joinpath("art.json").read_text(encoding="utf-8"))


@cache
def load_letters() -> Any:
    return json.loads(files(__package__).joinpath("letters.json").read_text(encoding="utf-8"))


def read_elements(markup: str) -> list[ElementTree.Element]:
    """What a drawing consists of, without the sheet of paper that comes first."""
    return list(ElementTree.fromstring(markup))[1:]


def draw(element: ElementTree.Element, ink: Ink, style: str) -> Drawing:
    """The shapes of an element; `ink` is what it calls its current colour, `style` that of its letters."""
    return tuple(_draw(element, ink, style))


def _draw(element: ElementTree.Element, ink: Ink, style: str) -> Iterator[Shape]:
    matrix = read_transform(element.get("transform", ""))
    if element.tag == "g":
        for child in element:
            yield from (shape.move(matrix) for shape in _draw(child, ink, style))
        return
    if element.tag == "text":
        yield from (shape.move(matrix) for shape in _draw_text(element, ink, style))
        return
    opacity = float(element.get("opacity", 1))
    filled = "none" if element.get("stroke") else "currentColor"  # a line has no inside, and print would dot it
    yield Shape(
        _outline(element),
        _mix(_find_ink(element.get("fill", filled), ink), opacity),
        _mix(_find_ink(element.get("stroke", "none"), ink), opacity),
        float(element.get("stroke-width", 1)),
        element.get("stroke-linecap") == "round",
        tuple(float(length) for length in element.get("stroke-dasharray", "").split()),
    ).move(matrix)


def _outline(element: ElementTree.Element) -> shapes.Path:
    numbers = {name: float(element.get(name, 0)) for name in ("x", "y", "width", "height", "rx", "cx", "cy", "r")}
    match element.tag:
        case "path":
            text = element.get("d", "")
            return read_path(load_art()["shapes"][text[1]] if text.startswith("@") else text)
        case "rect":
            return shapes.rectangle(*(numbers[name] for name in ("x", "y", "width", "height", "rx")))
        case "circle":
            return shapes.circle(numbers["cx"], numbers["cy"], numbers["r"])
        case tag:
            raise NotOurArt(tag)


def _find_ink(colour: str, current: Ink) -> Ink | None:
    if colour == "currentColor":
        return current
    if colour not in INKS:
        raise NotOurArt(colour)
    return INKS[colour]


def _mix(ink: Ink | None, opacity: float) -> Ink | None:
    """What is half clear in our art lies on the ground of the back: printed, it is one ink."""
    if ink is None or opacity == 1:
        return ink
    cyan, magenta, yellow, black = (
        round(opacity * upper + (1 - opacity) * lower, 4) for upper, lower in zip(ink, GREEN, strict=True)
    )
    return cyan, magenta, yellow, black


def _draw_text(element: ElementTree.Element, ink: Ink, style: str) -> Drawing:
    x, y, size, spacing = (float(element.get(name, 0)) for name in ("x", "y", "font-size", "letter-spacing"))
    found = _find_ink(element.get("fill", "currentColor"), ink)
    return letter(element.text or "", x, y, size, style=style, ink=found or ink, spacing=spacing)


def letter(
    text: str, x: float, y: float, size: float, *, style: str = "display", ink: Ink, spacing: float = 0
) -> Drawing:
    """A line of letters around a middle, as outlines: no shop needs our font. Spacing follows every letter."""
    scale, glyphs = size / load_letters()["em"], load_letters()["styles"][style]
    width = sum(glyphs[character][0] * scale + spacing for character in text)
    at, found = x - width / 2, list[Shape]()
    for character in text:
        advance, path = glyphs[character]
        if path:
            found.append(Shape(read_path(path), ink).move(Matrix(scale, 0, 0, scale, at, y)))
        at += advance * scale + spacing
    return tuple(found)


def read_transform(text: str) -> Matrix:
    """The attribute `transform`: moves, turns and scales, the first outermost."""
    matrix = Matrix()
    for name, given in _CALL.findall(text):
        numbers = [float(number) for number in re.split(r"[\s,]+", given.strip())]
        match name:
            case "translate":
                step = shapes.translate(numbers[0], numbers[1] if len(numbers) > 1 else 0)
            case "rotate":
                step = shapes.turn(*numbers)
            case "scale":
                step = shapes.stretch(*numbers)
            case _:
                raise NotOurArt(text)
        matrix = matrix.after(step)
    return matrix
