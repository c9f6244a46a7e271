"""Shapes in a plane: paths of lines and Bézier curves with their inks, moved and turned by matrices.

Coordinates go right and down, as in SVG; the unit is whoever's who draws.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[float, float]
Ink: TypeAlias = tuple[float, float, float, float]
"""Cyan, magenta, yellow, black, each from 0 to 1."""


class Segment(NamedTuple):
    """`m` moves, `l` draws a line, `c` a cubic curve, `h` closes; with as many points as that needs."""

    kind: str
    points: tuple[Point, ...] = ()


Path: TypeAlias = tuple[Segment, ...]


class Matrix(NamedTuple):
    """x' = a x + c y + e, y' = b x + d y + f."""

    a: float = 1
    b: float = 0
    c: float = 0
    d: float = 1
    e: float = 0
    f: float = 0

    def apply(self, point: Point) -> Point:
        x, y = point
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def after(self, inner: Matrix) -> Matrix:
        """First the inner one, then this."""
        e, f = self.apply((inner.e, inner.f))
        return Matrix(
            self.a * inner.a + self.c * inner.b,
            self.b * inner.a + self.d * inner.b,
            self.a * inner.c + self.c * inner.d,
            self.b * inner.c + self.d * inner.d,
            e,
            f,
        )

    @property
    def scale(self) -> float:
        return math.sqrt(abs(self.a * self.d - self.b * self.c))


def translate(x: float, y: float) -> Matrix:
    return Matrix(e=x, f=y)


def stretch(x: float, y: float | None = None) -> Matrix:
    return Matrix(a=x, d=x if y is None else y)


def turn(degrees: float, x: float = 0, y: float = 0) -> Matrix:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return translate(x, y).after(Matrix(cos, sin, -sin, cos)).after(translate(-x, -y))


@dataclass(frozen=True, slots=True)
class Shape:
    """A path that is filled, drawn, or both."""

    path: Path
    fill: Ink | None = None
    stroke: Ink | None = None
    width: float = 1
    is_round: bool = False
    """Its lines end in half circles."""
    dash: tuple[float, ...] = ()

    def move(self, matrix: Matrix) -> Shape:
        path = tuple(Segment(kind, tuple(map(matrix.apply, points))) for kind, points in self.path)
        dash = tuple(length * matrix.scale for length in self.dash)
        return replace(self, path=path, width=self.width * matrix.scale, dash=dash)


Drawing: TypeAlias = tuple[Shape, ...]


def move(drawing: Drawing, matrix: Matrix) -> Drawing:
    return tuple(shape.move(matrix) for shape in drawing)


def rectangle(x: float, y: float, width: float, height: float, radius: float = 0) -> Path:
    if not radius:
        corners = ((x + width, y), (x + width, y + height), (x, y + height))
        return (Segment("m", ((x, y),)), *(Segment("l", (corner,)) for corner in corners), Segment("h"))
    right, bottom, r = x + width, y + height, radius
    return read_path(
        f"M{x + r} {y}H{right - r}A{r} {r} 0 0 1 {right} {y + r}V{bottom - r}A{r} {r} 0 0 1 {right - r} {bottom}"
        f"H{x + r}A{r} {r} 0 0 1 {x} {bottom - r}V{y + r}A{r} {r} 0 0 1 {x + r} {y}Z"
    )


def circle(x: float, y: float, radius: float) -> Path:
    r = radius
    return read_path(f"M{x - r} {y}A{r} {r} 0 0 1 {x + r} {y}A{r} {r} 0 0 1 {x - r} {y}Z")


_WORD = re.compile(r"[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "A": 7, "Z": 0}


class NotAPath(ValueError):
    """The text is no path of SVG, or has a command that our art does not use."""


def read_path(text: str) -> Path:
    """The path of an SVG attribute `d`: all commands but T, absolute and relative."""
    return tuple(_read_segments(text))


def _read_commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; one that goes on without its letter is repeated, a move as a line."""
    words = _WORD.findall(text)
    letter, at = "", 0
    while at < len(words):
        if words[at].isalpha():
            letter, at = words[at], at + 1
        else:
            letter = {"M": "L", "m": "l"}.get(letter, letter)
        count = _NUMBERS.get(letter.upper(), -1)
        numbers = words[at : at + count] if count >= 0 else []
        if count < 0 or len(numbers) < count or any(number.isalpha() for number in numbers):
            raise NotAPath(text)
        yield letter, [float(number) for number in numbers]
        at += count
        if count == 0 and at < len(words) and not words[at].isalpha():
            raise NotAPath(text)


