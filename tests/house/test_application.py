"""The house put together: start-up, doors, certificates, shoes cut by players, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from tests.support.databases import execute
from tests.support.house import LIVE, PASSWORD, OpenHouse, examined, key, permuted
from tests.support.sample_shoes import fixed_source
from ventuno.cli.main import main
from ventuno.core.messages.commands import (
    BringMoney,
    DealNow,
    LeaveSeat,
    LoadShoe,
    PlaceBet,
    SpinWheel,
    Spot,
    TakeSeat,
    Void,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.sessions import Entered
from ventuno.house.config import CERTIFICATES
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.tables.authority import Answer, LiveTable, NoSuchTable
from ventuno.house.tables.concession import LocalIssuer
from ventuno.house.tables.pipeline import PipelineBroken
from ventuno.house.tables.table_service import NotCertified, VersionedView
from ventuno.sheets import GAMES, load


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


async def test_a_guest_comes_in_and_is_known_by_his_token(evening: OpenHouse) -> None:
    entered = await evening.application.accounts.enter_guest("::1", "browser")
    assert isinstance(entered, Entered)
    known = await evening.application.accounts.identify(entered.token)
    assert not isinstance(known, Refusal)
    assert known.player == entered.player
    assert await evening.application.accounts.log_out(entered.player, entered.session) is None
    assert isinstance(await evening.application.accounts.identify(entered.token), Refusal)


async def test_login_after_a_restart(evening: OpenHouse) -> None:
    player = await evening.joined("Ada")
    await evening.crash()
    entered = await evening.application.accounts.log_in("ada", PASSWORD, "::1", "browser")
    assert isinstance(entered, Entered)
    assert entered.player == player
    assert isinstance(await evening.application.accounts.log_in("ada", "wrong", "::1", "browser"), Refusal)
    assert (await evening.application.cashier.read_balances(player)).free == 500_000


async def test_a_table_opens_only_on_a_certified_sheet(tmp_path: Path) -> None:
    evening = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    evening.certify("ventuno")
    house = await evening.open()
    ada = await evening.joined("Ada")
    assert isinstance(await house.tables.open(LIVE, "ventuno"), Answer)
    assert await house.tables.open_solo(ada, "duello") == NotCertified("duello", load("duello").hash)
    (evening.folder / CERTIFICATES / f"{load('duello').hash}.json").write_text('{"sheet": "another"}')
    assert isinstance(await house.tables.open_solo(ada, "duello"), NotCertified)
    name = await house.tables.open_practice(ada, "duello")
    assert name.startswith("practice-")
    await evening.until(lambda: evening.view(name, ada).phase == "betting")
    evening.certify("duello")
    assert await house.tables.open_solo(ada, "duello") == f"duello-{ada}"
    await house.close()


async def test_practice_takes_no_money_and_deals_the_cards_one_chose(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    name = await evening.application.tables.open_practice(ada, "first-person", cards("AS 9H KS 7D"))
    assert (await evening.application.tables.bring(ada, name, 1_000, key()))[0].refused == "PracticeCredit"
    await evening.bet(ada, name, (Spot(1, "main"),))
    await evening.deal(name, ada)
    assert evening.view(name, ada).boxes[0].hands[0].cards == ("AS", "KS")
    assert (await evening.application.cashier.read_balances(ada)).free == 500_000
    assert (await evening.application.history.list_rounds(ada)).lines == ()


async def test_x08_a_practice_table_stays_ones_own_without_a_seat(evening: OpenHouse) -> None:
    """Who leaves the first box, or all of them, still sees his table; nobody else ever does."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    name = await evening.application.tables.open_practice(ada, "ventuno")
    assert not (await evening.application.tables.ask(ada, name, LeaveSeat(ada, 1, 0), key())).refused
    assert isinstance(evening.application.tables.get(name, ada), LiveTable)
    assert isinstance(evening.application.tables.get(name, bea), NoSuchTable)
    assert isinstance(evening.application.tables.get(name), NoSuchTable)


