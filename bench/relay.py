"""What a frame of video costs for each viewer at a door, beside a relay that only writes bytes; and what viewers keep.

    python3 dev.py bench relay [--viewers N] [--seconds S] [--repeats N] [--quick]

A camera sends 30 frames a second at 1 Mbit/s, viewers read. The relay is a process of its own with the house's sockets
(`WebSocketProtocol`, `ChunkLimiter`, `Relay`) and nothing behind them; the bare one is a server that writes what it is
sent to every connection. Both are measured in turn, in one run; of each the cheapest round counts. CPU is that of the
relay's process, system calls included. Then nobody reads: what waits for viewers is bounded, and its memory is
measured. Exits 1 where a goal is missed, except `--quick`.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import uvicorn
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ventuno.web.doors.door import measure_process, read_steady
from ventuno.web.sockets.open_socket import find_line
from ventuno.web.sockets.websocket_protocol import UVICORN_OPTIONS
from ventuno.web.video.chunks import LARGEST, Chunk, ChunkLimiter, write_chunk
from ventuno.web.video.relay import Relay, prepare_viewer

RATE, BITS = 30, 1_000_000
GOAL, GOAL_MEMORY, VIEWERS = 15.0, 512.0, 200
"""Microseconds of CPU a frame and viewer, KiB a viewer, viewers."""
SYSTEM_BUFFER = 128.0
"""KiB that the system keeps for a socket at most: it takes the double of what it is asked for."""
ENOUGH = 0.98
"""Part of the frames that viewers must have for a round to count."""
HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Figures(NamedTuple):
    relay: float
    """Microseconds a frame and viewer."""
    bare: float
    memory: float
    """KiB a viewer who reads nothing, the system's included."""
    viewers: int
    received: float
    """Part of the frames that came."""


class BareRelay(asyncio.Protocol):
    """Whatever the first connection says is written to all others."""

    connections: ClassVar[list[asyncio.Transport]] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.is_camera = not self.connections
        self.connections.append(transport)

    def data_received(self, data: bytes) -> None:
        if self.is_camera:
            for transport in self.connections[1:]:
                transport.write(data)


async def serve_relay(port: socket.socket) -> None:
    """The way of a chunk at a door, without what lets sockets in."""
    relay = Relay()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            return
        line = find_line(scope)
        await receive()
        await send({"type": "websocket.accept"})
        if scope["path"] == "/camera":
            limiter = ChunkLimiter((0,), read_steady())

            def take(data: bytes) -> None:
                if code := limiter.check(data, read_steady()):
                    line.close_with(code)
                else:
                    relay.relay("T", data)

            line.allow_binary(take, LARGEST)
        else:
            prepare_viewer(line)
            relay.watch(line, "T", 0, has_sound=True)
        while (await receive())["type"] != "websocket.disconnect":
            pass
        relay.leave(line)

    config = uvicorn.Config(app, log_config=None, lifespan="off", **UVICORN_OPTIONS)
    await uvicorn.Server(config).serve([port])


async def serve_bare(port: socket.socket) -> None:
    server = await asyncio.get_running_loop().create_server(BareRelay, sock=port)
    await server.serve_forever()


def run_relay(kind: str, port: socket.socket, pipe: Connection) -> None:
    """The process that is measured: tells its CPU and memory when it is asked."""

    async def run() -> None:
        loop = asyncio.get_running_loop()

        def answer() -> None:
            pipe.recv()
            pipe.send((time.process_time(), measure_process()[1]))

        loop.add_reader(pipe.fileno(), answer)
        await (serve_bare(port) if kind == "bare" else serve_relay(port))

    uvloop.run(run())


class Viewer(asyncio.Protocol):
    """Reads and counts."""

    def __init__(self) -> None:
        self.bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)


def mask(payload: bytes) -> bytes:
    """A binary frame as a client sends it; the mask is zero, which changes nothing."""
    size = len(payload)
    head = bytes((0x82, 0x80 | size)) if size < 126 else b"\x82\xfe" + size.to_bytes(2, "big")
    return head + bytes(4) + payload


