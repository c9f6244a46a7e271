"""A pit and its neighbours without faults: money there and back, a refusal that stays."""

from __future__ import annotations

import random

import msgspec
import pytest

from tests.support.pit_simulation.opening import BROUGHT, HOMES, LIVE, MISSING, PITS, START_MONEY, make_opening
from tests.support.pit_simulation.sealed_shoes import make_seals
from tests.support.pit_simulation.world import World
from tests.support.simulation.opening import BY_HASH, SHEETS, START
from ventuno.core.messages.commands import BringMoney, Command, Pause, SpinWheel, TakeMoney
from ventuno.house.accounts.player_limits import PlayerLimits
from ventuno.house.pits.messages import Grant, GrantNumber, Message, Transfer
from ventuno.house.pits.pit import Books, Outcome, Pit
from ventuno.house.pits.placement import find_table_pit
from ventuno.house.pits.transfers import name_account, read_balances
from ventuno.house.protection.limit_check import ProtectionLimit
from ventuno.house.store.records import ShareRow
from ventuno.house.tables.authority import Answer, Request


def calm_world(seed: int = 1) -> World:
    world = World(seed)
    world.is_calm = True
    return world


def say(world: World, player: str, table: str, command: Command) -> None:
    """Ask, and let all that follows come to its end."""
    world.clients.ask(player, table, command)
    world.settle()
    assert not world.find_open()


def test_money_goes_to_a_table_elsewhere_and_comes_back() -> None:
    world = calm_world()
    free = START_MONEY - 2 * BROUGHT - (BROUGHT if world.solo == "ada" else 0)
    assert world.disk.balances["player:ada"] == free
    table, pit = LIVE[1], PITS[2]
    say(world, "ada", table, BringMoney("ada", 3_000, START))
    assert world.disk.balances["player:ada"] == free - 3_000
    assert world.disk.balances[f"player:ada:table#{pit}"] == BROUGHT + 3_000
    say(world, "ada", table, TakeMoney("ada", BROUGHT + 3_000, START))
    assert world.disk.balances["player:ada"] == free + BROUGHT
    assert world.disk.balances["player:ada:moving"] == 0


def test_money_for_a_table_that_is_not_there_comes_back_and_stays_refused() -> None:
    world = calm_world()
    before = world.disk.balances["player:ada"]
    say(world, "ada", MISSING, BringMoney("ada", 700, START))
    assert world.disk.balances["player:ada"] == before
    key = [*world.checks.moves.seen][-1]
    answer = msgspec.json.decode(world.disk.keys[key].answer, type=Answer)
    assert answer.refused == "NoSuchTable", "the refusal is written under the key of the transfer"


def test_who_is_at_home_in_the_pit_of_a_table_needs_no_transfer() -> None:
    world = calm_world()
    table, moves = LIVE[0], len(world.checks.moves.seen)
    assert find_table_pit(table) == HOMES["bea"]
    say(world, "bea", table, BringMoney("bea", 500, START))
    assert world.checks.tables[table].purse("bea") == BROUGHT + 500
    assert len(world.checks.moves.seen) == moves


def test_a_table_takes_no_money_that_did_not_come_by_a_transfer() -> None:
    world = calm_world()
    found = world.get_current(PITS[2])
    assert found is not None
    outcome = found[1].pit.ask(Request(LIVE[1], BringMoney("ada", 500, START), "ask:ada x", "ada"))
    assert outcome.batch is None
    assert outcome.answers[0][1].refused == "NotYours"


def test_accounts_of_a_wallet_are_stored_by_pit_and_read_again() -> None:
    opening = make_opening(0)
    for pit in PITS:
        wallet = read_balances(opening.disk.balances, pit)
        assert sum(wallet.values()) == 0
        for account, amount in wallet.items():
            if account != "moving":
                assert opening.disk.balances[name_account(account, pit)] == amount


def test_nobody_listens_to_an_owner_of_before_nor_reads_what_was_sent_to_one() -> None:
    """A grant of a home that has a newer owner would bring back limits that were lowered since."""
    world = calm_world()
    found, home = world.get_current(PITS[2]), HOMES["ada"]
    assert found is not None
    pit = found[1].pit
    pit.note_epoch(home, 5)
    for number, (sender_epoch, receiver_epoch) in enumerate(((4, pit.epoch), (5, pit.epoch - 1), (5, pit.epoch + 1))):
        grant = Grant("ada", GrantNumber(sender_epoch, 99 + number), 0, START + 60_000, None)
        message = Message(home, sender_epoch, pit.number, receiver_epoch, grant)
        assert pit.receive(message, START) == Outcome()
    grant = Grant("ada", GrantNumber(5, 1), 0, START + 60_000, None)
    assert pit.receive(Message(home, 5, pit.number, pit.epoch, grant), START).messages


def test_rounds_of_before_a_take_over_count_against_a_limit_after_it() -> None:
    share = ShareRow("S0-1", "ada", START, 800, 0)
    pit = Pit(HOMES["ada"], dict.fromkeys(PITS, 1), make_seals(random.randbytes), BY_HASH)
    pit.recover(Books([], [], [], [], {}, [share]))
    pit.limits.set_player_limits("ada", PlayerLimits({"stake:day": 1_000}))
    assert pit.refuses("ada", 200, START + 1, False) is None
    assert pit.refuses("ada", 300, START + 1, False) == ProtectionLimit("stake:day", 1_000, 800, 300)


def test_r36_money_goes_with_the_number_of_its_grant() -> None:
    """What was granted to that pit before is void when the money arrives, whichever of the two messages comes first."""
    pit = Pit(HOMES["ada"], dict.fromkeys(PITS, 1), make_seals(random.randbytes), BY_HASH)
    pit.recover(Books([], [], [], [], {"player:ada": 5_000}, []))
    told = pit.ask(Request(LIVE[1], BringMoney("ada", 3_000, START), "k1", "ada")).messages
    [transfer] = [one.body for one in told if isinstance(one.body, Transfer)]
    [grant] = [one.body for one in told if isinstance(one.body, Grant)]
    assert transfer.grant == grant.number > GrantNumber()


def test_r27_nothing_is_drawn_from_a_generator_that_failed() -> None:
    """A spin is refused, and nothing of the table changes."""
    pit = Pit(HOMES["ada"], dict.fromkeys(PITS, 1), make_seals(lambda size: bytes(size)), BY_HASH)
    pit.authority.open("T9", SHEETS["ventuno"], START)
    before = pit.authority.tables["T9"]
    decided = pit.ask(Request("T9", SpinWheel("ada", 1, "", START), "k1", "ada"))
    [(_, answer)] = decided.answers
    assert (answer.refused, decided.batch) == ("ChanceStopped", None)
    assert pit.authority.tables["T9"] == before


def test_a_pit_whose_shoe_log_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that it decided may be written: it has to be folded again."""
    pit = Pit(HOMES["ada"], dict.fromkeys(PITS, 1), make_seals(random.randbytes), BY_HASH)
    pit.authority.open("T9", SHEETS["ventuno"], START)

    def fail(*_given: object) -> None:
        raise LookupError("no shoe")

    monkeypatch.setattr(pit.shoes.logs, "record_table_events", fail)
    pit.command("T9", Pause("house", "test", START), "pause")
    assert pit.broken == "Pause at T9: LookupError: no shoe"
