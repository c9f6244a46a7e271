"""What an action costs the host: from the packet of a door to those with frames for ten watchers, sockets left out.

    python3 dev.py bench host_actions [--tables N] [--rounds N] [--turns N] [--profile [LINES]] [--quick]

A whole host on SQLite with the writer apart, in this process: live tables of seven seated players and three watchers,
whose sockets two doors hold. The doors are the load: bytes of the bus go in, and what comes out is counted. Rounds are
played as `bench load` plays them: chips first, which one player sees, then deals and decisions, which all see; two of
three actions are seen by everybody. A few messages are on their way at once.

CPU is that of this process: the writer's is printed apart, what the load itself takes is measured and left out. The
split comes from samples of the stack by CPU time, each counted for the part that its innermost known file belongs to.
The best of several turns counts. Exits 1 where an action costs more than the goal, except `--quick`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from typing import Any, NamedTuple, cast

import msgspec
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ventuno
from bench.support.report import Meter
from tests.support.house import NOON, People, open_application
from ventuno.core.messages.commands import TakeSeat
from ventuno.core.table import legal
from ventuno.core.table.round import Stage
from ventuno.core.table.state import Phase, Table
from ventuno.house.store.clock import JumpingClock
from ventuno.web.doors.bus import LENGTH
from ventuno.web.doors.host import Admission, Doors
from ventuno.web.doors.packets import Frame, FromHost, Packet, Return, Said
from ventuno.web.http.rate_limits import RateLimiter, RateLimits
from ventuno.web.operations.metrics import Metrics
from ventuno.web.sockets.hub import Hub

SEATS, WATCHERS, DOORS, MONEY = 7, 3, 2, 5_000_000
EXTRA_CHIPS = (("bet", 2), ("bet", 5), ("remove", 2))
"""After a chip of everybody: what is moved, and in which box."""
AT_ONCE = 6
"""Actions that are on their way together: what waits for one commit at a thousand a second."""
AGREED = 5_000
"""Milliseconds after which a deal that all have called begins."""
GOAL = 400
"""Microseconds of CPU an action, all of the host's work included."""
SAMPLE_SECONDS = 0.001
SOURCE = f"{Path(ventuno.__file__).parent}/"
PARTS: tuple[tuple[str, str], ...] = (
    ("core/views/", "view"),
    ("web/sockets/changes.py", "compare"),
    ("web/sockets/table_broadcast.py", "encode"),
    ("web/sockets/websocket_protocol.py", "frame"),
    ("web/sockets/", "connection"),
    ("web/doors/", "bus"),
    ("web/messages/", "read"),
    ("house/store/records.py", "records"),
    ("house/store/", "commit"),
    ("core/", "decide"),
    ("house/tables/table_host.py", "host"),
    ("house/", "decide"),
)
"""Files of the house and the part of an action they are, the narrower path first."""
WHOLE_PARTS = frozenset(("view", "read"))
"""Parts that count for all that they call."""
READER = f"{os.sep}pydantic{os.sep}"
"""The library that reads messages."""
LOAD, LOOP = "the load itself", "loop"


class Door:
    """One end of the bus: says what clients say, and hears what the host answers."""

    def __init__(self, doors: Doors) -> None:
        self.link, self.frames = doors.connect(), 0
        self.waiting: dict[int, asyncio.Future[bool]] = {}
        """Who waits for an answer, by the number of his socket: whether it is done."""
        self._numbers = itertools.count(1)
        self._read = msgspec.msgpack.Decoder(list[FromHost]).decode
        self.link.connection_made(cast("asyncio.Transport", self))

    def set_write_buffer_limits(self, _high: int) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, written: bytes) -> None:
        for packet in self._read(written[LENGTH:]):
            if isinstance(packet, Frame):
                self.frames += len(packet.ids)
                if b'"type":"answer"' in packet.frame:
                    self.waiting.pop(packet.ids[0]).set_result(b'"refused":null' in packet.frame)

    def say(self, *packets: Packet) -> None:
        packed = msgspec.msgpack.encode(packets)
        self.link.data_received(len(packed).to_bytes(LENGTH, "big") + packed)

    def enter(self, admission: bytes, table: str) -> int:
        """A socket that shows a table; its number."""
        number = next(self._numbers)
        self.say(Return(number, admission, (table,)))
        return number

    async def ask(self, number: int, text: str) -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting[number] = answer
        self.say(Said(number, text, time.monotonic()))
        return await answer


class Turn(NamedTuple):
    """One turn: actions, microseconds of CPU for each, those of the writer, frames for each."""

    actions: int
    cpu: float
    writer: float
    frames: float


