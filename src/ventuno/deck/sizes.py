"""The sizes of printed cards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """A size of card, and how the art is set on it; lengths in millimetres."""

    width: float
    height: float
    picture: float
    """The scale of picture and index."""
    module: float
    """The side of one square of a code."""
    code_margin: float
    """From the cut to a code, both ways."""


SIZES = {
    "poker": Size(63.5, 88.9, 1, 0.42, 4),
    "bridge": Size(57.15, 88.9, 0.9, 0.38, 3.7),
}
