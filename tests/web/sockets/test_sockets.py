"""Play over real sockets: whole rounds of every game, watched, interrupted, taken over, resumed (V-79…V-88, R-03)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from tests.support.clocked_house import PATIENT, ClockedHouse, decision, list_spots
from tests.support.house import LIVE, NOON, key
from tests.support.http_house import Visitor, opened
from ventuno.core.rules.cards import cards
from ventuno.core.views.private_view import build_empty_view
from ventuno.house.store.clock import JumpingClock
from ventuno.web.http.me import list_own_tables

SOLO = {
    "first-person": [(1, "main"), (2, "main"), (1, "perfect-pairs")],
    "sisal": [(1, "main"), (2, "main"), (0, "dealer-pair")],
    "duello": [(1, "main"), (2, "main"), (1, "2-up")],
    "link": [(1, "main"), (2, "main"), (1, "link"), (2, "link")],
}


def is_betting(visitor: Visitor, table: str) -> bool:
    return bool(visitor.public(table)["phase"] == "betting")


def is_taken(visitor: Visitor) -> bool:
    return "taken-over" in visitor.notices()


@pytest_asyncio.fixture
async def parlour(tmp_path: Path) -> AsyncIterator[ClockedHouse]:
    clock = JumpingClock(NOON)
    async with opened(tmp_path, clock=clock, bounds=PATIENT) as doors:
        yield ClockedHouse(doors, clock)


async def test_the_first_frame_says_who_one_is(parlour: ClockedHouse) -> None:
    ada = await parlour.doors.enter(await parlour.doors.joined("Ada"))
    (welcome,) = ada.of("welcome")
    assert ada.frames[0] == welcome
    known = {"player": ada.player, "name": "Ada", "role": "player", "guest": False}
    assert {name: welcome[name] for name in known} == known
    assert (welcome["house"], welcome["now"], welcome["unsafe"]) == ("ventuno", NOON, False)


async def test_rounds_of_two_players_under_the_eyes_of_a_third(parlour: ClockedHouse) -> None:
    """Both play, one watches; whoever comes in between sees what the others see; the money is right to the cent."""
    doors = parlour.doors
    ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 4)
    zoe = await doors.enter(await doors.joined("Zoe", 0))
    await zoe.join()
    settled = dict.fromkeys((ada.player, bea.player), 100_000)
    for turn in range(3):
        await parlour.until(lambda: ada.public()["phase"] == "betting", ada, bea)
        await ada.must("bet", spots=list_spots((1, "main"), (1, "perfect-pairs")), amount=1_000)
        await bea.must("bet", spots=list_spots((4, "main")), amount=2_000)
        assert zoe.public()["bets"] == ada.public()["bets"] == [], "bets that are not final are one's own (V-37)"
        assert sum(one["amount"] for one in ada.mine()["bets"]) == 2_000
        for player in (ada, bea):
            await player.must("deal")
        assert {one["player"] for one in zoe.public()["bets"]} == {ada.player, bea.player}
        await parlour.until(lambda: ada.public()["phase"] == "round", ada, bea)
        late = await doors.enter(await doors.joined())
        await late.join()
        await parlour.round(LIVE, ada, bea)
        assert ada.public()["phase"] == "results"
        assert late.public() == zoe.public() == ada.public() == bea.public()
        assert late.tables[LIVE].version == zoe.tables[LIVE].version
        for line in zoe.public()["lines"]:
            settled[line["player"]] += line["returned"] - line["stake"]
        for player in (ada, bea):
            assert player.mine()["balance"] == settled[player.player], turn
        await late.close()
    assert zoe.mine() == msgspec.json.decode(msgspec.json.encode(build_empty_view(zoe.player))), (
        "a watcher has nothing of his own here (X-06)"
    )
    assert not any(frame.get("mine") for frame in zoe.of("step"))
    assert zoe.public()["people"][ada.player] == {"player": ada.player, "name": "Ada", "bot": False}


async def test_the_ids_of_the_concession_are_ones_own(parlour: ClockedHouse) -> None:
    """V-75, R-30."""
    ada = await parlour.doors.seated("Ada", 1)
    held = parlour.doors.application.tables._concession.find_admission(ada.player, LIVE)
    assert held is not None
    assert (ada.mine()["session"], ada.mine()["participation"]) == (held.session, held.participation)


async def test_v75_whoever_sits_has_ids_at_every_table_and_on_every_device(parlour: ClockedHouse) -> None:
    """At two live tables and one for practice, from the seat on, after a lost line, and in what `/api/me` lists."""
    doors = parlour.doors
    await doors.application.tables.open("Second", "ventuno")
    ada = await doors.seated("Ada", 1)
    await ada.join("Second")
    await ada.must("bring", "Second", amount=10_000)
    await ada.must("sit", "Second", box=2)
    trial = await doors.application.tables.open_practice(ada.player, "ventuno")
    await ada.join(trial)
    tables = (LIVE, "Second", trial)
    ids = [(ada.mine(table)["session"], ada.mine(table)["participation"]) for table in tables]
    assert all(session and participation for session, participation in ids)
    assert len(set(ids)) == 3
    await ada.close()
    again = await doors.enter(ada.player)
    for table in tables:
        await again.join(table)
    assert [(again.mine(table)["session"], again.mine(table)["participation"]) for table in tables] == ids
    listed = {own.table: (own.session, own.participation) for own in list_own_tables(doors.application, ada.player)}
    assert [listed[table] for table in tables] == ids


async def test_v75_who_takes_all_his_money_out_and_stays_keeps_his_ids_on_screen(parlour: ClockedHouse) -> None:
    """Alone at the table: the view has them while he sits, and none once he has left (reading 35)."""
    ada = await parlour.doors.seated("Ada", 1)
    ids = ada.mine()["session"], ada.mine()["participation"]
    await ada.must("take", amount=ada.mine()["balance"])
    assert ada.mine()["balance"] == 0
    assert (ada.mine()["session"], ada.mine()["participation"]) == ids
    await ada.must("stand-up", box=1)
    assert (ada.mine()["session"], ada.mine()["participation"]) == ("", "")


@pytest.mark.parametrize("game", SOLO)
async def test_a_solo_round_goes_on_on_another_device(parlour: ClockedHouse, game: str) -> None:
    """R-03, V-80, V-88: the second device has the table exactly as the first had it, and plays it to the end."""
    doors = parlour.doors
    player = await doors.joined("Ada")
    table = await doors.application.tables.open_solo(player, game)
    assert isinstance(table, str)
    device = await doors.enter(player)
    await device.join(table)
    await device.must("bring", table, amount=50_000)
    interrupted = 0
    for _ in range(6):
        await parlour.until(partial(is_betting, device, table), device)
        for spot in SOLO[game]:
            await device.must("bet", table, spots=list_spots(spot), amount=500)
        await device.must("deal", table)
        while device.public(table)["phase"] == "round":
            before = device.tables[table]
            other = await doors.enter(player)
            assert (await other.join(table))["refused"] is None
            await device.until(partial(is_taken, device))
            assert (other.public(table), other.mine(table)) == (before.public, before.mine)
            assert (await device.ask("deal", table))["refused"]["code"] == "NotJoined"
            await device.close()
            device, interrupted = other, interrupted + 1
            move = decision(device, table)
            await device.must(move.pop("do"), table, **move)
        assert device.public(table)["lines"]
    assert interrupted >= 3


async def test_r04_what_a_spin_brings_is_stored_when_it_is_asked(parlour: ClockedHouse) -> None:
    """The answer comes when the outcome is in the store; another device shows the same, and nobody spins again."""
    doors = parlour.doors
    player = await doors.joined("Ada")
    shoe = cards("AS 9D KC 8H")
    table = await doors.application.tables.open_practice(player, "link", shoe)
    ada = await doors.enter(player)
    await ada.join(table)
    await ada.until(lambda: ada.public(table)["phase"] == "betting")
    await ada.must("bet", table, spots=list_spots((1, "main"), (1, "link")), amount=500)
    await ada.must("deal", table)
    assert ada.public(table)["turn"] == {"box": 1, "hand": 0}
    assert ada.public(table)["boxes"][0]["bonus"]["segment"] == ""
    await ada.must("spin-wheel", table, box=1)
    segment = ada.public(table)["boxes"][0]["bonus"]["segment"]
    stored = await doors.application.host.commits.store.read_records(f"table:{table}")
    (spun,) = [msgspec.json.decode(one.body) for one in stored if one.kind == "WheelSpun"]
    assert spun["segment"] == segment != ""
    other = await doors.enter(player)
    await other.join(table)
    assert other.public(table)["boxes"][0]["bonus"] == ada.public(table)["boxes"][0]["bonus"] if ada.tables else True
    assert other.public(table)["boxes"][0]["bonus"]["segment"] == segment
    assert (await other.ask("spin-wheel", table, box=1))["refused"] is not None


async def test_x19_a_bet_behind_a_linked_account_is_closed_with_its_reason(parlour: ClockedHouse) -> None:
    """H-5: refused when it is asked, so shown as closed, and every act of betting that would put a bet there too."""
    doors = parlour.doors
    ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 2)
    eva = await doors.supervisor()
    await parlour.until(partial(is_betting, bea, LIVE), ada, bea)

    def behind(box: int) -> tuple[int | None, list[str]]:
        spots = bea.mine()["options"]["spots"]
        (found,) = [one for one in spots if (one["box"], one["bet"]) == (box, "behind")]
        return found["price"], [one["code"] for one in found["reasons"]]

    def words() -> dict[str, list[str]]:
        return {word: [no["code"] for no in said["reasons"]] for word, said in bea.mine()["options"]["betting"].items()}

    price, reasons = behind(1)
    assert price, reasons
    await bea.must("bet", spots=list_spots((1, "behind")), amount=500)
    assert words()["double"] == []
    assert await doors.application.integrity.link(eva, ada.player, bea.player, "one family") is None
    await bea.must("bet", spots=list_spots((2, "main")), amount=500)
    assert behind(1) == (None, ["LinkedAccounts"])
    assert behind(3) == (None, ["BoxEmpty"])
    assert words()["double"] == ["LinkedAccounts"]
    assert words()["undo"] == []
    for ask in ({"do": "bet", "spots": list_spots((1, "behind")), "amount": 500}, {"do": "double"}):
        assert (await bea.ask(ask.pop("do"), **ask))["refused"]["code"] == "LinkedAccounts"  # type: ignore[arg-type]
    before, again = bea.mine(), await doors.enter(bea.player)
    await again.join()
    assert again.mine() == before
    spots = {(one["box"], one["bet"]): one for one in again.mine()["options"]["spots"]}
    assert spots[1, "behind"]["reasons"][0]["numbers"] == {"box": 1}
    assert await doors.application.integrity.unlink(eva, ada.player, bea.player, "an error") is None
    await again.must("bet", spots=list_spots((2, "main")), amount=500)
    spots = {(one["box"], one["bet"]): one for one in again.mine()["options"]["spots"]}
    assert spots[1, "behind"]["price"] == price - 500


async def test_v88_the_table_is_taken_over_and_the_others_stay(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    await doors.application.tables.open("T2", "ventuno")
    player = await doors.joined("Ada")
    first, second = await doors.enter(player), await doors.enter(player)
    for table in (LIVE, "T2"):
        await first.join(table)
    await second.join()
    await first.until(lambda: "taken-over" in first.notices())
    assert [frame["table"] for frame in first.of("notice")] == [LIVE]
    assert set(first.tables) == {"T2"}
    assert (await first.ask("bring", "T2", amount=1_000))["refused"] is None
    assert (await second.ask("bring", amount=1_000))["refused"] is None
    steps = len(first.of("step"))
    await second.must("sit", box=1)
    assert len(first.of("step")) == steps, "who left a table hears no more of it"
    await first.join()
    await second.until(lambda: "taken-over" in second.notices())


async def test_several_tables_on_one_socket_and_x_leaves_one(parlour: ClockedHouse) -> None:
    """V-84, V-87."""
    doors = parlour.doors
    player = await doors.joined("Ada")
    await doors.application.tables.open("T2", "ventuno")
    solo = await doors.application.tables.open_solo(player, "link")
    assert isinstance(solo, str)
    ada = await doors.enter(player)
    for table in (LIVE, "T2", solo):
        await ada.join(table)
        await ada.must("bring", table, amount=10_000)
    assert (await ada.tell("part", "T2"))["refused"] is None
    assert (await ada.ask("sit", "T2", box=1))["refused"]["code"] == "NotJoined"
    await ada.must("sit", LIVE, box=1)
    await ada.until(lambda: ada.public(solo)["phase"] == "betting")
    await ada.must("bet", solo, spots=list_spots((1, "main")), amount=500)
    assert ada.mine("T2")["balance"] == 10_000, "the money stays where it is"
    assert set(doors.hub.broadcasts) == {LIVE, solo}, "nothing is shown where nobody watches"


async def test_who_comes_back_gets_what_he_missed(parlour: ClockedHouse) -> None:
    """V-80: the steps since his version, or the whole table; the same for both."""
    doors = parlour.doors
    ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 2)
    await parlour.until(lambda: ada.public()["phase"] == "betting", ada, bea)
    away = bea.tables[LIVE]
    version = away.version
    await bea.close()
    await ada.must("bet", spots=list_spots((1, "main")), amount=1_000)
    await ada.must("deal")
    back, fresh = await doors.enter(bea.player), await doors.enter(await doors.joined())
    back.tables[LIVE] = away
    await back.join(LIVE, version)
    await fresh.join()
    assert not back.of("table")
    assert back.public() == fresh.public() == ada.public()
    assert back.mine()["balance"] == 100_000
    stale = await doors.enter(await doors.joined())
    await stale.join(LIVE, 10**6)
    assert [frame["type"] for frame in stale.frames if frame["type"] in ("table", "step")] == ["table"]


async def test_bets_stay_when_the_line_is_lost(parlour: ClockedHouse) -> None:
    """V-79: what was bet is played; the player finds the result when he comes back."""
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    await parlour.until(lambda: ada.public()["phase"] == "betting", ada)
    await ada.must("bet", spots=list_spots((1, "main")), amount=1_000)
    await ada.close()
    zoe = await doors.enter(await doors.joined("Zoe", 0))
    await zoe.join()
    await parlour.until(lambda: zoe.public()["phase"] == "results", zoe)
    back = await doors.enter(ada.player)
    await back.join()
    (line,) = [one for one in back.public()["lines"] if one["bet"] == "main"]
    assert back.mine()["balance"] == 100_000 - 1_000 + line["returned"]


async def test_tables_of_others_are_not_there(parlour: ClockedHouse) -> None:
    """X-06, X-08: a table for one and a practice table are their owner's alone, and so is that they exist."""
    doors = parlour.doors
    ada, bea = await doors.joined("Ada"), await doors.joined("Bea")
    hers = [
        await doors.application.tables.open_solo(ada, "duello"),
        await doors.application.tables.open_practice(ada, "ventuno"),
    ]
    visitor = await doors.enter(bea)
    answers = [(await visitor.join(str(table)))["refused"] for table in (*hers, "no such table")]
    assert [one["code"] for one in answers] == ["NoSuchTable"] * 3
    owner = await doors.enter(ada)
    for table in hers:
        assert (await owner.join(str(table)))["refused"] is None