async def test_g2_a_wrong_cent_is_found_however_many_looks_the_books_take(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cent goes astray between a player's table and the house: the sum stays zero, and his look finds it."""
    monkeypatch.setattr("ventuno.house.maintenance.TABLES_PER_CHECK", 1)
    people = [await evening.joined(f"Player{number}") for number in range(6)]
    for player in people:
        table = await evening.application.tables.open_solo(player, "link")
        assert isinstance(table, str)
        assert not (await evening.application.tables.bring(player, table, 1_000, key()))[0].refused
    looks = 1 + len(evening.application.host.authority.tables)
    balances = evening.application.host.authority.wallet._balances

    async def found() -> list[str]:
        seen: list[str] = []
        for _ in range(looks):
            await evening.application.maintenance.run_once()
            seen += evening.application.maintenance.faults
        return sorted(set(seen))

    assert await found() == []
    for player in people:
        account = f"player:{player}:table"
        balances[account] += 1
        balances["cashier"] -= 1
        assert await found() == [f"{account} holds 1001, the tables say 1000"]
        balances[account] -= 1
        balances["cashier"] += 1
        await found()
        assert evening.application.maintenance.faults == []
    balances["cashier"] += 1
    await evening.application.maintenance.run_once()
    assert evening.application.maintenance.faults == ["all accounts sum to 1"], (
        "money from nowhere is seen at the next look"
    )
    balances["cashier"] -= 1


async def test_a_fault_in_maintenance_is_said_and_tried_again(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """G-2: nobody looks after the books if the one who looks dies unnoticed."""
    looked = 0

    async def fail() -> None:
        nonlocal looked
        looked += 1
        raise ValueError("planted")

    monkeypatch.setattr("ventuno.house.maintenance.INTERVAL", 0)
    monkeypatch.setattr(evening.application.maintenance, "run_once", fail)
    evening.application.maintenance._loop.cancel()
    evening.application.maintenance._loop = asyncio.create_task(evening.application.maintenance._run())
    await evening.until(lambda: looked > 1)
    assert "maintenance failed" in caplog.text


async def test_r30_money_comes_by_the_floor_with_ids_and_ones_own_level(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "link")
    assert isinstance(table, str)
    asked = await evening.application.tables.ask(ada, table, BringMoney(ada, 1_000, 0, vip=2), key())
    assert not asked.refused
    assert evening.application.host.authority.tables[table].table.vip == {ada: 0}
    again = key()
    first = await evening.application.tables.bring(ada, table, 500, again)
    assert await evening.application.tables.bring(ada, table, 500, again) == first
    assert (await evening.application.tables.bring(ada, table, 600, again))[0].refused == "KeyReused"
    assert (await evening.application.cashier.read_balances(ada)).at_tables == 1_500
    await evening.application.protection.exclude(ada, 30)
    assert (await evening.application.tables.bring(ada, table, 500, key()))[0].refused == "PlayExcluded"
    assert (await evening.application.cashier.read_balances(ada)).at_tables == 0, (
        "his money came home with the exclusion"
    )
    done = await evening.application.cashier.withdraw(ada, 500_000, key())
    assert not isinstance(done, Refusal)


async def test_the_doors_let_nobody_speak_for_the_house_or_for_others(evening: OpenHouse) -> None:
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    for command in (Void(bea, "mine", 0), LoadShoe((), 1, 0), DealNow(ada, 0)):
        assert (await evening.application.tables.ask(bea, table, command, key())).refused == "NotYours"
        assert (await evening.application.tables.ask("", table, command, key())).refused
    assert (await evening.application.supervision.pause(bea, table, "why not", key())).refused == "NotSupervisor"
    assert await evening.application.supervision.mute(bea, table, ada, "loud", 5) == NotSupervisor(bea)
    assert isinstance(evening.application.tables.see(table, bea), Refusal)
    eva = await evening.supervisor()
    assert (await evening.application.supervision.pause(eva, table, " ", key())).refused == "ReasonMissing"


async def test_the_commitment_is_out_before_bets_open_and_the_owner_cuts(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    evening.absent.add(ada)
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 10_000, key())
    await evening.until(lambda: evening.application.fairness.get_shoe(table) is not None)
    news = evening.application.fairness.get_shoe(table)
    assert news is not None
    assert (news.phase, evening.view(table, ada).phase) == ("promises", "shuffling")
    assert (await evening.application.tables.ask(ada, table, PlaceBet(ada, (Spot(1, "main"),), 500, 0), key())).refused
    assert isinstance(await evening.application.fairness.reveal("somebody", table, bytes(16)), Refusal)
    assert not isinstance(await evening.application.fairness.reveal(ada, table, b"sixteen bytes..."), Refusal)
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    verdict = await evening.verdict(ada, code)
    assert (verdict.is_verifiable, verdict.contributors, verdict.is_open, verdict.rounds) == (True, 1, True, 1)


async def test_who_does_not_cut_in_time_is_flagged_and_the_house_says_so(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    evening.absent.add(ada)
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 10_000, key())
    await evening.until(lambda: evening.application.fairness.get_shoe(table) is not None)
    evening.clock.move(6_000)
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    verdict = await evening.verdict(ada, code)
    assert not verdict.is_verifiable
    assert any("missing" in note for note in verdict.notes)


async def test_r27_no_card_comes_from_a_generator_that_failed(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 10_000, key())
    await evening.betting(table, ada)
    good = evening.source._read
    evening.source._read = lambda size: bytes(size)
    await evening.bet(ada, table, (Spot(1, "main"),))
    await evening.deal(table, ada)
    await evening.finish(table, (ada,))
    await evening.until(lambda: evening.view(table, ada).paused is not None)
    assert "generator" in (evening.view(table, ada).paused or "")
    evening.source._read = good
    assert (await evening.application.tables.ask(ada, table, PlaceBet(ada, (Spot(1, "main"),), 500, 0), key())).refused


async def test_a_crash_in_the_cut_goes_on_with_the_same_shoe(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    evening.absent.add(ada)
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 10_000, key())
    await evening.until(lambda: evening.application.fairness.get_shoe(table) is not None)
    before = evening.application.fairness.get_shoe(table)
    await evening.crash()
    assert evening.application.fairness.get_shoe(table) == before
    assert not isinstance(await evening.application.fairness.reveal(ada, table, b"sixteen bytes..."), Refusal)
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    assert (await evening.verdict(ada, code)).is_verifiable


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("UPDATE log SET body = replace(body, 'Ada', 'Bea') WHERE kind = 'PlayerJoined'", "player:1"),
        ("DELETE FROM log WHERE stream = 'house' AND seq = 2", "house"),
        ("DELETE FROM log WHERE stream = 'shoes:sisal-1' AND seq > 2", "shoes:"),
        ("DELETE FROM snapshots; DELETE FROM log WHERE stream = 'shoes:sisal-1' AND kind = 'ShoeCut'", "shoes:"),
        ("DELETE FROM log WHERE stream = 'sealed:sisal-1'", "sealed:"),
        ("UPDATE accounts SET balance = balance + 1 WHERE account = 'cashier'", "cashier"),
    ],
)
async def test_a_house_that_is_not_whole_does_not_open(tmp_path: Path, statement: str, word: str) -> None:
    evening = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    evening.certify(*GAMES)
    house = await evening.open()
    ada = await evening.joined("Ada")
    await evening.joined("Bea")
    table = await house.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await house.tables.bring(ada, table, 10_000, key())
    await evening.betting(table, ada)
    await house.close()
    await execute(evening.url, *statement.split("; "))
    with pytest.raises(StoreInconsistent) as caught:
        await evening.open()
    assert any(word in fault for fault in caught.value.faults)


