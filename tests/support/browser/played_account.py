"""An account with a past: registered and played over the public protocol, so that a browser finds rounds to look at."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.support.patience import PATIENCE
from tests.support.server_process import example

PASSWORD = "tredici mele verdi sul tavolo"
DEPOSIT = 400_000


class Account(NamedTuple):
    name: str
    password: str = PASSWORD


async def _played(url: str, name: str, rounds: Mapping[str, int]) -> None:
    async with httpx.AsyncClient(base_url=url, headers={"X-Ventuno": "1", "Origin": url}) as http:

        async def post(path: str, body: object = None) -> dict[str, str]:
            answer = await http.post(path, json=body, headers={"Idempotency-Key": secrets.token_urlsafe(12)})
            assert answer.is_success, answer.text
            return dict(answer.json())

        await post("/api/register", {"name": name, "password": PASSWORD})
        await post("/api/cashier/deposits", {"amount": DEPOSIT})
        cookies = "; ".join(f"{key}={value}" for key, value in http.cookies.items())
        for game, wanted in rounds.items():
            table = (await post(f"/api/solo/{game}"))["table"]
            ticket = (await post("/api/ticket"))["ticket"]
            address = f"{url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
            async with connect(address, origin=Origin(url), additional_headers={"Cookie": cookies}) as socket:
                await asyncio.wait_for(example().Bot(socket, table, 1, True).play(wanted), PATIENCE)


def account(url: str, rounds: Mapping[str, int], name: str = "") -> Account:
    """A new account that has played so many rounds of each game for one.

    Played in a thread of its own: the browser has a running loop in this one.
    """
    named = name or f"prova{secrets.token_hex(4)}"
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, _played(url, named, rounds)).result()
    return Account(named)
