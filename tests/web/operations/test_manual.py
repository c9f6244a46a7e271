"""docs/operations.md by doing what it says: the copy of a house that plays, the unit, the examples of settings."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support import crash_checks
from tests.support.house import certify
from tests.support.load_players import Player
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess, clear_settings, example, running, wishes
from ventuno.cli.main import main
from ventuno.house.application import Application
from ventuno.house.config import KEY
from ventuno.web.operations.reload import LIVE
from ventuno.web.operations.settings import Settings, read

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
UNIT = ROOT / "packaging" / "systemd" / "ventuno.service"


def block(language: str, word: str) -> str:
    """The fenced block of a language that holds a word."""
    blocks: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return next(text for kind, text in blocks if kind == language and word in text)


def read_backup_program(here: Path, there: Path) -> str:
    """The manual's line that copies a house, for these folders."""
    line = next(one for one in block("", ".backup").splitlines() if one.startswith("python3 -c"))
    code = re.fullmatch(r'python3 -c "(.*)"', line)
    assert code is not None
    return code[1].replace("/var/lib/ventuno", str(here)).replace("/backup/house.db", str(there / "house.db"))


async def test_t10_a_copy_taken_while_the_house_plays_is_a_house_to_the_last_commit(tmp_path: Path) -> None:
    """The line of the manual copies a house under play, and so does `ventuno backup`. Each copy holds all that was
    acknowledged before it was begun, is a beginning of the books that it was taken of, and opens elsewhere with every
    chain and sum checked.
    """
    here, there, third, file = tmp_path / "here", certify(tmp_path / "there"), tmp_path / "third", tmp_path / "x.tar"
    program = read_backup_program(here, there)
    with running(here, VENTUNO_TABLES="1", VENTUNO_ENTRIES_PER_MINUTE="1000") as house:
        port = int(house.url.rsplit(":", 1)[1])
        players = [Player(port, game, "", 1, lambda _: None) for game in ("sisal", "duello", "link")]
        for player in players:
            await player.enter()
        playing = [asyncio.create_task(player.live()) for player in players]
        while min(len(player.acknowledged) for player in players) < 10:
            await asyncio.wait(playing, timeout=0.02)
            assert not any(task.done() for task in playing)
        acknowledged = [(player.me, key) for player in players for key, _ in player.acknowledged]
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program], check=True, timeout=PATIENCE)
        assert await asyncio.to_thread(main, ["backup", str(file), "--data", str(here)]) == 0
        assert await asyncio.to_thread(main, ["check", "--data", str(here)]) == 0
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        shutil.copy(here / KEY, there / KEY)
    assert await asyncio.to_thread(main, ["restore", str(file), "--data", str(third)]) == 0
    for folder in (there, third):
        await check_copy(here, folder, acknowledged)


async def check_copy(here: Path, there: Path, acknowledged: list[tuple[str, str]]) -> None:
    copied = Settings(data=there).url
    assert crash_checks.lost(copied, acknowledged) == []
    with crash_checks.books(copied) as copy, crash_checks.books(Settings(data=here).url) as books:
        for stream, seq, hashed in copy.query("SELECT stream, seq, hash FROM heads"):
            found = books.query("SELECT hash FROM log WHERE stream = ? AND seq = ?", (stream, seq))
            assert found == [(hashed,)], stream
    application = await Application.open(copied, there, deep=True)
    assert application.host.authority.find_faults() == []
    assert sum((await application.host.commits.store.sum_postings()).values()) == 0
    assert len(await application.host.commits.store.list_rounds()) > 0
    await application.close()


def test_the_example_of_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "ventuno.toml"
    file.write_text(block("toml", "ventuno.toml"))
    held = read(file)
    assert held.secure
    assert set(held.limits) <= {f"Ventuno {number}" for number in range(1, held.tables + 1)}
    assert set(tomllib.loads(file.read_text())) <= set(Settings.model_fields)


def test_the_example_of_tables_is_a_house(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_settings(monkeypatch)
    file = tmp_path / "ventuno.toml"
    file.write_text(block("toml", "[[table]]"))
    assert main(["config", "check", "--config", str(file)]) == 0, capsys.readouterr().out
    assert [table.name for table in read(file).table] == ["Sala 1", "Sala 2"]


def test_the_manual_and_the_program_agree_on_what_a_reload_changes() -> None:
    listed = re.search(r"\*\*Reload\.\*\*(.*?)are in force", PAGE, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1].partition("plays.")[2])) == LIVE
    assert "ExecReload=/bin/kill -HUP $MAINPID" in UNIT.read_text(encoding="utf-8")


def test_the_unit_starts_a_command_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    unit = UNIT.read_text(encoding="utf-8")
    (start,) = re.findall(r"^ExecStart=\S+/ventuno (\w+) (--\S+)", unit, re.MULTILINE)
    with pytest.raises(SystemExit):
        main([start[0], "--help"])
    assert start[1] in capsys.readouterr().out
    assert "RestartPreventExitStatus=2" in unit
    stop = re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    assert stop is not None
    assert int(stop[1]) > Settings().stop_seconds + 1


def test_every_option_of_the_command_line_is_a_setting_or_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    options = set(re.findall(r"^  --([a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    assert options - {name.replace("_", "-") for name in Settings.model_fields} == {"config"}
    assert "--config" in PAGE


def test_the_planted_copy_of_a_running_file_is_not_a_house(tmp_path: Path) -> None:
    """Planted fault: `cp` without the log of SQLite loses what was acknowledged; the manual warns of it."""
    here, there = tmp_path / "here", certify(tmp_path / "there")
    with running(here) as house:
        asyncio.run(played(house))
        shutil.copy(here / "house.db", there / "house.db")
    assert asyncio.run(rounds_in(there)) == 0
    assert asyncio.run(rounds_in(here)) == 2


async def played(house: ServerProcess) -> None:
    await example().visit(wishes(house, "first-person", 2))


async def rounds_in(folder: Path) -> int:
    application = await Application.open(Settings(data=folder).url, folder)
    try:
        return len(await application.host.commits.store.list_rounds())
    finally:
        await application.close()
