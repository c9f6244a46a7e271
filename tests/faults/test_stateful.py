"""T-2: the authority against a model simple enough to be read in one go; hypothesis looks for what breaks it.

The model knows what everybody owns, what was answered under each key, and what has been committed. It knows no rule of
any game: whatever cards fall and whatever is decided, money is kept, answers stand, and a restart changes nothing.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.support.simulation.disk import Disk
from tests.support.simulation.opening import BY_HASH, SHEETS, START, Limits, shoe
from tests.support.simulation.reference import payments
from tests.support.simulation.worth import stakes
from tests.support.volume import scale
from ventuno.core.games.insurance import waiting
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    BringMoney,
    ClearBets,
    Command,
    DealNow,
    DoubleBets,
    PlaceBet,
    RepeatBets,
    SpinBoard,
    SpinWheel,
    Spot,
    TakeMoney,
    TakeSeat,
    Tick,
    UndoBet,
    Void,
)
from ventuno.core.messages.events import MoneyBrought, MoneyTaken, RoundSettled
from ventuno.core.table.ledger import Posting
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase, Table
from ventuno.house.tables.authority import Answer, Authority, Decision, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.sheets import GAMES

EXAMPLES, STEPS = scale(400), 30
"""For each of the five games: 2 000 examples in all."""
MONEY = 50_000
TABLE = "T1"
players = st.sampled_from(("ada", "bea"))
amounts = st.sampled_from((-10, 0, 5, 50, 100, 100, 500, 1_000, 20_000, 10**9))


class House(RuleBasedStateMachine):
    """One table of one game, its two players, and a disk."""

    game = GAMES[0]

    def __init__(self) -> None:
        super().__init__()
        self.chance = random.Random(0)
        self.disk = Disk()
        self.house = self.come_up()
        self.now = START
        self.free = {"ada": MONEY, "bea": MONEY}
        self.brought = {"ada": 0, "bea": 0}
        self.answers: dict[str, tuple[Request, Answer]] = {}

    def come_up(self) -> Authority:
        return Authority(Limits(), BonusDraws(self.chance.randrange), BY_HASH)

    @property
    def table(self) -> Table:
        return self.house.tables[TABLE].table

    @initialize(seed=st.integers(0, 2**16))
    def open(self, seed: int) -> None:
        self.chance.seed(seed)
        first = [Posting("player:ada", MONEY), Posting("player:bea", MONEY), Posting("cashier", -2 * MONEY)]
        self.house.wallet.post(first)
        self.disk.postings += first
        sheet = SHEETS[self.game]
        self.disk.commit(self.house.open(TABLE, sheet, self.now, "ada" if sheet.game.solo else ""))
        self.say(BringMoney("ada", 10_000, self.now), "ada")

    def say(self, command: Command, player: str) -> None:
        self.deliver(Request(TABLE, command, f"k{len(self.answers)}:{self.now}", player))

    def deliver(self, request: Request) -> None:
        """Send, commit, and keep the model in step with what the events say."""
        before = self.house.tables[TABLE]
        decided = self.house.handle(request)
        if decided.batch is None:
            assert decided.answer.refused
            assert self.house.tables[TABLE] is before
            return
        assert request.key not in self.answers
        self.disk.commit(decided.batch)
        self.answers[request.key] = request, decided.answer
        self.follow(decided)

    def follow(self, decided: Decision) -> None:
        for event in decided.events:
            match event:
                case MoneyBrought(player, amount):
                    self.free[player] -= amount
                    self.brought[player] += amount
                case MoneyTaken(player, amount):
                    self.free[player] += amount
                    self.brought[player] -= amount
                case RoundSettled(lines):
                    for line in lines:
                        self.brought[line.player] += line.returned - line.stake
                case _:
                    pass

    @rule(milliseconds=st.sampled_from((1, 50, 900, 4_000, 15_000)))
    def wait(self, milliseconds: int) -> None:
        self.now += milliseconds

    @rule()
    def house_works(self) -> None:
        """Shoes are brought, the clock strikes."""
        table = self.table
        if table.shoe is None:
            self.say(replace(shoe(table.sheet, self.chance.random, 0), at=self.now), "")
        elif table.deadline is not None:
            self.now = max(self.now, table.deadline)
            self.say(Tick(self.now), "")

    @rule(player=players, amount=amounts, bring=st.booleans())
    def move_money(self, player: str, amount: int, bring: bool) -> None:
        kind = BringMoney if bring else TakeMoney
        self.say(kind(player, amount, self.now), player)

    @rule(player=players, box=st.integers(0, 8))
    def sit(self, player: str, box: int) -> None:
        self.say(TakeSeat(player, box, self.now), player)

    @rule(player=players, box=st.integers(0, 3), amount=amounts, data=st.data())
    def bet(self, player: str, box: int, amount: int, data: st.DataObject) -> None:
        bet = data.draw(st.sampled_from(("main", *self.table.limits)))
        self.say(PlaceBet(player, (Spot(box, bet),), amount, self.now), player)

    @rule(player=players, how=st.sampled_from((UndoBet, ClearBets, RepeatBets, DoubleBets, DealNow, DealNow)))
    def change_bets(self, player: str, how: type[DealNow]) -> None:
        self.say(how(player, self.now), player)

    @rule()
    def bet_and_deal(self) -> None:
        """The shortest way to a round, so that rounds are not rare."""
        if self.table.phase is Phase.BETTING:
            self.say(TakeSeat("ada", 1, self.now), "ada")
            self.say(PlaceBet("ada", (Spot(1, "main"),), 100, self.now), "ada")
            self.say(DealNow("ada", self.now), "ada")

    @rule(word=st.sampled_from(Action), other=st.booleans())
    def decide(self, word: Action, other: bool) -> None:
        """Whoever is asked says something, or another does."""
        play = self.table.round
        if play is None or self.table.phase is not Phase.ROUND:
            return
        asked = next(waiting(play), None) if play.stage is Stage.INSURANCE else None
        now = turn(play)
        player, box, index = (*asked, 0) if asked else (now[0].player, now[0], now[1]) if now else ("ada", None, 0)
        player = {"ada": "bea", "bea": "ada"}[player] if other else player
        number = box.number if box else 1
        if index < 0:
            self.say(SpinWheel(player, number, "", self.now), player)
            self.say(SpinBoard(player, number, {}, self.now), player)
        elif asked and word is Action.DECLINE:
            self.say(ActAll(player, word, self.now), player)
        else:
            self.say(Act(player, number, word, self.now), player)

    @rule()
    def void(self) -> None:
        """R-07: every stake comes back."""
        before = stakes(self.table)
        self.say(Void("supervisor", "misdeal", self.now), "")
        assert {name: sum(held) for name, held in stakes(self.table).items()} == {
            name: sum(held) for name, held in before.items()
        }

    @rule(place=st.integers(0, 10**6), other=st.booleans())
    def say_again(self, place: int, other: bool) -> None:
        """I-4: same key and body, same answer; same key and other body, an error; nothing changes either way."""
        if not self.answers:
            return
        request, answer = list(self.answers.values())[place % len(self.answers)]
        room = self.house.tables[TABLE]
        command = TakeSeat(request.player, 10**6, place) if other else replace(request.command, at=self.now)
        found = self.house.handle(Request(request.table, command, request.key, request.player, request.trusted))
        assert found.batch is None
        assert found.answer.refused == "KeyReused" if other else found.answer == answer
        assert self.house.tables[TABLE] is room

    @rule(player=players)
    def forge(self, player: str) -> None:
        room = self.house.tables[TABLE]
        thief = {"ada": "bea", "bea": "ada"}[player]
        assert (
            self.house.handle(Request(TABLE, TakeMoney(player, 100, self.now), "f", thief)).answer.refused == "NotYours"
        )
        assert self.house.tables[TABLE] is room

    @rule()
    def crash(self) -> None:
        """I-6, I-7: the house comes back as it was, with every answer it gave."""
        before = self.house
        self.house = self.come_up()
        self.house.recover(list(self.disk.streams.values()), self.disk.keys, self.disk.balances())
        assert self.house.tables == before.tables
        assert self.house.wallet.balances() == before.wallet.balances()
        assert [key.key for key in self.disk.keys] == list(self.answers)

    @invariant()
    def money_is_kept(self) -> None:
        """I-1, I-2, I-3, I-5: what everybody owns is where the model says."""
        if not self.house.tables:
            return
        assert self.house.find_faults() == []
        wallet = self.house.wallet
        for player, free in self.free.items():
            held = wallet.balance(f"player:{player}:table") + wallet.balance(f"player:{player}:in-play")
            assert wallet.balance(f"player:{player}") == free >= 0
            assert held == self.brought[player] == sum(stakes(self.table).get(player, (0, 0)))

    @invariant()
    def rounds_pay_what_they_should(self) -> None:
        """I-8: the lines of the round that was settled last are those of the reference."""
        play = self.table.round if self.house.tables else None
        if play and play.lines:
            found = [(one.player, one.bet, one.box, one.hand, one.stake, one.returned) for one in play.lines]
            assert sorted(found) == sorted(payments(self.table.sheet, play))


@pytest.mark.parametrize("game", GAMES)
def test_the_authority_keeps_to_the_model(game: str) -> None:
    machine = type(f"House_{game}", (House,), {"game": game})
    steady = settings(
        derandomize=True,
        deadline=None,
        database=None,
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=steady)
