"""Engine and simulator play the same cards with the same decisions: results, stakes, side bets and cards used agree.

The kernel plays one round at a time and leaves the cards it dealt at the head of its pack; the real table gets those
cards in the order in which a table deals them, and settles. Best charts and random ones, so that every action comes up.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tests.support.automaton_walk import WalkedRound, walk
from tests.support.bonus_draws import Drawn, bonus_words, drawn
from tests.support.driven_table import STAKE, Ready, act, after, asks, insures, net_and_staked, ready, settled, used
from tests.support.volume import scale
from ventuno.core.games import link
from ventuno.core.games.settlement import has_stood_pat
from ventuno.core.messages.commands import SpinBoard, SpinWheel, Spot
from ventuno.core.rules.cards import VALUES, Card
from ventuno.core.rules.hand import total
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.legal import PLAYED, price, turn
from ventuno.core.table.round import Action
from ventuno.core.table.state import Table
from ventuno.odds.exact.chart import UP_CARDS, Chart
from ventuno.odds.exact.duel import DuelChoice, Visible, solve_duel
from ventuno.odds.exact.solver import solve
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import CHUNK, LANES, OUTCOMES
from ventuno.odds.simulator import machines
from ventuno.odds.simulator.automaton import Automaton, compile_automaton
from ventuno.odds.simulator.machines import (
    DEALER_KIND,
    PAIR_KIND,
    THREE,
    THREE_KIND,
    BlackjackMachine,
    Wheel,
    build_wheel,
    derive_seeds,
)
from ventuno.odds.simulator.round_machine import ACTIONS, SPLIT, STEPS_OF_THE_HOLE, Decide, End, Round, Situation
from ventuno.sheets import load

ROUNDS = scale(10_000)
PLANS = 5
SIDE = 100
MAIN = ("main", "double", "split", "insurance")
NEVER = 500
CASES: dict[str, tuple[str, dict[str, str], int]] = {
    "ventuno": ("ventuno", {}, ROUNDS),
    "first-person": ("first-person", {}, ROUNDS),
    "sisal": ("sisal", {}, ROUNDS),
    "link": ("link", {}, ROUNDS),
    "every switch": (
        "link",
        {
            "charlie": "4",
            "surrender": "late",
            "dealer.peek": "[ten]",
            "dealer.soft_17": "hit",
            "double.on": "9-11",
            "blackjack.pays": "6/5",
        },
        scale(2_000),
    ),
    "three hands": ("sisal", {"split.hands": "3", "dealer_blackjack_takes.ten": "original"}, scale(1_500)),
}


@cache
def best_chart(game: str) -> Chart:
    return solve(load(game)).chart


def random_chart(dice: random.Random, insure: bool) -> Chart:
    """Any action anywhere, but no standing on totals that cannot bust: rounds shall last."""

    def line(total: int, low: int) -> str:
        return dice.choice("HHDDRd") if total <= low else dice.choice("HSSDdRr")

    return Chart(
        {(total, up): line(total, 11) for total in range(4, 21) for up in UP_CARDS},
        {(total, up): line(total, 16) for total in range(12, 21) for up in UP_CARDS},
        {(value, up): dice.random() < 0.8 for value in range(1, 11) for up in UP_CARDS},
        insure,
    )


def laid_out(sheet: Sheet, chart: Chart) -> tuple[BlackjackMachine, Automaton]:
    """What the kernel plays, and the automaton it was made of, with its decisions."""
    made: list[Automaton] = []

    def compiled(*words: Any, **named: Any) -> Automaton:
        made.append(compile_automaton(*words, **named))
        return made[-1]

    with patch.object(machines, "compile_automaton", compiled):
        laid = machines.build_blackjack_machine(sheet, chart)
    return laid, made[0]


@dataclass(frozen=True)
class Noted:
    """What the kernel made of one round: cards in its own order, result and stakes, the category of each side bet."""

    cards: tuple[Card, ...]
    spare: Card
    won: float
    staked: float
    sides: Mapping[str, int]


def kernel_rounds(laid: BlackjackMachine, seed: int, rounds: int) -> Iterator[Noted]:
    """Single rounds, each from a whole pack; a cut card that never comes keeps count of the cards dealt."""
    pack = np.tile(laid.pack, LANES)
    quotas = np.array([1, 0, 0, 0])
    shoe = (np.uint64(laid.size), np.uint64(NEVER), np.uint64(1))
    for number in range(rounds):
        lanes, seen = np.zeros((LANES, 4), dtype=np.uint64), np.zeros((2, 64), dtype=np.int64)
        lanes[:, 2] = NEVER
        counts = np.zeros(LANES * OUTCOMES, dtype=np.int64)
        assert laid.deals is not None
        tables = (np.empty(LANES * CHUNK, dtype=np.uint64), laid.deals, laid.pairs, seen)
        registry.play_noting(laid.entries, pack, counts, lanes, derive_seeds(seed, number), *shoe, quotas, *tables)
        (outcome,) = np.flatnonzero(counts) - OUTCOMES // 2
        (deal,), dealer = np.flatnonzero(seen[0]), np.flatnonzero(seen[1])
        kinds = {PAIR_KIND: deal // THREE, THREE_KIND: deal % THREE, DEALER_KIND: dealer.sum()}
        dealt, faces = int(lanes[0, 1]), laid.faces["main"]
        yield Noted(
            cards=tuple(pack[:dealt].tolist()),
            spare=int(pack[dealt]),
            won=faces.won[outcome],
            staked=faces.staked[outcome],
            sides={bet: int(kinds[kind]) for bet, kind in laid.sides},
        )


def table_order(automaton: Automaton, noted: Noted) -> tuple[Card, ...]:
    """The kernel's cards as a table deals them: the hole card fourth, both cards of a split at once."""
    placed: dict[int, Card] = {3: noted.spare}
    state, after_split, following, aside = 0, False, 4, list[int]()
    for card in noted.cards:
        step, place = automaton.waits[state].step, following
        if step < 3:
            place = step
        elif step in STEPS_OF_THE_HOLE:
            place = 3
        elif step == SPLIT and not after_split:
            place = aside.pop()
        elif step == SPLIT:
            aside.append(following + 1)
            following += 2
        else:
            following += 1
        placed[place] = card
        column = automaton.columns[card]
        after_split = automaton.decisions.get((state, column), ("",))[-1] == "split"
        state = int(automaton.entries[state * automaton.width + column] & ((1 << 24) - 1)) // automaton.width
    return tuple(placed[place] for place in range(following))


