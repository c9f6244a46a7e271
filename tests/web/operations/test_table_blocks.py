"""`[[table]]` blocks: read and checked with their lines, opened, closed and reloaded by the file (X-10, V-43)."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.house import certify
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess, clear_settings, running
from ventuno.cli.main import main
from ventuno.cli.table_games import resolve_games
from ventuno.core.messages.commands import CloseTable
from ventuno.house.config import Config
from ventuno.house.tables.authority import Request
from ventuno.sheets import find_sheets
from ventuno.web.operations.opening import first_table, open_house
from ventuno.web.operations.settings import SettingsUnfit, read
from ventuno.web.operations.settings_lines import find_line
from ventuno.web.operations.table_blocks import TableBlock

FILE = """# the room
port = 0

[[table]]
name = "Sala 1"
game = "ventuno"
language = "en"
[table.limits]
main = [1000, 200000]
# dear
behind = [1000, 200000]

[[table]]
name = "Sala 2"
game = "ventuno"

[limits."Sala 2"]
main = [500, 50000]
"""


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_settings(monkeypatch)


def write(folder: Path, text: str) -> Path:
    file = folder / "ventuno.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("port",), 2),
        (("table", 0), 4),
        (("table", 0, "language"), 7),
        (("table", 0, "limits"), 8),
        (("table", 0, "limits", "behind", 1), 11),
        (("table", 1, "name"), 14),
        (("table", 1, "wheel"), 13),
        (("limits", "Sala 2", "main"), 18),
        (("bots",), 0),
    ],
)
def test_a_place_is_found_by_its_line(place: tuple[str | int, ...], line: int) -> None:
    assert find_line(FILE, place) == line


def test_blocks_are_read(tmp_path: Path) -> None:
    first, second = read(write(tmp_path, FILE)).table
    assert (first.name, first.game, first.language) == ("Sala 1", "ventuno", "en")
    assert first.limits == {"main": (1000, 200000), "behind": (1000, 200000)}
    assert (second.limits, second.language, second.sheet) == ({}, "", None)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('name = "Sala 2"', 'name = "Sala 1"', ":14: table 2: name: 'Sala 1' is the name of another table"),
        ('name = "Sala 2"', 'name = "Sala/2"', ":14: table 2: name: "),
        ('name = "Sala 2"', 'name = "Sala 2"\nwheel = 1', ":15: table 2: wheel: "),
        ('name = "Sala 2"\n', "", ":13: table 2: name: Field required"),
        (
            'game = "ventuno"\n\n[limits',
            'game = "vnetuno"\n\n[limits',
            ":15: table 2: game: 'vnetuno' is no game: did",
        ),
        ('game = "ventuno"\n\n[limits', 'game = "sisal"\n\n[limits', ":15: table 2: game: sisal is played alone"),
        ('game = "ventuno"\n\n[limits', 'sheet = "x.toml"\n\n[limits', ":15: table 2: sheet: "),
        ('game = "ventuno"\n\n[limits', "\n[limits", ":13: table 2: name a game or the file of a sheet"),
        ('language = "en"', 'language = "de"', ":7: table 1: language: "),
        ("main = [1000, 200000]", "main = [1001, 200000]", ":9: table 1: limits.main: "),
        ("main = [1000, 200000]", "main = [1000]", ":9: table 1: limits.main.1: "),
        ("behind = [1000, 200000]", "rouge = [1000, 200000]", ":11: table 1: limits.rouge: "),
    ],
)
def test_config_check_names_the_line_and_the_key(
    tmp_path: Path, before: str, after: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, FILE)
    assert main(["config", "check", "--config", str(file)]) == 0
    assert "Sala 1" in capsys.readouterr().out
    assert FILE.count(before) == 1, "the planted fault is in one place"
    write(tmp_path, FILE.replace(before, after))
    assert main(["config", "check", "--config", str(file)]) == 1
    assert f"{file}{says}" in capsys.readouterr().out
    assert main(["serve", "--config", str(file), "--data", str(certify(tmp_path / "house"))]) == 2
    assert f"{file}{says}" in capsys.readouterr().err


def test_a_sheet_of_a_block_lies_beside_the_file_and_has_an_id_of_its_own(tmp_path: Path) -> None:
    text = find_sheets()["ventuno"].text
    (tmp_path / "own.toml").write_text(text.replace('id = "ventuno"', 'id = "own"', 1), encoding="utf-8")
    file = write(tmp_path, '[[table]]\nname = "A"\nsheet = "own.toml"\n')
    assert resolve_games(read(file), file)[1]["own"].place == str(tmp_path / "own.toml")
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    assert "ventuno" in resolve_games(read(file), file)[1], "the very sheet of the house is no other game"
    changed = text.replace('coloured = "12:1"', 'coloured = "10:1"', 1)
    assert changed != text
    (tmp_path / "own.toml").write_text(changed, encoding="utf-8")
    with pytest.raises(SettingsUnfit, match=r"ventuno\.toml:3: table 1: sheet: .*'ventuno' is already the game of"):
        resolve_games(read(file), file)


async def test_x10_tables_agree_with_the_file_at_each_start(tmp_path: Path) -> None:
    """What the file opened and names no more closes; what was closed by somebody stays closed; other tables stay."""
    folder = certify(tmp_path)
    both = read(write(tmp_path, FILE), {"data": folder})
    app = await open_house(both, Config())
    tables = app.host.authority.tables
    assert sorted(tables) == ["Sala 1", "Sala 2"], "the tables of `tables` are not opened beside blocks"
    assert first_table(both, app) == ("Sala 1", 7)
    assert tables["Sala 1"].table.next_limits["main"] == (1000, 200000)
    assert tables["Sala 2"].table.next_limits["main"] == (500, 50000)
    await app.tables.open("By hand", "ventuno")
    await app.host.ask(Request("Sala 2", CloseTable("eva", "late", 0), "closing-1"))
    await app.close()
    for text, left in ((FILE, ["By hand", "Sala 1"]), ('[[table]]\nname = "C"\ngame = "ventuno"', ["By hand", "C"])):
        app = await open_house(read(write(tmp_path, text), {"data": folder}), Config())
        assert sorted(app.host.authority.tables) == left
        await app.close()


def wait_for(house: ServerProcess, is_there: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        lines = house.lines()
        if is_there(lines):
            return lines
        time.sleep(0.02)
    raise AssertionError(house.log.read_text()[-2000:])


def reload(house: ServerProcess, file: Path, text: str, event: str) -> list[dict[str, Any]]:
    """The lines that a house writes when it reads a file anew, up to the one that ends it."""
    before = len(house.lines())
    file.write_text(text, encoding="utf-8")
    house.signal(signal.SIGHUP)
    return wait_for(house, lambda lines: any(line["event"].startswith(event) for line in lines[before:]))[before:]


def test_x10_a_signal_reads_the_file_again_while_the_house_plays(tmp_path: Path) -> None:
    file = write(tmp_path, FILE)
    with running(tmp_path, "--config", str(file)) as house:

        def list_open() -> dict[str, tuple[str, int]]:
            lines = house.get("/api/lobby").json()["tables"]
            return {line["table"]: (line["language"], line["limits"]["main"]["least"]) for line in lines}

        assert {name: language for name, (language, _) in list_open().items()} == {"Sala 1": "en", "Sala 2": ""}
        third = FILE.replace('"Sala 2"', '"Sala 3"').replace('"en"', '"it"') + 'stop_seconds = "x"\n'
        lines = reload(house, file, third, "the settings are not reloaded")
        assert "stop_seconds" in lines[-1]["reason"], "one wrong key, and nothing changes"
        assert set(list_open()) == {"Sala 1", "Sala 2"}
        lines = reload(house, file, "port = [", "the settings are not reloaded")
        assert "cannot be read" in lines[-1]["reason"]
        assert set(list_open()) == {"Sala 1", "Sala 2"}

        third = "bots = 2\nlog_level = 'warning'\n" + FILE.replace('"Sala 2"', '"Sala 3"').replace('"en"', '"it"')
        lines = reload(house, file, third, "settings that need a restart")
        assert [line["names"] for line in lines if "names" in line] == ["bots"]
        until = time.monotonic() + PATIENCE
        while set(list_open()) != {"Sala 1", "Sala 3"} and time.monotonic() < until:
            time.sleep(0.05)
        assert {name: language for name, (language, _) in list_open().items()} == {"Sala 1": "it", "Sala 3": ""}
        assert house.get("/readyz").status_code == 200


@pytest.mark.parametrize("video", ["", "studio", "whep:https://live.example/t1", "hls:http://127.0.0.1:8888/t1.m3u8"])
def test_v72_a_table_says_where_its_picture_comes_from(video: str) -> None:
    assert TableBlock(name="T", game="ventuno", video=video).video == video


@pytest.mark.parametrize(
    "video", ["Studio", "hls:", "whep:ftp://x", "https://x", "hls:https://x;script-src *", "hls:https://x y"]
)
def test_v72_a_picture_from_nowhere_is_refused(video: str) -> None:
    with pytest.raises(ValidationError):
        TableBlock(name="T", game="ventuno", video=video)
