"""A house that an earlier version left behind (tests/fixtures/old_house), read through the public surface alone.

Commands, HTTP, the socket, the columns of the books: what may not change. The three calls into the program that remain
are `command`, `examine` and `serve`. `python -m tests.support.old_house` prints what the program that runs it sees; the
old version printed `expected.json.gz` so.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import hmac
import io
import json
import os
import shutil
import sqlite3
import struct
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.support.patience import PATIENCE
from tests.support.server_process import ForkedServer, Plant, ServerProcess, example
from ventuno import sheets
from ventuno.cli.main import main
from ventuno.house.history import export
from ventuno.house.store.clock import RealClock
from ventuno.sheets import GAMES, load

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "old_house"
FACTS: Mapping[str, Any] = json.loads((FIXTURE / "house.json").read_text())
PERIOD = 30
"""Seconds for which a code of a second factor is good (RFC 6238)."""
DRAWN = ("wheel",)
"""Open rounds whose end is drawn by chance after the house has opened."""


def command(*words: str) -> tuple[int, str]:
    """A `ventuno` command: its exit code and what it printed."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(list(words))
    return code, out.getvalue()


def examine(lines: Sequence[bytes]) -> tuple[str, ...]:
    """What is wrong with an export: its chains, and everything that follows from its events (X-14)."""
    return export.check_export(lines, {sheet.hash: sheet for sheet in map(load, GAMES)}).faults


@contextmanager
def serve(data: Path, plant: Plant | None = None) -> Iterator[ServerProcess]:
    """The house as a process of its own; `plant` is what this version does otherwise."""
    house = ForkedServer(data, plant=plant, VENTUNO_TABLES="1", VENTUNO_CALLS_PER_SECOND="1000")
    try:
        yield house
    finally:
        house.process.terminate()
        house.process.wait(120)


HELD = "time-is-held"


def hold_time() -> None:
    """Time stands for this house until `go_on`: everybody is told what is his before a decision times out."""
    flag, began = Path(os.environ["VENTUNO_DATA"]) / HELD, time.monotonic_ns()
    lost: list[int] = []

    def steady(self: RealClock) -> int:
        del self
        if not lost and not flag.exists():
            lost.append(time.monotonic_ns() - began)
        return (time.monotonic_ns() - lost[0] if lost else began) // 1_000_000

    async def sleep(self: RealClock, milliseconds: int) -> None:
        until = self.steady() + milliseconds
        while (left := until - self.steady()) > 0:
            await asyncio.sleep(left / 1000 if lost else 0.02)

    flag.touch()
    RealClock.steady, RealClock.sleep = steady, sleep  # type: ignore[method-assign]


def go_on(data: Path) -> None:
    (data / HELD).unlink()


RULES = {
    "ventuno": {"blackjack.pays": "6/5", "dealer.soft_17": "hit"},
    "first-person": {"insurance.pays": "1:1", "blackjack.pays": "6/5"},
    "sisal": {"split.aces": "one-card", "dealer.soft_17": "hit"},
    "duello": {"duel.qualify": "17", "sides.2-up.pays.pair": "2:1"},
    "link": {"dealer.soft_17": "hit", "blackjack.pays": "6/5"},
}
"""Other rules for every game: those of a version after the one that left the house."""


def change_rules() -> None:
    """This version plays other rules than those on which the tables of the old house are open."""
    package = sheets.find_sheets()
    changed = {game: sheets._check(entry.text, game, RULES[game]) for game, entry in package.items()}
    sheets._find_package_sheets = lambda: changed  # type: ignore[assignment]


def change_rules_and_hold_time() -> None:
    change_rules()
    hold_time()


def unpack(folder: Path) -> Path:
    """A data folder as the old version left it."""
    data = folder / "data"
    shutil.copytree(FIXTURE / "certificates", data / "certificates")
    shutil.copytree(FIXTURE / "sheets", data / "sheets")
    shutil.copy(FIXTURE / "house.key", data / "house.key")
    (data / "house.key").chmod(0o600)
    (data / "house.db").write_bytes(gzip.decompress((FIXTURE / "house.db.gz").read_bytes()))
    return data


