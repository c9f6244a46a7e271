"""What a scenario file leads to, and where that differs from what it expects."""

from __future__ import annotations

from typing import Any

from ventuno import sheets
from ventuno.core.scenario import runner, scenario
from ventuno.words import describe_refusal


def find_differences(expected: Any, actual: Any, at: str = "settlement") -> list[str]:
    """Where the actual value falls short of what is expected; empty when it does not."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            line
            for key, value in expected.items()
            for line in (
                find_differences(value, actual[key], f"{at}.{key}") if key in actual else [f"{at}.{key}: missing"]
            )
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{at}: {len(expected)} expected, {len(actual)} found: {actual}"]
        return [line for one in expected for line in find_missing(one, actual, at)]
    return [] if expected == actual else [f"{at}: {expected!r} expected, {actual!r} found"]


def find_missing(expected: Any, actual: list[Any], at: str) -> list[str]:
    return [] if any(not find_differences(expected, one) for one in actual) else [f"{at}: no {expected} in {actual}"]


def compute_outcome(raw: Any) -> dict[str, Any]:
    """What a scenario leads to: its settlement, a refusal, or the word that it is malformed."""
    try:
        read = scenario.parse(raw, sheets.GAMES)
        return runner.write_settlement(runner.play_scenario(sheets.load(read.game), read))
    except scenario.Malformed:
        return {"malformed": True}
    except runner.Refused as no:
        return {"refused": {"code": no.refusal.code, "at": no.at, "detail": describe_refusal(no.refusal)}}