async def test_g7_the_same_key_again_does_nothing_twice(parlour: ClockedHouse) -> None:
    ada = await parlour.doors.seated("Ada", 1)
    once = key()
    first = await ada.ask("bring", amount=5_000, again=once)
    again = await ada.ask("bring", amount=5_000, again=once)
    assert first["refused"] is again["refused"] is None
    assert ada.mine()["balance"] == 105_000
    assert (await ada.ask("bring", amount=6_000, again=once))["refused"]["code"] == "KeyReused"


async def test_a_refusal_has_its_code_and_its_numbers(parlour: ClockedHouse) -> None:
    ada = await parlour.doors.seated("Ada", 1)
    refused = (await ada.ask("bring", amount=10**9))["refused"]
    assert refused["code"] == "FundsMissing"
    assert refused["numbers"] == {"needed": 10**9, "available": refused["numbers"]["available"], "raised": 0}
    assert parlour.doors.hub.refusals["FundsMissing"] == 1


async def test_early_decisions_and_insurance_are_nobody_elses(parlour: ClockedHouse) -> None:
    """H-4 over the wire: the others are told nothing, not even that there was something to tell."""
    doors = parlour.doors
    ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 2)
    for _ in range(8):
        await parlour.until(lambda: ada.public()["phase"] == "betting", ada, bea)
        for player, box in ((ada, 1), (bea, 2)):
            await player.must("bet", spots=list_spots((box, "main")), amount=1_000)
            await player.must("deal")
        await parlour.until(lambda: ada.public()["phase"] == "round", ada, bea)
        if (ada.public()["turn"] or {}).get("box") == 1:
            told = len(ada.frames)
            answer = await bea.ask("decide-early", box=2, action="stand")
            if answer["refused"] is None:
                assert [one["early"] for one in bea.mine()["boxes"]] == ["stand"]
                await ada.join(LIVE, ada.tables[LIVE].version)
                fresh = [frame for frame in ada.frames[told:] if frame["type"] in ("step", "table")]
                assert [(one["after"], one["public"]) for one in fresh] == [(answer["version"], [])]
                return
        await parlour.round(LIVE, ada, bea)
    pytest.fail("nobody could choose early in eight rounds")


