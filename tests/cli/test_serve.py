"""`ventuno serve` as an operator meets it: opening, stopping, failing, coming back (R-06, G-8, G-23, X-11)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from tests.support.door_processes import DoorProcesses
from tests.support.doors_in_tests import DOORS
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.patience import PATIENCE
from tests.support.server_process import (
    ROOT,
    ForkedServer,
    ServerProcess,
    environment,
    example,
    hurry_bots,
    running,
    wishes,
)
from tests.support.stopwatch import Stopwatch
from ventuno.cli.main import main
from ventuno.core.messages.commands import CloseTable
from ventuno.house.config import CERTIFICATES, Config
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.tables.authority import Request
from ventuno.sheets import GAMES, load
from ventuno.web.operations.opening import CannotOpenTable, first_table, open_house
from ventuno.web.operations.settings import Settings

LIVE = "Ventuno 1"
ROOM = 64 << 10
"""Bytes that no file may outgrow where the disk is to fail: enough for the log, not for the books."""


class Refused(NamedTuple):
    """How a house says that it does not open."""

    code: int
    line: str


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Refused]]:
    """Calls the command in this process: it must end before anything is served, with one line, whoever writes it."""
    root = logging.getLogger()
    before = root.handlers[:], root.level

    def call(folder: Path, *options: str) -> Refused:
        for name, value in environment(certify(folder)).items():
            monkeypatch.setenv(name, value)
        code = main(["serve", "--log-level", "error", *options])
        out, err = capfd.readouterr()
        assert out == ""
        assert err.count("\n") == 1, err
        return Refused(code, err.strip())

    yield call
    root.handlers[:] = before[0]
    root.setLevel(before[1])


Refusing = Callable[..., Refused]


async def seated(house: ServerProcess, played: int = 1) -> None:
    """The example plays some rounds, one after the other, in this process."""
    assert (await example().visit(wishes(house, "first-person", played)))[0] == played


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A house by the command itself, in a folder that lacks the certificate of one game."""
    folder = certify(tmp_path_factory.mktemp("fresh"))
    (folder / CERTIFICATES / f"{load('duello').hash}.json").unlink()
    house = ServerProcess(folder, VENTUNO_TABLES="2")
    yield house
    house.kill()


def test_a_lobby_of_all_games_and_as_many_tables_as_set(fresh: ServerProcess) -> None:
    lobby = fresh.get("/api/lobby").json()
    assert {one["game"] for one in lobby["games"]} == set(GAMES)
    assert [one["table"] for one in lobby["tables"]] == [LIVE, "Ventuno 2"]
    ours = [file for file in fresh.folder.iterdir() if file.name.startswith("house.")]
    assert {file.stat().st_mode & 0o077 for file in ours} == {0}
    assert fresh.get("/readyz").status_code == 200


async def test_limits_of_a_table_are_set_once(tmp_path: Path) -> None:
    """V-43: new limits bind when betting opens next; a second start with the same ones writes nothing."""
    held = Settings(data=certify(tmp_path), limits={"Ventuno 2": {"main": (500, 1000)}})
    versions = []
    for _ in range(2):
        application = await open_house(held, Config())
        room = application.host.authority.tables["Ventuno 2"]
        assert room.table.next_limits["main"] == (500, 1000)
        assert room.table.next_limits["behind"] == room.table.limits["behind"]
        versions.append(room.version)
        await application.close()
    assert versions[0] == versions[1]


@pytest.mark.parametrize(
    ("table", "bet", "both", "says"),
    [
        ("Ventuno 9", "main", (100, 200), "limits.Ventuno 9: there is no such table"),
        (LIVE, "main", (105, 200), "limits.Ventuno 1: "),
        (LIVE, "rouge", (100, 200), "limits.Ventuno 1: "),
        (LIVE, "main", (300, 200), "limits.Ventuno 1: "),
    ],
)
async def test_unfit_limits_keep_the_house_closed(
    tmp_path: Path, table: str, bet: str, both: tuple[int, int], says: str
) -> None:
    held = Settings(data=certify(tmp_path), limits={table: {bet: both}})
    with pytest.raises(CannotOpenTable, match=says):
        await open_house(held, Config())


