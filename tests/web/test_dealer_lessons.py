"""The lessons of the dealer's desk are what the table does: written anew, they are the same."""

from __future__ import annotations

import json

from tests.support import dealer_lessons


def test_x27_the_lessons_in_the_client_are_those_that_the_table_plays() -> None:
    kept = dealer_lessons.FILE.read_text(encoding="utf-8")
    assert kept == dealer_lessons.write(), "python -m tests.support.dealer_lessons"


def test_x27_no_lesson_tells_a_card_before_it_is_scanned_or_turned() -> None:
    """The second card of the dealer is in no state before the rules turn it; a planted one is found."""
    for lesson in dealer_lessons.build():
        assert find_early(lesson) == []
    told = next(dealer_lessons.build())
    hole = next(step for step in told["steps"] if step["hint"] == "hole")
    hole["changes"] = [*hole["changes"], [["code"], hole["act"]]]
    assert find_early(told) != []


def find_early(lesson: dict[str, object]) -> list[str]:
    """The hole cards that stand in a change of their own step."""
    steps: list[dict[str, object]] = lesson["steps"]  # type: ignore[assignment]
    return [
        str(step["act"])
        for step in steps
        if step["hint"] == "hole" and f'"{step["act"]}"' in json.dumps(step["changes"])
    ]
