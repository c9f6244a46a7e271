"""R-11: no stake beyond the limits of its table, whatever is asked; R-47: no stake that its player did not ask for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.support.random_table import SEALED_GAMES, House, Step, often, seeds, sheet_of, walk
from ventuno.core.messages.commands import (
    Act,
    BringMoney,
    Command,
    DealNow,
    DoubleBets,
    PlaceBet,
    RepeatBets,
    Spot,
    TakeSeat,
    Tick,
)
from ventuno.core.messages.events import BetPlaced
from ventuno.core.messages.refusals import LimitReached, Refusal, RoundCapReached
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase, Table

ADA = "ada"
RAISES = (Action.DOUBLE, Action.SPLIT, Action.INSURE, Action.LEFT, Action.RIGHT)


def limit_faults(table: Table) -> list[str]:
    """Bets above their most, dealt bets below their least, rounds above the cap of the sheet."""
    rules, faults = table.sheet.stakes, list[str]()
    if table.phase is Phase.ROUND and table.round is not None:
        laid = [(player, bet, stake, True) for player, bet, stake in table.round.table_bets]
        for box in table.round.boxes:
            laid += [(box.player, bet, stake, True) for bet, stake in (("main", box.main), *box.sides)]
            laid += [(one.player, "behind", one.stakes[0][0], len(one.stakes) == 1) for one in box.behind]
    else:
        laid = [
            (one, bet, held, False) for one, slip in table.slips.items() for (_, bet), held in slip.totals().items()
        ]
    for player, bet, stake, dealt in laid:
        least, most = table.limits[bet]
        most *= rules.vip[min(table.vip.get(player, 0), len(rules.vip) - 1)]
        if not (least if dealt else 0) <= stake <= most:
            faults.append(f"{player} has {stake} on {bet}, between {least} and {most}")
        if bet in rules.shares and stake * rules.shares[bet] > table.limit("main", player)[1]:
            faults.append(f"{player} has {stake} on {bet}, more than its share of the most")
    for player in table.purses:
        if rules.round_cap and table.total_stake_of(player) > rules.round_cap:
            faults.append(f"{player} has {table.total_stake_of(player)} in one round")
    return faults


class Bold:
    """One rich player who always asks for about as much as there may be, or more."""

    def __init__(self, sheet: Sheet, seed: int) -> None:
        self.rng, self.house = Random(seed), House(Random(seed), 0, money=False)
        self.table = open_table("T", sheet, ADA if sheet.game.solo else None)
        self.met: Counter[str] = Counter()
        self.say(BringMoney(ADA, sheet.stakes.session_cap or 10**8, 0))
        if not sheet.game.solo:
            self.say(TakeSeat(ADA, 1, 0))

    def say(self, command: Command) -> None:
        before = self.table
        answer = advance(before, command)
        if isinstance(answer, Refusal):
            self.met[type(answer).__name__] += 1
            return
        self.table = answer[1]
        assert limit_faults(self.table) == [], command
        raised = isinstance(command, Act) and command.action in RAISES
        self.met["raised"] += (
            raised and self.table.total_stake_of(ADA) > before.total_stake_of(ADA) >= before.limits["main"][1]
        )

    def next(self) -> Command:
        table, rng = self.table, self.rng
        if table.phase is Phase.SHUFFLING:
            return self.house.load(table)
        if table.phase is Phase.BETTING:
            if rng.random() < 0.8 or not table.slips:
                return self.bet()
            return self.house.wait(table) if table.deadline else DealNow(ADA, self.house.now)
        if table.phase is Phase.ROUND and (turn := legal.turn(table.round) if table.round else None):
            box, index = turn
            return self.house.spin(table, box.number, ADA) if index < 0 else self.act(box.number)
        if table.phase is Phase.ROUND and table.round and table.round.boxes:
            return self.act(rng.choice(table.round.boxes).number)
        return self.house.wait(table)

    def bet(self) -> Command:
        rng, table = self.rng, self.table
        bet = rng.choice(("main", "main", *table.limits))
        side = table.sheet.sides.get(bet)
        box = 0 if side and side.kind == "dealer-pair" else rng.randint(1, min(2, len(table.seats)))
        least, most = table.limits[bet]
        amount = rng.choice((least - 10, least, most // 2, most - 10, most, most + 10, 2 * most))
        return PlaceBet(ADA, (Spot(box, bet),), amount, self.house.now, rng.random() < 0.5)

    def act(self, box: int) -> Command:
        open_now = legal.legal(self.table, ADA, self.house.now).decisions
        known = [action for at, action in open_now if at == box]
        raises = [action for action in known if action in RAISES]
        return Act(ADA, box, self.rng.choice(raises * 4 + known or [Action.STAND]), self.house.now)


@pytest.mark.parametrize("game", SEALED_GAMES)
def test_r11_limits_hold_for_who_asks_for_more(game: str) -> None:
    """The most of a bet binds what is laid before the deal (L-05); the cap of a sheet binds raises too (S-10)."""
    met: Counter[str] = Counter()
    for seed in range(6):
        bold = Bold(sheet_of(game), seed)
        for _ in range(300):
            bold.say(bold.next())
        met += bold.met
    assert met[LimitReached.__name__] > 20
    assert met["raised"], "a raise on a bet at its most"
    assert (met[RoundCapReached.__name__] > 20) is bool(sheet_of(game).stakes.round_cap)


@pytest.mark.parametrize("game", SEALED_GAMES)
@given(seed=seeds)
@often(6)
def test_r11_limits_hold_in_random_play(game: str, seed: int) -> None:
    for step in walk(sheet_of(game), seed, 220):
        assert limit_faults(step.after) == [], step.command


def test_r11_the_check_can_fail() -> None:
    """A cent too much, too little, beyond the share or beyond the cap is seen."""
    bold = Bold(sheet_of("sisal"), 1)
    bold.say(bold.house.load(bold.table))
    bold.say(PlaceBet(ADA, (Spot(1, "main"),), 50_000, 0))
    table, rules = bold.table, bold.table.sheet.stakes
    assert limit_faults(table) == []
    assert limit_faults(table._replace(limits={**table.limits, "main": (100, 49_990)}))
    capped = replace(table.sheet, stakes=replace(rules, round_cap=49_990))
    assert limit_faults(table._replace(sheet=capped))
    bold.say(DealNow(ADA, 0))
    assert bold.table.phase is Phase.ROUND
    assert limit_faults(bold.table._replace(limits={**table.limits, "main": (50_010, 60_000)}))
    duel = Bold(sheet_of("duello"), 0)
    duel.say(duel.house.load(duel.table))
    duel.say(PlaceBet(ADA, (Spot(1, "main"),), 10_000, 0))
    duel.say(PlaceBet(ADA, (Spot(1, "2-up"),), 10_000, 0))
    assert limit_faults(duel.table._replace(limits={**duel.table.limits, "main": (100, 49_990)}))


def unasked(step: Step) -> list[BetPlaced]:
    """Bets that came of something else than one betting command of their own player."""
    placed = [] if isinstance(step.outcome, Refusal) else [one for one in step.outcome if isinstance(one, BetPlaced)]
    asked = isinstance(step.command, PlaceBet | RepeatBets | DoubleBets) and step.command.player
    return [one for one in placed if len(placed) > 1 or one.player != asked]


@pytest.mark.parametrize("game", SEALED_GAMES)
@given(seed=seeds)
@often(6)
def test_r47_every_bet_is_one_act_of_its_player(game: str, seed: int) -> None:
    """No auto-play: neither the clock nor anybody else bets for a player, and one act bets for one round."""
    for step in walk(sheet_of(game), seed, 220):
        assert unasked(step) == [], step.command


def test_r47_the_check_can_fail() -> None:
    step = next(
        one for one in walk(sheet_of("link"), 1, 500) if isinstance(one.command, PlaceBet) and one.after != one.before
    )
    assert unasked(step) == []
    assert isinstance(step.outcome, list)
    assert unasked(step._replace(command=Tick(0)))
    assert unasked(step._replace(outcome=[*step.outcome, *step.outcome]))
