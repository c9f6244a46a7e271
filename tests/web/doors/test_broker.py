"""Doors and hosts with a broker of NATS between them: play goes on whatever that loses, and whoever owns the house."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from tests.support import doors_in_tests
from tests.support.broker_doors import Answering, BrokerParts, Courier, open_parts
from tests.support.doors_in_tests import open_door
from tests.support.free_port import free_port
from tests.support.http_house import SLOW_MACHINE, ServedHouse, Visitor, opened, wait_until
from tests.support.in_process_house import ORIGIN
from ventuno.web.doors import broker as bus
from ventuno.web.doors import broker_host
from ventuno.web.doors import door as door_module
from ventuno.web.doors.broker import DATA, OVER, Broker, Head, Subjects, Way, unpack
from ventuno.web.doors.broker_door import BrokerDoor, OwnerFinder
from ventuno.web.doors.bus import Link
from ventuno.web.doors.door import Door, DoorSocket
from ventuno.web.doors.packets import FromDoor, FromHost, Hello, Said
from ventuno.web.messages import server_messages
from ventuno.web.operations.settings import Settings

Heard = list[Any]


class Pair:
    """Both ends of a way, with everything that was published kept until it is carried."""

    def __init__(self, largest: int = 1 << 20) -> None:
        self.at_host, self.at_door = Heard(), Heard()
        self.to_host, self.to_door = list[bytes](), list[bytes]()
        self.lost = Counter[str]()
        self.door = Way(7, self.to_host.append, largest, lambda _: None)
        self.host = Way(7, self.to_door.append, largest, lambda _: None)
        self.door_link: Link[Any] = Link(FromHost, self.at_door.append, lambda: None, lambda: self.note("door"))
        self.host_link: Link[Any] = Link(FromDoor, self.at_host.append, lambda: None, lambda: self.note("host"))
        self.door.begin(self.door_link)
        self.host.begin(self.host_link)

    def note(self, side: str) -> None:
        self.lost[side] += 1

    def say(self, *numbers: int) -> None:
        """From the door, each in a message of its own."""
        for number in numbers:
            self.door_link.send(Hello(number))
            self.door_link.flush()

    def carry(self, order: Callable[[list[bytes]], list[bytes]] = list) -> None:
        """Everything that waits; `order` is what becomes of that for the host."""
        for waiting, way, change in ((self.to_host, self.host, order), (self.to_door, self.door, list)):
            messages = waiting[:]
            waiting.clear()
            for message in change(messages):
                parts = unpack(message)
                assert parts is not None
                way.take(*parts)

    @property
    def numbers(self) -> list[int]:
        return [packet.process for packet in self.at_host]


async def test_what_is_doubled_is_taken_once() -> None:
    pair = Pair()
    pair.say(1, 2, 3)
    pair.carry(lambda messages: [*messages, *messages])
    assert pair.numbers == [1, 2, 3]
    assert not pair.host.is_over


@pytest.mark.parametrize(
    ("order", "taken"),
    [
        (lambda messages: messages[1:], []),
        (lambda messages: [messages[0], messages[2]], [1]),
        (lambda messages: messages[::-1], []),
    ],
    ids=["the first is lost", "one is lost", "turned round"],
)
async def test_what_is_missing_ends_the_way_at_both_ends(order: Any, taken: list[int]) -> None:
    pair = Pair()
    pair.say(1, 2, 3)
    pair.carry(order)
    pair.carry()
    await asyncio.sleep(0)
    assert pair.numbers == taken
    assert pair.lost == {"host": 1, "door": 1}
    pair.say(4)
    assert not pair.to_host, "it says something over a way that is no more"


async def test_the_loss_of_the_last_message_is_found_by_the_next_beat() -> None:
    pair = Pair()
    pair.say(1)
    pair.carry(lambda _: [])
    assert not pair.host.is_over
    pair.door.beat()
    pair.carry()
    assert pair.host.is_over


async def test_a_beat_when_all_has_come_changes_nothing() -> None:
    pair = Pair()
    pair.say(1, 2)
    pair.door.beat()
    pair.carry()
    assert pair.numbers == [1, 2]
    assert not pair.host.is_over


async def test_what_is_too_large_for_a_message_comes_whole() -> None:
    pair = Pair(largest=1000)
    said = Said(1, "x" * 12_345, 0.0)
    pair.door_link.send(said)
    pair.door_link.flush()
    assert len(pair.to_host) > 12
    assert max(map(len, pair.to_host)) <= 1000
    pair.carry()
    assert pair.at_host == [said]


async def test_who_takes_nothing_is_given_up_and_who_does_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus, "MOST_IN_FLIGHT", 10_000)
    monkeypatch.setattr(bus, "TELL_TAKEN", 3000)
    pair = Pair()
    for number in range(100):
        pair.host_link.deliver(b"%04d" % number * 200, 1)
        pair.host_link.flush()
        pair.carry()
    assert len(pair.at_door) == 100
    assert not pair.host.is_over
    for number in range(100):
        pair.host_link.deliver(b"%04d" % number * 200, 1)
        pair.host_link.flush()
    assert pair.host.is_over
    assert len(pair.to_door) < 20
    assert pair.host_link.is_lost


async def test_words_of_an_earlier_way_or_of_nobody_are_not_taken() -> None:
    pair = Pair()
    pair.host.take(Head(DATA, 7, 1, 0, time.monotonic()), b"\x00\x00\x00\x05hello")
    await asyncio.sleep(0)
    assert pair.lost["host"] == 1
    (over,) = pair.to_door
    parts = unpack(over)
    assert parts is not None
    assert parts[0].kind == OVER
    assert unpack(b"short") is None


async def test_the_clock_of_another_machine_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the fastest message of the last while took is all that is wrong with it; clocks that drift are followed."""
    pair, now = Pair(), 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for place, journey in enumerate((0.3, 0.002, 0.1)):
        now = 1000.0 + place
        pair.host.take(Head(bus.BEAT, 7, 0, 0, now - journey - 500), b"")
    assert pair.host_link.clock_offset == pytest.approx(500.002)
    for place in range(4):
        now = 1100.0 + place * bus.WINDOW
        pair.host.take(Head(bus.BEAT, 7, 0, 0, now - 0.002 - 501), b"")
    assert pair.host_link.clock_offset == pytest.approx(501.002)


