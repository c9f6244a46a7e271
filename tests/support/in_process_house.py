"""A house with its doors in one process: a clock that is moved by hand, visitors over HTTP without a network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from tests.support.house_in_memory import NOON, QuickHasher
from tests.support.sample_shoes import fixed_source
from tests.support.shared_routes import shared
from ventuno.cli.serve import CALCULATOR
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.players import Form
from ventuno.house.application import CERTIFICATES, Application
from ventuno.house.services import Config
from ventuno.house.store.records import Batch
from ventuno.house.tables.clock import JumpingClock
from ventuno.sheets import GAMES, load
from ventuno.web.app import create_app
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.odds_room.calculator import Timeouts
from ventuno.web.operations.settings import Settings

PASSWORD = "correct horse battery"
ORIGIN = "http://127.0.0.1:2121"
LIVE = "Ventuno 1"
AMPLE = BucketSize(10**9, 1e6)
PLENTY = RateLimits(AMPLE, AMPLE, AMPLE, odds=AMPLE)
SLOW_MACHINE = Timeouts(answer=100.0)
"""How long who computes odds may take to start and to answer; the house's own patience is tested by itself."""
_keys = count(1)


def key() -> str:
    return f"key-{next(_keys):08}"


@dataclass
class Entrance:
    """An open house, its application, and the clock both go by."""

    premises: Application
    app: FastAPI
    clock: JumpingClock
    settings: Settings
    hasher: QuickHasher

    def client(self, token: str = "", **headers: str) -> httpx.AsyncClient:
        """A browser on a page of the house; with a token it has a session."""
        origin = self.settings.public_origin or ORIGIN
        made = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=True),
            base_url=origin,
            headers={"X-Ventuno": "1", "Origin": origin, "Sec-Fetch-Site": "same-origin", **headers},
        )
        if token:
            made.cookies.set("__Host-ventuno" if self.settings.secure else "ventuno", token)
        return made

    async def joined(self, name: str, money: int = 0) -> PlayerId:
        player = await self.premises.register(Form(name), PASSWORD)
        assert isinstance(player, str), player
        if money:
            await self.premises.deposit(player, money, key())
        return player

    async def token(self, player: PlayerId) -> str:
        """One more session of a player, past the reception."""
        token, _, records = self.premises.services.tokens.open(player, "192.0.2.1", "test", self.premises.host.now())
        await self.premises.commit(Batch(records=records))
        return token

    async def visitor(self, name: str, money: int = 0) -> tuple[PlayerId, httpx.AsyncClient]:
        player = await self.joined(name, money)
        return player, self.client(await self.token(player))


@asynccontextmanager
async def opened(
    folder: Path, settings: dict[str, Any] | None = None, allowances: RateLimits = PLENTY, **fittings: Any
) -> AsyncIterator[Entrance]:
    """A house in this folder, certified for every game, with one live table."""
    (folder / CERTIFICATES).mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        sheet = load(game)
        (folder / CERTIFICATES / f"{sheet.hash}.json").write_text(json.dumps({"sheet": sheet.hash}))
    clock, hasher = JumpingClock(NOON), QuickHasher()
    made = Config(**{"clock": clock, "hasher": hasher, "source": fixed_source("doors"), **fittings})
    premises = await Application.open(f"sqlite:///{folder}/house.db", folder, made)
    await premises.open_table(LIVE, "ventuno")
    terms = Settings(data=folder, **(settings or {}))

    async def given() -> Application:
        return premises

    app = shared(create_app(given, terms, allowances, CALCULATOR))
    async with app.router.lifespan_context(app):
        app.state.solved.calculator._patience = SLOW_MACHINE
        yield Entrance(premises, app, clock, terms, hasher)
    await premises.close()