def _read_segments(text: str) -> Iterator[Segment]:
    here: Point = (0, 0)
    start: Point = (0, 0)
    mirrored: Point | None = None  # the second handle of a cubic curve, which S continues
    for letter, numbers in _read_commands(text):
        kind = letter.upper()
        x, y = here if letter.islower() else (0.0, 0.0)
        handle, mirrored = mirrored, None
        if kind == "A":
            end = (numbers[5] + x, numbers[6] + y)
            yield from _draw_arc(here, numbers[0], numbers[1], numbers[2], bool(numbers[3]), bool(numbers[4]), end)
            here = end
            continue
        if kind == "H":
            numbers = [numbers[0], here[1] - y]
        elif kind == "V":
            numbers = [here[0] - x, numbers[0]]
        points = [(numbers[at] + x, numbers[at + 1] + y) for at in range(0, len(numbers), 2)]
        match kind:
            case "Z":
                yield Segment("h")
                here = start
                continue
            case "M":
                start = points[0]
                yield Segment("m", (start,))
            case "L" | "H" | "V":
                yield Segment("l", (points[0],))
            case "Q":
                yield Segment("c", _raise_degree(here, points[0], points[1]))
            case "S":
                first = here if handle is None else (2 * here[0] - handle[0], 2 * here[1] - handle[1])
                yield Segment("c", (first, *points))
                mirrored = points[0]
            case _:
                yield Segment("c", tuple(points))
                mirrored = points[1]
        here = points[-1]


def _raise_degree(start: Point, handle: Point, end: Point) -> tuple[Point, Point, Point]:
    """A quadratic curve as a cubic one."""

    def lean(towards: Point) -> Point:
        return towards[0] + (handle[0] - towards[0]) * 2 / 3, towards[1] + (handle[1] - towards[1]) * 2 / 3

    return lean(start), lean(end), end


def _draw_arc(
    start: Point, rx: float, ry: float, rotation: float, large: bool, sweep: bool, end: Point
) -> Iterator[Segment]:
    """An arc of an ellipse as cubic curves of a quarter at most, by the formulas of SVG 1.1, appendix F.6."""
    cos, sin = math.cos(math.radians(rotation)), math.sin(math.radians(rotation))
    dx, dy = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    x, y = cos * dx + sin * dy, cos * dy - sin * dx
    wanted = (x / rx) ** 2 + (y / ry) ** 2
    if wanted > 1:
        rx, ry = rx * math.sqrt(wanted), ry * math.sqrt(wanted)
    below = (rx * y) ** 2 + (ry * x) ** 2
    factor = math.sqrt(max(0, ((rx * ry) ** 2 - below) / below)) * (-1 if large == sweep else 1)
    cx, cy = factor * rx * y / ry, -factor * ry * x / rx
    first = math.atan2((y - cy) / ry, (x - cx) / rx)
    swept = math.atan2((-y - cy) / ry, (-x - cx) / rx) - first
    if sweep and swept < 0:
        swept += 2 * math.pi
    elif not sweep and swept > 0:
        swept -= 2 * math.pi
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    place = Matrix(cos, sin, -sin, cos, *middle).after(translate(cx, cy)).after(stretch(rx, ry))
    parts = max(1, math.ceil(abs(swept) / (math.pi / 2) - 1e-9))
    step = swept / parts
    reach = 4 / 3 * math.tan(step / 4)
    for part in range(parts):
        a, b = first + part * step, first + (part + 1) * step
        handles = (
            (math.cos(a) - reach * math.sin(a), math.sin(a) + reach * math.cos(a)),
            (math.cos(b) + reach * math.sin(b), math.sin(b) - reach * math.cos(b)),
        )
        last = end if part == parts - 1 else place.apply((math.cos(b), math.sin(b)))
        yield Segment("c", (*map(place.apply, handles), last))
