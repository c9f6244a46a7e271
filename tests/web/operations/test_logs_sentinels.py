"""Nothing secret in any output of the process: whole rounds with known secrets, then a scan of all it printed (H-1).

Sentinels are the passwords, session tokens, tickets, keys and entropy of players, every secret of the shoes as the
books hold them, and any card at all: a card has no business in a log, whether it is hidden or not.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.support.server_process import ServerProcess, example, running
from ventuno.house.shoes.commitment import restore_shoe
from ventuno.house.shoes.shoe_log import SECRET
from ventuno.house.store.body_packing import unpack
from ventuno.sheets import GAMES, load
from ventuno.web.http import request_checks
from ventuno.web.sockets import channel

PASSWORD, WRONG = "sentinel-horse-battery-41c9", "sentinel-wrong-77aa0b"
CARD = re.compile(r"(?<![0-9A-Za-z])[2-9TJQKA][SHDC](?![0-9A-Za-z])")
HEX = re.compile(r"[0-9a-f]{24,}")


def print_what_is_sent() -> None:
    """A server with a logger that prints what was sent: the scan must find it."""
    read, body = channel.Connection._read, request_checks.read_body
    log = logging.getLogger("ventuno.web")

    async def loud_read(connection: channel.Connection, message: Any) -> int:
        log.info("frame %s", message.get("text"))
        return await read(connection, message)

    async def loud_body(receive: Any) -> Any:
        found = await body(receive)
        log.info("body %s", found)
        return found

    planted = pytest.MonkeyPatch()
    planted.setattr(channel.Connection, "_read", loud_read)
    planted.setattr(request_checks, "read_body", loud_body)


class Told(example().Bot):  # type: ignore[misc]
    """The example's client, which remembers what it has sent."""

    secrets: set[str]

    async def send(self, **message: Any) -> None:
        self.secrets |= {message[word] for word in ("entropy", "digest", "key") if word in message}
        await super().send(**message)


async def evening(house: ServerProcess, games: tuple[str, ...], rounds: int) -> set[str]:
    """A player registers, fails to log in, plays every game; all that nobody else may know."""
    known = {PASSWORD, WRONG}
    headers = {"X-Ventuno": "1", "Origin": house.url}
    async with httpx.AsyncClient(base_url=house.url, headers=headers) as http:
        await http.post("/api/login", json={"name": "Sentinella", "password": WRONG})
        entered = await http.post("/api/register", json={"name": "Sentinella", "password": PASSWORD})
        assert entered.is_success, entered.text
        await http.post("/api/login", json={"name": "Sentinella", "password": WRONG + "\n" * 3, "extra": WRONG})
        await http.post("/api/login", content=WRONG)
        await http.post(
            "/api/cashier/deposits", json={"amount": 500_000}, headers={"Idempotency-Key": "sentinel-key-1"}
        )
        known |= {"sentinel-key-1", *http.cookies.values()}
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        for game in games:
            solo = load(game).game.solo
            table = (await http.post(f"/api/solo/{game}")).json()["table"] if solo else "Ventuno 1"
            ticket = (await http.post("/api/ticket")).json()["ticket"]
            known.add(ticket)
            address = f"{house.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
            async with connect(address, origin=Origin(house.url), additional_headers={"Cookie": cookie}) as line:
                await line.send(f'{{"type": "join", "table": "{PASSWORD}", "id": 7}}')
                bot = Told(line, table, 7, True)
                bot.secrets = known
                bot.hear = patient(bot)
                await bot.play(rounds if solo else 1)
    return known


def patient(bot: Any) -> Any:
    """The fault about our own bad frame is no reason to stop."""
    hear = type(bot).hear

    async def heard() -> Any:
        try:
            return await hear(bot)
        except RuntimeError:
            return {"type": "fault"}

    return heard


def of_shoes(file: Path) -> str:
    """Every secret of the sealed shoes, cards and salts, as the books hold them in hexadecimal."""
    with closing(sqlite3.connect(file)) as books:
        rows = books.execute("SELECT body FROM log WHERE stream LIKE ?", (f"{SECRET}%",)).fetchall()
    secrets = [str(json.loads(unpack(body))["kept"]) for (body,) in rows]
    salts = [salt.hex() for kept in secrets for salt in restore_shoe(bytes.fromhex(kept)).unseal()[1]]
    return " ".join([*secrets, *salts])


def leaks(text: str, known: set[str], shoes: str = "") -> list[str]:
    """What of the known secrets stands in a text; any part of a shoe's; any line with a card."""
    parts = [run for run in HEX.findall(text) if run in shoes]
    return [*(one for one in sorted(known) if one in text), *parts, *filter(CARD.search, text.splitlines())]


def printed(house: ServerProcess) -> str:
    return house.log.read_text() + house.output.read_text() + house.get("/metrics").text


async def test_no_secret_and_no_card_is_printed(tmp_path: Path) -> None:
    with running(tmp_path, "--log-level", "debug") as house:
        known = await evening(house, GAMES, 5)
        text = printed(house)
        shoes = of_shoes(tmp_path / "house.db")
        assert len(shoes.split()) > 20
        assert len(known) > 40
        assert leaks(text, known, shoes) == []
        assert all(json.loads(line) for line in house.log.read_text().splitlines())
        assert not [one for one in house.lines() if one["level"] in ("error", "critical")]


async def test_a_planted_logger_of_what_was_sent_is_caught(tmp_path: Path) -> None:
    with running(tmp_path, plant=print_what_is_sent) as house:
        known = await evening(house, ("first-person",), 1)
        found = leaks(printed(house), known)
    assert {PASSWORD, WRONG} <= set(found)
    assert len(found) > 5


def test_a_card_and_a_part_of_a_shoe_are_caught() -> None:
    assert leaks(f"x {'0a' * 16} y", set(), f"ff{'0a' * 20}") == ["0a" * 16]
    assert leaks('{"event": "dealt AS 7D"}', set()) == ['{"event": "dealt AS 7D"}']
    assert leaks('{"event": "dealt as 7d", "at": "2026-11-15T23:01:52Z", "id": "7d5c"}', set()) == []
