"""The exact solver: published returns, public reference values, and an independent count on small shoes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tests.support.counted_rounds import Count
from ventuno.odds.exact import solver
from ventuno.odds.exact.action_values import insurance, values
from ventuno.odds.exact.chart import UP_CARDS
from ventuno.odds.exact.hand_tree import HandTree, build_tree
from ventuno.odds.exact.outcomes import mean
from ventuno.odds.exact.rules import NotSolvable, Rules, read_rules
from ventuno.odds.exact.solver import Solution, best_chart, chart_return, solve
from ventuno.odds.exact.splits import Splits, list_patterns
from ventuno.sheets import load

REFERENCE = {"dealer.peek": '["A", "ten"]', "double.after_split": "true"}
# 2 3 4 5 6 7 8 9 T J Q K A
SMALL = (0, 0, 0, 3, 2, 0, 3, 0, 2, 2, 2, 2, 3)
SMALLER = (0, 0, 0, 0, 1, 0, 5, 0, 2, 2, 2, 2, 1)


@cache
def solved(game: str, *changes: str) -> Solution:
    return solve(load(game, dict(one.split("=", 1) for one in changes)))


@pytest.mark.parametrize("game", ["ventuno", "first-person", "sisal", "link"])
def test_published_main_return(game: str) -> None:
    """V-20 F-18 S-34 L-20: to the last printed digit."""
    found = solved(game)
    assert f"{found.rtp:.2f}" == found.sheet.published.returns["main"]
    assert found.rtp in (found.rtp_initial, found.rtp_total)


def test_public_reference() -> None:
    """8 decks, S17, double any two, double after split, one split, peek, 3:2, split aces one card."""
    found = solved("ventuno", *(f"{key}={value}" for key, value in REFERENCE.items()))
    assert found.cd.ev * 100 == pytest.approx(-0.485780359, abs=5e-10)
    assert found.sd == pytest.approx(1.14693318919, abs=5e-12)


SWITCHES = [
    ("ventuno", {}),
    ("ventuno", REFERENCE | {"surrender": "late", "dealer.soft_17": "hit"}),
    (
        "ventuno",
        {
            "dealer_blackjack_takes.ten": "original",
            "double.after_split": "true",
            "dealer.peek": "[]",
            "surrender": "late",
        },
    ),
    ("sisal", {"dealer_blackjack_takes.ace": "original", "charlie": "4"}),
    ("link", {"charlie": "3", "double.on": "9-11", "blackjack.pays": "6/5", "insurance.even_money": "false"}),
    ("link", {"dealer.peek": '["ten"]', "split.aces": "free", "double.on": "10-11", "shoe.decks": "1"}),
]


@pytest.mark.parametrize(("game", "changes"), SWITCHES)
def test_small_shoe_counted_card_by_card(game: str, changes: dict[str, str]) -> None:
    sheet = load(game, changes | {"insurance.offered": "false"})
    counted, found = Count(sheet, SMALL).outcomes, solve(sheet, SMALL)
    assert sum(counted.values()) == 1
    assert found.cd.ev == pytest.approx(float(sum(r * p for r, p in counted.items())), abs=1e-12)
    assert found.outcomes is not None
    assert set(found.outcomes) >= set(counted)
    for result, chance in found.outcomes.items():
        assert chance == pytest.approx(float(counted.get(result, Fraction(0))), abs=1e-12), result


@pytest.mark.parametrize("most", [3, 4])
@pytest.mark.parametrize("peek", ["[]", '["ten"]'])
@pytest.mark.parametrize(("takes", "up"), [("all", 10), ("original", 10), ("all", 8)])
def test_resplits_counted_card_by_card(most: int, peek: str, takes: str, up: int) -> None:
    """The fixed-strategy method is exact for the strategy it fixes, whatever the number of hands."""
    changes = {"split.hands": str(most), "dealer.peek": peek, "dealer_blackjack_takes.ten": takes}
    sheet = load("ventuno", changes)
    count, one = Count(sheet, SMALLER), build_tree(read_rules(sheet, SMALLER), up)
    splits = Splits(one)
    found = solver.find_best_play(one, splits).worth[7]
    shoe = count.without(count.shoe, 8, 8, up)
    expected = Fraction(0)
    for hands, chance, left in count.splits(8, up, shoe, most):
        for end, part in count.facing(up, left).items():
            results = (count.result(last, stake, int(at > 0), up, end) for at, (last, stake) in enumerate(hands))
            expected += chance * part * sum(results)
    plays = 1 - Fraction(shoe[0], sum(shoe)) if count.peeks(up) else 1
    assert found == pytest.approx(float(expected * plays), abs=1e-12)


def test_patterns_of_resplitting() -> None:
    assert list_patterns(2) == ((0, 0, 2, 1),)
    assert sorted(list_patterns(3)) == [(0, 2, 0, 1), (1, 0, 3, 1), (1, 1, 2, 1)]


@pytest.mark.parametrize("game", ["ventuno", "sisal", "link"])
def test_outcomes_agree_with_the_return(game: str) -> None:
    found = solved(game)
    assert found.outcomes is not None
    assert sum(found.outcomes.values()) == pytest.approx(1.0, abs=1e-12)
    assert mean(found.outcomes) == pytest.approx(found.cd.ev, abs=1e-12)
    assert min(found.outcomes.values()) > 0.0


@pytest.mark.parametrize("game", ["ventuno", "sisal", "link"])
def test_the_chart_costs_little_and_never_gains(game: str) -> None:
    found = solved(game)
    assert best_chart(found.sheet) == found.chart
    assert 0.0 <= found.cd.ev - found.td.ev < 1e-4
    assert set("".join(found.chart.hard.values())) <= set("SHDd")
    assert all(found.chart.hard[total, up] == "S" for total in range(17, 21) for up in UP_CARDS)
    assert not found.chart.insure


def test_no_single_line_of_the_chart_can_be_bettered() -> None:
    found = solved("ventuno", "surrender=late", "double.after_split=true")
    sheet, best = found.sheet, found.chart
    assert chart_return(sheet, best).ev == pytest.approx(found.td.ev, abs=1e-13)
    for total, up in ((12, 3), (16, 10), (11, 1)):
        for code in set("SHDdRr") - {best.hard[total, up]}:
            other = replace(best, hard={**best.hard, (total, up): code})
            assert chart_return(sheet, other).ev < found.td.ev
    for card, up in ((4, 4), (9, 7)):
        other = replace(best, pair={**best.pair, (card, up): not best.pair[card, up]})
        assert chart_return(sheet, other).ev < found.td.ev


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (("blackjack.pays=6/5",), ()),
        (("dealer.peek=[]",), ()),
        ((), ('dealer.peek=["A", "ten"]',)),
        (("dealer.soft_17=hit",), ()),
        (("double.on=9-11",), ()),
        (("double.on=10-11",), ("double.on=9-11",)),
        ((), ("double.after_split=true",)),
        ((), ("split.aces=free",)),
        ((), ("split.hands=3",)),
        (("split.hands=3",), ("split.hands=4",)),
        ((), ("surrender=late",)),
        ((), ("charlie=5",)),
        (("charlie=6",), ("charlie=5",)),
        ((), ("dealer_blackjack_takes.ten=original-and-splits",)),
        (("dealer_blackjack_takes.ten=original-and-splits",), ("dealer_blackjack_takes.ten=original",)),
        ((), ("shoe.decks=1",)),
        (("shoe.decks=1",), ("shoe.decks=1", "split.hands=4", "split.aces=free")),
        (("split.equal=rank", "shoe.decks=6"), ("shoe.decks=2",)),
    ],
)
def test_switches_move_the_return_the_right_way(worse: tuple[str, ...], better: tuple[str, ...]) -> None:
    assert solved("ventuno", *worse).cd.ev < solved("ventuno", *better).cd.ev


def test_wrong_conditioning_on_the_peek_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: taking the dealer's ends without the peek's knowledge changes what is published."""

    def wrong(rules: Rules, up: int) -> HandTree:
        one = build_tree(rules, up)
        if not one.peek:
            return one
        ends = one.ends.copy()
        ends[:, :6] *= 1.0 - ends[:, 6:]
        return replace(one, ends=ends)

    monkeypatch.setattr(solver, "build_tree", wrong)
    sheet = load("ventuno")
    assert f"{solve(sheet).rtp:.2f}" != sheet.published.returns["main"]
    small = load("ventuno", {"insurance.offered": "false"})
    counted = Count(small, SMALL).outcomes
    assert abs(solve(small, SMALL).cd.ev - float(sum(r * p for r, p in counted.items()))) > 1e-3


