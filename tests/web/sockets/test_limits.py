"""Hostile and broken clients: each meets a limit, a typed fault or a close; no other notices (T-8, ASVS 2.4)."""

from __future__ import annotations

import asyncio
import inspect
import json
import struct
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.support.event_loops import Run, on_each_loop
from tests.support.house import LIVE, key
from tests.support.http_house import ServedHouse, Visitor, opened, read_handshake_refusal, wait_until
from tests.support.patience import PATIENCE
from ventuno.house.accounts.sessions import Entered
from ventuno.house.store.clock import JumpingClock
from ventuno.web.http.rate_limits import BucketSize, RateLimits, TokenBucket
from ventuno.web.messages import server_messages
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.endpoint import read_limits
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.tickets import LIFE
from ventuno.web.sockets.websocket_protocol import BUFFER, FRAGMENTS, LINGER, WebSocketProtocol

CALM = {"late_joins": 10**6, "late_asks": 10**6}


async def test_v44_who_is_not_let_in_is_refused_before_the_socket_opens(tmp_path: Path) -> None:
    """No, another or a null origin; no session; no ticket, one that was used, one of another session."""
    async with opened(tmp_path) as doors:
        ada, bea = await doors.session(await doors.joined("Ada")), await doors.session(await doors.joined("Bea"))
        home, cookie = doors.origin, doors.headers(ada.token)

        def ticket(held: Entered = ada) -> str:
            made: str = doors.app.state.tickets.issue(held.session)
            return made

        for origin in (None, "null", "https://evil.example", f"{home}.evil.example", "http://127.0.0.1:1"):
            assert (await read_handshake_refusal(doors, ticket(), cookie, origin))[0] == 403
        assert (await read_handshake_refusal(doors, ticket(), {}, home))[0] == 401
        assert (await read_handshake_refusal(doors, ticket(), doors.headers("f" * 64), home))[0] == 401
        for bad in ("", "x", "x" * 5_000, ticket(bea)):
            assert (await read_handshake_refusal(doors, bad, cookie, home))[0] in (403, 431, 414, 400)
        used = ticket()
        visitor = await connect(doors.url(used), origin=Origin(home), additional_headers=cookie)
        status, said = await read_handshake_refusal(doors, used, cookie, home)
        assert (status, said["code"]) == (403, "TicketUnfit")
        await visitor.close()
        assert doors.hub.sockets <= 1


async def test_v44_a_ticket_lives_for_half_a_minute(tmp_path: Path) -> None:
    clock = JumpingClock()
    async with opened(tmp_path, clock=clock) as doors:
        ada = await doors.session(await doors.joined("Ada"))
        ticket = doors.app.state.tickets.issue(ada.session)
        clock.move(LIFE)
        assert (await read_handshake_refusal(doors, ticket, doors.headers(ada.token), doors.origin))[0] == 403


async def test_g19_what_was_said_at_the_door_is_not_kept_while_a_socket_is_open(tmp_path: Path) -> None:
    """G-19: headers, the cookie among them, would stay for hours: in the scope, uvicorn's request, the parser's."""
    async with opened(tmp_path) as doors:
        player = await doors.joined("Ada")
        await doors.enter(player)
        line = doors.find_protocol(doors.hub.connections[player][0])
        parsed = inspect.getgeneratorlocals(line.conn.parser)["request"]
        assert parsed.path.startswith("/socket"), "this is where the parser keeps it"
        assert not [*parsed.headers.raw_items()]
        assert line.scope.keys() == {"type", "state"}
        assert not hasattr(line, "request")
        assert not hasattr(line, "response")


async def test_no_more_sockets_from_one_address_than_allowed(tmp_path: Path) -> None:
    plenty = BucketSize(10**9, 1e6)
    async with opened(tmp_path, allowances=RateLimits(plenty, plenty, plenty, connections=2)) as doors:
        player = await doors.joined("Ada")
        first, _ = await doors.enter(player), await doors.enter(player)
        held = await doors.session(player)
        ticket = doors.app.state.tickets.issue(held.session)
        status, said = await read_handshake_refusal(doors, ticket, doors.headers(held.token), doors.origin)
        assert (status, said["code"], said["numbers"]) == (429, "TooManySockets", {"most": 2})
        assert "connections from this address" in said["detail"]
        await first.close()
        await wait_until(lambda: doors.hub.sockets == 1)
        await doors.enter(player)