def query(data: Path, statement: str) -> list[tuple[Any, ...]]:
    """Rows of the books, only read."""
    connection = sqlite3.connect(f"file:{data / 'house.db'}?mode=ro", uri=True)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def change(data: Path, statement: str, *values: object) -> None:
    """Change the books behind the house's back."""
    connection = sqlite3.connect(data / "house.db")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def read_books(data: Path) -> dict[str, Any]:
    """Balances, ends of the chains, rounds and shares."""
    heads = query(data, "SELECT stream, seq, hash FROM heads ORDER BY stream")
    return {
        "balances": dict(query(data, "SELECT account, balance FROM accounts WHERE balance <> 0 ORDER BY account")),
        "heads": {stream: [seq, digest.hex()] for stream, seq, digest in heads},
        "rounds": [list(row) for row in query(data, "SELECT * FROM rounds ORDER BY ended, code")],
        "shares": [list(row) for row in query(data, "SELECT * FROM shares ORDER BY ended, code, player")],
        "kinds": dict(query(data, "SELECT kind, count(*) FROM log GROUP BY kind ORDER BY kind")),
    }


def codes(data: Path) -> list[str]:
    """Every round that is over."""
    return [code for (code,) in query(data, "SELECT code FROM rounds ORDER BY ended, code")]


def replay(code: str, *source: str) -> dict[str, Any]:
    """A round as `ventuno replay` tells it, without the words for people."""
    exit_code, out = command("replay", code, *source, "--json")
    assert exit_code == 0, out
    told: dict[str, Any] = json.loads(out)
    told["steps"] = [step[:-1] for step in told["steps"]]
    return told


def verify(*words: str) -> dict[str, Any]:
    """A verdict of `ventuno verify`, without the words for people."""
    exit_code, out = command("verify", *words, "--json")
    assert exit_code == 0, out
    verdict: dict[str, Any] = json.loads(out)
    verdict["notes"] = len(verdict["notes"])
    return verdict


def documents(folder: Path) -> list[Path]:
    """The shoe documents that players downloaded, unpacked."""
    found = []
    for file in sorted((FIXTURE / "documents").glob("*.json.gz")):
        found.append(folder / file.stem)
        found[-1].write_bytes(gzip.decompress(file.read_bytes()))
    return found


def exported(folder: Path) -> Path:
    """The export that the old version wrote, unpacked."""
    file = folder / "export.jsonl"
    file.write_bytes(gzip.decompress((FIXTURE / "export.jsonl.gz").read_bytes()))
    return file


