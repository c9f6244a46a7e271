"""A house in a bottle: one seed is one world with its players, its faults and its clock (T-1).

The world does what the shell of a real house does: it stamps commands with the house's time, keeps answers back until
their batch is committed, and after a crash pauses every running clock at the last record and resumes it (R-06, I-7).
"""

from __future__ import annotations

import random
from hashlib import sha256

import msgspec

from tests.support.simulation import opening
from tests.support.simulation.disk import Broken, Disk
from tests.support.simulation.invariants import Checks
from tests.support.simulation.players import PLAYERS
from tests.support.simulation.protection import guard_of
from ventuno.core.messages.commands import Command, Pause, Resume
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.player_limits import LimitEvent, PlayerLimits, evolve
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.store.records import (
    ChainBroken,
    Head,
    Record,
    chain_events,
    check_chain,
    decode_table,
    encode_event,
    encode_table,
)
from ventuno.house.tables.authority import Answer, Authority, Decision, Request
from ventuno.house.tables.bonus_draws import BonusDraws

STEPS = 40
HOUSE, RESTART = "house", "restart"


class Pending(msgspec.Struct, frozen=True):
    """Decided, not yet durable: a request, or a change of a player's limits."""

    request: Request | None
    decided: Decision | None
    player: PlayerId = ""
    records: tuple[Record, ...] = ()


