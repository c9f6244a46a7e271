"""`ventuno staff`: how supervisors are made by who runs the house, and what is told of it once (H-8, ASVS 6.3)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.house import LIVE, PASSWORD, OpenHouse, examined, key
from ventuno.cli.main import main
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.passwords import Argon2
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.second_factor import SecondFactorNeeded, WrongCode
from ventuno.house.accounts.sessions import Entered
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import RightsChanged
from ventuno.sheets import GAMES


class Real(OpenHouse):
    """With the hasher that the command uses."""

    def config(self) -> dict[str, Any]:
        return {**super().config(), "hasher": Argon2()}

    def code(self, secret: str) -> str:
        return second_factor.compute_code(second_factor.decode_secret(secret), self.clock.now() // second_factor.STEP)


@pytest_asyncio.fixture
async def closed(tmp_path: Path) -> AsyncIterator[Real]:
    """A house with an account and a guest, closed."""
    made = Real(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    await made.joined("Ada", 5_000)
    await made.application.accounts.enter_guest("::1", "browser")
    await made.application.close()
    yield made
    if not made.application.host.commits.failed.done():
        await made.application.close()


async def staff(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = await asyncio.to_thread(main, ["staff", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


async def test_a_new_supervisor_comes_in_with_what_was_printed_once(
    closed: Real, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = await staff(capsys, "add", "Eva", "--database", closed.url, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert f"secret={told['secret']}" in told["address"]
    assert len(told["recovery"]) == 10
    house = await closed.open()
    assert await house.accounts.log_in("Eva", told["password"], "::1", "x") == SecondFactorNeeded()
    assert await house.accounts.log_in("Eva", told["password"], "::1", "x", "000000") == WrongCode()
    entered = await house.accounts.log_in("Eva", told["password"], "::1", "x", closed.code(told["secret"]))
    assert isinstance(entered, Entered)
    known = await house.accounts.identify(entered.token)
    assert not isinstance(known, Refusal)
    assert (known.role, known.enrol) == (Role.SUPERVISOR, False)
    assert isinstance(await house.accounts.log_in("Eva", told["password"], "::1", "x", told["recovery"][0]), Entered)
    await house.tables.open(LIVE, "ventuno")
    assert not (await house.supervision.pause(entered.player, LIVE, "to see", key())).refused
    log = [
        entry.event for entry in audit_log.read_entries(await house.host.commits.store.read_records(audit_log.STREAM))
    ]
    assert RightsChanged(entered.player, "operator", "role supervisor, second factor set") in log
    taken = await house.accounts.register(Form("EVA"), PASSWORD)
    assert isinstance(taken, Refusal), "her name is claimed"
    await house.close()
    assert await examined(closed.url) == ()


async def test_an_account_is_promoted_and_keeps_its_password_and_its_money(
    closed: Real, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = await staff(capsys, "add", "ada", "--database", closed.url)
    assert code == 0
    assert "password" not in out
    secret = next(line.split()[2] for line in out.splitlines() if line.startswith("second factor"))
    house = await closed.open()
    entered = await house.accounts.log_in("Ada", PASSWORD, "::1", "x", closed.code(secret))
    assert isinstance(entered, Entered)
    assert (await house.cashier.read_balances(entered.player)).free == 5_000
    await house.close()
    _, out, _ = await staff(capsys, "add", "Ada", "--database", closed.url, "--json")
    assert json.loads(out)["secret"] != secret, "a lost telephone: the second factor is made anew"
    code, out, _ = await staff(capsys, "remove", "Ada", "--database", closed.url)
    assert (code, out) == (0, "Ada is no supervisor any more\n")
    house = await closed.open()
    assert house.accounts[entered.player].player.role is Role.PLAYER


async def test_nothing_that_was_printed_is_readable_in_the_store(
    closed: Real, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = await staff(capsys, "add", "Eva", "--database", closed.url, "--json")
    told = json.loads(out)
    house = await closed.open()
    streams = await house.host.commits.store.read_heads()
    bodies = {
        name: b"".join(one.body for one in await house.host.commits.store.read_records(name)).decode()
        for name in streams
    }
    assert {name for name, text in bodies.items() if told["secret"] in text} == {f"private:{told['player']}"}
    assert not any(told["password"] in text or told["recovery"][0] in text for text in bodies.values())


async def test_what_cannot_be_hired(closed: Real, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor who would be taken for somebody else: Cyrillic letters that look like Coco's."""
    await closed.open()
    await closed.joined("Coco", 0)
    await closed.application.close()
    alike = "\u0421\u043e\u0441\u043e"
    for words in (
        *(("add", name) for name in ("Ospite-2", "x", "house", alike)),
        *(("remove", name) for name in ("Ada", "Nobody")),
    ):
        code, out, err = await staff(capsys, *words, "--database", closed.url)
        assert (code, out, err.count("\n")) == (3, "", 1), words


@pytest.mark.parametrize(
    "place", ["{folder}", "{folder}/text", "{folder}/text/x.db", "postgresql://eva:secret@127.0.0.1:1/x", "/dev/null"]
)
async def test_what_is_no_house_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    """A folder, a file that is something else, a server that is not there: wrong usage, and no traceback."""
    (tmp_path / "text").write_text("dear diary, " * 100)
    code, out, err = await staff(capsys, "add", "Eva", "--database", place.format(folder=tmp_path))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert "secret" not in err
    assert "cannot be opened" in err


async def test_a_wrong_folder_gets_no_supervisor_and_no_books(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no house was ever open: else the staff of a mistyped folder would be told a second factor of nothing."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "missing"):
        code, out, err = await staff(capsys, "add", "Eva", "--data", str(tmp_path / name))
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert "--data" in err
    assert list((tmp_path / "empty").iterdir()) == []
    assert not (tmp_path / "missing").exists()


async def test_an_empty_database_gets_no_supervisor(capsys: pytest.CaptureFixture[str], url: str) -> None:
    code, out, err = await staff(capsys, "add", "Eva", "--database", url)
    assert (code, out, err.count("\n")) == (2, "", 1), err


async def test_the_folder_is_no_abbreviation_of_the_database(
    closed: Real, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`--data` is what `ventuno serve` means by it; half a word means nothing."""
    code, out, _ = await staff(capsys, "add", "Eva", "--data", str(tmp_path))
    assert (code, "Eva" in out) == (0, True)
    code, out, err = await staff(capsys, "add", "Zoe", "--datab", closed.url)
    assert (code, out, err.count("\n")) == (2, "", 1)
    await closed.open()
    named = closed.application.accounts.find_by_name
    assert (named("Eva") is not None, named("Zoe")) == (True, None)


async def test_not_while_the_house_is_open(closed: Real, capsys: pytest.CaptureFixture[str]) -> None:
    await closed.open()
    code, out, err = await staff(capsys, "add", "Eva", "--database", closed.url)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert closed.application.accounts.find_by_name("Eva") is None
