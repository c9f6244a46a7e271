"""A house with two doors as an operator runs it: processes are killed and stopped, and players lose what they must.

A door that dies takes its sockets along and comes back; a host that dies leaves sockets open, and what was asked of it
is answered by the next one, once.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.door_processes import HouseWithDoors, entered, spread, wait_until
from tests.support.kill_runs import KillRun
from tests.support.patience import PATIENCE
from tests.support.server_process import is_running, running, wait_for_machine


@pytest.fixture
def house(tmp_path: Path) -> Any:
    with running(tmp_path, "--doors", "2", plant=wait_for_machine) as served:
        yield HouseWithDoors(served)


@pytest.mark.timeout(300)
async def test_r06_a_socket_outlives_its_host_and_what_it_asked_is_done_once(house: HouseWithDoors) -> None:
    async with entered(house.port) as socket:
        assert (await socket.command(do="bring", amount=50_000))["refused"] is None
        assert (await socket.command(do="sit", box=3))["refused"] is None
        host, key = house.host, secrets.token_urlsafe(12)
        os.kill(host, signal.SIGSTOP)  # what is asked now has not been answered when it dies
        asked = await socket.tell("ask", key=key, command={"do": "bring", "amount": 1_000})
        said = await socket.tell("say", text="Buonasera a tutti")
        os.kill(host, signal.SIGKILL)
        shown = await socket.hear(lambda message: message["type"] == "table")
        answer = await socket.hear(lambda message: message.get("id") == asked)
        assert answer["refused"] is None
        fault = await socket.hear(lambda message: message.get("about") == said)
        assert (fault["type"], fault["code"]) == ("fault", "HouseClosed"), "chat has no key: it may have been said"
        again = await socket.ask("ask", key=key, command={"do": "bring", "amount": 1_000})
        assert again["refused"] is None
        fresh = await socket.ask("join")
        assert fresh["refused"] is None
        table = [message for message in socket.heard if message["type"] == "table"][-1]
        assert table["mine"]["balance"] == 51_000, "the money came twice, or not at all"
        assert [seat["box"] for seat in shown["public"]["seats"]] == [3], "and so did his seat"
    assert house.host != host


@pytest.mark.timeout(300)
async def test_a_door_that_dies_takes_its_own_sockets_and_comes_back(house: HouseWithDoors) -> None:
    async with spread(house) as (first, second):
        dead = house.find_door_of(first)
        os.kill(dead, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            await first.hear(lambda _: False)
        assert (await second.command(do="bring", amount=10_000))["refused"] is None
    await wait_until(lambda: len(house.doors) == 2 and dead not in house.doors)
    async with spread(house):
        pass


@pytest.mark.timeout(300)
async def test_a_door_that_stands_still_holds_up_nobody_else(house: HouseWithDoors) -> None:
    async with spread(house) as (first, second):
        door = house.find_door_of(first)
        os.kill(door, signal.SIGSTOP)
        try:
            slowest = 0.0
            for _ in range(10):
                began = time.monotonic()
                assert (await second.command(do="bring", amount=100))["refused"] is None
                slowest = max(slowest, time.monotonic() - began)
            async with entered(house.port) as third:
                assert house.find_door_of(third) != door
            assert slowest < 5, "others waited for it"
        finally:
            os.kill(door, signal.SIGCONT)
        assert (await first.command(do="bring", amount=10_000))["refused"] is None


@pytest.mark.timeout(300)
async def test_figures_and_readiness_speak_of_all_processes(house: HouseWithDoors) -> None:
    async with spread(house):
        text = (await asyncio.to_thread(house.served.get, "/metrics")).text
        figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert figures["ventuno_doors_missing"] == "0.0"
        assert figures["ventuno_sockets"] == "2.0"
        assert [figures[f'ventuno_door_sockets{{door="{number}"}}'] for number in (1, 2)] == ["1.0", "1.0"]
        assert all(float(figures[f'ventuno_door_memory_bytes{{door="{number}"}}']) > 1e6 for number in (1, 2))
        door = house.doors[0]
        os.kill(door, signal.SIGSTOP)  # it is there, and started no other
        os.kill(door, signal.SIGKILL)
        reasons = set[str]()
        while len(house.doors) < 2 or door in house.doors:
            reasons |= set((await asyncio.to_thread(house.served.get, "/readyz")).json()["reasons"])
        assert reasons <= {"1 of 2 doors are not there"}
    await wait_until(lambda: house.served.get("/readyz").status_code == 200)


@pytest.mark.timeout(300)
async def test_calls_wait_for_a_host_that_starts_again(house: HouseWithDoors) -> None:
    os.kill(house.host, signal.SIGKILL)
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        answers = [await client.get(f"{house.served.url}/api/lobby") for _ in range(5)]
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert answers[-1].status_code == 200
        assert (await client.get(f"{house.served.url}/")).status_code == 200


@pytest.mark.timeout(300)
async def test_g23_all_end_together_on_a_signal_and_everybody_is_told(house: HouseWithDoors) -> None:
    processes = house.children
    async with entered(house.port) as socket:
        house.served.signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.hear(lambda _: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4006
    assert await asyncio.to_thread(house.served.ended) == 0
    assert not [process for process in processes if Path(f"/proc/{process}").exists()]


async def ask_to_live(port: int, writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> str:
    """A small call on a connection that stays open; the line of its answer."""
    writer.write(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(head.lower().partition("content-length: ")[2].split()[0]))
    return head.splitlines()[0]


@pytest.mark.timeout(300)
async def test_g23_a_call_under_way_is_answered_before_they_end(tmp_path: Path) -> None:
    """Half of it has come when the signal does; what comes after that is refused."""
    with running(tmp_path, "--doors", "2", plant=wait_for_machine, VENTUNO_STOP_SECONDS="60") as served:
        house, body = HouseWithDoors(served), b'{"name": "Nobody", "password": "a stable of mules"}'
        head = f"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: {served.url}\r\nX-Ventuno: 1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
        writer.write(head.encode() + body[:9])
        await wait_until(lambda: house.has_door(house.port, writer.get_extra_info("sockname")[1]))
        place = house.find_door(house.port, writer.get_extra_info("sockname")[1])
        others = []
        for _ in range(40):
            other = await asyncio.open_connection("127.0.0.1", house.port)
            others.append(other)
            for _ in range(2):  # by the second answer the host has all that came to this door before
                assert "200" in await ask_to_live(house.port, other[1], other[0])
            if house.find_door(house.port, other[1].get_extra_info("sockname")[1]) == place:
                break
        else:
            raise AssertionError("all connections are at one door")
        served.signal(signal.SIGTERM)
        while "503" not in await ask_to_live(house.port, other[1], other[0]):
            pass
        assert served.process.poll() is None
        writer.write(body[9:])
        assert b"401" in await reader.readline()
        assert await asyncio.to_thread(served.ended) == 0
        for one in (writer, *(pair[1] for pair in others)):
            one.close()


@pytest.mark.timeout(300)
async def test_none_of_them_outlives_a_supervisor_that_is_killed(house: HouseWithDoors) -> None:
    processes = house.children
    house.served.signal(signal.SIGKILL)
    await wait_until(lambda: not any(map(is_running, processes)))


@pytest.mark.timeout(900)
async def test_t3_host_writer_and_doors_are_killed_under_play_and_nothing_is_lost(tmp_path: Path) -> None:
    """`python3 dev.py soak doors` does it 200 times and measures the pause."""
    async with KillRun(tmp_path, 2, 3, seed=5, doors=2, plant=wait_for_machine) as siege:
        for part in ("host", "door", "writer"):
            await siege.kill_part(part)
        await siege.go_on()
        found = await siege.judge()
    assert found.faults == []
    assert found.parts == {"host": 1, "door": 1, "writer": 1}
    assert found.acknowledged > len(siege.players)
    assert len(found.pauses) == 2 * len(siege.players)