async def test_what_is_watched_holds_no_hidden_card(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    told: list[VersionedView] = []
    end = evening.application.tables.watch(table, ada, told.append)
    assert not isinstance(end, Refusal)
    await evening.application.tables.bring(ada, table, 10_000, key())
    await evening.betting(table, ada)
    await evening.bet(ada, table, (Spot(1, "main"),))
    await evening.deal(table, ada)
    assert told[-1].public.dealer.face_down == 1
    assert b"hidden" not in msgspec.json.encode(str(told[-1]))
    end()


@pytest.mark.parametrize("game", ["ventuno", "first-person", "sisal", "duello", "link"])
async def test_h1_what_is_given_out_does_not_depend_on_hidden_cards(evening: OpenHouse, game: str) -> None:
    """Paired: at every step of some rounds, with all unseen cards exchanged, every viewer sees the same bytes."""
    house, ada, bea = evening.application, await evening.joined("Ada"), await evening.joined("Bea")
    if game == "ventuno":
        await house.tables.open(LIVE, game)
        table: str | Refusal = LIVE
        await evening.sit(ada, LIVE, 1)
        await evening.sit(bea, LIVE, 2)
    else:
        table = await house.tables.open_solo(ada, game)
        assert isinstance(table, str)
        await house.tables.bring(ada, table, 50_000, key())
    assert isinstance(table, str)
    players, compared = ((ada, bea) if game == "ventuno" else (ada,)), 0
    for _ in range(4):
        await evening.betting(table, ada)
        for box, player in enumerate(players, start=1):
            await evening.bet(player, table, (Spot(box, "main"),))
        code = await evening.deal(table, ada)
        while evening.view(table, ada).phase == "round":
            compared += 1
            room = house.host.committed[table]
            before = [str(house.tables.see(table, viewer)) for viewer in (ada, bea, "")] + [
                str(house.tables.list_lobby(ada))
            ]
            house.host.committed[table] = permuted(room)
            assert house.host.committed[table].table != room.table
            after = [str(house.tables.see(table, viewer)) for viewer in (ada, bea, "")] + [
                str(house.tables.list_lobby(ada))
            ]
            house.host.committed[table] = room
            assert before == after
            assert isinstance(await house.history.describe_round(ada, code), Refusal)
            assert isinstance(await house.history.read_document(ada, code), Refusal)
            await evening.step(table, players)
    assert compared > 2


async def test_h1_the_public_export_of_a_running_house_holds_no_undealt_card(
    evening: OpenHouse, tmp_path: Path
) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    for _ in range(2):
        await evening.solo_round(ada, table, (Spot(1, "main"),))
    await evening.betting(table, ada)
    await evening.bet(ada, table, (Spot(1, "main"),))
    await evening.deal(table, ada)
    await evening.application.history.export(tmp_path / "export")
    lines = [json.loads(line) for line in (tmp_path / "export").read_text().splitlines()]
    loaded = [line["body"]["number"] for line in lines if line.get("kind") == "ShoeLoaded"]
    assert loaded == [1, 2]
    assert not any(line.get("stream", "").startswith(("sealed:", "private:")) for line in lines)


async def test_a_live_shoe_retires_opens_and_makes_way_for_its_spare(evening: OpenHouse) -> None:
    """V-82, R-28: two shoes alternate; every round of the first verifies against the opened whole."""
    house, ada = evening.application, await evening.joined("Ada", 5_000_000)
    await house.tables.open(LIVE, "ventuno")
    assert house.fairness.get_shoe(LIVE) is None, "nobody is there to cut"
    await evening.sit(ada, LIVE, 1, 4_000_000)
    for box in range(2, 8):
        await evening.say(ada, LIVE, TakeSeat(ada, box, 0))
    await evening.until(lambda: house.host.authority.tables[LIVE].table.spare is not None)
    first = ""
    for _ in range(40):
        await evening.betting(LIVE)
        if evening.view(LIVE).shoe == 2:
            break
        await evening.bet(ada, LIVE, tuple(Spot(box, "main") for box in range(1, 8)))
        code = await evening.deal(LIVE, ada)
        first = first or code
        await evening.finish(LIVE, (ada,))
    verdict = await evening.verdict(ada, first)
    assert verdict.is_open
    assert verdict.is_verifiable
    assert verdict.rounds > 5
    await evening.until(lambda: house.host.authority.tables[LIVE].table.spare is not None)
    old = await house.fairness.read_receipt(LIVE)
    assert old is not None
    assert old.is_valid
    await evening.crash()
    assert await evening.application.fairness.read_receipt(LIVE) == old


async def _reach_bonus(evening: OpenHouse, ada: PlayerId, table: str) -> int:
    """Play until a wheel may be turned, and give its box."""
    spots = tuple(Spot(box, bet) for box in range(1, 6) for bet in ("main", "link"))
    for _ in range(80):
        await evening.betting(table, ada)
        await evening.bet(ada, table, spots)
        await evening.deal(table, ada)
        if (turn := evening.view(table, ada).turn) and turn.hand == 0:
            return turn.box
        await evening.finish(table, (ada,))
    raise AssertionError("no blackjack in 400 hands")


async def test_l22_every_spin_of_the_house_follows_from_the_seed_that_it_sealed(evening: OpenHouse) -> None:
    """A round with its bonus holds at once, over a crash between wheel and board, and while the generator fails: the
    draws were sealed with the shoe (R-23, R-27).
    """
    ada = await evening.joined("Ada", 5_000_000)
    table = await evening.application.tables.open_solo(ada, "link")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 4_000_000, key())
    boards = 0
    while not boards:
        box = await _reach_bonus(evening, ada, table)
        evening.source._read = lambda size: bytes(size)
        await evening.crash()
        answer = await evening.application.tables.ask(ada, table, SpinWheel(ada, box, "", 0), key())
        assert not answer.refused, "what was sealed before is played to its end"
        evening.source = fixed_source(f"another {evening.application.now()}")
        await evening.crash()
        round_now = evening.application.host.authority.tables[table].table.round
        assert round_now is not None
        code, boards = round_now.code, sum(bool(one.bonus and one.bonus.board) for one in round_now.boxes)
        await evening.finish(table, (ada,))
        document = await evening.application.history.read_document(ada, code)
        assert not isinstance(document, Refusal)
        assert "'bonus': [{'wheel': " in str(document["rounds"])
        verdict = await evening.verdict(ada, code)
        assert verdict.is_open
        assert verdict.notes == ()