@asynccontextmanager
async def house(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[ServedHouse, BrokerParts]]:
    """A house behind two doors and a broker."""
    monkeypatch.setattr(doors_in_tests, "BUS", "nats")
    async with opened(folder, doors_before=2) as served:
        yield served, served.app.state.parts


async def check_repairs(served: ServedHouse, disturb: Callable[[], Awaitable[object]], asks: int = 30) -> None:
    """Two at two doors play on through a disturbance: every ask is answered and done once, both see the same."""
    both = await served.seated("Ada", 1), await served.seated("Bea", 2)
    assert served.find_door(both[0]) is not served.find_door(both[1])
    before = [read_money(one) for one in both]
    for number in range(asks):
        if number == asks // 3:
            await disturb()
        answers = await asyncio.gather(*(one.ask("bring", amount=100) for one in both))
        assert [answer["refused"] for answer in answers] == [None, None]
    for one, had in zip(both, before, strict=True):
        assert await reaches(partial(has_money, one, had + asks * 100)), "done twice, or not shown"
        assert not one.closed, "it lost its socket"
    assert await reaches(lambda: both[0].public() == both[1].public()), "they see different tables"


def has_money(visitor: Visitor, money: int) -> bool:
    return read_money(visitor) == money


def read_money(visitor: Visitor) -> int:
    money: int = visitor.mine()["balance"]
    return money


async def reaches(what: Callable[[], bool], seconds: float = 5.0) -> bool:
    with suppress(TimeoutError):
        await wait_until(what, seconds)
    return what()


async def test_play_at_two_doors_behind_a_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def count_doors() -> None:
        assert len(parts.host.doors.links) == 2

    async with house(tmp_path, monkeypatch) as (served, parts):
        await check_repairs(served, count_doors, asks=3)


async def test_play_goes_on_when_the_broker_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def restart() -> None:
        parts.server.stop()
        await asyncio.sleep(0.3)
        parts.server.start()

    async with house(tmp_path, monkeypatch) as (served, parts):
        began = time.monotonic()
        await check_repairs(served, restart, asks=6)
        assert time.monotonic() - began < 10


