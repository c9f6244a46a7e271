"""T-8: frames that bring no message, and more of anything than one look can take; nobody else waits for them.

Pings, pongs and pieces never reach the bucket that counts messages; the line counts them. Whatever lies in a buffer is
parsed a little at a time, and no further than it is taken.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from websockets.server import ServerProtocol

from tests.support.crowded_house import PATIENT, check_undisturbed, open_crowded_house
from tests.support.event_loops import Run, on_each_loop
from tests.support.house import LIVE
from tests.support.http_house import ServedHouse, opened, wait_until
from tests.support.patience import PATIENCE
from tests.support.raw_client import BINARY, PING, TEXT, Raw, closed, framed
from ventuno.web.messages import server_messages
from ventuno.web.sockets import websocket_protocol as lines
from ventuno.web.sockets.websocket_protocol import BUFFER, CONTROL_FRAMES, QUEUED, SLICE, WebSocketProtocol

CONTINUED, PONG = 0, 10
READ = 256 << 10
"""Bytes that the loop reads at once."""
SMALLEST = 6
AT_ONCE = SLICE // SMALLEST + 2
"""Frames of one slice."""
MOST = 2 * CONTROL_FRAMES[1] + AT_ONCE
FLOODS = {
    "pings": framed(b"", PING),
    "pongs": framed(b"", PONG),
    "long pings": framed(b"p" * 125, PING),
    "messages of two pieces": framed(b"{", last=False) + framed(b"}", CONTINUED),
}
MESSAGES = {"messages": framed(b"{}"), "empty messages": framed(b""), "bytes": framed(b"", BINARY)}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each frame that a server has parsed."""
    found: list[int] = []
    before = ServerProtocol.recv_frame

    def counted(conn: Any, frame: Any) -> None:
        if conn.side.name == "SERVER":
            found.append(frame.opcode)
        before(conn, frame)

    monkeypatch.setattr(ServerProtocol, "recv_frame", counted)
    return found


async def entered(doors: ServedHouse) -> tuple[Raw, WebSocketProtocol]:
    raw = await Raw.enter(doors, await doors.session(await doors.joined()))
    await wait_until(lambda: doors.hub.sockets == 1)
    ((channel,),) = doors.hub.connections.values()
    return raw, doors.find_protocol(channel)