async def test_chat_is_told_to_all_who_watch(parlour: ClockedHouse) -> None:
    """V-62, V-63."""
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    zoe, elsewhere = await doors.enter(await doors.joined("Zoe", 0)), await doors.enter(await doors.joined())
    await zoe.join()
    assert (await zoe.tell("say", text="<b>ciao</b>"))["refused"] is None
    await ada.until(lambda: ada.of("said"))
    (said,) = ada.of("said")
    assert (said["player"], said["name"], said["text"], said["table"]) == (zoe.player, "Zoe", "<b>ciao</b>", LIVE)
    await zoe.until(lambda: zoe.of("said"))
    assert zoe.of("said") == [said]
    assert not elsewhere.of("said")
    assert (await zoe.tell("say", text="merda"))["refused"]["code"] == "Improper"
    assert len(ada.of("said")) == 1


async def test_a_shoe_is_cut_over_the_socket(parlour: ClockedHouse) -> None:
    """X-01: committed before bets, promised and revealed by who sits; what is told is public."""
    ada = await parlour.doors.seated("Ada", 1)
    await ada.until(lambda: ada.public()["phase"] == "betting")
    first = [frame for frame in ada.of("shoe") if frame["commitment"]["shoe"] == 1]
    assert first[0]["phase"] == "promises"
    assert first[-1]["phase"] == "cut"
    assert first[-1]["promised"] == first[-1]["revealed"] == [ada.player]
    await ada.until(lambda: ada.of("shoe")[-1]["phase"] == "cut" and ada.of("shoe")[-1]["commitment"]["shoe"] == 2)
    wrong = await ada.tell("reveal", entropy="00" * 16)
    assert wrong["refused"]["code"] == "CutNotOpen"