async def test_no_more_sockets_of_one_session_than_allowed(tmp_path: Path) -> None:
    """The oldest makes way, and is told why."""
    async with opened(tmp_path, bounds=SocketLimits(per_session=2, **CALM)) as doors:
        held = await doors.session(await doors.joined("Ada"))
        first, second = await doors.enter(held.player, held), await doors.enter(held.player, held)
        other = await doors.enter(held.player)
        third = await doors.enter(held.player, held)
        assert await first.ended() == 4008
        for visitor in (second, third, other):
            assert (await visitor.join())["refused"] is None


async def test_a_full_house_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, bounds=SocketLimits(sockets=1, **CALM)) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        held = await doors.session(await doors.joined("Bea"))
        ticket = doors.app.state.tickets.issue(held.session)
        line = await connect(
            doors.url(ticket),
            origin=Origin(doors.origin),
            additional_headers=doors.headers(held.token),
        )
        await line.wait_closed()
        assert (line.close_code, line.close_reason) == (4007, server_messages.CLOSE_REASONS[4007])
        assert (await ada.join())["refused"] is None


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (" " * 4_097, 4001),
        ("♠" * 1_400, 4001),
        ('{"type":"pong","nonce":"' + "9" * 4_080 + '"}', 4001),
        ("x" * 9_000, 1009),
    ],
)
async def test_a_frame_that_is_too_long_ends_the_socket(tmp_path: Path, frame: str, code: int) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        await ada.send(frame)
        assert await ada.ended() == code


async def test_a_frame_of_the_full_length_is_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        await ada.send(json.dumps({"type": "part", "id": "m", "table": LIVE}).ljust(4_096))
        await ada.until(lambda: ada.of("answer"))


MALFORMED: list[str | bytes] = [
    "",
    "null",
    "[]",
    "{}",
    "{",
    "\x00",
    "[" * 4_000,
    '{"type":"ask"}',
    '{"type":"dance","id":"m1"}',
    '{"type":"part","id":"m1","table":"T1","more":1}',
    '{"type":"part","id":"","table":"T1"}',
    '{"type":"part","id":"m1","table":"<script>"}',
    '{"type":"part","id":"m1","table":"\\ud800"}',
    '{"type":"join","id":"m1","table":"T1","version":-1}',
    '{"type":"join","id":"m1","table":"T1","version":1.0}',
    '{"type":"join","id":"m1","table":"T1","version":true}',
    '{"type":"join","id":"m1","table":"T1","version":1e400}',
    '{"type":"pong","nonce":NaN}',
    '{"type":"reveal","id":"m1","table":"T1","entropy":"00"}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"bring","amount":0}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"bring","amount":1.5}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"bring","amount":"5"}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"bring","amount":99999999999999999999}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"bring","amount":5,"vip":9}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"decide","box":1,"action":"peek"}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"decide","box":1,"action":"hit","lag":9}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"spin-wheel","box":1,"segment":"x50"}}',
    '{"type":"ask","id":"m1","table":"T1","key":"12345678","command":{"do":"void","by":"me","reason":"why not"}}',
    b'{"type":"part","id":"m1","table":"T1"}',
]


async def test_a_frame_that_is_no_message_is_a_fault_and_nothing_else(tmp_path: Path) -> None:
    """Unknown fields, numbers that are no integers, words that are none, a player's claims: typed, with an id."""
    async with opened(tmp_path, bounds=SocketLimits(faults=100, burst=1_000, **CALM)) as doors:
        ada = await doors.seated("Ada", 1)
        await ada.until(lambda: ada.public()["phase"] == "betting")
        before = doors.application.host.committed[LIVE].table
        for frame in MALFORMED:
            await ada.send(frame)
            assert (await ada.tell("part", "T9"))["refused"]["code"] == "NotJoined", "the socket goes on"
        assert len(ada.of("fault")) == len(MALFORMED)
        for frame, fault in zip(MALFORMED, ada.of("fault"), strict=True):
            assert fault["code"] == ("NotText" if isinstance(frame, bytes) else "Malformed"), frame
            assert fault["about"] == ("m1" if is_json(frame) and '"id":"m1"' in str(frame) else ""), frame
            assert len(fault["id"]) == 16
        assert len({fault["id"] for fault in ada.of("fault")}) == len(MALFORMED)
        after = doors.application.host.committed[LIVE].table
        assert (after.purses, after.slips, after.seats) == (before.purses, before.slips, before.seats)