def bets(sheet: Sheet) -> dict[Spot, int]:
    """The main bet and every side bet of a sheet; the dealer's pair lies on the table itself."""
    sides = {Spot(int(side.kind != "dealer-pair"), bet): SIDE for bet, side in sheet.sides.items()}
    return {Spot(1, "main"): STAKE} | sides


def enacted(begun: Ready, cards: tuple[Card, ...], words: tuple[str, ...], bonus: Drawn | None = None) -> Table:
    """The round at the real table; it must ask for these decisions and no others."""
    table = spun(after(begun.with_cards(cards), begun.deal), bonus)
    for word in words:
        assert asks(table), f"nobody asks for {word}"
        table = spun(after(table, act(table, action_of(table, word))), bonus)
    assert not asks(table), "one more decision is asked"
    return table


def action_of(table: Table, word: str) -> Action:
    """Insurance of a Blackjack is even money where the sheet has it so."""
    play = table.round
    assert play is not None
    even = word == "insure" and table.sheet.insurance.even_money and play.boxes[0].is_natural
    return Action.EVEN_MONEY if even else Action(word)


def spun(table: Table, bonus: Drawn | None) -> Table:
    """A bonus that has come is played out with the draws of the simulator."""
    if bonus is None or not asks(table) or insures(table):
        return table
    assert table.round is not None
    now = turn(table.round)
    if now is None or now[1] >= 0:
        return table
    table = after(table, SpinWheel("p", 1, bonus.segment, 1, bonus.boxes, bonus.start))
    for last, locks in enumerate(bonus.spins, start=1 - len(bonus.spins)):
        table = after(table, SpinBoard("p", 1, locks, 1, bonus.diamonds if last == 0 else ()))
    return table