def test_insurance_is_never_worth_it_from_the_top_but_may_be_by_the_cards_seen() -> None:
    for decks in ("1", "8"):
        found = solved("ventuno", f"shoe.decks={decks}").insurance
        assert found.offered
        assert found.mean < 0.0
        assert found.best < 0.0
    assert insurance(load("ventuno", {"shoe.decks": "1"}), (5, 4), seen=(2, 3, 4, 5, 6, 7)) > 0.0
    generous = solved("ventuno", "insurance.pays=3:1")
    assert generous.insurance.best > 0.0
    assert generous.chart.insure
    assert generous.outcomes is not None
    assert mean(generous.outcomes) == pytest.approx(generous.cd.ev, abs=1e-12)


def test_even_money_is_taken_only_where_blackjack_pays_less() -> None:
    assert not solved("link").insurance.even_money
    found = solved("link", "blackjack.pays=6/5")
    assert found.insurance.even_money
    assert found.outcomes is not None
    assert mean(found.outcomes) == pytest.approx(found.cd.ev, abs=1e-12)


def test_what_is_not_exact_says_so() -> None:
    found = solved("ventuno", "split.hands=4")
    assert found.sd is None
    assert found.outcomes is None
    assert found.method.code == "method-fixed"
    assert solved("ventuno").method.code == "method-exact"
    with pytest.raises(NotSolvable, match="own solver"):
        solve(load("duello"))


