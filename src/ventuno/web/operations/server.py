"""Runs the house: binds the port, opens the books, serves, and stops so that nothing is cut short.

A first signal stops: no new connection, every socket is told, tables pause, what was decided is written, the store
closes. A second one ends the process on the spot, which loses nothing either. When the store fails the process ends
by itself with code 1: whoever supervises it starts it again, and it recovers.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn

from ventuno.house.application import Application
from ventuno.house.config import Config
from ventuno.web.app import create_app
from ventuno.web.bots import Bots, Place
from ventuno.web.operations import logs
from ventuno.web.operations.opening import first_table, open_house
from ventuno.web.operations.reload import Reloads
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.websocket_protocol import UVICORN_OPTIONS

DONE, FAILED, FORCED = 0, 1, 130
LOOK = 0.1
"""Seconds between two looks whether the house still stands."""


class CannotListen(RuntimeError):
    """The address or the port is not to be had."""


class Server(uvicorn.Server):
    """uvicorn, with our own way to stop."""

    def __init__(self, config: uvicorn.Config, farewell: Callable[[], Awaitable[None]], patience: int) -> None:
        super().__init__(config)
        self._farewell, self._patience = farewell, patience

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Both signals are ours for as long as we serve; uvicorn would raise them again after a clean stop."""
        kinds = (signal.SIGINT, signal.SIGTERM)
        before = {kind: signal.signal(kind, self.handle_exit) for kind in kinds}
        try:
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del sig, frame
        if self.should_exit:
            os._exit(FORCED)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """No new connection; every socket is told; then the rest, by force where it takes too long."""
        logs.log.info("closing")
        end_after(self._patience + 1)
        for server in self.servers:
            server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._farewell(), self._patience / 2)
        await super().shutdown(sockets)


def end_after(seconds: float) -> None:
    """However a part hangs, the process ends; the store holds all that was acknowledged."""
    timer = threading.Timer(seconds, os._exit, [FAILED])
    timer.daemon = True
    timer.start()


def bind_port(settings: Settings) -> socket.socket:
    """The port, taken before anything opens: two houses on one address end here."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as fault:
        raise CannotListen(f"{settings.host}:{settings.port}: {fault.strerror or fault}") from None
    return bound


async def serve(
    settings: Settings,
    config: Config,
    announce: Callable[[str], None],
    calculator: Sequence[str] = (),
    reread: Callable[[], Settings] | None = None,
) -> int:
    """Open the house and serve it until it is told to stop, or cannot go on. Gives the exit code.

    What keeps it from opening is raised: CannotListen, HouseOpen, NotWhole, Unsafe, Unfurnished, OSError.
    """
    asyncio.get_running_loop().set_exception_handler(logs.log_unhandled)
    port = bind_port(settings)
    with suppress(AttributeError):  # a system without this signal
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        app = await open_house(settings, config)
    except BaseException:
        port.close()
        raise
    return await serve_open_house(settings, app, port, announce, calculator, reread)


async def serve_open_house(
    settings: Settings,
    application: Application,
    port: socket.socket,
    announce: Callable[[str], None],
    calculator: Sequence[str],
    reread: Callable[[], Settings] | None = None,
) -> int:
    async def open_nothing() -> Application:
        return application

    app = create_app(open_nothing, settings, calculator=calculator)

    number = port.getsockname()[1]
    near = f"{local_address(settings.host)}:{number}"
    bots = Bots(application.accounts.enter_bot, Place(near, *first_table(settings, application), settings))

    async def farewell() -> None:
        await bots.stop()
        await app.state.hub.close()
        await app.state.video.close()

    async def welcome() -> None:
        while not door.started:
            await asyncio.sleep(LOOK)
        public = settings.public_origin
        logs.log.info("open", address=f"http://{near}", public=public, bots=settings.bots)
        announce(f"{public}, behind http://{near}" if public else f"http://{near}")
        bots.start(settings.bots)

    door = Server(configure_server(app, settings), farewell, settings.stop_seconds)
    reloads = Reloads(app.state, application, reread or (lambda: settings))
    with suppress(AttributeError, NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloads.start)
    welcoming, watching = asyncio.create_task(welcome()), asyncio.create_task(_watch(door, application))
    try:
        await door.serve([port])
    except SystemExit:  # uvicorn's own way to say that the application did not start; the log says why
        return FAILED
    finally:
        door.should_exit = True
        welcoming.cancel()
        await reloads.stop()
        await asyncio.gather(welcoming, watching, return_exceptions=True)
        await application.close()
    logs.log.info("closed")
    return FAILED if watching.result() else DONE


def configure_server(app: Any, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        **UVICORN_OPTIONS,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=max(settings.stop_seconds // 2, 1),
    )


async def _watch(door: Server, app: Application) -> bool:
    """True once the house can decide nothing more; the door then closes."""
    while not door.should_exit:
        if reason := app.find_failure():
            logs.log.critical("the house cannot go on", reason=reason)
            door.should_exit = True
            return True
        await asyncio.sleep(LOOK)
    return False


def local_address(host: str) -> str:
    """The address at which this machine reaches itself: what listens everywhere listens on the loopback too."""
    address = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{address}]" if ":" in address else address