class World:
    """One seed: a house, its players, and everything that goes wrong between them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.random = self.chance.random
        self.clock = self.now = opening.START
        self.disk = Disk()
        self.checks = Checks()
        self.pending: list[Pending] = []
        self.acknowledged: dict[str, Answer] = {}
        self.trace: list[str] = []
        self.sound: dict[str, int] = {}
        self.shield_heads: dict[PlayerId, Head] = {}
        self.guard: LimitCheck
        self.house: Authority
        self.tables = self._open()

    def _open(self) -> list[str]:
        """Begin as one of the openings; a disk of another kind is written batch by batch."""
        made = opening.opening(int(self.random() * opening.VARIANTS))
        if type(self.disk) is Disk:
            self.disk = made.disk.copy()
        else:
            self.disk.postings += made.disk.postings[: len(PLAYERS) + 1]
            for batch in made.batches:
                self.disk.commit(batch)
        self.sound = dict(made.lengths)
        self.checks = made.checks.copy()
        self._come_up()
        self.house.recover((), self.disk.keys, self.checks.books)
        self.house.tables.update(made.rooms)
        return [*made.tables]

    def _come_up(self) -> None:
        self.guard = guard_of(self.disk, self.checks.practice, self._in_play)
        self.house = Authority(self.guard, BonusDraws(self._below), opening.BY_HASH)

    def _below(self, bound: int) -> int:
        """The house's draws; the end of a short list comes often, so that great boards are not rare."""
        return (
            bound - 1 - int(self.random() * 8) if bound == 100 and self.random() < 0.3 else int(self.random() * bound)
        )

    def _in_play(self, player: PlayerId) -> Cents:
        return self.house.wallet.balance(f"player:{player}:in-play")

    def pass_time(self, milliseconds: int) -> None:
        """The wall's clock moves, either way; the house's never goes back (R-18)."""
        self.clock += milliseconds
        if self.clock > self.now:
            self.now = self.clock

    def deliver(self, request: Request) -> Decision:
        """One request reaches the house; its answer waits for the commit."""
        house = self.house
        before = house.tables.get(request.table)
        decided = house.handle(request)
        self.checks.decided(house, request, before, decided)
        self.pending.append(Pending(request, decided))
        answer = decided.answer
        kind = type(request.command).__name__
        self.trace.append(f"{self.now} {request.table} {request.key} {kind} {answer.version} {answer.refused}")
        return decided

    def say(self, name: str, command: Command, why: str) -> Decision:
        """The house's own commands are named after the version they follow."""
        return self.deliver(Request(name, command, f"{HOUSE}:{why}:{name}:{self.house.tables[name].version}"))

    def protect(self, player: PlayerId, events: list[LimitEvent]) -> None:
        """A player's limits change: at once for every bet that follows, durable like everything else (R-35, R-40)."""
        self.checks.protection.changed(player, events, self.now)
        shield: PlayerLimits = self.guard.get_player_limits(player)
        for event in events:
            shield = evolve(shield, event)
        self.guard.set_player_limits(player, shield)
        head = self.shield_heads.get(player, Head())
        records, self.shield_heads[player] = chain_events(
            head, f"player:{player}", self.now, [*map(encode_event, events)]
        )
        self.pending.append(Pending(None, None, player, records))

    def flush(self, count: int) -> None:
        """The disk takes some of what waits, in order; only then are answers given."""
        for one in self.pending[:count]:
            self._commit(one)
            answer = one.decided.answer if one.decided else None
            if one.request and answer and not answer.refused:
                earlier = self.acknowledged.setdefault(one.request.key, answer)
                if earlier is not answer and earlier != answer:
                    raise Broken(f"I-4: {one.request.key} was answered twice, differently")
        del self.pending[:count]

    def _commit(self, one: Pending) -> None:
        if one.decided is None:
            self.disk.shield(one.player, one.records)
        elif one.decided.batch:
            self.disk.commit(one.decided.batch)

    def crash(self) -> None:
        """The process dies. Some of what waited was written and its answer lost; the rest is gone (I-7)."""
        for one in self.pending[: int(self.random() * (len(self.pending) + 1))]:
            self._commit(one)
        self.pending.clear()
        self._come_up()
        self.house.recover(list(self.disk.streams.values()), self.disk.keys, self.disk.balances())
        self.checks.recovered(self.house, self.disk, self.acknowledged)
        self.sound = {stream: len(records) for stream, records in self.disk.streams.items()}
        self.shield_heads = {player: check_chain(records) for player, records in self.disk.shields.items()}
        self.trace.append(f"{self.now} crash {[room.version for room in self.house.tables.values()]}")
        self._resume()

    def _resume(self) -> None:
        """Every running deadline becomes time left and runs again from now: nobody loses what the outage lasted."""
        last = self.now = self.disk.last()
        running = [name for name, room in self.house.tables.items() if room.table.deadline is not None]
        for name in running:
            self.say(name, Pause(HOUSE, RESTART, last), "pause")
        self.now = max(last, self.clock)
        for name, room in self.house.tables.items():
            if room.table.pause and room.table.pause.reason == RESTART:
                self.say(name, Resume(HOUSE, self.now), "resume")

    def run(self, steps: int = STEPS) -> bytes:
        """Live through all steps; gives the digest of the trace, which holds the hash of every record."""
        from tests.support.simulation.scheduler import Scheduler

        scheduler = Scheduler(self)
        for _ in range(steps):
            scheduler.step()
        self.flush(len(self.pending))
        self.checks.whole(self.house, self.disk, self.acknowledged)
        self._look_closer()
        for name, room in self.house.tables.items():
            self.trace.append(f"{name} {room.version} {room.head.hash.hex()}")
        return sha256("\n".join(self.trace).encode()).digest()

    def end(self) -> None:
        """The house asks its world for chance and for stakes in play: without it nothing is left to be collected."""
        del self.house, self.guard

    def _look_closer(self) -> None:
        """At the end: chains are whole, damage is found (G-11), a snapshot brings its table back (R-06)."""
        for stream, records in self.disk.streams.items():
            sound = self.sound.get(stream, 0)
            check_chain(records[sound:], Head(sound, records[sound - 1].hash) if sound else None)
        name = self.tables[int(self.random() * len(self.tables))]
        room = self.house.tables[name]
        records = self.disk.streams[room.stream]
        start = max(len(records) - 5, 1)
        tail, head = records[start:], Head(records[start - 1].seq, records[start - 1].hash)
        try:
            check_chain(damaged(tail, int(self.random() * len(tail)), int(self.random() * 4)), head)
        except ChainBroken:
            pass
        else:
            raise Broken(f"G-11: a damaged record of {name} was not found")
        if self.random() < 0.2 and decode_table(encode_table(room.table), room.table.sheet) != room.table:
            raise Broken(f"R-06: a snapshot does not bring {name} back")


def damaged(records: list[Record], place: int, how: int) -> list[Record]:
    """The same records with one changed, put in twice, or left out; the last is not left out, but changed."""
    one, before, after = records[place], records[:place], records[place + 1 :]
    match how:
        case 0:
            return [*before, one._replace(at=one.at + 1), *after]
        case 1:
            return [*before, one, one, *after]
        case 2 if after:
            return [*before, *after]
        case _:
            return [*before, one._replace(body=one.body + b" "), *after]