def lose_and_double(parts: BrokerParts) -> list[Courier]:
    """A broker that loses, doubles and turns round, both ways."""
    return [
        Courier(broker, seed, lost=0.03, doubled=0.1, swapped=0.03) for seed, broker in enumerate(parts.brokers, 21)
    ]


async def test_play_goes_on_whatever_the_broker_loses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def disturb() -> None:
        couriers.extend(lose_and_double(parts))

    couriers = list[Courier]()
    async with house(tmp_path, monkeypatch) as (served, parts):
        await check_repairs(served, disturb, asks=40)
    assert sum(courier.faults for courier in couriers) > 15


async def test_a_way_that_counts_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: what is missing is not noticed."""

    def take(way: Way, head: Head, body: bytes) -> None:
        way._heard = max(head.number - (head.kind == DATA), 0)
        taken(way, head, body)

    async def disturb() -> None:
        lose_and_double(parts)

    taken = Way.take
    async with house(tmp_path, monkeypatch) as (served, parts):
        with monkeypatch.context() as planted:
            planted.setattr(Way, "take", take)
            with pytest.raises((AssertionError, TimeoutError)):
                async with asyncio.timeout(6):
                    await check_repairs(served, disturb, asks=40)


async def test_sockets_stay_when_the_owner_dies_and_another_takes_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take_over() -> None:
        await parts.crash()
        await parts.own(2)

    async with house(tmp_path, monkeypatch) as (served, parts):
        await check_repairs(served, take_over, asks=6)


async def test_nothing_is_refused_while_the_house_is_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks in between waits for the next owner; over HTTP too."""

    async def hand_over() -> None:
        await parts.leave()
        async with httpx.AsyncClient() as client:
            asked = asyncio.create_task(client.get(f"{served.origin}/api/games", timeout=30))
            await asyncio.sleep(0.3)
            assert not asked.done()
            await parts.own(2)
            assert (await asked).status_code == 200

    async with house(tmp_path, monkeypatch) as (served, parts):
        await check_repairs(served, hand_over, asks=6)


@asynccontextmanager
async def calling(number: int = 1) -> AsyncIterator[tuple[BrokerParts, Answering, list[Door], httpx.AsyncClient]]:
    """Doors before such an application, and who calls at the first one."""
    async with AsyncExitStack() as stack:
        first = Answering("first")
        parts = await stack.enter_async_context(open_parts(first, Settings(), number))
        doors = [Door(Settings(), finder.connect) for finder in parts.finders]
        for door in doors:
            await stack.enter_async_context(open_door(door))
        transport = httpx.ASGITransport(doors[0])
        yield (
            parts,
            first,
            doors,
            await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url=ORIGIN)),
        )


async def test_bodies_larger_than_a_message_go_both_ways() -> None:
    body = bytes(range(256)) * 16_000
    async with calling() as (_, _, _, client):
        answer = await client.post("/api/anything", content=body)
    assert len(body) > 3 << 20
    assert answer.content == body[::-1]


async def test_nobody_speaks_to_an_owner_of_an_earlier_epoch() -> None:
    """He still runs, and still says that the house is his; who dies after him takes nobody back to him."""
    async with calling(2) as (parts, _, doors, client):
        zombie = parts.host
        assert (await client.get("/api/x")).headers["x-host"] == "first"
        await parts.own(2, Answering("second"))
        await wait_until(lambda: all(finder.owner and finder.owner.epoch == 2 for finder in parts.finders))
        for _ in range(5):
            zombie.announce()
            assert (await client.get("/api/x")).headers["x-host"] == "second"
        await wait_until(lambda: not zombie.doors.links, bus.SILENT_SECONDS * 4)
        assert all(door.is_linked for door in doors)
        zombie.end()
        await zombie._broker.__aexit__()


async def test_who_leaves_answers_what_he_was_asked_and_the_next_one_the_rest() -> None:
    async with calling() as (parts, first, _, client):
        early = asyncio.create_task(client.get("/api/slow"))
        await wait_until(lambda: not parts.host.doors.is_idle)
        leaving = asyncio.create_task(parts.leave())
        await asyncio.sleep(0.2)
        late = asyncio.create_task(client.get("/api/late"))
        await asyncio.sleep(0.2)
        assert not early.done()
        first.go_on.set()
        assert (await early).headers["x-host"] == "first"
        await leaving
        assert not late.done()
        await parts.own(2, Answering("second"))
        assert (await late).headers["x-host"] == "second"


