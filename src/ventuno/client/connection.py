"""One socket that comes back: tables are joined again with the version one has, what was not answered is asked again.

Frames are read one after the other. Nothing is sent faster than the house takes messages, pings are answered at once:
from them the house knows the lag that it credits on decisions (X-15).
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException

from ventuno.client.errors import CallRefused, ClientError, ConnectionEnded, LineLost, TableGone

Json = dict[str, Any]
MESSAGE_SECONDS = 1 / 20
"""For one message, in the long run; some more may go at once."""
SILENT_SECONDS = 45.0
"""A line on which nothing was heard for so long is lost: the house pings more often."""
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 30.0)
"""Before another try, longer each time that one fails; each is taken at random from its half to its whole."""
STABLE_SECONDS = 30.0
"""A line that stood for so long was a good one: the next failure begins to count anew."""
BUSY_SECONDS = 1.0
"""Before a table is asked for again that the house was too busy to show."""
FINAL_CODES = frozenset((4000, 4001, 4004, 4005, 4008))
"""After these coming back is no use: what we send is wrong, the session is over, or another took our place."""
TRY_AGAIN = frozenset((429, 500, 502, 503, 504))
BUSY = frozenset(("HouseBusy", "TableOpening"))
"""Refusals that mean: nothing was done, ask again with the same key."""


class WatchedTable(Protocol):
    """What a connection needs of a table that it shows."""

    name: str
    version: int

    def hear(self, message: Json) -> list[Json]: ...
    def end(self, fault: ClientError) -> None: ...


@dataclass(eq=False)
class Request:
    """A message that waits for its answer; one that is not repeatable is given up with the line it was sent on."""

    message: Json
    repeatable: bool
    sent: bool = False
    answer: asyncio.Future[Json] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Connection:
    """All that goes over the socket of one session; `open_socket` draws a ticket and connects."""

    def __init__(self, open_socket: Callable[[], Awaitable[ClientConnection]], notice: Callable[[Json], None]) -> None:
        self._open_socket, self._notice = open_socket, notice
        self._numbers = count(1)
        self._requests: dict[str, Request] = {}
        self._tables: dict[str, WatchedTable] = {}
        self._rejoining: dict[str, WatchedTable] = {}
        self._socket: ClientConnection | None = None
        self._sending = asyncio.Lock()
        self._next_send = 0.0
        self._fault: ClientError | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.lines = 0
        """Sockets that were opened: one more each time that the line was lost."""

    def start(self) -> None:
        self._spawn(self._run())

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._end(LineLost("this client was closed"))

    def watch(self, table: WatchedTable) -> None:
        """From now on this table hears its frames, and is joined again after a lost line."""
        self._tables[table.name] = table

    def forget(self, name: str) -> None:
        self._tables.pop(name, None)

    async def request(self, kind: str, table: str, *, repeatable: bool = True, **fields: Any) -> Json:
        """Send a message and wait for its answer, over as many lines as that takes."""
        if self._fault:
            raise self._fault
        id = f"{kind}{next(self._numbers)}"
        request = Request({"type": kind, "id": id, "table": table, **fields}, repeatable)
        self._requests[id] = request
        try:
            if self._socket:
                await self._deliver(self._socket, request)
            return await request.answer
        finally:
            del self._requests[id]

    async def _deliver(self, socket: ClientConnection, request: Request) -> None:
        request.sent = True
        with suppress(ConnectionClosed):  # the reader of this line knows it too, and takes care of what waits
            await self._send(socket, request.message)

    async def _send(self, socket: ClientConnection, message: Json) -> None:
        loop = asyncio.get_running_loop()
        async with self._sending:
            await asyncio.sleep(self._next_send - loop.time())
            self._next_send = max(self._next_send, loop.time() - 1) + MESSAGE_SECONDS
            await socket.send(json.dumps(message))

    async def _run(self) -> None:
        """Lines, one after the other, until one ends for good."""
        failures, loop = 0, asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await self._hold_line()
            except ConnectionClosed as closed:
                if closed.rcvd and closed.rcvd.code in FINAL_CODES:
                    return self._end(ConnectionEnded(closed.rcvd.code, closed.rcvd.reason))
            except CallRefused as refused:
                if refused.status not in TRY_AGAIN:
                    return self._end(refused)
            except (OSError, WebSocketException, LineLost):
                pass
            except ClientError as fault:
                return self._end(fault)
            except Exception as fault:  # a frame that this client cannot read: say so to whoever waits
                broken = ClientError(f"what the house sent was not understood: {fault!r}")
                broken.__cause__ = fault
                return self._end(broken)
            self._lose_line()
            failures = 1 if loop.time() - began > STABLE_SECONDS else failures + 1
            await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS)) - 1] * random.uniform(0.5, 1))

    async def _hold_line(self) -> None:
        """One socket, from its opening to its end."""
        async with await self._open_socket() as socket:
            self.lines += 1
            self._next_send = 0.0
            for table in list(self._tables.values()):
                if table.version >= 0:
                    await self._rejoin(socket, table)
            while waiting := [request for request in self._requests.values() if not request.sent]:
                for request in waiting:
                    await self._deliver(socket, request)
            self._socket = socket  # from here on whoever asks sends by himself, behind what was sent above
            while True:
                async with asyncio.timeout(SILENT_SECONDS):
                    text = await socket.recv()
                await self._hear(socket, json.loads(text))
                await asyncio.sleep(0)  # whoever waits for a change sees each, also where frames come together

    def _lose_line(self) -> None:
        self._socket = None
        self._rejoining.clear()
        for request in self._requests.values():
            if request.sent and not request.repeatable and not request.answer.done():
                request.answer.set_exception(LineLost("the line was lost before the answer came"))
            request.sent = False

    def _end(self, fault: ClientError) -> None:
        """For good: whoever waits hears why, and so does whoever asks from now on."""
        self._socket, self._fault = None, self._fault or fault
        for request in self._requests.values():
            if not request.answer.done():
                request.answer.set_exception(fault)
        for table in list(self._tables.values()):
            table.end(fault)

    async def _hear(self, socket: ClientConnection, message: Json) -> None:
        match message["type"]:
            case "ping":
                self._next_send += MESSAGE_SECONDS
                await socket.send(json.dumps({"type": "pong", "nonce": message["nonce"]}))
            case "answer" if table := self._rejoining.pop(message["id"], None):
                self._finish_rejoin(socket, table, message["refused"])
            case "answer":
                request = self._requests.get(message["id"])
                if request and not request.answer.done():
                    request.answer.set_result(message)
            case "fault":
                self._refuse_frame(message)
            case "notice":
                self._notice(message)
            case _ if table := self._tables.get(message.get("table", "")):
                await self._tell_table(socket, table, message)
            case _:
                pass

    async def _tell_table(self, socket: ClientConnection, table: WatchedTable, message: Json) -> None:
        for reply in table.hear(message):
            if reply["type"] != "join":
                await self._send(socket, {**reply, "id": f"c{next(self._numbers)}"})
            elif table not in self._rejoining.values():
                await self._rejoin(socket, table)

    async def _rejoin(self, socket: ClientConnection, table: WatchedTable) -> None:
        """Ask for what is missing since the version that the table has."""
        id = f"rejoin{next(self._numbers)}"
        self._rejoining[id] = table
        await self._send(socket, {"type": "join", "id": id, "table": table.name, "version": table.version})

    def _finish_rejoin(self, socket: ClientConnection, table: WatchedTable, refused: Json | None) -> None:
        if refused is None:
            return
        if refused["code"] in BUSY:
            self._spawn(self._rejoin_later(socket, table))
        else:
            self.forget(table.name)
            table.end(TableGone(table.name, refused["code"]))

    async def _rejoin_later(self, socket: ClientConnection, table: WatchedTable) -> None:
        await asyncio.sleep(BUSY_SECONDS)
        if socket is self._socket:
            with suppress(ConnectionClosed):
                await self._rejoin(socket, table)

    def _refuse_frame(self, message: Json) -> None:
        """A frame that was not taken. `HouseClosed` is not about the frame: the line ends now, and it is sent again."""
        request = self._requests.get(message["about"])
        if message["code"] != "HouseClosed" and request and not request.answer.done():
            request.answer.set_exception(ClientError(f"{message['code']}: {message['detail']} ({message['id']})"))

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
