"""Every scenario file, run through the real table: cards and decisions in, payouts out (X-20).

Expectations are worked out by hand from the rules. A file may give a whole settlement or any part of it; bets are
compared without regard to their order, which the contract leaves open.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.scenario_outcomes import compute_outcome, find_differences, find_missing

HERE = Path(__file__).parents[2] / "scenarios"
FILES = sorted(file for file in HERE.glob("*/*.json") if not file.name.endswith(".table.json"))


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_scenario(file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    actual = compute_outcome(case["scenario"])
    if "expect" not in case:
        wanted = {key: case[key] for key in ("refused", "malformed") if key in case}
        assert wanted, "a scenario expects something"
        assert find_differences(wanted, actual) == []
        return
    expect = dict(case["expect"])
    lines = expect.pop("bets_include", [])
    faults = find_differences(expect, actual)
    faults += [line for one in lines for line in find_missing(one, actual.get("bets", []), "bets")]
    assert faults == []


def test_every_file_names_its_criterion() -> None:
    """The name of a file begins with the criterion inside it."""
    for file in FILES:
        case = json.loads(file.read_text(encoding="utf-8"))
        assert file.stem.startswith(case["criterion"]), file
        assert case["about"], file
        assert case["scenario"]["game"] == file.parent.name or "malformed" in case, file


def test_a_wrong_expectation_is_caught() -> None:
    """The comparison itself can fail: one changed cent in any line is a difference."""
    file = next(file for file in FILES if "expect" in json.loads(file.read_text()))
    case = json.loads(file.read_text(encoding="utf-8"))
    actual = compute_outcome(case["scenario"])
    wrong = {"bets": [{**line, "returned": line["returned"] + 1} for line in actual["bets"]]}
    assert find_differences({"bets": actual["bets"]}, actual) == []
    assert find_differences(wrong, actual)


def test_a_box_stands_in_every_line_but_the_dealers_pair() -> None:
    """The contract's own sentence, over every settlement there is; the cap's line included (L-34)."""
    seen = set()
    for file in FILES:
        for line in compute_outcome(json.loads(file.read_text(encoding="utf-8"))["scenario"]).get("bets", []):
            seen.add(line["bet"])
            assert ("box" in line) is (line["bet"] != "dealer-pair"), (file, line)
    assert {"dealer-pair", "max-win"} <= seen