async def test_a_table_that_was_closed_is_followed_by_another(tmp_path: Path) -> None:
    """Its name is not used again, and limits that name it keep nobody out."""
    held = Settings(data=certify(tmp_path), tables=2, limits={LIVE: {"main": (200, 1000)}})
    application = await open_house(held, Config())
    answer = await application.host.ask(Request(LIVE, CloseTable("eva", "a new felt", 0), "closing-1"))
    assert not answer.refused
    await application.close()
    again = await open_house(held, Config())
    assert sorted(again.host.authority.tables) == ["Ventuno 2", "Ventuno 3"]
    assert first_table(held, again) == ("Ventuno 2", 7)
    await again.close()


def test_dev_play_opens_the_house_and_keeps_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    called: list[tuple[str, ...]] = []
    monkeypatch.setattr(dev, "set_up", lambda _kind: None)
    monkeypatch.setattr(dev, "set_up_client", lambda: None)
    monkeypatch.setattr(dev, "hand_over", lambda program, *words: called.append((program.name, *words)))
    dev.main(["play", "--port", "3000"])
    dev.main(["play", "--terminal", "sisal"])
    assert called[0][:4] == ("ventuno", "serve", "--bots", "3")
    assert called[0][-2:] == ("--port", "3000")
    assert called[1] == ("ventuno", "play", "sisal")


def test_the_server_never_loads_what_computes_odds(fresh: ServerProcess) -> None:
    """Neither in its modules nor in its memory, also after it has played; nor what only several machines need."""
    names = "import sys, ventuno.cli.serve; print([m for m in ('numba', 'ventuno.odds', 'nats') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert found.stdout.strip() == "[]"
    asyncio.run(seated(fresh))
    held = Path(f"/proc/{fresh.process.pid}/maps").read_text()
    assert "httptools" in held
    assert "llvmlite" not in held
    assert "numba" not in held


def test_a_missing_certificate_is_made_by_another_process(fresh: ServerProcess) -> None:
    sheet = load("duello")
    assert fresh.log.read_text().startswith("ventuno: certifying duello")
    assert json.loads((fresh.folder / CERTIFICATES / f"{sheet.hash}.json").read_text())["sheet"] == sheet.hash
    assert "llvmlite" not in Path(f"/proc/{fresh.process.pid}/maps").read_text()
    assert {one["game"]: one["certified"] for one in fresh.get("/api/games").json()["games"]}["duello"]


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--broker", "nats://127.0.0.1"), 2, "broker: a house on several machines has roles"),
        (("--role", "door", "--node", "d1"), 2, "role door: name --broker"),
        (("--role", "door", "--broker", "redis://127.0.0.1"), 2, "write tls://n1,n2,n3"),
        (("--role", "door", "--node", "d1", "--broker", "nats://192.0.2.1"), 2, "both sides show a certificate"),
        (
            ("--role", "door", "--node", "d1", "--broker", "nats://127.0.0.1", "--database", "x.db"),
            2,
            "a door has no database",
        ),
        (("--host", "0.0.0.0"), 2, "can be reached from other machines"),
        (("--host", "0.0.0.0", "--public-origin", "http://play.example.org"), 2, "players come by https"),
        (("--port", "99999"), 2, "port: "),
        (("--config", "no-such-file.toml"), 2, "no-such-file.toml: cannot be read"),
        (("--bots", "many"), 2, "--bots"),
        (("--database", "nonsense://x"), 2, "database: write sqlite:///FILE"),
        (("--database", "."), 1, "the house does not open: "),
        (
            ("--host", "192.0.2.1", "--public-origin", "https://play.example.org"),
            1,
            "the house does not open: 192.0.2.1",
        ),
    ],
)
def test_what_keeps_a_house_from_opening_is_one_line(
    tmp_path: Path, refused: Refusing, options: tuple[str, ...], code: int, says: str
) -> None:
    found, line = refused(tmp_path, *options)
    assert (found, says in line) == (code, True), line