def one_time_code(secret: str) -> str:
    """What an app shows now (RFC 6238)."""
    raw = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(raw, struct.pack(">Q", int(time.time()) // PERIOD), hashlib.sha1)
    place = digest[-1] & 15
    return f"{(int.from_bytes(digest[place : place + 4], 'big') & 0x7FFFFFFF) % 10**6:06d}"


class Visitor:
    """Somebody of the old house, logged in over HTTP."""

    def __init__(self, house: ServerProcess, name: str, code: str = "") -> None:
        self.url = house.url
        self.http = httpx.Client(base_url=house.url, headers={"X-Ventuno": "1", "Origin": house.url})
        body = {"name": name, "password": FACTS["password"]}
        if secret := FACTS["factors"].get(name):
            body["code"] = code or one_time_code(secret)
        self.answer = self.http.post("/api/login", json=body)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        while answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            time.sleep(float(answer.headers["Retry-After"]))
            answer = self.http.get(path, params=query)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def rounds(self) -> list[dict[str, Any]]:
        """His whole history, newest first."""
        page = self.get("/api/history", limit=200)
        assert page["before"] is None
        lines: list[dict[str, Any]] = page["lines"]
        return lines

    def wealth(self) -> int:
        me = self.get("/api/me")
        return int(me["free"] + me["at_tables"] + me["in_play"])

    async def finish(self, table: str, seats: int) -> None:
        """Play the open round of a table to its end, as examples/bot.py plays."""
        ticket = self.http.post("/api/ticket").json()["ticket"]
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = f"{self.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
        async with connect(address, origin=Origin(self.url), additional_headers={"Cookie": cookies}) as socket:
            await asyncio.wait_for(example().Bot(socket, table, seats, True).play(1), PATIENCE)


@contextmanager
def log_in(house: ServerProcess) -> Iterator[dict[str, Visitor]]:
    """Everybody who may come in; the second factors are asked for."""
    names = [name for name in FACTS["players"] if name != "Fabio"]
    with ExitStack() as stack:
        yield {name: stack.enter_context(Visitor(house, name)) for name in (*names, *FACTS["supervisors"])}


def read_served(people: Mapping[str, Visitor]) -> dict[str, Any]:
    """What the house tells its players and supervisors before anybody plays on."""
    eva = people["Eva"]
    return {
        "players": {name: read_player(people[name]) for name in FACTS["players"] if name in people},
        "audit": eva.get("/api/supervisor/audit", limit=200, before=FACTS["audit"] + 1)["lines"],
        "signals": eva.get("/api/supervisor/signals")["lines"],
        "corrections": {"waiting": eva.get("/api/supervisor/corrections")["waiting"]},
        "games": {game: read_certificate(eva.get(f"/api/games/{game}/certificate")) for game in sorted(GAMES)},
        "voids": eva.get("/api/fairness")["voids"],
        "key": eva.get("/api/fairness")["key"],
    }


MOVING = ("now", "clock", "session", "last_login", "participation", "issuer")
"""Fields that tell of this visit."""


def read_player(visitor: Visitor) -> dict[str, Any]:
    rounds = visitor.rounds()
    return {
        "me": still(visitor.get("/api/me")),
        "history": rounds,
        "rounds": [still(without_details(visitor.get(f"/api/history/{line['code']}"))) for line in rounds[:3]],
        "frames": {line["code"]: frames(visitor.get(f"/api/rounds/{line['code']}/steps")) for line in rounds[:2]},
        "documents": {line["code"]: visitor.get(f"/api/verify/{line['code']}")["commitment"] for line in rounds[:2]},
        "statistics": visitor.get("/api/statistics"),
        "protection": still(visitor.get("/api/protection")),
        "transactions": visitor.get("/api/cashier/transactions"),
        "settings": visitor.get("/api/settings"),
    }


def still(tree: Any) -> Any:
    """Without what moves from visit to visit."""
    if isinstance(tree, dict):
        return {name: still(value) for name, value in tree.items() if name not in MOVING}
    return [still(one) for one in tree] if isinstance(tree, list) else tree


def without_details(told: dict[str, Any]) -> dict[str, Any]:
    for step in told["steps"]:
        step.pop("detail", None)
    return told


def frames(told: dict[str, Any]) -> list[Any]:
    """Of each step: when, the cards on the table, the money."""
    return [
        [
            frame["seq"],
            frame["at"],
            frame["public"]["phase"],
            frame["public"]["dealer"]["cards"],
            [[box["box"], [hand["cards"] for hand in box["hands"]]] for box in frame["public"]["boxes"]],
            frame["mine"]["balance"],
        ]
        for frame in told["frames"]
    ]


def read_certificate(told: dict[str, Any]) -> Any:
    """The figures; words for people are not compared."""
    return [[bet["bet"], bet["rtp"], bet.get("sd"), bet.get("published")] for bet in told["bets"]]


async def finish_all(people: Mapping[str, Visitor]) -> None:
    """Every open round to its end; both players of the live table at once."""
    names = {number: name for name, number in FACTS["players"].items()}
    live = [people[name].finish(FACTS["open"]["live"]["table"], 5) for name in ("Ada", "Bea")]
    await asyncio.gather(*live)
    for name, left in FACTS["open"].items():
        if name != "live":
            await people[names[left["player"]]].finish(left["table"], 1)


def observe(folder: Path) -> dict[str, Any]:
    """Everything that is compared with what the old version saw."""
    data = unpack(folder)
    books = ("--database", f"sqlite:///{data}/house.db")
    seen: dict[str, Any] = {
        "books": read_books(data),
        "replay": {code: replay(code, *books) for code in codes(data)},
        "verify": {code: verify(code, *books) for code in codes(data) if not is_practice(data, code)},
        "documents": {file.stem: verify(str(file)) for file in documents(folder)},
    }
    with serve(data) as house, log_in(house) as people:
        seen["served"] = read_served(people)
        asyncio.run(finish_all(people))
    open_rounds = {name: left["code"] for name, left in FACTS["open"].items() if left["code"] and name not in DRAWN}
    seen["finished"] = {name: replay(code, *books) for name, code in open_rounds.items()}
    for told in seen["finished"].values():
        del told["ended"], told["steps"]
    return seen


def is_practice(data: Path, code: str) -> bool:
    return bool(query(data, f"SELECT practice FROM rounds WHERE code = '{code}'")[0][0])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        json.dump(observe(Path(place)), sys.stdout, indent=1, ensure_ascii=False)
