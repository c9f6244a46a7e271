"""What keeps a house: `export`, `check`, `backup`, `restore`, `config check`, on one house that was played in."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import create_database, execute
from tests.support.house import OpenHouse, key
from tests.support.postgres import Cluster
from ventuno.cli.main import main
from ventuno.core.messages.commands import Spot
from ventuno.house.application import Application
from ventuno.house.config import KEY
from ventuno.house.history.account_history import DAY
from ventuno.house.store.file_lock import FileLock

Captured = pytest.CaptureFixture[str]
BOOKS = "house.db"


async def play_evening(url: str, folder: Path) -> list[str]:
    """Two rounds of Duello on following days, with money and without; their codes."""
    evening = OpenHouse(url, folder)
    evening.certify("duello")
    await evening.open()
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    codes = []
    for _ in range(2):
        code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
        codes.append(code)
        evening.clock.move(DAY)
    await evening.application.close()
    return codes


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("kept")
    codes = asyncio.run(play_evening(f"sqlite:///{folder}/{BOOKS}", folder))
    (folder / "sheets").mkdir()
    (folder / "sheets" / "aa.toml").write_text("not a sheet")
    return folder, codes


@pytest.fixture
def house(closed: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(closed[0], tmp_path / "house"))


def one_line(captured: Captured) -> str:
    out, err = captured.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.strip()


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


# export


def test_x14_the_export_is_whole_private_and_holds(
    closed: tuple[Path, list[str]], tmp_path: Path, capsys: Captured
) -> None:
    folder, codes = closed
    file = tmp_path / "house.jsonl"
    assert main(["export", str(file), "--data", str(folder)]) == 0
    assert mode(file) == 0o600
    lines = read_lines(file)
    assert [line["code"] for line in lines if line["line"] == "round"] == codes
    assert not any(line["line"] == "record" and line["stream"].startswith("private:") for line in lines)
    capsys.readouterr()
    assert main(["check", "--from", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) | {"records": 0, "streams": 0, "accounts": 0} == {
        "streams": 0,
        "records": 0,
        "rounds": 2,
        "accounts": 0,
        "faults": [],
        "sound": True,
    }


@pytest.mark.parametrize("by", ["days", "rounds"])
def test_x14_a_part_holds_its_rounds_and_no_others(
    by: str, closed: tuple[Path, list[str]], tmp_path: Path, capsys: Captured
) -> None:
    folder, (first, second) = closed
    file, day = tmp_path / "part.jsonl", second.split("-")[-3]
    date = f"{day[:4]}-{day[4:6]}-{day[6:8]}"
    words = ["--first", date, "--last", date] if by == "days" else ["--rounds", second, second]
    assert main(["export", str(file), "--data", str(folder), *words]) == 0
    lines = read_lines(file)
    assert [line["code"] for line in lines if line["line"] == "round"] == [second]
    assert first not in file.read_text()
    assert main(["check", "--from", str(file)]) == 0
    capsys.readouterr()


def test_an_export_never_overwrites(closed: tuple[Path, list[str]], tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    assert main(["export", str(file), "--data", str(closed[0])]) == 2
    assert "is there already" in one_line(capsys)
    assert file.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["--first", "30.11.2026"], "write it as 2026-11-30", 2),
        (["--first", "2026-11-30", "--last", "2026-11-29"], "is before", 2),
        (["--rounds", "a", "b"], "no such round", 1),
        (["--rounds", "a", "b", "--first", "2026-11-30"], "not both", 2),
    ],
)
def test_wrong_parts_are_one_line(
    words: list[str], said: str, code: int, closed: tuple[Path, list[str]], tmp_path: Path, capsys: Captured
) -> None:
    assert main(["export", str(tmp_path / "x"), "--data", str(closed[0]), *words]) == code
    assert said in one_line(capsys)
    assert not [*tmp_path.iterdir()]


# check


def test_sound_books_are_said_to_be_sound(closed: tuple[Path, list[str]], capsys: Captured) -> None:
    before = (closed[0] / BOOKS).read_bytes()
    assert main(["check", "--data", str(closed[0])]) == 0
    out = capsys.readouterr().out
    assert ", 2 rounds, " in out
    assert out.endswith("sound\n")
    assert (closed[0] / BOOKS).read_bytes() == before


TAMPERINGS: dict[str, tuple[str, str]] = {
    "a record": ("UPDATE log SET at = at + 1 WHERE stream LIKE 'player:%' AND seq = 1", "player:"),
    "a record that is gone": ("DELETE FROM log WHERE stream LIKE 'table:%' AND seq = 3", "table:"),
    "a posting": ("UPDATE postings SET amount = amount + 1 WHERE account = 'cashier'", "posting"),
    "a balance": ("UPDATE accounts SET balance = balance + 5 WHERE account = 'cashier'", "its postings sum to"),
    "a round": ("UPDATE rounds SET ended = ended + 1 WHERE ended = (SELECT max(ended) FROM rounds)", "round"),
    "a share": ("UPDATE shares SET returned = returned + 100", "share"),
    "a stream": ("INSERT INTO heads SELECT 'table:none', 3, hash FROM heads LIMIT 1", "table:none"),
    "a snapshot of shoes": (
        """UPDATE snapshots SET body = CAST(replace(CAST(body AS TEXT), '"height":', '"height":9') AS BLOB)
        WHERE stream LIKE 'shoes:%'""",
        "shoes:",
    ),
    "a snapshot": ("UPDATE snapshots SET seq = seq - 1 WHERE stream LIKE 'table:%'", "table:"),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_g11_books_that_were_changed_are_found(what: str, house: Path, capsys: Captured) -> None:
    """Planted faults, one in each kind of row: each is told, and the answer is no."""
    statement, place = TAMPERINGS[what]
    with closing(sqlite3.connect(house / BOOKS)) as books:
        assert books.execute(statement).rowcount > 0
        books.commit()
    assert main(["check", "--data", str(house), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert not answer["sound"]
    assert any(place in fault for fault in answer["faults"]), answer["faults"]


def test_r16_a_round_that_pays_otherwise_when_played_again_is_found(
    closed: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Planted fault: the rules of today pay another amount than the record of the second round says."""
    from ventuno.house.history import book_check

    wrong = closed[1][1]
    monkeypatch.setattr(book_check, "has_same_payouts", lambda played: played.row.code != wrong)
    assert main(["check", "--data", str(closed[0])]) == 1
    assert f"{wrong}: played again it pays otherwise" in capsys.readouterr().out


