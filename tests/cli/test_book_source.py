"""`replay` and `verify` on the books of a house: found where `serve` keeps them, read, never written (V-66, X-02)."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.databases import execute
from tests.support.house import OpenHouse, key
from ventuno.cli.main import main
from ventuno.core.messages.commands import Spot
from ventuno.house.history.account_history import DAY
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, KeyRow
from ventuno.house.store.schema import REVISION
from ventuno.house.store.sqlite import NotReadable

Captured = pytest.CaptureFixture[str]
COMMANDS = ("replay", "verify")


def one_line(captured: Captured) -> str:
    out, err = captured.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.strip()


def contents(folder: Path) -> dict[str, str]:
    return {one.name: sha256(one.read_bytes()).hexdigest() for one in sorted(folder.iterdir()) if one.is_file()}


async def played(url: str, folder: Path) -> str:
    """A house that was open for one round and has closed; its code."""
    evening = OpenHouse(url, folder)
    evening.certify("duello")
    await evening.open()
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    await evening.application.close()
    return code


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The file of a house that has closed, and the code of its round."""
    folder = tmp_path_factory.mktemp("closed")
    code = asyncio.run(played(f"sqlite:///{folder}/house.db", folder))
    return folder / "house.db", code


@pytest.fixture
def house(closed: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    """A copy of it in a folder that holds nothing else."""
    folder = tmp_path / "alone"
    folder.mkdir()
    return Path(shutil.copy(closed[0], folder)), closed[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_written_nor_made(command: str, house: tuple[Path, str], capsys: Captured) -> None:
    file, code = house
    before = contents(file.parent)
    assert main([command, code, "--database", str(file)]) == 0
    assert code.split("-")[0] in capsys.readouterr().out
    assert contents(file.parent) == before == {file.name: before[file.name]}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_house_that_was_killed_is_read_with_its_log(command: str, house: tuple[Path, str], capsys: Captured) -> None:
    """What is only in the log counts, and stays there: a look ends no recovery that the house has to make."""
    file, code = house
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "c.execute('CREATE TABLE kept AS SELECT * FROM rounds'); c.execute('DELETE FROM rounds')\n"
        "c.execute('INSERT INTO rounds SELECT * FROM kept'); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(file)], check=False).returncode == 9
    log = file.with_name("house.db-wal")
    before = [sha256(one.read_bytes()).digest() for one in (file, log)]
    assert main([command, code, "--database", str(file)]) == 0
    assert [sha256(one.read_bytes()).digest() for one in (file, log)] == before
    assert capsys.readouterr().err == ""


async def test_nothing_is_migrated_for_a_look(url: str, tmp_path: Path) -> None:
    """No house, an older one and one from the future: refused, on both databases, and left as they are."""
    with pytest.raises(NotReadable, match=r"no such file|no house"):
        await open_store(url, exclusive=False)
    assert not (tmp_path / "house.db").exists()
    store = await open_store(url)
    await store.commit(Batch(keys=(KeyRow("k", b"d", b"a"),)))
    await store.close()
    for revision in ("r0001", "r9999"):
        await execute(url, f"UPDATE alembic_version SET version_num = '{revision}'")
        if url.startswith("postgresql"):
            await execute(url, f"COMMENT ON TABLE alembic_version IS '{revision}'")  # the oldest program that may go on
        with pytest.raises(NotReadable, match=f"{revision}.*{REVISION}"):
            await open_store(url, exclusive=False)
    await execute(url, "DELETE FROM alembic_version")
    with pytest.raises(NotReadable, match=r"no house|None"):
        await open_store(url, exclusive=False)
    await execute(url, f"INSERT INTO alembic_version VALUES ('{REVISION}')")
    beside = await open_store(url, exclusive=False)
    assert await beside.read_recent_keys(10) == [KeyRow("k", b"d", b"a")]
    await beside.close()


def sql(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(statement)
            connection.commit()

    return change


def folder_instead(file: Path) -> None:
    file.unlink()
    file.mkdir()


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "no database": (lambda file: file.write_bytes(b"not a database at all" * 100), "not a database"),
    "empty": (lambda file: file.write_bytes(b""), "no house"),
    "truncated": (lambda file: os.truncate(file, file.stat().st_size // 3), "malformed"),
    "damaged": (lambda file: file.write_bytes(file.read_bytes()[:4096] + b"\xa5" * 60_000), "malformed"),
    "another's": (sql("DROP TABLE alembic_version"), "no house"),
    "of an earlier version": (sql("UPDATE alembic_version SET version_num = 'r0001'"), "'r0001'"),
    "of an unknown version": (sql("UPDATE alembic_version SET version_num = 'zzzz'"), "'zzzz'"),
    "missing": (lambda file: file.unlink(), "no such file"),
    "a folder": (folder_instead, "no such file"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("spoil", "said"), SPOILT.values(), ids=SPOILT)
def test_what_is_no_sound_house_is_one_line(
    command: str, spoil: Callable[[Path], object], said: str, house: tuple[Path, str], capsys: Captured
) -> None:
    file, code = house
    spoil(file)
    before = contents(file.parent)
    assert main([command, code, "--database", str(file)]) == 2
    line = one_line(capsys)
    assert str(file) in line
    assert said in line
    assert contents(file.parent) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("bogus://somewhere/house", "sqlite:///FILE"),
        ("postgresql://ada:secret@127.0.0.1:1/house", "postgresql://ada:***@127.0.0.1:1/house: cannot be read"),
        ("postgresql://[bad/house", "cannot be read"),
        ("sqlite:///", "name a file"),
    ],
)
def test_addresses_that_lead_nowhere_are_one_line(command: str, address: str, said: str, capsys: Captured) -> None:
    assert main([command, "T1-20260101-000000-1", "--database", address]) == 2
    line = one_line(capsys)
    assert said in line
    assert "secret" not in line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_code_that_is_no_text_is_one_line(command: str, house: tuple[Path, str], capsys: Captured) -> None:
    assert main([command, "T1-\udcff", "--database", str(house[0])]) == 2
    assert r"T1-\udcff" in one_line(capsys)
    assert main([command, "T9-1", "--database", str(house[0])]) == 1
    assert "no such round" in one_line(capsys)


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_source_the_house_of_serve_is_read(
    command: str, house: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """By environment, by folder, by file of settings and by the usual place."""
    file, code = house
    config = tmp_path / "house.toml"
    config.write_text(f'data = "{file.parent}"\n', encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for name in ("VENTUNO_DATA", "VENTUNO_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    assert main([command, code]) == 2
    assert "share/ventuno/house.db" in one_line(capsys)
    assert not (tmp_path / "share").exists()
    for words in (["--data", str(file.parent)], ["--config", str(config)]):
        assert main([command, code, *words]) == 0
    for name, value in (("VENTUNO_DATA", file.parent), ("VENTUNO_DATABASE", file)):
        with monkeypatch.context() as inside:
            inside.setenv(name, str(value))
            assert main([command, code]) == 0
            assert main([command, "T9-1"]) == 1
    (tmp_path / "share").mkdir()
    shutil.copytree(file.parent, tmp_path / "share" / "ventuno")
    capsys.readouterr()
    assert main([command, code]) == 0
    assert capsys.readouterr().err == ""


def test_verify_takes_for_a_file_what_is_one_or_looks_like_one(
    house: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    file, code = house
    monkeypatch.setenv("VENTUNO_DATABASE", str(file))
    monkeypatch.chdir(tmp_path)
    for name in ("shoe.json", "./shoe", "sub/shoe", "~shoe"):
        assert main(["verify", name]) == 2
        assert "No such file" in one_line(capsys)
    (tmp_path / code).write_text("{}", encoding="utf-8")
    assert main(["verify", code]) == 2, "a file of that name is a file"
    assert "format" in one_line(capsys)


def clock(code: str) -> str:
    digits = code.split("-")[-2]
    return f"{digits[:2]}:{digits[2:4]}:{digits[4:]}"


@pytest.mark.parametrize("command", COMMANDS)
def test_v66_the_time_on_the_screen_finds_the_round(command: str, house: tuple[Path, str], capsys: Captured) -> None:
    """As in an export: one round in that second is shown, several are named, none is no."""
    file, code = house
    assert main([command, clock(code), "--database", str(file)]) == 0
    told = capsys.readouterr().out
    assert main([command, code, "--database", str(file)]) == 0
    assert capsys.readouterr().out == told
    assert main([command, "23:59:58", "--database", str(file)]) == 1
    assert "no such round" in one_line(capsys)
    sql(
        f"INSERT INTO rounds SELECT 'X-other', stream, first, last, started - {DAY}, ended - {DAY}, game, sheet,"
        " voided, practice FROM rounds"
    )(file)
    assert main([command, clock(code), "--database", str(file)]) == 2
    assert one_line(capsys).endswith(f"several rounds: {code}, X-other")
