"""A house with its doors in one process: a clock that is moved by hand, visitors over HTTP without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from tests.support.doors_in_tests import DOORS, JoinedDoors, open_joined_doors
from tests.support.house import NOON, People, QuickHasher, open_application
from tests.support.shared_routes import shared
from ventuno.cli.serve import CALCULATOR
from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.house.store.clock import JumpingClock
from ventuno.web.app import create_app
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.odds_room.calculator import Timeouts
from ventuno.web.operations.settings import Settings

ORIGIN = "http://127.0.0.1:2121"
LIVE = "Ventuno 1"
AMPLE = BucketSize(10**9, 1e6)
PLENTY = RateLimits(AMPLE, AMPLE, AMPLE, odds=AMPLE)
SLOW_CALCULATOR = Timeouts(answer=100.0)
"""How long who computes odds may take to start and to answer; the house's own patience is tested by itself."""


@dataclass(kw_only=True)
class InProcessHouse(People):
    """An open house, its application, and the clock both go by."""

    application: Application
    app: FastAPI
    clock: JumpingClock
    settings: Settings
    hasher: QuickHasher
    doors: JoinedDoors | None = None
    """What stands before the application, where anything does."""

    @property
    def front(self) -> Any:
        """Who takes calls: the next door, or the application itself."""
        return self.doors.take_next() if self.doors else self.app

    def client(self, token: str = "", **headers: str) -> httpx.AsyncClient:
        """A browser on a page of the house; with a token it has a session."""
        origin = self.settings.public_origin or ORIGIN
        made = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.front, raise_app_exceptions=True),
            base_url=origin,
            headers={"X-Ventuno": "1", "Origin": origin, "Sec-Fetch-Site": "same-origin", **headers},
        )
        if token:
            made.cookies.set("__Host-ventuno" if self.settings.secure else "ventuno", token)
        return made

    async def token(self, player: PlayerId) -> str:
        """One more session of a player, without a login."""
        return (await self.session(player, "192.0.2.1")).token

    async def visitor(self, name: str, money: int = 0) -> tuple[PlayerId, httpx.AsyncClient]:
        player = await self.joined(name, money)
        return player, self.client(await self.token(player))


@asynccontextmanager
async def opened(
    folder: Path, settings: dict[str, Any] | None = None, allowances: RateLimits = PLENTY, **config: Any
) -> AsyncIterator[InProcessHouse]:
    """A house in this folder, certified for every game, with one live table."""
    clock, hasher = JumpingClock(NOON), QuickHasher()
    given = {"clock": clock, "hasher": hasher, **config}
    application = await open_application(folder, tables={LIVE: "ventuno"}, **given)
    terms = Settings(data=folder, **(settings or {}))

    async def opening() -> Application:
        return application

    app = shared(create_app(opening, terms, allowances, CALCULATOR))
    async with app.router.lifespan_context(app):
        app.state.solved.calculator._patience = SLOW_CALCULATOR
        house = InProcessHouse(application=application, app=app, clock=clock, settings=terms, hasher=hasher)
        async with open_joined_doors(app, terms) if DOORS else nullcontext() as house.doors:
            yield house
    await application.close()
