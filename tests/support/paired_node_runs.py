"""Rounds of two houses on nodes, compared after each step; and leaks planted between their nodes (H-1, G-15)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from prometheus_client.core import GaugeMetricFamily

from tests.support.hidden_shoes import DUEL_HIDDEN, HIDDEN, Shoes, Watch
from tests.support.paired_nodes import BROKER, CLEAR, CLIENTS, STATUS, NodeSide
from tests.support.planted_leaks import holed
from tests.support.sealed_paired_houses import OTHER, OWNER
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Stage
from ventuno.core.table.state import Phase
from ventuno.web.doors.broker_host import BrokerHost
from ventuno.web.doors.door import Door
from ventuno.web.doors.host import RemoteLine
from ventuno.web.doors.node_status import NodeCollector
from ventuno.web.doors.packets import Showing
from ventuno.web.sockets.websocket_protocol import encode_frame

Sides = tuple[NodeSide, NodeSide]
STEPS = 6
_numbers = count(1)


def list_modes(sheet: Sheet) -> tuple[str, ...]:
    """Which cards differ between the houses."""
    return DUEL_HIDDEN if sheet.game.family == DUEL else HIDDEN


async def run_pair(sides: Sides, game: str, mode: str, seed: int, *, reads: bool = True) -> tuple[int, dict[str, str]]:
    """One round in both houses up to the reveal: how often they were compared, and what differed, by its way."""
    rng, sheet = Random(seed), sides[0].doors.application.config.games[game]
    number, found, compared = next(_numbers), dict[str, str](), 0
    orders = Shoes(sheet).pair(mode, 1 if sheet.game.solo else 2, sheet.shoe.burn, rng)
    for side, order in zip(sides, orders, strict=True):
        side.order, side.reveal = order, Watch(sheet, *orders, sheet.shoe.burn)
        await side.arrive(number, sheet)
    await compare(sides, found)
    for side in sides:
        await place_bets(side)
    for step in range(STEPS):
        if any(side.reveal and side.reveal.revealed for side in sides) or sides[0].held.phase is not Phase.ROUND:
            break
        for side in sides if reads and step == 0 else ():
            await side.read_calls()
        await compare(sides, found)
        compared += 1
        await decide(sides, rng)
    for side in sides:
        await side.finish()
    clocks = [side.doors.clock for side in sides]
    for clock in clocks:
        clock.move(max(one.now() for one in clocks) - clock.now())
    return compared, found


async def compare(sides: Sides, found: dict[str, str]) -> None:
    """All that both have told since the last time; a secret in the clear need not differ."""
    mine, other = [await side.take_told() for side in sides]
    for way in (CLIENTS, BROKER, STATUS):
        if mine[way] != other[way]:
            found.setdefault(way, point_out(mine[way], other[way]))
    if clear := mine[CLEAR] + other[CLEAR]:
        found.setdefault(CLEAR, clear[0])


def point_out(one: Any, two: Any) -> str:
    """The first place at which they differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        key = next(key for key in (*one, *two) if one.get(key) != two.get(key))
        return f"{key}: {point_out(one.get(key), two.get(key))}"
    if isinstance(one, list) and isinstance(two, list):
        at = next(at for at in range(len(one) + 1) if one[at : at + 1] != two[at : at + 1])
        return f"{at}: {point_out(*(side[at] if at < len(side) else None for side in (one, two)))}"
    if isinstance(one, str) and isinstance(two, str):
        at = next(at for at in range(len(one) + 1) if one[at : at + 1] != two[at : at + 1])
        one, two = one[max(at - 80, 0) : at + 40], two[max(at - 80, 0) : at + 40]
    return f"{one!r} is not {two!r}"


async def place_bets(side: NodeSide) -> None:
    """By the sockets, and the cards are dealt."""
    solo = side.held.sheet.game.solo
    for name, box in ((OWNER, 1),) if solo else ((OWNER, 1), (OTHER, 4)):
        await side.ask(name, do="bet", spots=[{"box": box, "bet": "main"}], amount=1_000)
    if solo:  # a round may be over with the deal
        await side.ask(OWNER, do="deal")
        return
    side.doors.clock.move((side.held.deadline or 0) - side.doors.application.now())
    await side.until(lambda: side.held.phase is not Phase.BETTING)
    await side.settle()


