"""An open socket keeps little: no queue of asyncio, and nothing of the handshake that let it in (G-19)."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path
from types import CoroutineType
from typing import Any

import pytest

from tests.support.http_house import ServedHouse, opened, wait_until
from ventuno.web.operations import logs
from ventuno.web.sockets import endpoint
from ventuno.web.sockets.inbox import Inbox
from ventuno.web.sockets.open_socket import EXTENSION, find_serving, forget_handshake, leave_serving, run_socket
from ventuno.web.sockets.websocket_protocol import WebSocketProtocol

LIBRARIES = ("/starlette/", "/fastapi/", "/http/security.py", "/http/request_checks.py", "/http/errors.py")


def list_awaited(task: asyncio.Task[Any]) -> Iterator[str]:
    """The files of all that a task is in the middle of, the outermost first."""
    coroutine: Any = task.get_coro()
    while isinstance(coroutine, CoroutineType):
        yield coroutine.cr_code.co_filename
        coroutine = coroutine.cr_await


async def list_kept(doors: ServedHouse) -> list[str]:
    """What the task of somebody's socket is in while that is open and rests."""
    ada = await doors.enter(await doors.joined("Ada"))
    await ada.join()
    (kept,) = [
        files
        for files in map(list, map(list_awaited, asyncio.all_tasks()))
        if any(file.endswith("/sockets/channel.py") for file in files)
    ]
    return kept


async def test_g19_middlewares_are_through_when_a_socket_is_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        assert not [file for file in await list_kept(doors) if any(library in file for library in LIBRARIES)]


async def test_g19_a_socket_that_is_served_within_them_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check itself."""

    async def open_within(self: Any, scope: Any, receive: Any, send: Any) -> None:
        await call(self, scope, receive, send)
        if serving := find_serving(scope):
            await serving()

    call = endpoint.SocketEndpoint.__call__
    monkeypatch.setattr(endpoint.SocketEndpoint, "__call__", open_within)
    async with opened(tmp_path) as doors:
        assert [file for file in await list_kept(doors) if any(library in file for library in LIBRARIES)]


async def test_g19_a_line_has_no_dictionary_and_no_queue_of_asyncio(tmp_path: Path) -> None:
    """uvicorn's attributes lie in slots: one that is new there would bring the dictionary back."""
    async with opened(tmp_path) as doors:
        player = await doors.joined("Ada")
        await doors.enter(player)
        line = doors.find_protocol(doors.hub.connections[player][0])
        assert vars(line) == {}
        assert isinstance(line.queue, Inbox)
        held = [thing for thing in gc.get_referents(line) if isinstance(thing, (asyncio.Queue, asyncio.Event))]
        assert held == []


def test_g19_a_line_with_an_attribute_that_has_no_slot_is_found() -> None:
    """The check itself."""
    line = WebSocketProtocol.__new__(WebSocketProtocol)
    line.unknown = 1  # type: ignore[attr-defined]
    assert vars(line) == {"unknown": 1}


async def test_a_socket_is_one_line_in_the_log_when_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the name of the request that opened it, with its code and how long it was open."""
    lines: list[tuple[str, dict[str, Any], str]] = []

    class Log:
        def info(self, event: str, **said: Any) -> None:
            lines.append((event, said, logs.get_request_id()))

    async with opened(tmp_path) as doors:
        monkeypatch.setattr(logs, "log", Log())
        ada = await doors.enter(await doors.joined("Ada"))
        await ada.join()
        await asyncio.sleep(0.05)
        assert not [said for event, said, _ in lines if event == "socket"], "it is open"
        await ada.close()
        await wait_until(lambda: any(event == "socket" for event, _, _ in lines))
        ((_, said, id),) = [line for line in lines if line[0] == "socket"]
        assert (said["method"], said["path"], said["address"], said["status"]) == ("GET", "/socket", "127.0.0.1", 1000)
        assert said["ms"] >= 50
        assert len(id) == 16


async def test_what_serves_a_socket_begins_when_the_application_has_returned() -> None:
    order: list[str] = []
    scope: dict[str, Any] = {
        "type": "websocket",
        "state": {"id": "x"},
        "path": "/socket",
        "extensions": {EXTENSION: {}},
    }

    async def serve() -> None:
        order.append(f"serves with {sorted(scope)}")

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        leave_serving(scope, serve)
        order.append("returns")

    async def never() -> Any:
        raise AssertionError("nobody asks")

    await run_socket(app, scope, never, lambda _message: never())
    assert order == ["returns", "serves with ['state', 'type']"]


def test_a_scope_forgets_all_but_its_state() -> None:
    scope = {"type": "websocket", "state": {"id": "x"}, "headers": [(b"cookie", b"secret")], "client": ("::1", 1)}
    forget_handshake(scope)
    assert scope == {"type": "websocket", "state": {"id": "x"}}


async def test_an_inbox_gives_in_order_and_waits() -> None:
    inbox: Inbox[int] = Inbox()
    reading = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.put_nowait(1)
    inbox.put_nowait(2)
    assert (await reading, inbox.qsize(), await inbox.get(), inbox.empty()) == (1, 1, 2, True)


async def test_an_inbox_loses_nothing_with_a_reader_who_gives_up() -> None:
    """Cancelled while he waits, and cancelled when the item is already his to take."""
    inbox: Inbox[int] = Inbox()
    for is_late in (False, True):
        reading = asyncio.create_task(inbox.get())
        await asyncio.sleep(0)
        if is_late:
            inbox.put_nowait(7)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
    assert await asyncio.wait_for(inbox.get(), 5) == 7


async def test_an_inbox_has_one_reader() -> None:
    inbox: Inbox[int] = Inbox()
    first = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError):
        await inbox.get()
    inbox.put_nowait(1)
    assert await first == 1