def test_a_database_without_its_driver_is_refused_before_anything_is_computed(
    tmp_path: Path, refused: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    monkeypatch.setattr("ventuno.cli.serve.certify", lambda *_: pytest.fail("computed"))
    code, line = refused(tmp_path, "--database", "postgresql://ventuno@127.0.0.1/none")
    assert (code, "needs the extra `postgres`: pip install 'ventuno[postgres]'" in line) == (2, True), line
    assert not (tmp_path / "sheets").exists()


def test_books_that_are_gone_keep_the_house_closed(tmp_path: Path, refused: Refusing) -> None:
    """The line says what is missing and both ways on."""
    certify(tmp_path)
    (tmp_path / "house.key").write_bytes(SigningKey.generate().to_pem())
    (tmp_path / "house.key").chmod(0o600)
    code, line = refused(tmp_path)
    assert code == 1
    assert all(word in line for word in ("house.db is missing", "house.key", "backup", "--new-house")), line


def test_an_unsafe_database_is_refused_unless_it_is_asked_for(tmp_path: Path, refused: Refusing) -> None:
    address = f"sqlite:///{tmp_path}/x.db?synchronous=off"
    assert refused(tmp_path, "--database", address) == (
        1,
        "the house does not open: synchronous=off, not full: a power cut loses what was acknowledged",
    )
    with running(tmp_path, "--database", address, "--unsafe") as house:
        assert house.get("/api/lobby").json()["unsafe"] is True


def test_one_port_and_one_database_have_one_house(tmp_path: Path, refused: Refusing) -> None:
    with running(tmp_path) as house:
        port = str(urlsplit(house.url).port)
        code, line = refused(tmp_path / "other", "--port", port)
        assert (code, line) == (1, f"the house does not open: 127.0.0.1:{port}: Address already in use")
        code, line = refused(tmp_path)
        assert code == 1
        holder = DoorProcesses(house.process.pid).host if DOORS else house.process.pid
        assert f"a house is open on it, in process {holder}" in line


class Guest:
    """Somebody with a session and an open socket who only listens."""

    def __init__(self, house: ServerProcess) -> None:
        self.house, self.heard = house, list[dict[str, Any]]()
        self.code = 0

    async def listen(self, ready: asyncio.Event) -> None:
        import httpx

        headers = {"X-Ventuno": "1", "Origin": self.house.url}
        async with httpx.AsyncClient(base_url=self.house.url, headers=headers) as http:
            await http.post("/api/guest")
            ticket = (await http.post("/api/ticket")).json()["ticket"]
            cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        address = f"{self.house.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
        async with connect(address, origin=Origin(self.house.url), additional_headers={"Cookie": cookie}) as line:
            try:
                async for frame in line:
                    self.heard.append(json.loads(frame))
                    ready.set()
            except ConnectionClosed:
                pass
            self.code = line.close_code or 0


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_house_and_cuts_nothing_short(tmp_path: Path, kind: signal.Signals) -> None:
    """Sockets are told and closed with 4006, tables pause, the process ends with 0 within five seconds."""
    with running(tmp_path, "--bots", "2", plant=hurry_bots) as house:
        guest, ready = Guest(house), asyncio.Event()
        listening = asyncio.create_task(guest.listen(ready))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        await asyncio.to_thread(_until_bets, house)
        with Stopwatch() as watch:
            house.signal(kind)
            assert await asyncio.to_thread(house.ended) == 0
            assert watch.seconds < 5
        await asyncio.wait_for(listening, PATIENCE)
        assert [one["kind"] for one in guest.heard if one["type"] == "notice"] == ["closing"]
        assert guest.code == 4006
        assert {"closing", "closed"} <= {one["event"] for one in house.lines()}
        assert not [one for one in house.lines() if one["level"] in ("error", "critical")]
    with running(tmp_path) as again:
        assert again.get("/readyz").json() == {"ready": True, "reasons": []}
        assert [one["paused"] for one in again.get("/api/lobby").json()["tables"]] == [False] * 3


def _until_asked(house: ServerProcess) -> None:
    """Until somebody has asked this very process for a while."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        asked = re.search(r"^ventuno_asks_total (\d+)", house.get("/metrics").text, re.MULTILINE)
        if asked and int(asked[1]) >= 10:
            return
        time.sleep(0.05)
    raise AssertionError("nobody came back")


def _until_bets(house: ServerProcess) -> None:
    """Until somebody's clock runs at the first table, so that there is something to pause."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        first = next(one for one in house.get("/api/lobby").json()["tables"] if one["table"] == LIVE)
        if first["deadline"] is not None:
            return
        time.sleep(0.1)
    raise AssertionError("nothing moved at the first table")


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    """Somebody holds a connection open with half a body: the first signal waits for him, the second does not."""
    with running(tmp_path, VENTUNO_STOP_SECONDS="20") as house:
        where = urlsplit(house.url)
        with socket.create_connection((where.hostname, where.port)) as line:
            head = f"POST /api/login HTTP/1.1\r\nHost: x\r\nX-Ventuno: 1\r\nOrigin: {house.url}\r\n"
            line.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{{".encode())
            time.sleep(0.3)
            house.signal(signal.SIGTERM)
            time.sleep(0.5)
            assert house.process.poll() is None
            with Stopwatch() as watch:
                house.signal(signal.SIGTERM)
                assert house.ended() == 130
                assert watch.seconds < 1
    with running(tmp_path) as again:
        assert again.get("/readyz").status_code == 200


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can limit another process")
def _writer(house: ServerProcess) -> int:
    """The process that writes the books of a house."""
    (found,) = Path(f"/proc/{house.process.pid}/task/{house.process.pid}/children").read_text().split()
    return int(found)


def _fill(process: int) -> None:
    resource.prlimit(process, resource.RLIMIT_FSIZE, (ROOM, resource.RLIM_INFINITY))


def _kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


@pytest.mark.skipif(DOORS > 0, reason="behind doors the next host goes on: tests/web/doors kills hosts and writers")
@pytest.mark.parametrize("harm", [_fill, _kill])
def test_a_store_that_fails_ends_the_process_with_1_and_it_comes_back(
    tmp_path: Path, harm: Callable[[int], None]
) -> None:
    """G-8: from the first failed write on nothing is acknowledged; the next start recovers all that was."""
    with running(tmp_path, "--bots", "2", plant=hurry_bots) as house:
        _until_bets(house)
        assert (tmp_path / "house.db-wal").stat().st_size > ROOM
        harm(_writer(house))
        assert house.ended() == 1
        (line,) = [one for one in house.lines() if one["level"] == "critical"]
        assert line["event"] == "the house cannot go on"
        assert line["reason"].startswith("the store stopped: ")
    with running(tmp_path) as again:
        assert again.get("/readyz").json() == {"ready": True, "reasons": []}


async def test_killed_in_the_middle_of_a_round_everybody_comes_back(tmp_path: Path) -> None:
    """X-11, R-03: the process is killed while the example plays; it comes back by itself and plays on to the end."""
    port = free_port()
    with running(tmp_path, VENTUNO_PORT=str(port)) as house:
        playing = asyncio.create_task(example().visit(wishes(house, "sisal", 25)))
        for _ in range(3):
            await asyncio.to_thread(_until_asked, house)
            house.kill()
            house = await asyncio.to_thread(ForkedServer, tmp_path, "--port", str(port))
        try:
            played, _ = await asyncio.wait_for(playing, 3 * PATIENCE)
        finally:
            house.kill()
        assert played == 25
