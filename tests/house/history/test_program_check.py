"""R-19: program and rules are verified by hash at the start, every day and on demand; what differs stops new rounds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.support.house import LIVE, OpenHouse, key
from ventuno.core.messages.commands import DealNow, PlaceBet, RepeatBets, Spot, TakeSeat
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.history import program_check
from ventuno.house.history.program_check import (
    CHECK_INTERVAL,
    Manifest,
    ProgramCheck,
    list_differences,
    only_adds_certificates,
    take_manifest,
)
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import AuditEvent, ManifestTaken, ProgramDiffers, ProgramVerified, RulesChanged
from ventuno.sheets import GAMES, load


class Inspected(OpenHouse):
    """A house whose program is a folder of three files."""

    version = "1.0"
    accepted = ""

    def config(self) -> dict[str, Any]:
        return {**super().config(), "version": self.version, "accepted": self.accepted}

    async def log(self) -> list[AuditEvent]:
        records = await self.application.host.commits.store.read_records(audit_log.STREAM)
        return [entry.event for entry in audit_log.read_entries(records)]

    async def refused_bet(self, player: str, table: str) -> str:
        bet = PlaceBet(player, (Spot(1, "main"),), 500, 0)
        return (await self.application.tables.ask(player, table, bet, key())).refused


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[Inspected]:
    program = tmp_path / "program"
    (program / "core" / "__pycache__").mkdir(parents=True)
    for name in ("core/rules/hand.py", "core/table/fold.py", "rules.toml"):
        (program / name).parent.mkdir(parents=True, exist_ok=True)
        (program / name).write_text(f"# {name}\n")
    made = Inspected(f"sqlite:///{tmp_path}/house.db", tmp_path / "data", program=program)
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


def test_every_file_counts_but_what_running_leaves_behind(tmp_path: Path) -> None:
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "x.py").write_text("1")
    (tmp_path / "a" / "__pycache__" / "x.cpython-311.pyc").write_text("2")
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "c.json").write_text("3")
    sheet = load("sisal")
    found = take_manifest("1", tmp_path / "a", {sheet.hash: sheet}, tmp_path / "certificates")
    assert set(found.parts) == {"program/x.py", f"sheet/{sheet.hash}", "certificate/c.json"}
    (tmp_path / "a" / "x.py").write_text("1 ")
    other = take_manifest("1", tmp_path / "a", {sheet.hash: sheet}, tmp_path / "certificates")
    assert list_differences(found, other) == ("program/x.py is changed",)
    assert found.digest != other.digest
    assert found.digest != Manifest("2", found.parts).digest


def test_the_installed_program_is_read_whole() -> None:
    found = take_manifest("1", program_check.PROGRAM, {}, program_check.PROGRAM / "nowhere")
    assert {"program/core/table/fold.py", "program/sheets/link.toml", "program/house/history/program_check.py"} <= set(
        found.parts
    )
    assert not any("__pycache__" in name for name in found.parts)
    assert found == take_manifest("1", program_check.PROGRAM, {}, program_check.PROGRAM / "nowhere")


def test_only_a_new_certificate_may_come_by_itself() -> None:
    kept = Manifest("1", {"program/a": "0", "certificate/a": "1"})
    assert only_adds_certificates(kept, Manifest("1", {**kept.parts, "certificate/b": "2"}))
    for parts in (
        {**kept.parts, "program/b": "2"},
        {**kept.parts, "certificate/a": "2"},
        {"program/a": "0", "certificate/b": "1"},
        {"certificate/a": "1", "certificate/b": "1"},
    ):
        assert not only_adds_certificates(kept, Manifest("1", parts))


async def test_r19_the_first_start_of_a_version_writes_its_manifest(house: Inspected) -> None:
    taken_now = [one for one in await house.log() if isinstance(one, ManifestTaken)]
    assert [one.version for one in taken_now] == ["1.0"]
    assert {"program/core/rules/hand.py", "program/rules.toml", f"sheet/{load('link').hash}"} <= set(taken_now[0].parts)
    assert sum(name.startswith("certificate/") for name in taken_now[0].parts) == len(GAMES)
    await house.crash()
    log = await house.log()
    assert len([one for one in log if isinstance(one, ManifestTaken)]) == 1
    assert ProgramVerified("1.0", taken_now[0].digest, "start") in log


async def test_r19_a_changed_file_stops_new_rounds_and_open_ones_finish(house: Inspected) -> None:
    ada, eva = await house.joined("Ada"), await house.supervisor()
    table = await house.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await house.application.tables.bring(ada, table, 50_000, key())
    await house.betting(table, ada)
    await house.bet(ada, table, (Spot(1, "main"),))
    code = await house.deal(table, ada)
    (house.program / "core" / "rules" / "hand.py").write_text("# better odds\n")
    found = await house.application.supervision.check_program(eva, now=True)
    assert isinstance(found, ProgramCheck)
    assert found.differences == ("program/core/rules/hand.py is changed",)
    await house.finish(table, (ada,))
    assert (await house.application.history.list_rounds(ada)).lines[0].code == code
    await house.until(lambda: house.view(table, ada).phase == "betting")
    assert await house.refused_bet(ada, table) == "ProgramUnverified"
    assert (await house.application.tables.ask(ada, table, RepeatBets(ada, 0), key())).refused == "ProgramUnverified"
    differs = [one for one in await house.log() if isinstance(one, ProgramDiffers)]
    assert [(one.why, one.differences, one.count) for one in differs] == [
        (f"asked by {eva}", ("program/core/rules/hand.py is changed",), 1)
    ]
    assert not (await house.application.tables.take(ada, table, 1_000, key())).refused, "money goes home at any time"


async def test_r19_bets_that_were_not_dealt_go_back(house: Inspected) -> None:
    """Also at the live table, whose clock would deal them."""
    ada, eva = await house.joined("Ada"), await house.supervisor()
    await house.application.tables.open(LIVE, "ventuno")
    await house.sit(ada, LIVE, 1)
    await house.betting(LIVE)
    await house.bet(ada, LIVE, (Spot(1, "main"),))
    solo = await house.application.tables.open_solo(ada, "sisal")
    assert isinstance(solo, str)
    await house.application.tables.bring(ada, solo, 10_000, key())
    await house.betting(solo, ada)
    await house.bet(ada, solo, (Spot(1, "main"),))
    assert (await house.application.cashier.read_balances(ada)).in_play == 2_000
    (house.program / "more.py").write_text("")
    await house.application.supervision.check_program(eva, now=True)
    assert (await house.application.cashier.read_balances(ada)).in_play == 0
    assert house.own_view(LIVE, ada).balance == 100_000
    house.clock.move(60_000)
    await house.until(lambda: house.view(LIVE, ada).phase == "betting")
    assert house.application.host.authority.tables[LIVE].table.rounds == 0
    assert (await house.application.tables.ask(ada, solo, DealNow(ada, 0), key())).refused == "ProgramUnverified"
    practice = await house.application.tables.open_practice(ada, "sisal")
    await house.until(lambda: house.view(practice, ada).phase == "betting")
    assert await house.refused_bet(ada, practice) == "ProgramUnverified"


async def test_r19_the_start_finds_what_was_changed_while_the_house_was_closed(house: Inspected) -> None:
    ada = await house.joined("Ada")
    await house.application.tables.open(LIVE, "ventuno")
    await house.sit(ada, LIVE, 1)
    await house.betting(LIVE)
    await house.bet(ada, LIVE, (Spot(1, "main"),))
    (house.program / "rules.toml").unlink()
    await house.crash()
    assert house.application.maintenance._inspection.result.differences == ("program/rules.toml is missing",)
    await house.until(lambda: house.own_view(LIVE, ada).staked == 0)
    house.clock.move(60_000)
    await house.until(lambda: house.view(LIVE, ada).phase == "betting")
    assert house.application.host.authority.tables[LIVE].table.rounds == 0
    assert await house.refused_bet(ada, LIVE) == "ProgramUnverified"


async def test_r19_every_day_without_being_asked(house: Inspected) -> None:
    ada = await house.joined("Ada")
    table = await house.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await house.application.tables.bring(ada, table, 50_000, key())
    await house.betting(table, ada)
    (house.program / "core" / "rules" / "hand.py").write_text("# better odds\n")
    house.clock.move(CHECK_INTERVAL - 60_000)
    await house.application.maintenance.run_once()
    assert not await house.refused_bet(ada, table)
    house.clock.move(60_001)
    await house.application.maintenance.run_once()
    assert [one.why for one in await house.log() if isinstance(one, ProgramDiffers)] == ["daily"]
    assert await house.refused_bet(ada, table) == "ProgramUnverified"


async def test_r19_files_that_are_as_they_were_let_rounds_begin_again(house: Inspected) -> None:
    ada, eva = await house.joined("Ada"), await house.supervisor()
    table = await house.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await house.application.tables.bring(ada, table, 50_000, key())
    await house.betting(table, ada)
    file = house.program / "core" / "rules" / "hand.py"
    good = file.read_bytes()
    file.write_text("# better odds\n")
    await house.application.supervision.check_program(eva, now=True)
    assert await house.refused_bet(ada, table) == "ProgramUnverified"
    file.write_bytes(good)
    found = await house.application.supervision.check_program(eva, now=True)
    assert isinstance(found, ProgramCheck)
    assert found.is_sound
    assert not await house.refused_bet(ada, table)


async def test_r19_a_new_version_or_an_acceptance_is_a_new_manifest(house: Inspected) -> None:
    first = house.application.maintenance._inspection.result.digest
    (house.program / "core" / "rules" / "hand.py").write_text("# release 1.1\n")
    house.version = "1.1"
    await house.crash()
    second = house.application.maintenance._inspection.result
    assert second.is_sound
    assert RulesChanged("program", first, second.digest) in await house.log()
    (house.program / "core" / "rules" / "hand.py").write_text("# a patch by hand\n")
    await house.crash()
    assert not house.application.maintenance._inspection.result.is_sound
    house.accepted = "patch 7 was reviewed"
    await house.crash()
    assert house.application.maintenance._inspection.result.is_sound
    house.accepted = ""
    await house.crash()
    assert house.application.maintenance._inspection.result.is_sound
    reasons = [one.reason for one in await house.log() if isinstance(one, ManifestTaken)]
    assert reasons == ["version 1.0", "version 1.1", "accepted: patch 7 was reviewed"]


async def test_r19_an_acceptance_counts_once(house: Inspected) -> None:
    """It takes what lies there at the start, and nothing that comes later."""
    (house.program / "core" / "rules" / "hand.py").write_text("# a patch by hand\n")
    house.accepted = "reviewed"
    await house.crash()
    (house.program / "core" / "rules" / "hand.py").write_text("# another\n")
    assert not (await house.application.maintenance._inspection.run("test")).is_sound


async def test_r19_a_certificate_that_comes_later_is_taken_and_a_changed_one_is_not(house: Inspected) -> None:
    folder = house.folder / "certificates"
    (folder / "later.json").write_text("{}")
    assert (await house.application.maintenance._inspection.run("test")).is_sound
    assert [one.reason for one in await house.log() if isinstance(one, ManifestTaken)][-1] == "certificates added"
    (folder / "later.json").write_text("{ }")
    assert (await house.application.maintenance._inspection.run("test")).differences == (
        "certificate/later.json is changed",
    )


async def test_r19_only_a_supervisor_asks(house: Inspected) -> None:
    ada = await house.joined("Ada")
    assert await house.application.supervision.check_program(ada, now=True) == NotSupervisor(ada)
    assert isinstance(await house.application.supervision.check_program(await house.supervisor()), ProgramCheck)


async def test_r19_nothing_but_rounds_is_stopped(house: Inspected) -> None:
    ada = await house.joined("Ada")
    await house.application.tables.open(LIVE, "ventuno")
    (house.program / "core" / "rules" / "hand.py").write_text("# better odds\n")
    await house.application.maintenance._inspection.run("test")
    answer, _ = await house.application.tables.bring(ada, LIVE, 10_000, key())
    assert not answer.refused
    await house.say(ada, LIVE, TakeSeat(ada, 1, 0))
    assert await house.refused_bet(ada, LIVE)