def side_line(table: Table, bet: str) -> float:
    """What a side bet won at the table, in its stakes."""
    (line,) = (line for line in settled(table).lines if line.bet == bet)
    return line.returned / line.stake - 1


def differences(
    laid: BlackjackMachine, noted: Noted, played: WalkedRound, table: Table, bonus: Drawn | None
) -> Iterator[str]:
    """Where kernel, automaton and table do not say the same of one round."""
    net, staked = net_and_staked(settled(table), MAIN)
    half = STAKE / 2
    results = {noted.won * STAKE, played.result * half, float(net)}
    if max(results) - min(results) > 1e-9:
        yield f"results {results}"
    if not noted.staked * STAKE == played.staked * half == staked:
        yield f"stakes {noted.staked, played.staked, staked}"
    if played.cards != used(table):
        yield f"cards {played.cards, used(table)}"
    forfeited = table.sheet.pair_requires_stand and not has_stood_pat(settled(table).boxes[0])
    for bet, category in noted.sides.items():
        lost = forfeited and table.sheet.sides[bet].kind == PAIR_KIND
        wanted = -1.0 if lost else laid.faces[bet].won[category]
        if side_line(table, bet) != wanted:
            yield f"{bet} {wanted, side_line(table, bet)}"
    if bonus is not None and laid.wheel is not None:
        natural = total(settled(table).boxes[0].dealt) == 21
        if side_line(table, laid.wheel.bet) != (bonus.prize if natural else -1.0):
            yield f"bonus {bonus}"


def compared(
    sheet: Sheet, laid: BlackjackMachine, automaton: Automaton, seed: int, rounds: int
) -> Iterator[tuple[WalkedRound, str]]:
    """Each round with what does not agree in it."""
    begun, bonus = ready(sheet, bets(sheet)), None
    for number, noted in enumerate(kernel_rounds(laid, seed, rounds)):
        order = table_order(automaton, noted)
        played = walk(automaton, order)
        if laid.wheel is not None:
            bonus = drawn(sheet.bonus, laid.wheel, bonus_words(seed, number))
        table = enacted(begun, order, played.decisions, bonus)
        yield played, "; ".join(differences(laid, noted, played, table, bonus))