def blob(flood: bytes, size: int = READ) -> bytes:
    return flood * (size // len(flood))


@on_each_loop
@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_t8_frames_that_bring_no_message_are_counted(tmp_path: Path, run: Run, flood: bytes, parsed: list[int]) -> None:
    """Whoever sends too many is told so, and hardly any of them was looked at."""
    run(flooded(tmp_path, flood, parsed))


async def flooded(tmp_path: Path, flood: bytes, parsed: list[int]) -> None:
    async with opened(tmp_path, bounds=PATIENT) as doors:
        raw, _ = await entered(doors)
        parsed.clear()
        for _ in range(8):
            raw.send(blob(flood))
        await wait_until(lambda: doors.hub.sockets == 0 or len(parsed) > MOST)
        assert len(parsed) <= MOST
        assert closed(await raw.rest()) == 4002
        assert len(parsed) <= MOST
        await raw.drop()


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_t8_a_line_that_counts_none_of_them_is_found(
    tmp_path: Path, flood: bytes, parsed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check itself."""
    monkeypatch.setattr(WebSocketProtocol, "_count_control_frame", lambda _line: True)
    with pytest.raises(AssertionError):
        asyncio.run(flooded(tmp_path, flood, parsed))


@on_each_loop
@pytest.mark.parametrize("flood", MESSAGES.values(), ids=MESSAGES)
def test_t8_messages_are_parsed_no_further_than_they_are_taken(
    tmp_path: Path, run: Run, flood: bytes, parsed: list[int]
) -> None:
    run(piled(tmp_path, flood, parsed))


async def piled(tmp_path: Path, flood: bytes, parsed: list[int]) -> None:
    """Everything at once, as the loop hands it over when a flood lies in its buffer."""
    async with opened(tmp_path) as doors:
        raw, line = await entered(doors)
        parsed.clear()
        line.data_received(blob(flood))
        assert len(parsed) <= QUEUED + AT_ONCE, "in one go"
        assert line.queue.qsize() <= QUEUED + AT_ONCE
        await wait_until(lambda: doors.hub.sockets == 0)
        assert closed(await raw.rest()) in (4000, 4002)
        await raw.drop()


def test_t8_a_line_that_parses_all_in_one_go_is_found(
    tmp_path: Path, parsed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "SLICE", READ)
    with pytest.raises(AssertionError, match="in one go"):
        asyncio.run(piled(tmp_path, MESSAGES["messages"], parsed))


@on_each_loop
def test_t8_whatever_comes_after_the_end_is_not_parsed_for_long(tmp_path: Path, run: Run, parsed: list[int]) -> None:
    run(after_the_end(tmp_path, parsed))


async def after_the_end(tmp_path: Path, parsed: list[int]) -> None:
    """Who goes on as if nothing had been said is not listened to; his connection ends."""
    async with opened(tmp_path) as doors:
        raw, line = await entered(doors)
        parsed.clear()
        line.close_with(4006)
        for _ in range(8):
            raw.send(blob(framed(b"{}")))
        assert closed(await raw.rest()) == 4006
        assert len(parsed) <= CONTROL_FRAMES[1] + AT_ONCE
        await raw.drop()


@on_each_loop
def test_t8_a_flood_before_the_socket_is_open_ends_the_connection(tmp_path: Path, run: Run, parsed: list[int]) -> None:
    run(too_early(tmp_path, parsed))


async def too_early(tmp_path: Path, parsed: list[int]) -> None:
    async with opened(tmp_path) as doors:
        held = await doors.session(await doors.joined())
        raw, gate = await Raw.open(doors), asyncio.Event()
        before = doors.application.accounts.identify

        async def waits(token: str) -> Any:
            await gate.wait()
            return await before(token)

        doors.application.accounts.identify = waits  # type: ignore[method-assign]
        ticket = doors.app.state.tickets.issue(held.session)
        raw.send(
            f"GET /socket?ticket={ticket} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: {doors.origin}\r\nCookie: ventuno={held.token}\r\n\r\n".encode()
        )
        await asyncio.sleep(0.2)
        for _ in range(8):
            raw.send(blob(FLOODS["pongs"]))
        assert await raw.rest() == b""
        gate.set()
        assert len(parsed) <= CONTROL_FRAMES[1] + AT_ONCE
        await raw.drop()
        await wait_until(lambda: doors.app.state.rates._connections == {})


async def test_t8_who_answers_pings_and_asks_at_an_even_pace_is_not_hit(tmp_path: Path) -> None:
    """So many at once are allowed, and time makes up for them; messages have their own bucket."""
    async with opened(tmp_path, bounds=PATIENT) as doors:
        raw, line = await entered(doors)
        now = 1_000.0
        line.loop = Mock(wraps=line.loop, time=lambda: now)
        for _ in range(30):
            raw.send(framed(b"p", PING) * CONTROL_FRAMES[1])
            heard = 0
            while heard < CONTROL_FRAMES[1]:
                heard += (await raw.reader.read(1 << 16)).count(b"\x8a\x01p")
            now += CONTROL_FRAMES[1] / CONTROL_FRAMES[0] + 0.1
        raw.send(framed(b'{"type":"pong","nonce":"1"}') * 2_000)
        raw.send(framed(b'{"type":"part","id":"last","table":"T9"}'))
        await asyncio.wait_for(raw.reader.readuntil(b'"last"'), PATIENCE)
        assert not line.close_sent


@on_each_loop
def test_t8_nobody_notices_a_flood_of_pongs(tmp_path: Path, run: Run) -> None:
    run(unnoticed(tmp_path))


async def unnoticed(tmp_path: Path) -> None:
    """From another thread, as fast as the machine sends, over a few connections one after the other."""
    async with open_crowded_house(tmp_path) as doors, check_undisturbed(doors):
        for kind in FLOODS.values():
            held = await doors.session(await doors.joined())
            raw = await Raw.enter(doors, held)
            taken = raw.writer.get_extra_info("socket").dup()
            taken.setblocking(True)
            taken.settimeout(10)
            await asyncio.to_thread(pours, taken, blob(kind))
            await raw.drop()


def pours(taken: socket.socket, data: bytes) -> None:
    """Until it is cut off."""
    with taken, suppress(OSError):
        while True:
            taken.sendall(data)


@on_each_loop
def test_dos_what_waits_for_who_never_reads_is_bounded_with_all_that_the_system_holds(tmp_path: Path, run: Run) -> None:
    run(unread(tmp_path))


async def unread(tmp_path: Path) -> None:
    """From the first byte that he does not read to the end of his connection: what is on its way to him, in the
    system's buffers and in ours, is a few times the 64 KiB that may wait here, and never megabytes.
    """
    async with opened(tmp_path) as doors:
        raw, line = await entered(doors)
        raw.send(framed(msgspec.json.encode({"type": "join", "id": "m", "table": LIVE}), TEXT))
        await wait_until(lambda: LIVE in doors.hub.broadcasts)
        raw.writer.transport.pause_reading()  # type: ignore[attr-defined]
        payload, written = msgspec.json.encode(server_messages.ChatMessage(LIVE, "1", "Ada", "x" * 1_000, 1)), 0
        while not line.close_sent:
            doors.hub.broadcasts[LIVE].send_to_all(payload)
            written += len(payload)
            await asyncio.sleep(0)
            assert written < 8 * BUFFER, "he was never cut off"
        assert written > BUFFER


def test_dos_a_system_that_holds_megabytes_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself."""
    monkeypatch.setattr(lines, "SO_SNDBUF", socket.SO_KEEPALIVE)
    with pytest.raises(AssertionError, match="never cut off"):
        asyncio.run(unread(tmp_path))