async def test_a_paused_table_says_why(parlour: ClockedHouse) -> None:
    """V-76, X-10: everybody at the table is told."""
    doors = parlour.doors
    eva = await doors.supervisor()
    ada = await doors.seated("Ada", 1)
    await doors.application.supervision.pause(eva, LIVE, "a card fell", key())
    await ada.until(lambda: ada.public()["paused"] == "a card fell")
    assert (await ada.ask("sit", box=2))["refused"]["code"] == "TablePaused"
    await doors.application.supervision.resume(eva, LIVE, key())
    await ada.until(lambda: ada.public()["paused"] is None)


async def test_h8_a_supervisor_sees_what_a_spectator_would_and_it_is_noted(parlour: ClockedHouse) -> None:
    """Any table, nothing that is its player's own, and the look is in the audit log."""
    doors = parlour.doors
    player, eva = await doors.joined("Ada"), await doors.enter(await doors.supervisor())
    table = await doors.application.tables.open_solo(player, "link")
    assert isinstance(table, str)
    ada = await doors.enter(player)
    await ada.join(table)
    await ada.must("bring", table, amount=10_000)
    assert (await eva.join(table))["refused"] is None
    assert eva.mine(table) == msgspec.json.decode(msgspec.json.encode(build_empty_view(eva.player)))
    assert eva.public(table) == ada.public(table)
    noted = await doors.application.host.commits.store.read_records("house")
    assert [msgspec.json.decode(one.body) for one in noted if one.kind == "SupervisorViewed"] == [
        {"by": eva.player, "what": "table", "subject": table}
    ]
    assert (await eva.ask("bring", table, amount=1_000))["refused"] is not None
