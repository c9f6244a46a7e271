"""A proxy of our own between two parts of a house: late, silent, half open, refusing, half closed (T-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread

CHUNK = 1 << 16


@dataclass(eq=False)
class ProxiedLine:
    """One connection through the proxy: the socket of who came, and the one to the server."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter


@dataclass
class TcpProxy:
    """Passes bytes on from its own port to another.

    `delay` is added to every piece in each direction. While `flowing` is clear nothing passes and nobody is told: the
    sockets stay open, as behind a router that has forgotten them.
    """

    target: int
    delay: float = 0.0
    port: int = 0
    flowing: asyncio.Event = field(default_factory=asyncio.Event)
    lines: list[ProxiedLine] = field(default_factory=list)
    is_refusing: bool = False
    """Whether who comes is turned away at once."""
    passed: int = 0
    """Pieces that went through."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(self) -> None:
        self.flowing.set()
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.reset()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stall(self) -> None:
        self.flowing.clear()

    def resume(self) -> None:
        self.flowing.set()

    def forget(self) -> None:
        """Lines that stand still do so for good, as behind a router that was started anew; new ones are served."""
        self.flowing = asyncio.Event()
        self.flowing.set()

    def refuse(self) -> None:
        """Everybody is told that the line is gone, and nobody comes through until `accept`."""
        self.is_refusing = True
        self.reset()

    def accept(self) -> None:
        self.is_refusing = False

    def reset(self) -> None:
        """Both sides are told at once that the line is gone."""
        for line in self.lines:
            line.client.transport.abort()
            line.server.transport.abort()
        self.lines.clear()

    def lose_server_side(self) -> None:
        """Half-open: the server sees the house go, the house sees nothing and hears nothing."""
        self.stall()
        for line in self.lines:
            line.server.transport.abort()

    def half_close(self) -> None:
        """The house is told that nothing more will come, and may go on writing."""
        for line in self.lines:
            with suppress(OSError):
                line.client.write_eof()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_refusing:
            writer.transport.abort()
            return
        flowing = self.flowing
        try:
            upstream, server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:  # the server itself is gone
            writer.transport.abort()
            return
        self.lines.append(ProxiedLine(writer, server))
        for source, sink in ((reader, server), (upstream, writer)):
            task = asyncio.create_task(self._pump(source, sink, flowing))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, flowing: asyncio.Event) -> None:
        with suppress(OSError):
            while piece := await source.read(CHUNK):
                await asyncio.sleep(self.delay)
                await flowing.wait()
                sink.write(piece)
                await sink.drain()
                self.passed += 1
            await flowing.wait()
            sink.close()


@asynccontextmanager
async def proxied(target: int, delay: float = 0.0) -> AsyncIterator[TcpProxy]:
    proxy = TcpProxy(target, delay)
    await proxy.open()
    try:
        yield proxy
    finally:
        await proxy.close()


@dataclass(frozen=True)
class ThreadedProxy:
    """A proxy in a thread of its own."""

    proxy: TcpProxy
    loop: asyncio.AbstractEventLoop

    def close(self) -> None:
        """From here on nobody is there: whoever comes is refused by the machine itself."""
        asyncio.run_coroutine_threadsafe(self.proxy.close(), self.loop).result()


@contextmanager
def proxied_in_thread(target: int) -> Iterator[ThreadedProxy]:
    """For who has no loop of his own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    threaded = ThreadedProxy(TcpProxy(target), loop)
    asyncio.run_coroutine_threadsafe(threaded.proxy.open(), loop).result()
    try:
        yield threaded
    finally:
        threaded.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
