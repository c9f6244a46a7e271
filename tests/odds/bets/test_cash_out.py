"""Cash out: the published return and range, and a table that the solver finds again (F-10, F-13, reading 18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.bets.cash_out import always_taken, list_first_hands, reconstruct
from ventuno.odds.exact.rules import NotSolvable
from ventuno.sheets import load


def find_gains(sheet: Sheet) -> Mapping[tuple[bool, int, int], float]:
    """Where an offer is worth more than playing on: by soft, total and up-card, the most that it gains (F-13)."""
    best_gains: dict[tuple[bool, int, int], float] = {}
    for first in list_first_hands(sheet):
        if not first.natural:
            key = first.soft, first.total, first.up
            gain = first.price_in(sheet.cash_out) - first.value
            best_gains[key] = max(gain, best_gains.get(key, gain))
    return {key: gain for key, gain in best_gains.items() if gain > 0.0}


def test_f13_who_always_cashes_out_gets_what_is_published() -> None:
    sheet = load("first-person")
    assert f"{float(100 * always_taken(sheet).rtp):.2f}" == sheet.published.returns["always-cash-out"]


def test_f10_the_sheet_holds_the_table_that_the_solver_finds() -> None:
    sheet = load("first-person")
    found = reconstruct(sheet, float(sheet.published.returns["always-cash-out"]))
    assert (found.hard, found.soft) == (sheet.cash_out.hard, sheet.cash_out.soft)
    assert str(found.margin) == sheet.cash_out.margin
    assert found.rtp == pytest.approx(float(100 * always_taken(sheet).rtp), abs=1e-10)
    offers = [offer for row in (*found.hard.values(), *found.soft.values()) for offer in row]
    assert (min(offers), max(offers)) == (40, 177)


def test_f13_no_offer_beats_best_play() -> None:
    assert not find_gains(load("first-person"))


def test_a_generous_offer_is_noticed() -> None:
    sheet = load("first-person")
    rows = {**sheet.cash_out.hard, "16": (200,) * 10}
    generous = replace(sheet, cash_out=replace(sheet.cash_out, hard=rows))
    assert set(find_gains(generous)) == {(False, 16, up) for up in range(1, 11)}
    assert always_taken(generous).rtp > always_taken(sheet).rtp + Fraction(5, 100)


def test_only_a_sheet_that_offers_it_has_a_return() -> None:
    with pytest.raises(NotSolvable, match="no cash out"):
        always_taken(load("ventuno"))