async def test_a_call_finds_no_owner_within_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door_module, "HOST_SECONDS", 0.5)
    async with calling() as (parts, _, _, client):
        await parts.leave()
        answer = await client.get("/api/x")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["error"]["code"] == "HouseClosed"
        await parts.own(2)


async def test_a_door_of_another_version_is_not_let_in() -> None:
    async with calling() as (parts, _, _, _):
        before = len(parts.host.doors.links)
        parts.host._welcome("d9.abc", 9, bytes([bus.VERSION + 1]))
        assert len(parts.host.doors.links) == before
        parts.host._welcome("d9.abc", 9, bytes([bus.VERSION]))
        assert len(parts.host.doors.links) == before + 1


async def test_a_host_without_a_broker_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_host, "REACH_SECONDS", 0.5)
    terms = Settings(role="host", node="h1", broker=f"nats://127.0.0.1:{free_port()}")
    with pytest.raises(broker_host.BrokerUnreachable):
        async with broker_host.serve_doors_over_broker(Answering("none"), terms, 0, 1, b"k"):  # type: ignore[arg-type]
            pytest.fail("it serves")


async def test_a_host_knows_for_how_long_it_has_no_broker() -> None:
    async with calling() as (parts, _, _, _):
        assert parts.host.seconds_away == 0
        parts.server.stop()
        await wait_until(lambda: parts.host.seconds_away > 0.5)
        parts.server.start()
        await wait_until(lambda: parts.host.seconds_away == 0)


class Ear:
    """The line to a client, and the messages that it was sent."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def write(self, frame: bytes) -> None:
        self.heard.append(json.loads(frame[frame.index(b"{") :]))


def say_to_nobody(ear: Any) -> tuple[BrokerDoor, DoorSocket, list[Said]]:
    """A door without an owner: a socket has asked one thing before, and three since."""
    broker = Broker(Settings(), "d1")
    door = BrokerDoor(Settings(), OwnerFinder(broker, Subjects("ventuno"), "d1"), lambda: SLOW_MACHINE)
    door.sockets[7] = held = DoorSocket(ear)
    held.open()
    held.admission = b"sealed"
    texts = (
        '{"type":"ask","id":"%s","table":"T"}',
        '{"type":"ask","id":"%s","table":"T"}',
        '{"type":"pong","nonce":%s}',
    )
    said = [Said(7, text % number, 100.0 + number) for number, text in enumerate((*texts, texts[0]))]
    for one in said:
        held.keep(one)
        if one is said[0]:
            held.note_asked()
    return door, held, said


async def test_what_waits_too_long_for_an_owner_is_refused_as_busy() -> None:
    """Not what an owner was asked, who may have done it; nor what has no answer; nor what came just now."""
    ear = Ear()
    door, held, said = say_to_nobody(ear)
    door.give_up(102.5)
    (answer,) = ear.heard
    server_messages.server_message.validate_json(json.dumps(answer), strict=True)
    assert (answer["id"], answer["table"], answer["refused"]["code"]) == ("1", "T", "HouseBusy")
    assert list(held.unanswered) == [said[0], said[2], said[3]]


async def test_only_what_an_owner_was_asked_is_asked_again() -> None:
    """Chat has no key: what was never said to anybody is said to the next owner as if it came now."""
    door, held, _ = say_to_nobody(Ear())
    sent = list[Any]()
    link: Any = SimpleNamespace(is_lost=False, send=sent.append)
    door._begin(link)
    assert [packet.again for packet in sent if isinstance(packet, Said)] == [True, False, False, False]
    assert held.asked == 4


async def test_what_does_not_end_with_its_doors_is_ended() -> None:
    ended = asyncio.Event()

    async def never(_scope: Scope, _receive: Receive, _send: Send) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    async with calling() as (parts, first, _, client):
        first.run = never  # type: ignore[method-assign, assignment]
        asked = asyncio.create_task(client.get("/api/x"))
        await wait_until(lambda: not parts.host.doors.is_idle)
        await parts.leave()
        assert ended.is_set()
        assert not parts.host.doors.tasks
        assert (await asked).status_code == 503
        await parts.own(2)