async def decide(sides: Sides, rng: Random) -> None:
    """Whoever is asked decides the same in both houses."""
    play = sides[0].held.round
    assert play is not None
    if play.stage is Stage.INSURANCE:
        for side in sides:
            for name, box in ((OWNER, 1),) if side.held.sheet.game.solo else ((OWNER, 1), (OTHER, 4)):
                await side.ask(name, do="decide", box=box, action="decline")
        return
    if (now := turn(play)) is None or now[1] < 0:
        return
    name = next(name for name, player in sides[0].players.items() if player == now[0].player)
    is_first = sides[0].held.sheet.game.family == DUEL and now[0].hands[0].added == 0
    action = rng.choice(("left", "right") if is_first else ("hit", "stand"))
    for side in sides:
        await side.ask(name, do="decide", box=now[0].number, action=action)


class PlantedNodeLeak(NamedTuple):
    """A leak between nodes, and the ways on which it must be found."""

    ways: tuple[str, ...]
    plant: Callable[[pytest.MonkeyPatch, Sides], None]


def look_under(sides: Sides, app: object) -> str:
    """The face-down card of the table that is played in the house of this application."""
    return str(next(holed(side.held) for side in sides if side.doors.app is app))


def put_into_a_packet(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """The host tells a door of the hole card, in a packet that no client is sent."""
    real = RemoteLine.write

    def leaky(line: RemoteLine, frame: bytes) -> None:
        real(line, frame)
        app = next(side.doors.app for side in sides if any(line.link is one.link for one in side.host.doors.links))
        line.link.send(Showing(line.id, (look_under(sides, app),)))

    patched.setattr(RemoteLine, "write", leaky)


def forward_what_came(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """And the door hands it on to its client."""
    put_into_a_packet(patched, sides)

    def forward(door: Door, take: Callable[[Any], None], packet: Any) -> None:
        take(packet)
        if isinstance(packet, Showing) and (socket := door.sockets.get(packet.id)):
            socket.write(encode_frame(msgspec.json.encode(packet.tables)))

    for door in (door for side in sides for door in side.at_doors.doors):
        assert door._link is not None
        patched.setattr(door._link, "_take", partial(forward, door, door._link._take))


def announce_it(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """Who owns the house is told with it, to every node."""
    real = BrokerHost.announce

    def leaky(host: BrokerHost) -> None:
        host._broker.publish(host._subjects.moved, look_under(sides, host.doors.app).encode())
        real(host)

    patched.setattr(BrokerHost, "announce", leaky)


def name_a_subject(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """The words are the same, what they are said under is not."""
    real = BrokerHost.announce

    def leaky(host: BrokerHost) -> None:
        host._broker.publish(f"{host._subjects.moved}.{look_under(sides, host.doors.app)}", b"")
        real(host)

    patched.setattr(BrokerHost, "announce", leaky)


def report_it(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """A figure of the node."""
    real = NodeCollector.collect

    def leaky(collector: NodeCollector) -> Any:
        yield from real(collector)
        app = next(side.doors.app for side in sides if side.keeper is collector._keeper)
        yield GaugeMetricFamily("ventuno_node_units_ahead", "Leaks.", value=float(look_under(sides, app)))

    patched.setattr(NodeCollector, "collect", leaky)


def send_salts(patched: pytest.MonkeyPatch, sides: Sides) -> None:
    """The salt of the last card: the same in both houses here, so that only a search finds it."""
    real = RemoteLine.write

    def leaky(line: RemoteLine, frame: bytes) -> None:
        real(line, frame)
        side = next(side for side in sides if any(line.link is one.link for one in side.host.doors.links))
        log = side.doors.application.tables._shoe_logs.get_log(side.table)
        line.link.send(Showing(line.id, (log.get_shoe(1).unseal()[1][-1].hex(),)))

    patched.setattr(RemoteLine, "write", leaky)


NODE_LEAKS: dict[str, PlantedNodeLeak] = {
    "the host puts the hole card into a packet for a door": PlantedNodeLeak((BROKER,), put_into_a_packet),
    "a door forwards what it was told": PlantedNodeLeak((CLIENTS, BROKER), forward_what_came),
    "the owner is announced with the hole card": PlantedNodeLeak((BROKER,), announce_it),
    "a subject is named after the hole card": PlantedNodeLeak((BROKER,), name_a_subject),
    "a figure of the node counts the hole card": PlantedNodeLeak((STATUS,), report_it),
    "a salt of an undealt card passes in the clear": PlantedNodeLeak((CLEAR,), send_salts),
}
