"""Every scenario file, run through the real table: cards and decisions in, payouts out (X-20).

Expectations are worked out by hand from the rules. A file may give a whole settlement or any part of it; bets are
compared without regard to their order, which the contract leaves open.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ventuno import sheets
from ventuno.core.scenario import runner, scenario
from ventuno.words import describe_refusal

HERE = Path(__file__).parents[2] / "scenarios"
FILES = sorted(file for file in HERE.glob("*/*.json") if not file.name.endswith(".table.json"))


def differences(expected: Any, actual: Any, at: str = "settlement") -> list[str]:
    """Where the actual value falls short of what is expected; empty when it does not."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            line
            for key, value in expected.items()
            for line in (differences(value, actual[key], f"{at}.{key}") if key in actual else [f"{at}.{key}: missing"])
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{at}: {len(expected)} expected, {len(actual)} found: {actual}"]
        return [line for one in expected for line in included(one, actual, at)]
    return [] if expected == actual else [f"{at}: {expected!r} expected, {actual!r} found"]


def included(expected: Any, actual: list[Any], at: str) -> list[str]:
    return [] if any(not differences(expected, one) for one in actual) else [f"{at}: no {expected} in {actual}"]


def outcome(raw: Any) -> dict[str, Any]:
    """What a scenario leads to: its settlement, a refusal, or the word that it is malformed."""
    try:
        read = scenario.parse(raw, sheets.GAMES)
        return runner.write_settlement(runner.play_scenario(sheets.load(read.game), read))
    except scenario.Malformed:
        return {"malformed": True}
    except runner.Refused as no:
        return {"refused": {"code": no.refusal.code, "at": no.at, "detail": describe_refusal(no.refusal)}}


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_scenario(file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    actual = outcome(case["scenario"])
    if "expect" not in case:
        wanted = {key: case[key] for key in ("refused", "malformed") if key in case}
        assert wanted, "a scenario expects something"
        assert differences(wanted, actual) == []
        return
    expect = dict(case["expect"])
    lines = expect.pop("bets_include", [])
    faults = differences(expect, actual)
    faults += [line for one in lines for line in included(one, actual.get("bets", []), "bets")]
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
    actual = outcome(case["scenario"])
    wrong = {"bets": [{**line, "returned": line["returned"] + 1} for line in actual["bets"]]}
    assert differences({"bets": actual["bets"]}, actual) == []
    assert differences(wrong, actual)


def test_a_box_stands_in_every_line_but_the_dealers_pair() -> None:
    """The contract's own sentence, over every settlement there is; the cap's line included (L-34)."""
    seen = set()
    for file in FILES:
        for line in outcome(json.loads(file.read_text(encoding="utf-8"))["scenario"]).get("bets", []):
            seen.add(line["bet"])
            assert ("box" in line) is (line["bet"] != "dealer-pair"), (file, line)
    assert {"dealer-pair", "max-win"} <= seen