class Crowd:
    """Camera and viewers of one relay, in this process."""

    def __init__(self, kind: str, port: int) -> None:
        self._kind, self._port = kind, port
        self.viewers: list[Viewer] = []
        self._number = 0

    async def open(self, number: int) -> None:
        for place in range(number + 1):
            viewer = Viewer()
            await asyncio.get_running_loop().create_connection(lambda v=viewer: v, "127.0.0.1", self._port)  # type: ignore[misc]
            if self._kind != "bare":
                path = "/viewer" if place else "/camera"
                viewer.transport.write(HANDSHAKE.format(path=path).encode())
                while not viewer.bytes:
                    await asyncio.sleep(0.001)
            viewer.bytes = 0
            self.viewers.append(viewer)
        await asyncio.sleep(0.3)

    def send(self, size: int) -> int:
        """One frame from the camera; its bytes as a viewer gets them."""
        chunk = write_chunk(Chunk(0, self._number % RATE == 0, self._number, 0), bytes(size - 16))
        self._number += 1
        framed = chunk if self._kind == "bare" else mask(chunk)
        self.viewers[0].transport.write(framed)
        return len(chunk) if self._kind == "bare" else len(chunk) + 4

    async def film(self, seconds: float, size: int) -> float:
        """At a steady rate; the part of it that came to the viewers."""
        began, frames, sent = time.monotonic(), int(seconds * RATE), 0
        before = sum(viewer.bytes for viewer in self.viewers[1:])
        for place in range(frames):
            await asyncio.sleep(max(began + place / RATE - time.monotonic(), 0))
            sent += self.send(size)
        await asyncio.sleep(0.5)
        return (sum(viewer.bytes for viewer in self.viewers[1:]) - before) / (sent * (len(self.viewers) - 1))


def ask(pipe: Connection) -> tuple[float, int]:
    pipe.send(None)
    answer: tuple[float, int] = pipe.recv()
    return answer


async def measure(kind: str, viewers: int, seconds: float, size: int, *, stalls: bool = False) -> tuple[float, float]:
    """Microseconds a frame and viewer with the part that came; or, where nobody reads, KiB a viewer."""
    port = socket.create_server(("127.0.0.1", 0))
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=run_relay, args=(kind, port, theirs), daemon=True)
    process.start()
    crowd = Crowd(kind, port.getsockname()[1])
    port.close()
    try:
        await crowd.open(viewers)
        await crowd.film(1.0, size)
        if stalls:
            for viewer in crowd.viewers[1:]:
                viewer.transport.pause_reading()
        cpu, memory = ask(ours)
        came = await crowd.film(seconds, size)
        cpu_after, memory_after = ask(ours)
    finally:
        process.kill()
        process.join()
        for viewer in crowd.viewers:
            viewer.transport.abort()
    if stalls:
        return (memory_after - memory) / 1024 / viewers, came
    return (cpu_after - cpu) * 1e6 / (int(seconds * RATE) * viewers), came


def judge(figures: Figures) -> list[str]:
    """The goals that are missed, in words."""
    missed = []
    if figures.relay > GOAL:
        missed.append(f"{figures.relay:.1f} us a frame and viewer, {GOAL:.0f} asked")
    if figures.memory > GOAL_MEMORY:
        missed.append(f"{figures.memory:.0f} KiB a viewer, {GOAL_MEMORY:.0f} asked")
    if figures.viewers < VIEWERS or figures.received < ENOUGH:
        missed.append(f"{figures.viewers} viewers had {figures.received:.1%} of the frames, {VIEWERS} asked")
    return missed


async def run(viewers: int, seconds: float, repeats: int) -> Figures:
    size, best, came = BITS // 8 // RATE, {"relay": float("inf"), "bare": float("inf")}, 1.0
    for _ in range(repeats):
        for kind in best:
            cost, part = await measure(kind, viewers, seconds, size)
            print(f"{kind:6} {cost:6.1f} us a frame and viewer, {part:.1%} came", flush=True)
            best[kind] = min(best[kind], cost)
            came = min(came, part) if kind == "relay" else came
    memory, _ = await measure("relay", viewers, max(seconds, 6.0), size * 4, stalls=True)
    return Figures(best["relay"], best["bare"], memory + SYSTEM_BUFFER, viewers, came)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="relay of video beside a bare one")
    parser.add_argument("--viewers", type=int, default=VIEWERS)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    if given.quick:
        given.viewers, given.seconds, given.repeats = 20, 1.0, 1
    figures = uvloop.run(run(given.viewers, given.seconds, given.repeats))
    print(f"{figures.viewers} viewers at {BITS / 1e6:.0f} Mbit/s, {RATE} frames a second, on {os.cpu_count()} cores:")
    print(f"  relay {figures.relay:.1f} us, bare {figures.bare:.1f} us, {figures.relay / figures.bare:.2f} times")
    print(f"  memory of a viewer who reads nothing {figures.memory:.0f} KiB, {SYSTEM_BUFFER:.0f} of them the system's")
    missed = judge(figures)
    for goal in missed:
        print(f"  MISSED: {goal}")
    return 1 if missed and not given.quick else 0


if __name__ == "__main__":
    sys.exit(main())
