"""R-16, G-10, I-8: an engine that is not ours settles the same rounds, line by line, in all five games."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import reference_engine
from tests.support.random_rounds import RandomRounds
from tests.support.reference_engine import NotAllowed
from tests.support.volume import scale
from ventuno.core.rules.cards import cards
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import play_scenario, write_settlement
from ventuno.core.scenario.scenario import BoxEntry, Scenario
from ventuno.house.shoes.shoe_document import scenario_to_dict
from ventuno.sheets import GAMES, load

ROUNDS = 1600
TESTS = Path(__file__).parents[2]
SCENARIOS = sorted(file for file in (TESTS / "scenarios").glob("*/*.json") if not file.name.endswith(".table.json"))
MAX_WIN = ("box", "max-win")
STANDARD_LIBRARY = {"__future__", "collections", "dataclasses", "typing"}


@cache
def read_offers() -> dict[str, Any]:
    """The cash-out table as data; it is a reconstruction that no regulation prints (F-10, reading 18)."""
    sheet = TESTS.parent / "src" / "ventuno" / "sheets" / "first_person.toml"
    offers: dict[str, Any] = tomllib.loads(sheet.read_text(encoding="utf-8"))["cash_out"]
    return offers


def keep_amounts(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines in an order of their own; without the criterion, and without the box where the maximum win is booked."""
    return sorted(
        json.dumps({key: line[key] for key in sorted(line) if key != "criterion" and (key, line["bet"]) != MAX_WIN})
        for line in lines
    )


def find_difference(document: dict[str, Any], lines: Iterable[Mapping[str, Any]]) -> str:
    """Empty where the reference pays the same."""
    try:
        settled = keep_amounts(reference_engine.settle(document, read_offers()))
    except NotAllowed as fault:
        return f"not allowed: {fault}"
    return "" if settled == keep_amounts(lines) else f"{document}: {settled}"


def is_refused(document: dict[str, Any]) -> bool:
    try:
        reference_engine.settle(document, read_offers())
    except NotAllowed:
        return True
    return False


def imported_rooms(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or ".").split(".")[0])
    return names


def test_r16_the_reference_shares_no_code_with_the_house() -> None:
    source = Path(reference_engine.__file__).read_text(encoding="utf-8")
    assert imported_rooms(source) <= STANDARD_LIBRARY
    assert not imported_rooms(f"{source}\nfrom ventuno.core.rules import hand\n") <= STANDARD_LIBRARY


@pytest.mark.parametrize("game", GAMES)
def test_r16_g10_random_rounds_pay_what_the_reference_pays(game: str) -> None:
    """And what the rules refuse, in bets and in decisions, the reference refuses too."""
    source = RandomRounds(load(game), 16)
    settled = 0
    while settled < scale(ROUNDS):
        if (drawn := source.round()) is not None:
            settled += 1
            assert not find_difference(scenario_to_dict(drawn[0]), drawn[1])
    assert source.forbidden, "no decision was refused: the comparison is half of itself"
    for scenario in [*source.forbidden, *source.refused]:
        assert is_refused(scenario_to_dict(scenario)), scenario


PLANTED = {
    "ventuno": (
        "blackjack.pays=6/5",
        "dealer.soft_17=hit",
        "split.aces=free",
        "dealer.peek=[]",
        "timeouts.hit_up_to=12",
    ),
    "first-person": ("dealer.peek=[A,ten]", "sides.perfect-pairs.pays.mixed=5:1", "insurance.pays=1:1"),
    "sisal": ("split.equal=value", "pair_requires_stand=false", "sides.21+3.pays.flush=x6", "double.after_split=true"),
    "duello": ("duel.qualify=14", "duel.draw_to=17", "sides.2-up.pays.pair=2:1"),
    "link": ("insurance.even_money=false", "dealer.soft_17=hit", "split.hands=3"),
}
"""A house whose sheet is not the regulation: each must be seen within the rounds of a daily run."""


@pytest.mark.parametrize(("game", "change"), [(game, change) for game in PLANTED for change in PLANTED[game]])
def test_r16_planted_fault_a_house_that_plays_another_rule_is_found(game: str, change: str) -> None:
    source = RandomRounds(load(game, dict([change.split("=", 1)])), 16)
    differences = (
        find_difference(scenario_to_dict(drawn[0]), drawn[1]) for _ in range(scale(ROUNDS)) if (drawn := source.round())
    )
    assert any(differences)


def find_bonus_difference(sheet: Sheet) -> str:
    """The first of many wheels and boards that the reference pays otherwise; empty where there is none."""
    source = RandomRounds(sheet, 30)
    boxes = (BoxEntry(1, "p1", 1000, {"link": 200}),)
    for _ in range(scale(ROUNDS)):
        round_ = Scenario("link", cards("AS 2D KS 3D"), boxes, bonus=(source.draw_bonus(),))
        lines = write_settlement(play_scenario(sheet, round_))["bets"]
        if difference := find_difference(scenario_to_dict(round_), lines):
            return difference
    return ""


def test_l30_every_wheel_and_board_pays_what_the_reference_pays() -> None:
    """L-23 to L-30: random rounds have few of them, so they are drawn by themselves."""
    assert not find_bonus_difference(load("link"))


@pytest.mark.parametrize(
    "change", [{"bonus.spins": "4"}, {"bonus.prizes.MINI": "30"}, {"bonus.boards.link.start": "4"}]
)
def test_l30_planted_fault_a_board_of_another_rule_is_found(change: dict[str, str]) -> None:
    assert find_bonus_difference(load("link", change))


def test_r16_the_reference_agrees_with_the_scenarios_worked_out_by_hand() -> None:
    cases = [json.loads(file.read_text(encoding="utf-8")) for file in SCENARIOS]
    settled = [case for case in cases if "bets" in case.get("expect", {})]
    assert {case["scenario"]["game"] for case in settled} == set(GAMES)
    assert not [fault for case in settled if (fault := find_difference(case["scenario"], case["expect"]["bets"]))]
