"""A host among several machines: it stands by, ready, and decides for the doors while its node owns the house (T-7).

What is slow is done before it is needed: the program is read, the application built, sessions are open. Who takes over
folds the books, pauses at the last record, and goes on with the time that was left (R-06). Who loses the house drops
it, acknowledges nothing more, and stands by again.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Protocol

from fastapi import FastAPI

from ventuno import __version__
from ventuno.house.application import Application
from ventuno.house.config import KEY, Config
from ventuno.house.pits.keeper import LeaseKeeper, Tenure
from ventuno.house.shoes.house_key import find_house_key
from ventuno.house.store import postgres, schema
from ventuno.house.store.durability import open_store
from ventuno.house.store.node_sessions import KeyDiffers, check_schema, list_keys, open_owned_store
from ventuno.house.store.signing_key import SigningKey, load_or_create
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.concession import LocalIssuer
from ventuno.web.app import create_app
from ventuno.web.doors.node_status import serve_status
from ventuno.web.doors.supervisor import DONE, FORCED
from ventuno.web.operations import logs
from ventuno.web.operations.metrics import Metrics
from ventuno.web.operations.opening import open_house
from ventuno.web.operations.reload import Reloads
from ventuno.web.operations.server import LOOK, end_after
from ventuno.web.operations.settings import Settings

ADMISSIONS = b"ventuno/admissions/1"
"""What hosts sign admissions with is derived from the house's key, so that each opens what another has sealed."""


UNHEARD = 2.0
"""Seconds without a broker after which an owner hands over: another may reach one."""


class RemoteDoors(Protocol):
    """All doors of an owner, wherever they are."""

    @property
    def seconds_away(self) -> float:
        """For how long no broker has been there."""


class ServeDoors(Protocol):
    """Decides for the doors of a house over its broker, as long as the context lasts."""

    def __call__(
        self, web: FastAPI, settings: Settings, *, unit: int, epoch: int, key: bytes
    ) -> AbstractAsyncContextManager[RemoteDoors]: ...


def derive_admission_key(key: SigningKey) -> bytes:
    return key.derive(ADMISSIONS)


def renew_issuer(config: Config) -> Config:
    """The built-in issuer counts the reports of one tenure: others have sent more by the time of the next (R-31)."""
    return replace(config, issuer=LocalIssuer()) if isinstance(config.issuer, LocalIssuer) else config


async def load_house_key(settings: Settings) -> SigningKey:
    """The key of this node; KeyDiffers where the books, or another node, were signed with another.

    Only where there are neither books nor nodes is one made: it is the house's from then on.
    """
    file = settings.data / KEY
    connection = await postgres.connect(settings.url)
    try:
        await check_schema(connection)
        known = await list_keys(connection)
    finally:
        await connection.close()
    store = await open_store(settings.url, unsafe=True, exclusive=False)
    try:
        if signed := await find_house_key(store):
            known = {signed: "the books"}
    finally:
        await store.close()
    if known and not file.exists():
        raise KeyDiffers(f"{file} is missing, and {next(iter(known.values()))} has a key: copy it from another node")
    key = load_or_create(file)
    if known and key.public not in known:
        raise KeyDiffers(f"{file} is not the key of {next(iter(known.values()))}: copy house.key from another node")
    return key


class Host:
    """One process of the role `host`."""

    def __init__(
        self,
        settings: Settings,
        config: Config,
        key: SigningKey,
        serve_doors: ServeDoors,
        calculator: Sequence[str] = (),
        reread: Callable[[], Settings] | None = None,
    ) -> None:
        self._settings, self._config, self._key, self._serve_doors = settings, config, key, serve_doors
        self._calculator, self._reread = calculator, reread or (lambda: settings)
        self.public_key = key.public
        self._opened: asyncio.Future[Application]
        self._prepare()

    def _prepare(self) -> None:
        """The application of the next tenure, without its house: building it takes longer than folding small books."""
        self._opened = asyncio.get_running_loop().create_future()
        self._web = create_app(lambda: self._opened, self._settings, calculator=self._calculator)

    @property
    def meters(self) -> Metrics:
        """The figures of this process, and of the house while it owns it."""
        meters: Metrics = self._web.state.meters
        return meters

    async def hold(self, tenure: Tenure) -> None:
        """Own the house until it is handed over or lost."""
        store = await open_owned_store(self._settings.url, tenure.writer, tenure.readers)
        application = await open_house(self._settings, renew_issuer(self._config), store)
        try:
            await self._decide(application, tenure)
        finally:
            if tenure.is_lost:
                tenure.writer.terminate()  # nothing more is written, and nothing is waited for
                tenure.readers.terminate()
            await application.close()
            self._prepare()

    async def _decide(self, application: Application, tenure: Tenure) -> None:
        web, settings = self._web, self._settings
        self._opened.set_result(application)
        reloads = Reloads(web.state, application, self._reread)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloads.start)
        key = derive_admission_key(self._key)
        try:
            async with (
                web.router.lifespan_context(web),
                self._serve_doors(web, settings, unit=tenure.unit, epoch=tenure.epoch, key=key) as doors,
            ):
                logs.log.info("owns the house", node=settings.node, epoch=tenure.epoch)
                await _wait_for_end(application, tenure, doors)
        finally:
            await reloads.stop()


async def _wait_for_end(application: Application, tenure: Tenure, doors: RemoteDoors) -> None:
    """Until it is told to hand over, or cannot hear its doors; StoreFailed where the house cannot go on here."""
    while not tenure.ending.is_set():
        if doors.seconds_away > UNHEARD:
            logs.log.warning("no broker answers: the house is handed over", epoch=tenure.epoch)
            tenure.is_left = True
            return
        if reason := application.find_failure():
            tenure.lose()
            raise StoreFailed(reason)
        with suppress(TimeoutError):
            await asyncio.wait_for(tenure.ending.wait(), LOOK)
    if tenure.is_lost:
        raise StoreFailed("another node has the house")


async def serve_node(
    settings: Settings,
    config: Config,
    serve_doors: ServeDoors,
    announce: Callable[[str], None],
    calculator: Sequence[str] = (),
    reread: Callable[[], Settings] | None = None,
) -> int:
    """Stand by and decide until it is told to stop. Gives the exit code; what keeps it from being a node is raised."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(logs.log_unhandled)
    settings.data.mkdir(parents=True, exist_ok=True)
    host = Host(settings, config, await load_house_key(settings), serve_doors, calculator, reread)
    version = f"{__version__}/{schema.REVISION}"
    keeper = LeaseKeeper(settings.url, settings.node, host.public_key, version, host.hold, unsafe=settings.unsafe)
    signals = 0

    def stop() -> None:
        nonlocal signals
        signals += 1
        if signals > 1:
            os._exit(FORCED)
        logs.log.info("closing", node=settings.node)
        end_after(settings.stop_seconds + 1)
        keeper.stop()

    for kind in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(kind, stop)
    async with serve_status(settings, keeper, version, lambda: host.meters.text()):
        announce(settings.node)
        await keeper.run()
    logs.log.info("closed", node=settings.node)
    return DONE
