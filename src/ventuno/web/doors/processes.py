"""What a process of a house with doors does: the host decides behind its bus, a door serves players (R-06, G-23)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext, suppress

import uvicorn

from ventuno.house.application import Application
from ventuno.house.config import Config
from ventuno.web import bots as house_bots
from ventuno.web.app import create_app
from ventuno.web.doors.bus import Link
from ventuno.web.doors.door import Door
from ventuno.web.doors.host import Doors
from ventuno.web.doors.packets import FromHost
from ventuno.web.doors.supervisor import DONE, FAILED, Place
from ventuno.web.operations import logs
from ventuno.web.operations.opening import first_table, open_house
from ventuno.web.operations.reload import Reloads
from ventuno.web.operations.server import LOOK, configure_server, end_after, local_address
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets import endpoint


def end_with(lifeline: int) -> None:
    """End this process when its supervisor has ended: what is acknowledged is durable."""
    asyncio.get_running_loop().add_reader(lifeline, os._exit, FAILED)


async def serve_host(
    settings: Settings,
    config: Config,
    place: Place,
    announce: Callable[[str], None],
    calculator: Sequence[str] = (),
    reread: Callable[[], Settings] | None = None,
) -> int:
    """Open the house, decide for the doors until it is told to stop, or cannot go on. Gives the exit code."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(logs.log_unhandled)
    end_with(place.lifeline)
    stopping = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopping.set)
    application = await open_house(settings, config)

    async def open_nothing() -> Application:
        return application

    web = create_app(open_nothing, settings, calculator=calculator)

    near = f"{local_address(settings.host)}:{place.port.getsockname()[1]}"
    bots = house_bots.Bots(
        application.accounts.enter_bot, house_bots.Place(near, *first_table(settings, application), settings)
    )
    reloads = Reloads(web.state, application, reread or (lambda: settings))
    loop.add_signal_handler(signal.SIGHUP, reloads.start)
    doors = web.state.doors = Doors(web, place.key, settings.doors)
    web.state.meters.attach_doors(doors)
    async with web.router.lifespan_context(web):
        bus = await loop.create_unix_server(doors.connect, sock=place.bus)
        opening = asyncio.create_task(_tell_open(settings, place, doors, near, announce, bots))
        if await _wait_for_end(stopping, application):
            os._exit(FAILED)  # nobody is told anything: sockets stay at their doors, and the next host goes on
        logs.log.info("closing")
        end_after(settings.stop_seconds + 1)
        opening.cancel()
        await bots.stop()
        doors.is_closing = True
        await web.state.hub.close()
        await web.state.video.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(_wait_until(lambda: doors.is_empty), settings.stop_seconds / 2)
        bus.close()
    await reloads.stop()
    await application.close()
    logs.log.info("closed")
    return DONE


async def _tell_open(
    settings: Settings, place: Place, doors: Doors, near: str, announce: Callable[[str], None], bots: house_bots.Bots
) -> None:
    """The house is open when all of its doors are there."""
    await _wait_until(lambda: len(doors.links) >= settings.doors)
    public = settings.public_origin
    logs.log.info("open", address=f"http://{near}", public=public, bots=settings.bots, doors=settings.doors)
    if not place.number:
        announce(f"{public}, behind http://{near}" if public else f"http://{near}")
    os.write(place.opened, b".")
    bots.start(settings.bots)


async def _wait_for_end(stopping: asyncio.Event, application: Application) -> bool:
    """True where the house can decide nothing more."""
    while not stopping.is_set():
        if reason := application.find_failure():
            logs.log.critical("the house cannot go on", reason=reason)
            return True
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), LOOK)
    return False


async def _wait_until(what: Callable[[], bool]) -> None:
    while not what():
        await asyncio.sleep(LOOK / 5)


async def serve_door(settings: Settings, place: Place) -> int:
    """Serve players until the supervisor has ended."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(logs.log_unhandled)
    end_with(place.lifeline)

    def connect(make: Callable[[], Link[FromHost]]) -> Awaitable[object]:
        return loop.create_unix_connection(make, place.path)

    limits = endpoint.read_limits(settings)
    server = uvicorn.Server(configure_server(Door(settings, connect, lambda: limits), settings))
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]  # they are the supervisor's
    await server.serve([place.port])
    return DONE
