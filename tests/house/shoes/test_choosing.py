"""What a house gains by choosing between orders is computed, and told as it is computed (X-24)."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from bench.choosing import SD, bound_largest, expect_largest, list_rows, list_try_rows

DOCS = Path(__file__).parents[3] / "docs"


def test_x24_the_expected_largest_is_that_of_the_tables_and_below_the_bound() -> None:
    """Of 2 it is 1/sqrt(pi), of 3 one and a half times that, of 4 it is 1.02938: Teichroew's table."""
    assert expect_largest(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-6)
    assert expect_largest(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-6)
    assert expect_largest(4) == pytest.approx(1.02938, abs=1e-5)
    for count in (2, 4, 8, 64):
        assert expect_largest(count) < bound_largest(count)
    assert expect_largest(1000) == pytest.approx(3.24144, abs=1e-5)


def test_x24_the_bound_holds_for_results_of_one_round() -> None:
    """Two values with these chances, so that it is no normal variable: the best of k never exceeds the bound."""
    chance = random.Random(24)
    for wins in (0.1, 0.43, 0.9):
        sd = math.sqrt(wins * (1 - wins))
        for count in (2, 4, 8):
            best = 1 - (1 - wins) ** count
            drawn = sum(max(chance.random() < wins for _ in range(count)) for _ in range(4000)) / 4000
            assert drawn == pytest.approx(best, abs=0.04)
            assert (best - wins) / sd <= bound_largest(count) + 1e-12


def test_x24_the_page_tells_what_the_script_computes() -> None:
    page = (DOCS / "fairness.md").read_text(encoding="utf-8")
    for row in (*list_rows(), *list_try_rows()):
        assert row in page
    assert f"| {SD} |" in (DOCS / "odds.md").read_text(encoding="utf-8")
