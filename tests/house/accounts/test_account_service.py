"""A house of people under crashes: what was acknowledged stays, and the log gives everything back (R-48, I-1…I-7).

One seed is one world: random acts of players, cashier, protection, chat and tables; commits that lag behind decisions;
a process that dies in between.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.support.house_in_memory import BY_HASH, HouseInMemory
from ventuno.core.messages.commands import TakeMoney, TakeSeat
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.accounts.login import Joined
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.sessions import Entered, Identity
from ventuno.house.history.export import check_export, encode_export
from ventuno.house.money.cashier import CashMovement
from ventuno.house.store.records import Batch, PostingRow
from ventuno.house.tables.chat import ChatMessage


class Slow:
    """Commits lag: what is decided waits here, in order, and is lost in a crash."""

    def __init__(self, foyer: HouseInMemory) -> None:
        self.waiting: list[Batch] = []
        self.committed = foyer.disk
        self._add = foyer.disk.add

    def add(self, batch: Batch | None) -> None:
        if batch is not None:
            self.waiting.append(batch)

    def flush(self, count: int) -> None:
        for batch in self.waiting[:count]:
            self._add(batch)
        del self.waiting[:count]


class World:
    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.foyer = HouseInMemory(seed)
        self.names = 0
        self.acknowledged: dict[tuple[PlayerId, str], int] = {}
        self.unconfirmed: list[tuple[PlayerId, str, int]] = []
        self.slow = Slow(self.foyer)
        self.acts = (self.join, self.cash, self.protect, self.enter, self.speak, self.play)
        for _ in range(3):
            self.join()
            self.foyer.deposit(str(self.names), 100_000)
        self.foyer.open("ventuno", "T1")
        self.foyer.disk.add = self.slow.add  # type: ignore[method-assign]

    @property
    def people(self) -> list[PlayerId]:
        return list(self.foyer.accounts)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.foyer.now += self.chance.choice((0, 1_000, 60_000, 3_600_000))
            self.chance.choices(self.acts, (1, 4, 1, 2, 2, 5))[0]()
            if self.chance.random() < 0.5:
                self.flush(self.chance.randint(0, len(self.slow.waiting)))
            if self.chance.random() < 0.08:
                self.crash()
            assert self.foyer.authority.find_faults() == []
        self.flush(len(self.slow.waiting))
        self.crash()

    def flush(self, count: int) -> None:
        self.slow.flush(count)
        if not self.slow.waiting:
            self.acknowledged |= {(player, key): amount for player, key, amount in self.unconfirmed}
            self.unconfirmed.clear()

    def crash(self) -> None:
        self.slow.waiting.clear()
        self.unconfirmed.clear()
        self.foyer.crash()
        for (player, key), amount in self.acknowledged.items():
            found = self.foyer.accounts[player].cash.find_by_key(key)
            assert found is not None, f"I-7: {key} was acknowledged and is gone"
            assert found.amount == amount
        assert self.foyer.authority.wallet.balances() == self.foyer.disk.balances()

    def join(self) -> None:
        self.names += 1
        made = self.foyer.reception.register(Form(f"Player{self.names}"), "correct horse battery", self.foyer.now)
        if isinstance(made, Joined):
            self.foyer.keep(made.batch)

    def cash(self) -> None:
        player, key = self.chance.choice(self.people), f"c{self.chance.randrange(200)}"
        amount = self.chance.choice((100, 5_000, 70_000))
        act = self.foyer.cashier.deposit if self.chance.random() < 0.7 else self.foyer.cashier.withdraw
        done = act(player, amount, key, self.foyer.now)
        if isinstance(done, CashMovement):
            self.foyer.keep(done.batch)
            self.unconfirmed.append((player, key, done.amount))

    def protect(self) -> None:
        foyer, player = self.foyer, self.chance.choice(self.people)
        match self.chance.randrange(5):
            case 0:
                outcome = foyer.protection.set_limit(player, "stake:day", self.chance.randrange(50_000), foyer.now)
            case 1:
                outcome = foyer.protection.set_limit(player, "deposit:week", None, foyer.now)
            case 2:
                outcome = foyer.protection.confirm(player, "stake:day", foyer.now)
            case 3:
                outcome = foyer.protection.cool_off(player, foyer.now + 2 * DAY, foyer.now)
            case _:
                outcome = foyer.protection.choose_reality(player, 30, foyer.now)
        foyer.disk.add(outcome if isinstance(outcome, Batch) else None)

    def enter(self) -> None:
        foyer = self.foyer
        name = foyer.accounts[self.chance.choice(self.people)].player.name
        word = "correct horse battery" if self.chance.random() < 0.7 else "wrong password"
        found = foyer.reception.login(name, word, f"10.0.0.{self.chance.randrange(50)}", "t", foyer.now)
        foyer.keep(found.batch if isinstance(found, Entered) else found[1])
        if isinstance(found, Entered):
            known = foyer.tokens.identify(found.token, foyer.now + 400_000)
            foyer.disk.add(known.batch if isinstance(known, Identity) else None)

    def speak(self) -> None:
        said = self.foyer.chat.say("T1", self.chance.choice(self.people), "ciao a tutti", self.foyer.now)
        self.foyer.disk.add(said.batch if isinstance(said, ChatMessage) else None)

    def play(self) -> None:
        foyer, player = self.foyer, self.chance.choice(self.people)
        table = foyer.authority.tables["T1"].table
        if table.phase is Phase.BETTING:
            box = next((box for box in range(1, 8) if table.owner(box) == player), 0)
            if not box and None in table.seats:
                box = table.seats.index(None) + 1
                if not foyer.bring(player, "T1", 2_000).decided.answer.refused:
                    foyer.ask("T1", TakeSeat(player, box, foyer.now), player)
            foyer.bet("T1", player, max(box, 1), 500)
        foyer.finish("T1")
        foyer.ask("T1", TakeMoney(player, 500, foyer.now), player)
        foyer.disk.add(foyer.concession.send_reports(foyer.now))


@pytest.mark.parametrize("seed", range(40))
def test_r48_people_survive_crashes(seed: int) -> None:
    world = World(seed)
    world.run(60)
    foyer = world.foyer
    found = check_export(encode_export(foyer.disk, foyer.now, whole=True), BY_HASH)
    assert found.is_valid, found.faults
    assert found.balances == foyer.authority.wallet.balances()
    sent = list(foyer.issuer.received)
    assert sent == sorted(set(sent))


def test_planted_faults_of_committing_are_caught() -> None:
    """Money without its record, a record without its money, a batch lost in the middle: the export finds each."""
    caught = 0
    for fault in range(3):
        world = World(3)
        world.run(40)
        disk = world.foyer.disk
        if fault == 0:
            extra = (PostingRow("player:1", 1, "player:1", 5, "", ""), PostingRow("player:1", 1, "cashier", -5, "", ""))
            disk.postings += extra
        elif fault == 1:
            del disk.postings[:2]
        else:
            del disk.streams["house"][3]
        caught += not check_export(encode_export(disk, 0, whole=True), BY_HASH).is_valid
    assert caught == 3