class Sampler:
    """Looks at the stack each time so much CPU was used."""

    def __init__(self) -> None:
        self.parts: Counter[str] = Counter()
        self.own: Counter[str] = Counter()
        self.with_called: Counter[str] = Counter()

    def __enter__(self) -> Sampler:
        self._before = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        stack = [*list_code(frame)]
        self.parts[find_part([code.co_filename for code in stack])] += 1
        names = [f"{code.co_filename.removeprefix(SOURCE)} {code.co_qualname}" for code in stack]
        self.own.update(names[:1])
        self.with_called.update(set(names))


def list_code(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def find_part(files: Iterable[str]) -> str:
    """The part of an action that these files belong to, the innermost first."""
    found = ""
    for file in files:
        if file == __file__:
            break
        if READER in file:
            return "read"
        if not file.startswith(SOURCE):
            continue
        part = next((part for path, part in PARTS if file.startswith(path, len(SOURCE))), "")
        if part in WHOLE_PARTS:
            return part
        found = found or part
    else:
        return found or LOOP
    return found or LOAD


class Floor(People):
    """The tables with their players and watchers, and what they do."""

    def __init__(self, tables: int) -> None:
        self.names = [f"Ventuno {number}" for number in range(1, tables + 1)]
        self.clock = JumpingClock(NOON)
        self.actions = self._serial = 0
        self._seats: dict[str, list[tuple[Door, int]]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    @property
    def frames(self) -> int:
        return sum(door.frames for door in self.doors)

    async def open(self, folder: Path) -> None:
        tables = dict.fromkeys(self.names, "ventuno")
        self.application = await open_application(folder, tables=tables, clock=self.clock, apart=True, cut_seconds=1)
        metrics = Metrics()
        metrics.attach(self.application, lambda: None)
        self.hub = Hub(self.application)
        rates = RateLimiter(RateLimits(), self.application.steady)
        host: Any = SimpleNamespace(state=SimpleNamespace(hub=self.hub, rates=rates))
        self._remote = Doors(host, b"", DOORS)
        self.doors = [Door(self._remote) for _ in range(DOORS)]
        await asyncio.gather(*map(self._fill, self.names))
        await self._wait_for(Phase.BETTING)

    async def close(self) -> None:
        await self.hub.close()
        await self.application.close()

    async def _fill(self, name: str) -> None:
        service, number = self.application.tables, self.names.index(name) + 1
        seats = self._seats[name] = []
        for box in range(1, SEATS + WATCHERS + 1):
            player = await self.joined(f"Player-{number}-{box}", MONEY)
            address = f"198.51.{number}.{box}"
            entered = await self.session(player, address)
            if box <= SEATS:
                await service.bring(player, name, MONEY, f"bring-{player}")
                await service.ask(player, name, TakeSeat(player, box, 0), f"sit-{player}")
            door = self.doors[box % DOORS]
            admission = self._remote.sealer.seal(Admission(player, entered.session, "player", "", address))
            seats.append((door, door.enter(admission, name)))

    def _get_table(self, name: str) -> Table:
        return self.application.tables.get_all()[name].table

    async def _wait_for(self, phase: Phase) -> None:
        """Until every table has come so far; deadlines are moved to as long as one has not."""
        while waiting := [table for table in map(self._get_table, self.names) if table.phase is not phase]:
            due = [table.deadline for table in waiting if table.deadline is not None]
            step = max(min(due, default=0) - self.application.now(), 0) if due else 1_100
            self.clock.move(step or 1)
            for _ in range(20):
                await asyncio.sleep(0.001)

    async def play(self, rounds: int) -> None:
        for _ in range(rounds):
            await asyncio.gather(*map(self._bet, self.names))
            self.clock.move(AGREED)
            await asyncio.gather(*map(self._play_round, self.names))
            await self._wait_for(Phase.BETTING)

    async def _bet(self, name: str) -> None:
        for word, box in (*[("bet", box) for box in range(1, SEATS + 1)], *EXTRA_CHIPS):
            spot = f'{{"box":{box},"bet":"main"}}'
            place = f'"spots":[{spot}]' if word == "bet" else f'"spot":{spot}'
            await self.ask(name, box, f'{{"do":"{word}",{place},"amount":500}}')

    async def _play_round(self, name: str) -> None:
        for box in range(1, SEATS + 1):
            await self.ask(name, box, '{"do":"deal"}')
        while (table := self._get_table(name)).phase is Phase.ROUND and table.round:
            if table.round.stage is Stage.INSURANCE:
                for box in [box.number for box in table.round.boxes if box.insurance is None]:
                    await self.ask(name, box, '{"do":"decide-all","action":"decline"}')
                continue
            turn = legal.turn(table.round)
            if turn is None:
                raise AssertionError(f"{name} waits for nobody")
            number, played = turn[0].number, turn[0].hands[turn[1]]
            action = "hit" if played.total <= 11 else "stand"
            await self.ask(name, number, f'{{"do":"decide","box":{number},"action":"{action}"}}')

    async def ask(self, name: str, box: int, command: str) -> None:
        """One message of a player, and its answer."""
        self._serial += 1
        door, number = self._seats[name][box - 1]
        about = f'"id":"a{self._serial}","table":"{name}","key":"host-{self._serial:08}"'
        async with self._slots:
            is_done = await door.ask(number, f'{{"type":"ask",{about},"command":{command}}}')
        if not is_done:
            raise AssertionError(f"{command} at {name} was refused")
        self.actions += 1


async def measure(floor: Floor, rounds: int, meter: Meter) -> Turn:
    """A turn without samples for the sum."""
    actions, frames = floor.actions, floor.frames
    meter.look()
    began = time.process_time()
    await floor.play(rounds)
    cpu = time.process_time() - began
    writer = meter.look().cpu - cpu
    done = floor.actions - actions
    return Turn(done, 1e6 * cpu / done, 1e6 * writer / done, (floor.frames - frames) / done)


async def sample(floor: Floor, rounds: int) -> tuple[Sampler, int]:
    """Where the CPU goes, and for how many actions."""
    actions = floor.actions
    with Sampler() as sampler:
        await floor.play(rounds)
    return sampler, floor.actions - actions


async def run(given: argparse.Namespace, folder: Path) -> float:
    floor, meter = Floor(given.tables), Meter(os.getpid())
    await floor.open(folder)
    await floor.play(1)
    shares: Counter[str] = Counter()
    turns = []
    for number in range(given.turns):
        turns.append(await measure(floor, given.rounds, meter))
        shares.update((await sample(floor, given.rounds))[0].parts)
        print(f"  turn {number + 1}: {turns[-1].cpu:.0f} us for each of {turns[-1].actions:,} actions", flush=True)
    if given.profile:
        await print_profile(floor, 5 * given.rounds, given.profile)
    await floor.close()
    total = sum(shares.values()) or 1
    return tell(min(turns, key=lambda turn: turn.cpu), {part: count / total for part, count in shares.items()})


def tell(best: Turn, shares: Mapping[str, float]) -> float:
    """Print the best turn by part; microseconds an action without the load."""
    host = best.cpu * (1 - shares.get(LOAD, 0))
    for part, share in sorted(shares.items(), key=lambda entry: -entry[1]):
        if part != LOAD:
            print(f"  {part:<12}{best.cpu * share:7.0f} us")
    watchers = SEATS + WATCHERS
    print(f"host: {host:.0f} us of CPU an action with {watchers} watchers (goal {GOAL}), {best.frames:.1f} frames")
    print(f"the load itself {best.cpu - host:.0f} us, the writer apart {best.writer:.0f} us an action")
    return host


async def print_profile(floor: Floor, rounds: int, lines: int) -> None:
    """The functions that take most, by themselves and with what they call: samples, so that calls cost nothing more."""
    sampler, actions = await sample(floor, rounds)
    total = sum(sampler.own.values())
    print(f"{total:,} samples in {actions:,} actions: share by itself, share with what it calls")
    for name, count in sampler.own.most_common(lines):
        print(f"  {count / total:7.2%}{sampler.with_called[name] / total:8.2%}  {name}")
    print("with what they call")
    for name, count in sampler.with_called.most_common(lines):
        print(f"  {count / total:7.2%}  {name}")


def judge(host: float) -> bool:
    """Whether an action costs at most the goal."""
    return host <= GOAL


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3, help="of each table in a turn")
    parser.add_argument("--turns", type=int, default=5, help="the best counts")
    parser.add_argument("--profile", type=int, nargs="?", const=60, default=0, help="lines of a profile at the end")
    parser.add_argument("--quick", action="store_true", help="two tables, one turn: does it run at all")
    given = parser.parse_args(words)
    if given.quick:
        given.tables, given.rounds, given.turns = 2, 1, 1
    return given


def main() -> int:
    given = arguments()
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with tempfile.TemporaryDirectory(prefix="ventuno-host-") as folder, runner:
        host = runner.run(run(given, Path(folder)))
    return int(not judge(host) and not given.quick)


if __name__ == "__main__":
    sys.exit(main())
