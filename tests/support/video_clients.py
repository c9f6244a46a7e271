"""Cameras and viewers for the tests: sockets of video, chunks with a number in them, a house with a dealer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from tests.support.house import LIVE
from tests.support.http_house import ServedHouse, opened
from tests.support.patience import PATIENCE
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.sessions import Entered
from ventuno.web.video.chunks import SOUND, Chunk, read_chunk, write_chunk
from ventuno.web.video.video_hub import VideoHub

TRACKS: list[dict[str, Any]] = [
    {"track": 0, "codec": "vp8", "rate": 30, "bits": 2_500_000, "width": 1280, "height": 720},
    {"track": 1, "codec": "vp8", "rate": 30, "bits": 1_000_000, "width": 640, "height": 360},
    {"track": 16, "codec": "opus", "rate": 48_000, "bits": 32_000, "channels": 1},
]


class FakeDesks:
    """Who deals where, as a test says."""

    def __init__(self) -> None:
        self.dealers: set[tuple[PlayerId, str]] = set()

    def has_desk(self, player: PlayerId, table: str) -> bool:
        return (player, table) in self.dealers


def video_url(house: ServedHouse, table: str, ticket: str) -> str:
    return f"ws://127.0.0.1:{house.port}/video/{quote(table, safe='')}?ticket={ticket}"


@dataclass
class VideoClient:
    """One socket of video, and all that came over it."""

    line: ClientConnection
    told: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[tuple[Chunk, bytes]] = field(default_factory=list)
    arrived: list[float] = field(default_factory=list)
    closed: int = 0
    number: dict[int, int] = field(default_factory=dict)
    _reading: asyncio.Task[None] | None = None

    def listen(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for raw in self.line:
                if isinstance(raw, str):
                    self.told.append(json.loads(raw))
                else:
                    chunk = read_chunk(raw)
                    assert chunk is not None
                    self.chunks.append((chunk, raw))
                    self.arrived.append(time.monotonic())
        except ConnectionClosed:
            pass
        self.closed = self.line.close_code or 1006

    async def say(self, kind: str, **fields: Any) -> None:
        await self.line.send(json.dumps({"type": kind, **fields}))

    async def send(self, track: int, size: int = 1000, *, key: bool = False) -> None:
        """The next chunk of a track."""
        await self.line.send(self.make(track, size, key=key))

    def make(self, track: int, size: int = 1000, *, key: bool = False) -> bytes:
        number = self.number[track] = self.number.get(track, -1) + 1
        head = Chunk(track, key or track == SOUND, number, int(time.time() * 1e6))
        return write_chunk(head, bytes([number % 251]) * size)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.told if message["type"] == kind]

    def numbers(self, track: int) -> list[int]:
        return [chunk.number for chunk, _ in self.chunks if chunk.track == track]

    async def until(self, what: Callable[[], Any], seconds: float = PATIENCE) -> None:
        async with asyncio.timeout(seconds):
            while not what():
                await asyncio.sleep(0.005)

    async def ended(self, seconds: float = PATIENCE) -> int:
        await self.until(lambda: self.closed, seconds)
        return self.closed

    async def close(self) -> None:
        await self.line.close()
        if self._reading:
            await self._reading


@dataclass
class Studio:
    """A house with a dealer at its live table."""

    house: ServedHouse
    desks: FakeDesks
    clients: list[VideoClient] = field(default_factory=list)

    @property
    def video(self) -> VideoHub:
        hub: VideoHub = self.house.app.state.video
        return hub

    async def open(self, player: PlayerId, table: str = LIVE, session: Entered | None = None) -> VideoClient:
        held = session or await self.house.session(player)
        ticket = self.house.app.state.tickets.issue(held.session)
        line = await connect(
            video_url(self.house, table, ticket),
            origin=Origin(self.house.origin),
            additional_headers=self.house.headers(held.token),
            compression=None,
            ping_interval=None,
            max_size=1 << 20,
            max_queue=None,
        )
        client = VideoClient(line)
        client.listen()
        self.clients.append(client)
        await client.until(lambda: client.of("stream"))
        return client

    async def camera(self, name: str = "Dora", table: str = LIVE) -> VideoClient:
        """A dealer who has the desk, and sends."""
        player = await self.house.joined(name)
        self.desks.dealers.add((player, table))
        client = await self.open(player, table)
        await client.say("publish", tracks=TRACKS)
        await client.until(lambda: client.of("publishing"))
        return client

    async def viewer(self, name: str, track: int = 0, table: str = LIVE, *, sound: bool = True) -> VideoClient:
        client = await self.open(await self.house.joined(name), table)
        before = self.video.count_viewers()
        await client.say("watch", track=track, sound=sound)
        await client.until(lambda: self.video.count_viewers() > before)
        await asyncio.sleep(0.02)  # until a door knows it too
        return client


@asynccontextmanager
async def open_studio(folder: Path, **options: Any) -> AsyncIterator[Studio]:
    async with opened(folder, **options) as house:
        studio = Studio(house, FakeDesks())
        studio.video.desks = studio.desks
        try:
            yield studio
        finally:
            for client in studio.clients:
                await client.close()
