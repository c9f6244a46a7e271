"""A hundred thousand frames nobody should send: each is answered, none breaks anything or moves what it may not.

Valid messages are bent in their structure and in their bytes and given to a channel of a real house. Whatever
moves at the table must have an accepted ask to show for it; the money of a bystander never moves (T-8, G-18).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from tests.house.foyer import NOON, QuickHasher
from tests.house.specimen import fixed_source
from tests.house.test_premises import PASSWORD
from tests.web.doors import certify, key
from tests.web.test_showing import unframed
from ventuno.core.commands import TakeSeat
from ventuno.core.money import PlayerId
from ventuno.core.round import Action
from ventuno.house.books.records import Batch
from ventuno.house.persons.players import Form, Role
from ventuno.house.persons.tokens import Known
from ventuno.house.premises import Premises
from ventuno.house.staff import Fittings
from ventuno.house.tables.clock import JumpingClock
from ventuno.web import channel as channel_module
from ventuno.web.bounds import Bounds
from ventuno.web.channel import Channel
from ventuno.web.commands import command
from ventuno.web.hub import Hub
from ventuno.web.wire import tells
from ventuno.web.wire.views import Reason

FRAMES = 100_000
TABLE = "T1"
CODES = {0, 4000, 4001}
_ids = count(1)
NASTY: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 7, 8, 10**12, 10**12 + 1, 10**30, 1.0, 1.5, -0.0, "", " ", "x", "1", "main"),
    *("T1", "\u0000", "\u202e", "𝟙", "é" * 90, "x" * 500, "__proto__", "house", "2", [], {}, [[]], {"do": "bet"}),
    *([1, 2], {"box": 1, "bet": "main"}, {"type": "ask"}, "undo", "tick", "void", "pause", "hit"),
]


class Ear:
    """The end of a line in memory: what was told, and whether it was closed."""

    close_sent = False

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def write(self, frame: bytes) -> bool:
        self.frames.append(frame)
        return True

    def shut(self, _code: int) -> None:
        self.close_sent = True

    def heard(self) -> list[dict[str, Any]]:
        """What was told since this was last asked, each in the published form."""
        found = []
        for payload in unframed(b"".join(self.frames)):
            tells.told.validate_json(payload, strict=True)
            found.append(msgspec.json.decode(payload))
        self.frames.clear()
        return found


def doing(rng: Random) -> dict[str, Any]:
    box, spot = rng.randrange(0, 8), {"box": rng.randrange(0, 8), "bet": rng.choice(("main", "behind", "21+3"))}
    made: list[dict[str, Any]] = [
        {"do": "sit", "box": box},
        {"do": "stand-up", "box": box},
        {"do": "bring", "amount": rng.choice((1, 100, 10**6))},
        {"do": "take", "amount": rng.choice((1, 100, 10**6))},
        {"do": "allow-behind", "allowed": rng.random() < 0.5},
        {"do": "follow", "box": box, "double": True, "split": False},
        {"do": "bet", "spots": [spot] * rng.randrange(1, 4), "amount": rng.choice((10, 100, 1_000)), "exact": True},
        {"do": "remove", "spot": spot, "amount": 0},
        *({"do": word} for word in ("undo", "clear", "repeat", "double", "deal")),
        {"do": "decide", "box": box, "action": rng.choice(list(Action)).value},
        {"do": "decide-all", "action": "decline"},
        {"do": "decide-early", "box": box, "action": None},
        {"do": "spin-wheel", "box": box},
        {"do": "spin-board", "box": box},
    ]
    return rng.choice(made)


def message(rng: Random) -> dict[str, Any]:
    start = {"id": f"m{next(_ids)}", "table": TABLE}
    made: list[dict[str, Any]] = [
        {"type": "join", **start, "version": rng.randrange(50)},
        {"type": "say", **start, "text": "ciao"},
        {"type": "promise", **start, "digest": "ab" * 32},
        {"type": "reveal", **start, "entropy": "cd" * 16},
        {"type": "pong", "nonce": "1"},
    ]
    if rng.random() < 0.7:
        return {"type": "ask", **start, "key": key(), "command": doing(rng)}
    return rng.choice(made)


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        found += places(value, (*path, name))
    return found


def bent(tree: Any, rng: Random) -> Any:
    """One place of a message changed: gone, doubled, of another kind, or one too many."""
    path = rng.choice(places(tree))
    held = tree
    for name in path[:-1]:
        held = held[name]
    kind = rng.randrange(4)
    if kind == 0:
        del held[path[-1]]
    elif kind == 1 and isinstance(held, dict):
        held[rng.choice(("more", "player", "at", "vip", "lag", "segment", "by", ""))] = deepcopy(rng.choice(NASTY))
    else:
        held[path[-1]] = deepcopy(rng.choice(NASTY))
    return tree


def torn(text: str, rng: Random) -> str:
    """A few characters of a frame changed, gone or doubled."""
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(text) + 1)
        wide = rng.randrange(0, 4)
        text = text[:place] + "".join(rng.choices('{}[]":,\\0aé\u0000 ', k=rng.randrange(3))) + text[place + wide :]
    return text


def frame(rng: Random) -> str:
    made = message(rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        made = bent(made, rng)
    text = json.dumps(made, ensure_ascii=rng.random() < 0.5)
    return torn(text, rng) if rng.random() < 0.4 else text


def facts(premises: Premises) -> tuple[object, ...]:
    """What only players change; shoes come by themselves."""
    table = premises.house.authority.rooms[TABLE].table
    return table.purses, table.slips, table.seats, table.forbids, table.follows, table.round


@dataclass
class Fuzzed:
    """A house, and the channel of a player in it."""

    premises: Premises
    hub: Hub
    clock: JumpingClock
    ear: Ear
    channel: Channel
    bystander: PlayerId

    async def take(self, text: str) -> tuple[int, int, int]:
        """One frame: how many faults, answers, and accepted asks it led to."""
        before = facts(self.premises)
        assert await self.channel._read({"type": "websocket.receive", "text": text}) in CODES, text
        told = self.ear.heard()
        faults = [one for one in told if one["type"] == "fault"]
        answers = [one for one in told if one["type"] == "answer"]
        accepted = [one for one in answers if one["refused"] is None]
        assert all(one["code"] == "Malformed" for one in faults), (text, faults)
        assert len(faults) + len(answers) <= 1, text
        assert accepted or facts(self.premises) == before, text
        return len(faults), len(answers), len(accepted)

    async def wait(self) -> None:
        """The clock runs on: rounds begin and end."""
        self.clock.move(20_000)
        await asyncio.sleep(0.02)
        await self.premises.active(self.channel.player, self.channel.session)
        if not self.channel.stages:
            await self.hub.join(self.channel, TABLE, None)
        self.ear.heard()


@pytest_asyncio.fixture
async def fuzzed(tmp_path: Path) -> AsyncIterator[Fuzzed]:
    clock = JumpingClock(NOON)
    made = Fittings(clock=clock, hasher=QuickHasher(), source=fixed_source("fuzz"), cut_seconds=0)
    certify(tmp_path, *made.games.values())
    premises = await Premises.open(f"sqlite:///{tmp_path}/house.db", tmp_path, made)
    await premises.open_table(TABLE, "ventuno")
    hub = Hub(premises, Bounds(faults=10**9, waiting=10**9, late_joins=10**9, late_asks=10**9))
    players = []
    for box, name in ((1, "Ada"), (7, "Bea")):
        player = await premises.register(Form(name), PASSWORD)
        assert isinstance(player, str)
        await premises.deposit(player, 10**8, key())
        await premises.bring(player, TABLE, 10**6, key())
        await premises.ask(player, TABLE, TakeSeat(player, box, 0), key())
        players.append(player)
    _, session, records = premises.staff.tokens.open(players[0], "127.0.0.1", "test", NOON)
    await premises.commit(Batch(records=records))
    ear = Ear()
    channel = Channel(hub, ear, Known(players[0], session, Role.PLAYER, None))  # type: ignore[arg-type]
    yield Fuzzed(premises, hub, clock, ear, channel, players[1])
    await hub.close("done")
    await premises.close()


@pytest.mark.timeout(900)
async def test_no_frame_breaks_anything(fuzzed: Fuzzed) -> None:
    rng = Random(21)
    faults = answers = accepted = 0
    for number in range(FRAMES):
        if number % 500 == 0:
            await fuzzed.wait()
        found = await fuzzed.take(frame(rng))
        faults, answers, accepted = faults + found[0], answers + found[1], accepted + found[2]
    assert faults > FRAMES // 4
    assert answers > FRAMES // 10
    assert accepted > FRAMES // 200
    table = fuzzed.premises.house.authority.rooms[TABLE].table
    assert table.rounds > 5
    assert table.purse(fuzzed.bystander) == 10**6
    assert fuzzed.premises.house.authority.faults() == []
    assert fuzzed.hub.waiting == 0


async def test_a_fault_in_the_reading_is_found(fuzzed: Fuzzed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: a channel that breaks on some message, and one that does what it refuses."""
    rng = Random(3)
    real = command

    def breaks(player: PlayerId, doing: Any) -> Any:
        if doing.do == "undo":
            raise KeyError("planted")
        return real(player, doing)

    await fuzzed.wait()
    monkeypatch.setattr(channel_module, "command", breaks)
    with pytest.raises(AssertionError):
        await many(fuzzed, rng, 3_000)
    monkeypatch.setattr(channel_module, "command", real)
    monkeypatch.setattr(channel_module, "_refused", lambda _answer: Reason("NotYours", "planted", {}))
    with pytest.raises(AssertionError):
        await many(fuzzed, rng, 3_000)


async def many(fuzzed: Fuzzed, rng: Random, number: int) -> None:
    for _ in range(number):
        await fuzzed.take(frame(rng))