def test_no_house_is_no_sound_house(tmp_path: Path, capsys: Captured) -> None:
    assert main(["check", "--data", str(tmp_path)]) == 2
    assert "--data" in one_line(capsys)


# backup and restore


@pytest.fixture(scope="module")
def saved(closed: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("saved") / "house.tar"
    assert main(["backup", str(file), "--data", str(closed[0])]) == 0
    return file


def contents(folder: Path) -> dict[str, bytes]:
    kept = ("house.key", "sheets/aa.toml")
    return {name: (folder / name).read_bytes() for name in kept} | {
        path.name: path.read_bytes() for path in (folder / "certificates").iterdir()
    }


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as books:
        return list(books.iterdump())


def test_t10_a_backup_is_private_and_gives_the_house_back(
    closed: tuple[Path, list[str]], saved: Path, tmp_path: Path, capsys: Captured
) -> None:
    there = tmp_path / "there"
    assert mode(saved) == 0o600
    assert [entry.name for entry in saved.parent.iterdir()] == [saved.name]
    assert main(["restore", str(saved), "--data", str(there)]) == 0
    assert dump(there / BOOKS) == dump(closed[0] / BOOKS)
    assert contents(there) == contents(closed[0])
    assert {mode(path) for path in there.rglob("*") if path.is_file() and path.suffix != ".lock"} == {0o600}
    assert main(["check", "--data", str(there)]) == 0
    capsys.readouterr()

    async def opens() -> int:
        application = await Application.open(f"sqlite:///{there}/{BOOKS}", there, deep=True)
        rounds = len(await application.host.commits.store.list_rounds())
        await application.close()
        return rounds

    assert asyncio.run(opens()) == 2


def test_a_house_is_not_replaced_unless_one_says_so(saved: Path, house: Path, capsys: Captured) -> None:
    (house / KEY).write_bytes(b"another key")
    assert main(["restore", str(saved), "--data", str(house)]) == 1
    assert "--replace" in one_line(capsys)
    assert (house / KEY).read_bytes() == b"another key"
    assert main(["restore", str(saved), "--data", str(house), "--replace"]) == 0
    (aside,) = house.glob("replaced-*")
    assert (aside / KEY).read_bytes() == b"another key"
    assert (aside / BOOKS).exists()
    assert (house / KEY).read_bytes() != b"another key"
    assert not [*house.glob(".restore-*")]
    capsys.readouterr()


def test_a_house_that_is_open_is_not_replaced(saved: Path, house: Path, capsys: Captured) -> None:
    lock = FileLock(str(house / BOOKS))
    try:
        assert main(["restore", str(saved), "--data", str(house), "--replace"]) == 1
    finally:
        lock.release()
    assert "stop it first" in one_line(capsys)
    assert not [*house.glob("replaced-*")]


def repack(saved: Path, file: Path, change: Callable[[str, bytes], tuple[str, bytes]]) -> Path:
    """The backup again, with each member as `change` makes it."""
    with tarfile.open(saved) as old, tarfile.open(file, "w") as new:
        for entry in old:
            part = old.extractfile(entry)
            assert part is not None
            name, raw = change(entry.name, part.read())
            copy = tarfile.TarInfo(name)
            copy.size = len(raw)
            new.addfile(copy, BytesIO(raw))
    return file


@pytest.mark.parametrize(
    ("change", "said", "code"),
    [
        (lambda name, raw: (name, raw[:-1] if name == KEY else raw), "house.key in it is damaged", 1),
        (lambda name, raw: (name.replace("sheets/aa.toml", "../aa.toml"), raw), "is no backup of a house", 2),
        (lambda name, raw: (name, b"{}" if name == "backup.json" else raw), "is no backup of a house", 2),
        (lambda name, raw: (name, raw.replace(b'"format": 1', b'"format": 9')), "format 9", 2),
    ],
)
def test_a_damaged_backup_changes_nothing(
    change: Callable[[str, bytes], tuple[str, bytes]],
    said: str,
    code: int,
    saved: Path,
    tmp_path: Path,
    capsys: Captured,
) -> None:
    there = tmp_path / "there"
    assert main(["restore", str(repack(saved, tmp_path / "x.tar", change)), "--data", str(there)]) == code
    assert said in one_line(capsys)
    assert not [*there.iterdir()]
    assert not (tmp_path / "aa.toml").exists()


@pytest.mark.parametrize(("command", "said"), [("backup", "there is no such file"), ("restore", "cannot be read")])
def test_what_is_not_there_is_one_line(command: str, said: str, tmp_path: Path, capsys: Captured) -> None:
    assert main([command, str(tmp_path / "x.tar"), "--data", str(tmp_path / "none")]) == 2
    assert said in one_line(capsys)


def test_t10_a_house_on_postgresql_is_saved_and_given_back(
    postgres: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    source, target = create_database(postgres), create_database(postgres)
    here.mkdir()
    monkeypatch.setenv("PATH", str(postgres.binaries), prepend=":")
    asyncio.run(play_evening(source, here))
    file = tmp_path / "house.tar"
    assert main(["backup", str(file), "--data", str(here), "--database", source]) == 0
    assert main(["restore", str(file), "--data", str(there), "--database", target]) == 0
    assert main(["check", "--data", str(there), "--database", target]) == 0
    assert ", 2 rounds, " in capsys.readouterr().out
    assert main(["restore", str(file), "--data", str(there), "--database", target]) == 1
    assert "--replace" in one_line(capsys)
    asyncio.run(execute(target, "UPDATE accounts SET balance = balance + 1"))
    assert main(["restore", str(file), "--data", str(there), "--database", target, "--replace"]) == 0
    assert main(["check", "--data", str(there), "--database", target]) == 0
    assert main(["restore", str(file), "--data", str(tmp_path / "third")]) == 2
    assert "PostgreSQL" in capsys.readouterr().err


def test_without_pg_dump_one_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / KEY).write_bytes(b"key")
    monkeypatch.setattr("shutil.which", lambda _: None)
    address = "postgresql://ventuno:secret@127.0.0.1:1/none"
    assert main(["backup", str(tmp_path / "x.tar"), "--data", str(tmp_path), "--database", address]) == 2
    line = one_line(capsys)
    assert "pg_dump" in line
    assert "secret" not in line
    assert not (tmp_path / "x.tar").exists()


# config check


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    for name in [name for name in os.environ if name.startswith("VENTUNO_")]:
        monkeypatch.delenv(name)

    def write(text: str) -> str:
        file = tmp_path / "ventuno.toml"
        file.write_text(text)
        return str(file)

    return write


def test_settings_in_force_are_shown_with_their_source_and_no_secret(
    config: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("VENTUNO_PORT", "3000")
    file = config('metrics_token = "hush"\nport = 1\ndatabase = "postgresql://ada:hush@db/house"\n')
    assert main(["config", "check", "--config", file, "--json"]) == 0
    out = capsys.readouterr().out
    assert "hush" not in out
    shown = json.loads(out)["settings"]
    assert shown["port"] == {"value": 3000, "from": "environment"}
    assert shown["metrics_token"] == {"value": "***", "from": "file"}
    assert shown["tables"] == {"value": 3, "from": "default"}
    assert main(["config", "check", "--config", file]) == 0
    out = capsys.readouterr().out
    assert "hush" not in out
    assert out.endswith("all settings are fit\n")


def test_every_wrong_and_unknown_setting_is_named(
    config: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("VENTUNO_TABELS", "3")
    monkeypatch.setenv("VENTUNO_ADMIN_PASSWORD", "hush")
    file = config('prot = 1\nbots = 9\nlog_level = "loud"\nmetrics_token = 7\n')
    assert main(["config", "check", "--config", file]) == 1
    out = capsys.readouterr().out
    for word in ("prot: no such setting; did you mean 'port'?", "bots:", "log_level:", "metrics_token:"):
        assert word in out
    assert "VENTUNO_TABELS: no such setting in the environment; did you mean 'tables'?" in out
    assert "ADMIN_PASSWORD" not in out


def test_settings_that_are_unsafe_together_are_named(config: Callable[[str], str], capsys: Captured) -> None:
    assert main(["config", "check", "--config", config('host = "0.0.0.0"')]) == 1
    assert "can be reached from other machines" in capsys.readouterr().out