def test_bet_behind() -> None:
    """V-26 V-30 V-31: following everything is the owner's own bet; each refusal costs."""
    found = solved("ventuno")
    follow_all, none = found.behind[True, True], found.behind[False, False]
    assert follow_all.ev == pytest.approx(found.cd.ev, abs=1e-12)
    assert follow_all.stake == pytest.approx(found.cd.stake, abs=1e-12)
    assert none.stake == pytest.approx(1.0, abs=1e-12)
    assert none.ev < found.behind[False, True].ev < found.behind[True, False].ev < follow_all.ev


def test_values_of_actions() -> None:
    sheet = load("first-person")
    assert set(values(sheet, (8, 8), 10)) == {"stand", "hit", "double", "split", "cash-out"}
    assert set(values(sheet, (10, 2, 3), 10)) == {"stand", "hit"}
    assert set(values(sheet, (8, 3), 6, split=True)) == {"stand", "hit"}
    assert set(values(sheet, (1, 3), 6, split=True)) == {"stand"}
    assert set(values(load("link"), (8, 3), 6, split=True)) == {"stand", "hit", "double"}
    blackjack = values(sheet, (1, 10), 1)
    assert blackjack == {"stand": 1.5}
    known = values(sheet, (10, 6), 10)
    assert max(known, key=known.__getitem__) == "hit"
    seen = values(sheet, (10, 6), 10, seen=(5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2))
    assert max((one for one in seen if one != "cash-out"), key=seen.__getitem__) == "stand"
    for wrong in ((10, 10, 10), (11, 2), (5,), ()):
        with pytest.raises(NotSolvable):
            values(sheet, wrong, 10)


def test_values_agree_with_the_return() -> None:
    """The best values of all first hands, weighted by their chances, make the certified return."""
    found, sheet, result = solved("sisal"), load("sisal"), 0.0
    shoe = np.array([32] * 9 + [128])
    for a in range(1, 11):
        for b in range(a, 11):
            for up in UP_CARDS:
                left = shoe.copy()
                chance = 1.0 if a == b else 2.0
                for card in (a, b, up):
                    chance *= left[card - 1] / left.sum()
                    left[card - 1] -= 1
                result += chance * max(values(sheet, (a, b), up).values())
    assert result == pytest.approx(found.cd.ev, abs=1e-9)