@pytest.mark.parametrize("case", CASES)
def test_kernel_automaton_and_table_agree(case: str) -> None:
    game, changes, rounds = CASES[case]
    sheet, dice, said = load(game, changes), random.Random(case), Counter[str]()
    charts = [*([] if changes else [best_chart(game)]), *(random_chart(dice, insure) for insure in (True, False))]
    for seed, chart in enumerate(charts):
        laid, automaton = laid_out(sheet, chart)
        for played, fault in compared(sheet, laid, automaton, seed, rounds // len(charts) + 1):
            assert not fault, fault
            said.update(played.decisions)
    expected = {"hit", "stand", "double", "split", "insure", "decline"}
    assert set(said) == expected | ({"surrender"} if sheet.surrender == "late" else set())


def test_planted_fault_is_caught() -> None:
    """A wrong entry, a wrong payout of a side bet, a table that plays by another rule."""
    sheet = load("first-person")
    chart = best_chart("first-person")
    laid, automaton = laid_out(sheet, chart)
    won = laid.faces["main"].won
    entries = laid.entries.copy()
    entries[np.flatnonzero(entries >> 24 == 128 + won.index(1.5))[::10]] = np.uint32(128 + won.index(1.0)) << 24
    faces = laid.faces | {"21+3": replace(laid.faces["21+3"], won=tuple(n + (n == 5) for n in laid.faces["21+3"].won))}
    other = load("first-person", {"blackjack.pays": "6/5"})
    faults = (sheet, replace(laid, entries=entries)), (sheet, replace(laid, faces=faces)), (other, laid)
    for played_at, tampered in faults:
        assert any(fault for _, fault in compared(played_at, tampered, automaton, 1, 1_000))


def test_every_cash_out_offer_taken() -> None:
    """F-13: the automaton that always takes the offer."""
    sheet, dice, pack = load("first-person"), random.Random(13), list(range(52)) * 8
    taker = compile_automaton(sheet, best_chart("first-person"), cash_out=True)
    begun, said = ready(sheet), Counter[str]()
    for _ in range(ROUNDS):
        cards = tuple(dice.sample(pack, 16))
        played = walk(taker, cards)
        table = enacted(begun, cards, played.decisions)
        net, staked = net_and_staked(settled(table))
        assert (net, staked, used(table)) == (played.result * STAKE / 2, played.staked * STAKE / 2, played.cards)
        said.update(played.decisions)
    assert set(said) == {"cash-out", "decline"}


@dataclass
class Dealt:
    """One round of the rules that the automaton is made of, with random decisions: what was legal, what was done."""

    asked: list[tuple[frozenset[str], str]]
    end: End
    cards: int


def wandered(rules: Round, cards: tuple[Card, ...], dice: random.Random) -> Dealt:
    now: Situation = rules.start()
    asked, aside, dealt, splits = list[tuple[frozenset[str], str]](), list[Card](), 4, False
    while not isinstance(now, End):
        if isinstance(now, Decide):
            may = rules.list_legal(now)
            action = dice.choice(may)
            asked.append((frozenset(ACTIONS[one] for one in may), ACTIONS[action]))
            splits = ACTIONS[action] == "split"
            now = rules.act(now, action)
            continue
        if now.step < 3:
            card = cards[now.step]
        elif now.step in STEPS_OF_THE_HOLE:
            card = cards[3]
        elif now.step == SPLIT and not splits:
            card = aside.pop()
        else:
            card, dealt = cards[dealt], dealt + 1
            if now.step == SPLIT:
                aside.append(cards[dealt])
                dealt += 1
        splits = False
        now = rules.take_card(now, rules.column(card))
    return Dealt(asked, now, dealt)


@pytest.mark.parametrize("case", CASES)
def test_random_decisions(case: str) -> None:
    """What may be done is the same at the table and in the automaton, and so is what comes of it."""
    game, changes, _ = CASES[case]
    sheet, dice = load(game, changes), random.Random(case)
    rules, begun, pack = Round(sheet), ready(sheet), list(range(52)) * sheet.shoe.decks
    for _ in range(2_500):
        cards = tuple(dice.sample(pack, 40))
        dealt = wandered(rules, cards, dice)
        table = after(begun.with_cards(cards), begun.deal)
        for may, word in dealt.asked:
            assert may == legal_words(table)
            table = after(table, act(table, action_of(table, word)))
        net, staked = net_and_staked(settled(table))
        assert net / STAKE == pytest.approx(dealt.end.won / rules.unit, abs=1e-9)
        assert staked / STAKE == dealt.end.staked / rules.unit
        assert used(table) == dealt.cards


def legal_words(table: Table) -> frozenset[str]:
    if insures(table):
        return frozenset(("insure", "decline"))
    assert table.round is not None
    now = turn(table.round)
    assert now is not None
    return frozenset(str(word) for word in PLAYED if isinstance(price(table, *now, word), int))


def random_plans(sheet: Sheet, dice: random.Random) -> dict[Visible, DuelChoice]:
    best = solve_duel(sheet).chart
    return {seen: replace(choice, plan=dice.choice(list(choice.values))) for seen, choice in best.items()}


def duel_actions(chart: Mapping[Visible, DuelChoice], cards: tuple[Card, ...]) -> list[Action]:
    up, _, left, right = (VALUES[card] for card in cards[:4])
    plan = chart[up, min(left, right), max(left, right)].plan
    if plan.folds:
        return [Action.FOLD]
    side = 0 if plan.card == left else 1
    if total((cards[0], cards[2 + side])) == 21:
        return [(Action.LEFT, Action.RIGHT)[side]]
    return [(Action.LEFT, Action.RIGHT)[side], Action.HIT if plan.hits else Action.STAND]


def duel_faults(sheet: Sheet, laid: machines.DuelMachine, chart: Mapping[Visible, DuelChoice], seed: int) -> int:
    """How many of many rounds end differently for the kernel of the duel and at the table."""
    begun, pack = ready(sheet, {Spot(1, "main"): STAKE, Spot(1, "2-up"): SIDE}), laid.pack.copy()
    faults = 0
    for number in range(ROUNDS // PLANS):
        counts, sides = np.zeros(5, dtype=np.int64), np.zeros(3, dtype=np.int64)
        tables = (laid.players, laid.dealers, laid.results)
        registry.duel(derive_seeds(seed, number), pack, np.uint64(laid.size), 1, *tables, counts, sides)
        cards = tuple((byte >> 4) * 4 for byte in pack[:6].tolist())
        table = after(begun.with_cards(cards), begun.deal)
        for action in duel_actions(chart, cards):
            table = after(table, act(table, action))
        net, staked = net_and_staked(settled(table), ("ante", "raise"))
        faces, two_up = laid.faces["main"], laid.faces[laid.side].won
        outcome = int(np.argmax(counts))
        same = (net, staked) == (faces.won[outcome] * STAKE, faces.staked[outcome] * STAKE)
        faults += not (same and side_line(table, "2-up") == two_up[int(np.argmax(sides))] and used(table) == 6)
    return faults


def test_duel_kernel_and_table_agree() -> None:
    """D-06…D-18: best plans and random ones."""
    sheet, dice = load("duello"), random.Random(21)
    charts = [solve_duel(sheet).chart, *(random_plans(sheet, dice) for _ in range(PLANS - 1))]
    for seed, chart in enumerate(charts):
        assert duel_faults(sheet, machines.build_duel_machine(sheet, chart), chart, seed) == 0
    wrong = machines.build_duel_machine(load("duello", {"duel.qualify": "14"}), charts[0])
    assert duel_faults(sheet, wrong, charts[0], 1) > 0


def bonus_prize(wheel: Wheel, words: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> int:
    counts = np.zeros(wheel.maximum + 2, dtype=np.int64)
    weights = (*wheel.segments, *wheel.start, *wheel.cell, *wheel.boxes, *wheel.diamonds)
    held, empty = np.zeros((2, int(wheel.boards[:, 0].max())), dtype=np.int64)
    registry.spin(words, 1, wheel.boards, wheel.spins, wheel.box_cells, held, empty, counts, *weights)
    return int(np.flatnonzero(counts)[0]) - 1


def test_bonus_kernel_and_table_agree() -> None:
    """L-21…L-29: what the kernel draws is given to the table's own rules, spin by spin."""
    rules = load("link").bonus
    wheel = build_wheel(load("link"))
    assert wheel is not None
    seen = Counter[str]()
    for number in range(ROUNDS):
        words = bonus_words(7, number)
        one = drawn(rules, wheel, words)
        assert link.check_wheel(rules, one.segment, one.boxes, one.start) is None
        bonus = link.spin_wheel(rules, one.segment, one.boxes, one.start)
        for last, locks in enumerate(one.spins, start=1 - len(one.spins)):
            due = one.diamonds if last == 0 else ()
            assert link.check_spin(rules, bonus, locks, due) is None
            bonus = link.spin_board(rules, bonus, locks, due)
        assert bonus.prize == one.prize == bonus_prize(wheel, words)
        seen[one.segment] += 1
        seen.update(one.diamonds)
    assert set(seen) >= {*rules.wheel, "MINI", "MINOR", "MAJOR"}


def test_planted_fault_of_the_bonus_is_caught() -> None:
    wheel = build_wheel(load("link"))
    assert wheel is not None
    wrong = replace(wheel, boxes=(wheel.boxes[0], wheel.boxes[1] + (wheel.boxes[1] == 2)))
    rules = load("link").bonus
    assert any(
        drawn(rules, wheel, bonus_words(7, number)).prize != bonus_prize(wrong, bonus_words(7, number))
        for number in range(ROUNDS // 10)
    )
