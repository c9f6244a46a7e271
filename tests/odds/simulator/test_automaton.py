"""The automaton against hands whose result the criteria give, and against its own tables."""

import random
from functools import cache

import pytest

from tests.support.automaton_walk import walk
from ventuno.core.rules.cards import cards
from ventuno.odds.exact.chart import UP_CARDS, Chart
from ventuno.odds.simulator.automaton import Automaton, compile_automaton
from ventuno.sheets import load


def chart(
    hard: dict[tuple[int, int], str] | None = None,
    soft: dict[tuple[int, int], str] | None = None,
    split: frozenset[int] = frozenset(),
    insure: bool = False,
) -> Chart:
    """Hit up to 16, stand from 17, and what is said beside that."""
    plain = {(total, up): "H" if total < 17 else "S" for total in range(4, 21) for up in UP_CARDS}
    lifted = {(total, up): "H" if total < 18 else "S" for total in range(12, 21) for up in UP_CARDS}
    pairs = {(value, up): value in split for value in range(1, 11) for up in UP_CARDS}
    return Chart(plain | (hard or {}), lifted | (soft or {}), pairs, insure)


DOUBLES = {(total, up): "D" for total in (9, 10, 11) for up in UP_CARDS}
SPLITS = frozenset({1, 8})


@cache
def automaton(game: str, *, insure: bool = False, **changes: str) -> Automaton:
    named = {key.replace("__", "."): value for key, value in changes.items()}
    return compile_automaton(load(game, named), chart(DOUBLES, split=SPLITS, insure=insure))


HANDS = [
    # game, switches, cards as dealt, decisions, half stakes won, cards used
    ("ventuno", {}, "9S 7D TC TH", ["stand"], 2, 4),  # 19 against 17
    ("ventuno", {}, "AS 7D TC TH", [], 3, 4),  # V-19 Blackjack
    ("ventuno", {}, "AS TD TC AH", [], 0, 4),  # V-09 both
    ("ventuno", {}, "AS AD TC KH", ["decline"], 0, 4),  # V-08 both
    ("ventuno", {}, "9S AD TC KH", ["decline"], -2, 4),  # V-08
    ("ventuno", {}, "6S TD 5C AH TS", ["double"], -4, 5),  # V-09 takes the double
    ("link", {}, "6S TD 5C AH TS", ["double"], -2, 5),  # L-12 the added stake returns
    ("link", {}, "6S AD 5C TH TS", ["decline", "double"], -4, 5),  # L-12 an ace takes all
    ("link", {}, "8S TD 8C AH TS TC", ["split", "stand", "stand"], -4, 6),  # L-12 splits are lost
    ("ventuno", {}, "8S 6D 8C TH TS 9C KD", ["split", "stand", "stand"], 4, 7),  # V-14, the dealer busts
    ("ventuno", {}, "8S 6D 8C TH 3S 9C 2D 8H KD", ["split", "hit", "hit", "stand"], 4, 9),  # V-16 no double
    ("link", {}, "8S 6D 8C TH 3S 9C 9D KD", ["split", "double", "stand"], 6, 8),  # L-11 double after split
    ("ventuno", {}, "AS 6D AC TH KS 9C KD", ["split"], 4, 7),  # V-15, V-17
    ("ventuno", {}, "AS TD AC AH KS 9C", ["split"], -4, 6),  # V-17 21 is no Blackjack
    ("sisal", {}, "AS 6D AC TH 2S 9C 8D KD", ["split", "hit", "stand"], 4, 8),  # S-23
    ("sisal", {}, "TS 6D KC 5H 5S 2C", ["stand"], 2, 6),
    ("ventuno", {}, "TS 6D 4C 5H 9S", ["hit"], -2, 5),  # V-13 the hole card is not needed
    ("link", {"charlie": "4"}, "2S 6D 3C TH 2D 4H", ["hit", "hit"], 2, 6),  # L-14
    ("link", {"charlie": "4"}, "2S TD 3C AH 2D 4H", ["hit", "hit"], -2, 6),  # L-14 except against Blackjack
    ("ventuno", {"dealer__soft_17": "hit"}, "TS 6D 8C AH TH", ["stand"], 2, 5),
    ("ventuno", {"dealer__peek": "[]"}, "6S AD 5C KH TS", ["decline", "double"], -4, 5),
    ("ventuno", {"dealer__peek": "[A, ten]"}, "6S TD 5C AH", [], -2, 4),
    ("ventuno", {"double__on": "10-11"}, "6S 5D 3C TH 8S 3D", ["hit", "stand"], -2, 6),
]


@pytest.mark.parametrize(("game", "changes", "dealt", "decisions", "won", "used"), HANDS)
def test_hand(game: str, changes: dict[str, str], dealt: str, decisions: list[str], won: int, used: int) -> None:
    played = walk(automaton(game, **changes), cards(dealt))
    assert (list(played.decisions), played.result, played.cards) == (decisions, won, used)


def test_insurance_and_even_money() -> None:
    insured = automaton("ventuno", insure=True)
    assert walk(insured, cards("9S AD TC KH")).result == 0
    assert walk(insured, cards("9S AD TC 8H")).result == -1
    assert walk(insured, cards("AS AD TC KH")).result == 2
    assert walk(automaton("link", insure=True), cards("AS AD TC 9H")).result == 2


def test_surrender_comes_after_the_peek_and_loses_to_an_unseen_blackjack() -> None:
    gives_up = chart({(16, up): "R" for up in UP_CARDS})
    late = compile_automaton(load("ventuno", {"surrender": "late"}), gives_up)
    assert walk(late, cards("TS 9D 6C 7H")).result == -1
    assert walk(late, cards("TS TD 6C AH")).result == -2
    none = compile_automaton(load("ventuno"), gives_up)
    assert walk(none, cards("TS 9D 6C 7H TC")).decisions == ("hit",)


def test_takes_original_returns_later_stakes() -> None:
    rules = {"dealer_blackjack_takes__ten": "original", "double__after_split": "true"}
    european = automaton("ventuno", **rules)
    assert walk(european, cards("8S TD 8C AH TS TC")).result == -2
    assert walk(european, cards("8S TD 8C AH 2S TC TD")).result == -2
    assert walk(european, cards("8S TD 8C AH 6S TC TD")).result == -2


def test_split_again_up_to_the_hands_of_the_sheet() -> None:
    three = compile_automaton(load("ventuno", {"split.hands": "3"}), chart(split=frozenset({8})))
    played = walk(three, cards("8S 6D 8C TH 8H 9C TS TH KD"))
    assert played.decisions == ("split", "split", "stand", "stand", "stand")
    assert played.result == 6
    assert played.cards == 9


@pytest.mark.parametrize("game", ["ventuno", "first-person", "sisal", "link"])
def test_every_walk_ends_and_no_entry_is_out_of_range(game: str) -> None:
    table = automaton(game)
    assert len(table.entries) == len(table.waits) * table.width
    assert {int(entry) >> 24 & 127 for entry in table.entries if entry >> 24} == set(range(len(table.won)))
    dice = random.Random(21)
    for _ in range(300):
        pack = list(range(52)) * 2
        dice.shuffle(pack)
        played = walk(table, pack)
        assert 4 <= played.cards <= 30
        assert -8 <= played.result <= 8


def test_blackjack_odds_that_are_no_half_stakes() -> None:
    short = compile_automaton(load("ventuno", {"blackjack.pays": "6/5"}), chart())
    assert walk(short, cards("AS 7D TC TH")).result == pytest.approx(2.4)
