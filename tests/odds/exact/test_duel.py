"""The duel against the published figure and against an independent walk over real cards (D-06…D-18)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations

import pytest

from ventuno.core.rules import hand
from ventuno.core.rules.cards import VALUES, cards, pack
from ventuno.core.rules.sheet import DuelRules
from ventuno.odds.exact.duel import FOLD, DuelSolution, Plan, dealer_final, hand_name, house_choice, solve_duel
from ventuno.sheets import load

HOUSE_WAY = DuelRules().house_way


@cache
def solved(**changes: str) -> DuelSolution:
    return solve_duel(load("duello", {key.replace("__", "."): value for key, value in changes.items()}))


def test_d18_published() -> None:
    found = solved()
    assert f"{float(100 * found.rtp_total):.2f}" == "98.38"
    assert f"{float(100 * found.rtp_initial):.2f}" == "96.92"
    assert sum(found.outcomes.values()) == 1
    assert 2 - found.stake == found.outcomes[-1]  # a fold is the only way to put down one ante and no more


def test_d11_house_way_example() -> None:
    assert house_choice(8, 2, 10, DuelRules()) == 2


def test_d10_house_way_covers_every_pair() -> None:
    assert {hand_name(*pair) for pair in combinations_with_replacement(range(1, 11), 2)} == set(HOUSE_WAY)


@pytest.mark.parametrize(
    ("first", "taken", "second", "final"),
    [(10, 6, 5, 21), (10, 7, 4, 17), (1, 6, 9, 17), (1, 5, 10, 16), (1, 1, 1, 13), (9, 7, 10, 26), (2, 2, 1, 15)],
)
def test_d12_dealer_draws_one_card_at_most(first: int, taken: int, second: int, final: int) -> None:
    assert dealer_final(first, taken, second, DuelRules()) == final


def net(player: int, dealer: int) -> int:
    """D-08, D-13, D-14, written a second time."""
    if player > 21:
        return -2
    if dealer < 13:
        return 1
    if dealer > 21:
        return 2
    return 2 * ((player > dealer) - (player < dealer))


def walked(visible: tuple[int, int, int], deck: tuple[int, ...]) -> dict[Plan, Fraction]:
    """Every plan for three visible cards, over each order of hidden, first and second card of a real pack."""
    up, left, right = visible
    results: Counter[Plan] = Counter()
    count = 0
    rest = list(deck)
    for known in visible:
        rest.remove(known)
    values = Counter(VALUES[card] for card in rest)
    a_card = {VALUES[card]: card for card in rest}
    for hidden, first, second in set(permutations([value for value in values for _ in range(3)], 3)):
        ways = values[hidden] * (values[first] - (first == hidden))
        ways *= values[second] - (second == hidden) - (second == first)
        if ways <= 0:
            continue
        drawn = a_card[hidden], a_card[first], a_card[second]
        options = {hand_name(VALUES[drawn[1]], VALUES[one]): one for one in (right, left)}
        taken = options[min(options, key=HOUSE_WAY.index)]
        dealer: tuple[int, ...] = (drawn[1], taken)
        if hand.total(dealer) <= 16:
            dealer = (*dealer, drawn[2])
        count += ways
        results[FOLD] -= ways
        for card in (left, right):
            results[Plan(VALUES[card], False)] += ways * net(hand.total((up, card)), hand.total(dealer))
            results[Plan(VALUES[card], True)] += ways * net(hand.total((up, card, drawn[0])), hand.total(dealer))
    scale = 2 if VALUES[left] == VALUES[right] else 1
    return {plan: Fraction(value, count * (1 if plan == FOLD else scale)) for plan, value in results.items()}


@pytest.mark.parametrize("decks", [1, 6])
@pytest.mark.parametrize("names", ["8S 2H TD", "AS 5H 9C", "TS TH 7D", "2S AH AD", "AS AH KD", "9S 3H 4D", "5S 5H 5D"])
def test_values_equal_a_walk_over_real_cards(names: str, decks: int) -> None:
    up, left, right = cards(names)
    low, high = sorted((VALUES[left], VALUES[right]))
    found = solved(shoe__decks=str(decks)).chart[VALUES[up], low, high].values
    expected = walked((up, left, right), pack(decks))
    for plan, value in found.items():
        assert value == expected[plan], plan


def test_best_plan_is_the_best() -> None:
    for choice in solved().chart.values():
        assert choice.values[choice.plan] == max(choice.values.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"duel__qualify": "12"},
        {"duel__qualify": "14"},
        {"duel__draw_to": "15"},
        {"duel__draw_to": "17"},
        {"shoe__decks": "1"},
    ],
)
def test_planted_rule_misses_the_published_figure(changes: dict[str, str]) -> None:
    assert f"{float(100 * solved(**changes).rtp_total):.2f}" != "98.38"


def test_planted_house_way_misses_the_published_figure() -> None:
    """A dealer who simply takes the higher total, hard or soft, is another game."""
    order = sorted(HOUSE_WAY, key=lambda name: -int(name.split()[-1]))
    changed = solve_duel(load("duello", {"duel.house_way": str(order).replace("'", '"')}))
    assert f"{float(100 * changed.rtp_total):.2f}" != "98.38"