def is_json(frame: str | bytes) -> bool:
    """Whether a strict reader can make anything of it."""
    try:
        msgspec.json.decode(frame)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(frame, str)


async def test_ten_faults_end_the_socket(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        for _ in range(10):
            await ada.send("{}")
        assert await ada.ended() == 4000
        assert len(ada.of("fault")) == 10


def test_a_bucket_gives_so_many_at_once_and_so_many_in_a_second() -> None:
    bucket = TokenBucket(20, 40, 0)
    assert [bucket.take(0) for _ in range(41)] == [True] * 40 + [False]
    assert not bucket.take(49)
    assert bucket.take(50)
    assert not bucket.take(50)
    assert sum(bucket.take(50 + moment) for moment in range(10_000)) == 199
    assert sum(bucket.take(10**9) for _ in range(100)) == 40


async def test_a_flood_of_messages_ends_the_socket_and_no_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada, bea = await doors.enter(await doors.joined("Ada")), await doors.enter(await doors.joined("Bea"))
        for _ in range(2_000):
            await ada.send('{"type":"pong","nonce":"1"}')
        assert await ada.ended() == 4002
        assert (await bea.join())["refused"] is None
        await wait_until(lambda: doors.hub.sockets == 1)


async def test_a_player_at_an_even_pace_is_never_too_fast(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        for _ in range(60):
            await ada.join()
            await asyncio.sleep(0.04)
        assert not ada.closed


async def raw(doors: ServedHouse, held: Entered) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A client that speaks bytes, and reads only when it likes."""
    ticket = doors.app.state.tickets.issue(held.session)
    reader, writer = await asyncio.open_connection("127.0.0.1", doors.port, limit=1 << 10)
    doors.strangers.append(writer)
    writer.write(
        (
            f"GET /socket?ticket={ticket} HTTP/1.1\r\nHost: 127.0.0.1:{doors.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: {doors.origin}\r\nCookie: ventuno={held.token}\r\n\r\n"
        ).encode()
    )
    assert b"101" in await reader.readline()
    return reader, writer


def masked(opcode: int, payload: bytes = b"", *, last: bool = True) -> bytes:
    """A client's frame; with a mask of zeros the payload is as it is."""
    size = struct.pack("!B", 0x80 | len(payload)) if len(payload) < 126 else struct.pack("!BH", 0xFE, len(payload))
    return bytes((opcode | (0x80 if last else 0),)) + size + bytes(4) + payload


def buffered(doors: ServedHouse) -> int:
    """Bytes that wait for the one socket of the player who does not read."""
    return max(
        (protocol.transport.get_write_buffer_size() for protocol in doors.list_protocols()),
        default=0,
    )


@on_each_loop
def test_who_does_not_read_is_cut_off_and_delays_nobody(tmp_path: Path, run: Run) -> None:
    """At most so many bytes wait for him; the others get every frame, in their time."""
    run(not_reading(tmp_path))


async def not_reading(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        held = await doors.session(await doors.joined("Slow"))
        reader, writer = await raw(doors, held)
        writer.write(masked(1, msgspec.json.encode({"type": "join", "id": "m", "table": LIVE})))
        ada = await doors.enter(await doors.joined("Ada"))
        await ada.join()
        await wait_until(lambda: len(doors.hub.broadcasts[LIVE].watchers) == 2)
        payload = msgspec.json.encode(server_messages.ChatMessage(LIVE, "1", "Ada", "x" * 10_000, 1))
        for number in range(4_000):
            doors.hub.broadcasts[LIVE].send_to_all(payload)
            assert buffered(doors) <= BUFFER + len(payload) + 200
            if number % 10 == 0:
                await ada.until(partial(has_heard, ada, number))
            if doors.hub.sockets == 1:
                break
        assert doors.hub.sockets == 1, "the slow one was not cut off"
        await ada.until(lambda: len(ada.of("said")) == number + 1)
        await asyncio.sleep(LINGER + 0.3)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1 << 30), PATIENCE)
        writer.close()


def test_a_line_that_never_cuts_off_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: what waits for who does not read is seen to grow."""
    monkeypatch.setattr(WebSocketProtocol, "_check_buffer", lambda _line: True)
    with pytest.raises(AssertionError):
        asyncio.run(not_reading(tmp_path))


def has_heard(visitor: Visitor, number: int) -> bool:
    return len(visitor.of("said")) > number


@on_each_loop
def test_who_begins_to_read_again_learns_why(tmp_path: Path, run: Run) -> None:
    run(reading_again(tmp_path))


async def reading_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        held = await doors.session(await doors.joined("Slow"))
        reader, writer = await raw(doors, held)
        writer.write(masked(1, msgspec.json.encode({"type": "join", "id": "m", "table": LIVE})))
        await wait_until(lambda: LIVE in doors.hub.broadcasts)
        payload = msgspec.json.encode(server_messages.ChatMessage(LIVE, "1", "Ada", "x" * 10_000, 1))
        while doors.hub.sockets:
            if LIVE in doors.hub.broadcasts:
                doors.hub.broadcasts[LIVE].send_to_all(payload)
            await asyncio.sleep(0)
        last = b""
        while chunk := await reader.read(1 << 16):
            last = (last + chunk)[-200:]
        reason = server_messages.CLOSE_REASONS[4003].encode()
        assert last.endswith(b"\x88" + bytes((len(reason) + 2,)) + (4003).to_bytes(2, "big") + reason)
        writer.close()


@on_each_loop
def test_a_message_in_endless_pieces_ends_the_socket(tmp_path: Path, run: Run) -> None:
    run(endless_pieces(tmp_path))


async def endless_pieces(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        reader, writer = await raw(doors, await doors.session(await doors.joined("Ada")))
        writer.write(masked(1, last=False) + masked(0, last=False) * (FRAGMENTS + 10))
        data = await asyncio.wait_for(reader.read(), PATIENCE) if not reader.at_eof() else b""
        assert (4001).to_bytes(2, "big") + server_messages.CLOSE_REASONS[4001].encode() in data


@on_each_loop
def test_pings_that_nobody_reads_the_answers_to_fill_no_memory(tmp_path: Path, run: Run) -> None:
    run(pinging(tmp_path))


async def pinging(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        reader, writer = await raw(doors, await doors.session(await doors.joined("Ada")))
        await wait_until(lambda: doors.hub.sockets == 1)
        flood = masked(9, b"p" * 125) * 100
        while doors.hub.sockets:
            writer.write(flood)
            await asyncio.sleep(0)
            assert buffered(doors) <= BUFFER + 300 * len(flood)
        del reader


async def test_g24_a_busy_house_refuses_and_loses_nothing(tmp_path: Path) -> None:
    """Nobody new is let to a table, no new bet is taken; decisions are, and what was refused can be asked again."""
    async with opened(tmp_path) as doors:
        ada = await doors.seated("Ada", 1)
        bea = await doors.enter(await doors.joined("Bea"))
        purses = doors.application.host.committed[LIVE].table.purses
        doors.hub.limits = SocketLimits(waiting=0, opening=0)
        busy = await bea.join()
        assert busy["refused"]["code"] == "HouseBusy"
        assert set(busy["refused"]["numbers"]) == {"waiting", "late"}
        opening = (await bea.ask("bring", amount=1_000))["refused"]
        assert opening == {"code": "TableOpening", "numbers": {"table": LIVE, "milliseconds": 1_000}}
        once = key()
        assert (await ada.ask("bring", amount=1_000, again=once))["refused"]["code"] == "HouseBusy"
        assert (await ada.ask("decide", box=1, action="stand"))["refused"]["code"] != "HouseBusy"
        assert doors.application.host.committed[LIVE].table.purses == purses
        doors.hub.limits = SocketLimits(**CALM)
        assert (await ada.ask("bring", amount=1_000, again=once))["refused"] is None
        assert (await bea.join())["refused"] is None
        assert (await bea.ask("bring", "T9", amount=1_000))["refused"]["code"] == "NotJoined"


async def test_v88_who_comes_first_to_a_house_that_has_just_opened_waits_until_it_has_caught_up(
    tmp_path: Path,
) -> None:
    """Under load the first joins are late: they wait, and what was asked behind them finds the table."""
    async with opened(tmp_path, bounds=SocketLimits(late_joins=-1, late_asks=10**6, opening=60_000)) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        joining = asyncio.create_task(ada.join())
        bringing = asyncio.create_task(ada.ask("bring", amount=1_000))
        await wait_until(lambda: doors.hub.backlog.waiting == 1)
        await asyncio.sleep(0.3)
        assert not joining.done()
        assert not bringing.done()
        doors.hub.limits = SocketLimits(**CALM)
        assert (await joining)["refused"] is None
        assert (await bringing)["refused"] is None


async def test_v88_a_table_that_is_being_opened_is_shown_when_it_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, bounds=SocketLimits(**CALM)) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        store, held = doors.application.host.commits.store, list[tuple[Any, ...]]()
        with monkeypatch.context() as disk:
            disk.setattr(store, "submit", lambda *entry: held.append(entry))
            opening = asyncio.create_task(doors.application.tables.open("T9", "ventuno"))
            await wait_until(lambda: bool(doors.application.tables.get_decided("T9")))
            joining = asyncio.create_task(ada.join("T9"))
            await wait_until(lambda: len(held) > 1)
            assert not joining.done()
        for entry in held:
            store.submit(*entry)
        assert (await joining)["refused"] is None
        await opening


async def test_a_house_that_is_behind_lets_nobody_new_to_a_table(tmp_path: Path) -> None:
    async with opened(tmp_path, bounds=SocketLimits(late_joins=-1, late_asks=10**6, opening=0)) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        assert (await ada.join())["refused"]["code"] == "HouseBusy"


async def test_one_socket_shows_so_many_tables(tmp_path: Path) -> None:
    async with opened(
        tmp_path, tables={f"T{n}": "ventuno" for n in range(1, 4)}, bounds=SocketLimits(tables=2, **CALM)
    ) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        answers = [(await ada.join(f"T{n}"))["refused"] for n in range(1, 4)]
        assert [one and one["code"] for one in answers] == [None, None, "TooManyTables"]
        assert (await ada.join("T1"))["refused"] is None, "one that it shows already is no other"


async def test_what_nobody_foresaw_is_a_fault_with_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ASVS 16: no trace of what it was; the log knows it by the id; the socket goes on."""
    async with opened(tmp_path) as doors:
        ada = await doors.seated("Ada", 1)

        async def breaks(*_: object) -> None:
            raise ZeroDivisionError("secret words")

        with monkeypatch.context() as patched:
            patched.setattr(doors.application.tables, "ask", breaks)
            await ada.send({"type": "ask", "id": "m", "table": LIVE, "key": key(), "command": {"do": "undo"}})
            await ada.until(lambda: ada.of("fault"))
        (fault,) = ada.of("fault")
        assert (fault["code"], fault["about"], len(fault["id"])) == ("Broken", "m", 16)
        assert "secret" not in str(ada.frames)
        await ada.must("bring", amount=1_000)
        await wait_until(lambda: doors.hub.backlog.waiting == 0)


async def test_every_close_has_a_reason_in_the_vocabulary(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.enter(await doors.joined("Ada"))
        await doors.hub.close()
        assert await ada.ended() == 4006
        assert ada.line.close_reason == server_messages.CLOSE_REASONS[4006]
        assert [one["kind"] for one in ada.of("notice")] == ["closing"]


def test_the_limits_of_the_settings_are_those_of_the_sockets() -> None:
    made = read_limits(Settings(sockets=7, asks_waiting=8, lag_credit=9))
    assert (made.sockets, made.waiting, made.credit) == (7, 8, 9)
    assert read_limits(Settings()) == SocketLimits()


async def test_what_is_counted(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.seated("Ada", 1)
        hub = doors.hub
        assert (hub.sockets, hub.backlog.waiting, hub.faults) == (1, 0, 0)
        assert hub.requests >= 3
        assert hub.deliveries >= len(ada.frames)
