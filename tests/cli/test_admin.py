"""`ventuno admin` against a house that runs: what the staff types, what the house does and writes down (H-8, R-17)."""

from __future__ import annotations

import asyncio
import io
import json
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.house import FACTOR, LIVE, PASSWORD
from tests.support.http_house import ServedHouse, opened
from ventuno.cli import house_client
from ventuno.cli.main import main
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.players import Role
from ventuno.house.history.erasure import Erasure

Captured = pytest.CaptureFixture[str]


@dataclass
class Desk:
    """Eva, a supervisor, at a terminal beside the house."""

    house: ServedHouse
    eva: PlayerId
    capsys: Captured
    monkeypatch: pytest.MonkeyPatch

    async def type(self, *words: str) -> tuple[int, str, str]:
        """The exit code and both outputs of `ventuno admin`."""
        code = await asyncio.to_thread(main, ["admin", *words])
        return code, *self.capsys.readouterr()

    async def ask(self, *words: str) -> Any:
        """The answer as JSON; it must be given."""
        code, out, err = await self.type(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    async def refused(self, *words: str) -> str:
        code, out, err = await self.type(*words)
        assert (code, out) == (3, "")
        assert err.count("\n") == 1
        return err

    def show_factor(self) -> None:
        step = int(time.time()) // 30
        code = second_factor.compute_code(second_factor.decode_secret(FACTOR), step)
        self.monkeypatch.setenv("VENTUNO_ADMIN_CODE", code)


@pytest_asyncio.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> AsyncIterator[Desk]:
    async with opened(tmp_path) as house:
        for name in ("CODE", "PASSWORD", "NAME", "HOUSE"):
            monkeypatch.delenv(f"VENTUNO_ADMIN_{name}", raising=False)
        monkeypatch.setenv("VENTUNO_ADMIN_HOUSE", house.origin)
        monkeypatch.setenv("VENTUNO_ADMIN_NAME", "Eva")
        monkeypatch.setenv("VENTUNO_ADMIN_PASSWORD", PASSWORD)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.setattr("sys.stdin", io.StringIO())
        seat = Desk(house, await house.supervisor("Eva"), capsys, monkeypatch)
        seat.show_factor()
        yield seat


async def test_a_day_at_the_desk(desk: Desk, tmp_path: Path) -> None:
    """Every act once, by one login that is kept; each one changes the house, and the house says who did it."""
    application = desk.house.application
    ada = await desk.house.joined("Ada", 12_345)
    assert (await desk.type("login"))[0] == 0
    (kept,) = (tmp_path / "state" / "ventuno").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in kept.read_text()

    assert [entry["player"] for entry in await desk.ask("player", "find", "ad")] == [ada]
    assert (await desk.ask("player", "show", "ada"))["free"] == 12_345
    shown = (await desk.type("player", "show", ada))[1]
    assert "free: € 123,45" in shown
    code = (await desk.ask("player", "reset-password", "Ada", "--reason", "he called"))["code"]
    entered = await application.accounts.reset_password("Ada", code, "another fine battery", "127.0.0.1", "test")
    assert not hasattr(entered, "code"), entered

    file = tmp_path / "ada.json"
    assert (await desk.ask("player", "export", "Ada", str(file)))["records"] > 0
    data = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    account = application.accounts[ada]
    secrets = [account.player.password, *(session.token for session in account.sessions.by_id.values())]
    assert secrets
    assert all(secret and secret not in data for secret in secrets)
    assert {"PlayerJoined", "Deposited", "SessionOpened"} <= {entry["kind"] for entry in json.loads(data)["records"]}

    await desk.ask("table", "open", "Sala 9", "ventuno", "--reason", "a full house")
    assert "Sala 9" in application.tables.get_all()
    await desk.ask("table", "limits", "Sala 9", "main=1000-20000", "--reason", "a calm table")
    assert {entry["table"] for entry in await desk.ask("table", "list")} == {LIVE, "Sala 9"}
    await desk.ask("table", "close", "Sala 9", "--reason", "late")
    live = application.tables.get_all().get("Sala 9")
    assert live is None or live.table.closing

    bea = await desk.house.joined("Bea")
    await desk.ask("staff", "add", "Bea", "--role", "pit", "--reason", "Saturday")
    assert application.accounts[bea].player.role is Role.PIT
    assert [entry["role"] for entry in await desk.ask("staff", "list")] == ["supervisor", "pit"]
    await desk.ask("staff", "remove", bea, "--reason", "Sunday")
    assert application.accounts[bea].player.role is Role.PLAYER

    heard: list[str] = []
    application.supervision.watch_announcements(heard.append)
    await desk.ask("message", "The room closes at midnight.")
    assert heard == ["The room closes at midnight."]

    assert (await desk.type("logout"))[0] == 0
    assert not kept.exists()
    assert not application.accounts.list_sessions(desk.eva)


async def test_a_single_command_leaves_no_session(desk: Desk) -> None:
    code, out, _ = await desk.type("table", "list")
    assert code == 0
    assert out.splitlines()[0].split()[:3] == ["table", "game", "phase"]
    assert not desk.house.application.accounts.list_sessions(desk.eva)


async def test_what_the_house_refuses_is_one_line_and_exit_3(desk: Desk) -> None:
    assert (await desk.type("login"))[0] == 0
    assert "NoSuchPlayer" in await desk.refused("player", "show", "999")
    assert "NoSuchTable" in await desk.refused("table", "close", "none", "--reason", "why")
    assert "TableUnfit" in await desk.refused("table", "open", "Sala 9", "poker", "--reason", "why")
    code, _, err = await desk.type("player", "show", "Nobody")
    assert (code, err) == (1, "Nobody: nobody has this name\n")
    await desk.house.application.accounts.end_sessions(desk.eva, desk.eva, "over")
    desk.monkeypatch.setenv("VENTUNO_ADMIN_CODE", "000000")
    assert "WrongCode" in await desk.refused("table", "list")


async def test_a_role_does_what_it_may(desk: Desk) -> None:
    pia = await desk.house.joined("Pia")
    await desk.house.application.accounts.appoint(pia, Role.PIT, FACTOR)
    desk.monkeypatch.setenv("VENTUNO_ADMIN_NAME", "Pia")
    assert (await desk.type("login"))[0] == 0
    await desk.ask("table", "list")
    assert "RightMissing" in await desk.refused("player", "find", "Eva")


async def test_a_wrong_password_and_a_player_are_refused(desk: Desk) -> None:
    desk.monkeypatch.setenv("VENTUNO_ADMIN_PASSWORD", "not this one at all")
    assert "WrongCredentials" in await desk.refused("table", "list")
    desk.monkeypatch.setenv("VENTUNO_ADMIN_PASSWORD", PASSWORD)
    desk.monkeypatch.delenv("VENTUNO_ADMIN_CODE")
    await desk.house.joined("Ada")
    assert "NotSupervisor" in await desk.refused("--name", "Ada", "table", "list")


async def test_what_is_missing_is_asked_on_a_terminal_and_named_elsewhere(desk: Desk) -> None:
    asked: list[str] = []
    code = os.environ["VENTUNO_ADMIN_CODE"]
    for name in ("CODE", "PASSWORD", "NAME"):
        desk.monkeypatch.delenv(f"VENTUNO_ADMIN_{name}")
    assert "$VENTUNO_ADMIN_NAME" in (await desk.type("table", "list"))[2]
    answers = {"name: ": "Eva", "password: ": PASSWORD, "code: ": code}

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return answers[prompt]

    desk.monkeypatch.setattr("sys.stdin", type("Terminal", (io.StringIO,), {"isatty": lambda _: True})())
    desk.monkeypatch.setattr("builtins.input", answer)
    desk.monkeypatch.setattr(house_client, "getpass", answer)
    assert (await desk.type("table", "list"))[0] == 0
    assert asked == ["name: ", "password: ", "code: "]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--house", "http://play.example.org", "table", "list"], "in the clear"),
        (["--house", "play.example.org", "table", "list"], "write it as https://"),
        (["--house", "http://127.0.0.1:1", "--name", "Eva", "table", "list"], "no house answers"),
        (["table", "limits", "T1", "main=10", "--reason", "x"], "BET=LEAST-MOST"),
        (["table", "close", "T1"], "--reason"),
        (["staff", "add", "Bea", "--role", "supervisor", "--reason", "x"], "support, pit, auditor"),
        (["palyer", "find", "x"], "did you mean 'player'?"),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], said: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VENTUNO_ADMIN_PASSWORD", PASSWORD)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["admin", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


async def test_gdpr_17_two_persons_erase_one(desk: Desk) -> None:
    people, app = desk.house, desk.house.application
    ada, leo = await people.joined("Adelaide", 1_000), await people.supervisor("Leo")
    desk.show_factor()
    await desk.type("login")
    erase = ("player", "erase", "adelaide", "--reason", "asked by letter")
    assert "money" in await desk.refused(*erase)
    await app.cashier.withdraw(ada, 1_000, "all of it")
    answer = await desk.ask(*erase)
    assert answer["player"] == ada
    assert "waits for a second person until" in answer
    assert await app.erasure.ask(leo, ada, "saw the letter") == Erasure(ada, 0)
    assert await desk.ask("player", "find", "Adelaide") == []
    assert (await desk.type("player", "erase", "adelaide", "--reason", "again"))[0] == 1