async def test_r31_no_money_comes_while_the_issuer_is_silent(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    issuer = evening.application.config.issuer
    assert isinstance(issuer, LocalIssuer)
    issuer.answers = False
    assert (await evening.application.tables.bring(ada, table, 50_000, key()))[0].refused == "CentralUnreachable"
    issuer.answers = True
    await evening.application.tables.bring(ada, table, 50_000, key())
    await evening.betting(table, ada)
    issuer.answers = False
    await evening.solo_round(ada, table, (Spot(1, "main"),))
    await evening.application.maintenance.run_once()
    assert len(evening.application.tables._concession.state.queued) == 3
    issuer.answers = True
    await evening.application.maintenance.run_once()
    assert not evening.application.tables._concession.state.queued


async def test_one_key_a_hundred_times_is_one_deposit_and_one_bet(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada", 0)
    again = key()
    done = await asyncio.gather(*[evening.application.cashier.deposit(ada, 5_000, again) for _ in range(100)])
    assert {getattr(one, "balance", None) for one in done} == {5_000}
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    brought = await asyncio.gather(*[evening.application.tables.bring(ada, table, 2_000, again) for _ in range(100)])
    assert len({answer.version for answer, _ in brought}) == 1
    assert (await evening.application.cashier.read_balances(ada))[:3] == (3_000, 2_000, 0)


async def test_a_missing_reveal_at_the_live_table_is_flagged(evening: OpenHouse) -> None:
    house, ada, bea = evening.application, await evening.joined("Ada"), await evening.joined("Bea")
    evening.absent |= {ada, bea}
    await house.tables.open(LIVE, "ventuno")
    for player in (ada, bea):
        answer, _ = await house.tables.bring(player, LIVE, 50_000, key())
        assert not answer.refused
    await asyncio.gather(
        *(evening.say(player, LIVE, TakeSeat(player, box, 0)) for box, player in enumerate((ada, bea), start=1))
    )
    await evening.until(lambda: house.fairness.get_shoe(LIVE) is not None)
    news = house.fairness.get_shoe(LIVE)
    assert news is not None
    entropy = b"sixteen bytes..."
    assert isinstance(await house.fairness.reveal(ada, LIVE, entropy), Refusal), "promises come first"
    for player in news.players:
        promise = sha256(entropy + player.encode()).digest()
        assert not isinstance(await house.fairness.promise(player, LIVE, promise), Refusal)
    await evening.until(lambda: getattr(house.fairness.get_shoe(LIVE), "phase", "") == "reveals")
    assert isinstance(await house.fairness.reveal(ada, LIVE, entropy), Refusal), "this was not promised"
    evening.clock.move(6_000)
    await evening.until(lambda: house.host.authority.tables[LIVE].table.shoe is not None)
    await evening.betting(LIVE)
    await evening.bet(ada, LIVE, (Spot(1, "main"),))
    code = await evening.deal(LIVE, ada)
    await evening.finish(LIVE, (ada, bea))
    verdict = await evening.verdict(ada, code)
    assert not verdict.is_verifiable
    assert sum("missing" in note for note in verdict.notes) == len(news.players)


async def test_a_changed_record_is_found_in_the_export_of_a_database(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    assert await examined(evening.url) == ()
    await execute(evening.url, "UPDATE log SET at = at + 1 WHERE kind = 'RoundSettled'")
    assert any(f"table:{table}" in fault for fault in await examined(evening.url))
    assert await asyncio.to_thread(main, ["replay", code, "--database", evening.url]) == 1


async def test_what_cannot_be_written_with_its_command_stops_the_house(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fail, recover, never go on beside the books."""
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    await evening.betting(table, ada)
    with monkeypatch.context() as broken:
        broken.setattr(evening.application.tables._shoe_logs, "record_table_events", lambda *_: 1 / 0)
        with pytest.raises(PipelineBroken):
            await evening.application.tables.bring(ada, table, 1_000, key())
    with pytest.raises(PipelineBroken):
        await evening.bet(ada, table, (Spot(1, "main"),))
    await evening.crash()
    balances = await evening.application.cashier.read_balances(ada)
    assert (balances.at_tables, balances.in_play) == (50_000, 0)
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    assert (await evening.verdict(ada, code)).rounds == 1
