"""The cases that this verifier and the browser's share: each names the same place (X-01, G-14)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.random_rounds import FILE as ROUNDS
from tests.support.sample_shoes import DOCUMENTS, OLD_DOCUMENTS
from tests.support.tampered_documents import FILE, SHEETS, applied, fault, stored, with_draws
from ventuno.core.rules.sheet_reader import plain
from ventuno.core.scenario.runner import Refused, play_scenario, write_settlement
from ventuno.core.scenario.scenario import parse
from ventuno.sheets import GAMES, load

CASES: list[dict[str, Any]] = json.loads(FILE.read_bytes())


@pytest.mark.parametrize("name", [*OLD_DOCUMENTS, *DOCUMENTS])
def test_x01_what_nobody_touched_holds(name: str) -> None:
    assert fault(stored(name), stored(name)) == (True, "")


def test_x01_every_tampered_field_is_named() -> None:
    assert len(CASES) > 300
    for case in CASES:
        original = stored(case["document"])
        changed = applied(original, case["changes"])
        assert changed != original, case["name"]
        assert fault(changed, original) == (case["readable"], case["at"]), case["name"]


def test_x23_every_other_draw_than_the_sealed_one_is_named() -> None:
    """X-23: a wheel, a cell, a prize of a diamond, a seed: changed, paid and signed anew; the browser has them too."""
    names = {case.name for case in with_draws()}
    assert len(names) >= 10
    found = {case["name"]: case["at"] for case in CASES if case["name"] in names}
    assert set(found) == names
    assert all(found.values()), found


def test_x01_only_an_honest_void_holds_among_them() -> None:
    """The cases are faults; one that holds is there to show that signing anew is not what is found."""
    assert [case["name"] for case in CASES if case["readable"] and not case["at"]] == ["a void that keeps 0"]


def test_x01_rounds_at_random_settle_as_they_are_stored() -> None:
    """The browser plays the same rounds again from the sheets; `python -m tests.support.random_rounds` writes them."""
    stored_rounds: list[dict[str, Any]] = json.loads(ROUNDS.read_bytes())
    assert len(stored_rounds) > 200
    for one in stored_rounds:
        scenario = parse(one["scenario"], GAMES)
        try:
            found = write_settlement(play_scenario(load(scenario.game), scenario))
        except Refused:
            assert one["bets"] is None, one
        else:
            assert found["bets"] == one["bets"], one
            assert found["unused_cards"] == 0, one


def test_the_browser_has_the_sheets_in_force() -> None:
    """`python -m tests.support.tampered_documents` writes them too."""
    assert json.loads(SHEETS.read_bytes()) == [plain(load(game)) for game in GAMES]
