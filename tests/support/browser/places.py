"""Where things are on the screen."""

from __future__ import annotations

from playwright.sync_api import Locator


def bounds(one: Locator) -> tuple[float, float, float, float]:
    """Left, top, right, bottom on the screen."""
    place = one.bounding_box()
    assert place is not None
    return place["x"], place["y"], place["x"] + place["width"], place["y"] + place["height"]


def is_inside(one: Locator, of: Locator) -> bool:
    left, top, right, bottom = bounds(one)
    x, y, far, low = bounds(of)
    return left >= x - 1 and top >= y - 1 and right <= far + 1 and bottom <= low + 1


def overlap(one: Locator, other: Locator) -> bool:
    left, top, right, bottom = bounds(one)
    x, y, far, low = bounds(other)
    return left < far - 1 and x < right - 1 and top < low - 1 and y < bottom - 1
