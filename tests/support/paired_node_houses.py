"""Opens two houses on nodes for paired runs: a host on PostgreSQL and two doors each, at one broker that is heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.support.broker_capture import (
    NODE,
    BrokerCapture,
    HouseReader,
    listen,
    name_user,
    write_config,
)
from tests.support.channel_house import ENDLESS, drawn
from tests.support.doors_in_tests import open_door
from tests.support.house import NOON, QuickHasher, certify
from tests.support.in_process_house import PLENTY, InProcessHouse
from tests.support.nats import NatsServer, open_broker
from tests.support.paired_nodes import NODES, Doors, NodeSide
from tests.support.patience import PATIENCE
from tests.support.sample_shoes import fixed_source
from tests.support.sealed_paired_houses import Fixed, seal_in_order
from tests.support.shared_routes import shared
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.house.config import KEY, Config
from ventuno.house.pits.keeper import LeaseKeeper
from ventuno.house.shoes import cut
from ventuno.house.shoes.commitment import seal
from ventuno.house.store import postgres, schema
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.signing_key import load_or_create
from ventuno.house.tables import shoe_supply
from ventuno.web.app import create_app
from ventuno.web.doors import node
from ventuno.web.doors.broker import Broker, Subjects
from ventuno.web.doors.broker_door import BrokerDoor, OwnerFinder
from ventuno.web.doors.broker_host import BrokerHost, serve_doors_over_broker
from ventuno.web.doors.node import Host
from ventuno.web.http import lobby
from ventuno.web.operations.settings import Settings


@asynccontextmanager
async def open_node(
    folder: Path, house: str, database: str, server: NatsServer, capture: BrokerCapture
) -> AsyncIterator[NodeSide]:
    """A host that owns a house, and two doors before it, over this broker and on this database."""
    loop = asyncio.get_running_loop()
    clock, hasher = JumpingClock(NOON), QuickHasher()
    config = Config(clock=clock, hasher=hasher, source=fixed_source("nodes"), tokens=drawn("paired"), cut_seconds=0)
    common: dict[str, Any] = {"house": house, "broker": name_user(server, NODE), "data": folder}
    terms = Settings(role="host", node="h1", database=database, unsafe=True, tables=1, **common)
    owned: asyncio.Future[tuple[FastAPI, BrokerHost]] = loop.create_future()
    certify(folder)

    @asynccontextmanager
    async def serve(web: FastAPI, settings: Settings, *, unit: int, epoch: int, key: bytes) -> AsyncIterator[Any]:
        async with serve_doors_over_broker(web, settings, unit, epoch, key) as host:
            owned.set_result((web, host))
            yield host

    key = load_or_create(folder / KEY)
    held = Host(terms, config, key, serve)
    keeper = LeaseKeeper(database, "h1", key.public, f"test/{schema.REVISION}", held.hold, unsafe=True)
    async with AsyncExitStack() as stack:
        running = asyncio.create_task(keeper.run())
        stack.push_async_callback(asyncio.wait_for, running, PATIENCE)
        stack.callback(keeper.stop)
        running.add_done_callback(lambda _: owned.cancel())
        web, host = await asyncio.wait_for(asyncio.shield(owned), PATIENCE)
        web.state.hub.limits = ENDLESS
        web.state.hub._checking.cancel()
        doors = await stack.enter_async_context(open_doors(Settings(**common), Subjects(house)))
        entrance = InProcessHouse(
            application=web.state.application, app=web, clock=clock, settings=Settings(), hasher=hasher, doors=doors
        )
        looking = await postgres.connect(database)
        stack.push_async_callback(looking.close)
        heard = {"capture": capture, "reader": HouseReader(f"v.{house}"), "looking": looking}
        yield NodeSide(entrance, house=house, host=host, keeper=keeper, node=held, at_doors=doors, **heard)


@asynccontextmanager
async def open_doors(settings: Settings, subjects: Subjects) -> AsyncIterator[Any]:
    """Two doors, each a node with its own connection to the broker; both houses' doors have the same names."""
    async with AsyncExitStack() as stack:
        doors, finders = list[BrokerDoor](), list[OwnerFinder]()
        for name in NODES:
            broker = Broker(settings.model_copy(update={"role": "door", "node": name}), name)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("ventuno.web.doors.broker_door.secrets.token_hex", lambda _size: "a" * 8)
                finders.append(OwnerFinder(broker, subjects, name))
            await stack.enter_async_context(broker)
            doors.append(BrokerDoor(settings, finders[-1], lambda: ENDLESS))
            await stack.enter_async_context(open_door(doors[-1]))
            await asyncio.wait_for(doors[-1]._linked.wait(), PATIENCE)
        yield Doors(doors, finders)


@contextmanager
def deal_in_order(games: dict[str, Sheet]) -> Iterator[None]:
    """Shoes of paired tables are dealt in the order that is given; the others are as they are drawn."""
    least = {sheet.hash: cut_window(sheet)[1] for sheet in games.values()}

    def seal_one(source: Any, *about: Any) -> Any:
        return seal_in_order(source, *about) if isinstance(source, Fixed) else seal(source, *about)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shoe_supply, "seal", seal_one)
        patched.setattr(cut, "compute_order", lambda made, _drawn, sheet: (range(made.size), least[sheet.hash]))
        patched.setattr(lobby, "FRESH", 0.0)
        patched.setattr(
            node, "create_app", lambda opened, settings, **more: shared(create_app(opened, settings, PLENTY, **more))
        )
        yield


@asynccontextmanager
async def open_paired_nodes(folder: Path, databases: tuple[str, str]) -> AsyncIterator[tuple[NodeSide, NodeSide]]:
    """Both houses at one broker, whose listener hears everything of both."""
    for name in ("mine", "other"):
        (folder / name).mkdir()
    load_or_create(folder / "mine" / KEY)
    (folder / "other" / KEY).touch(0o600)
    (folder / "other" / KEY).write_bytes((folder / "mine" / KEY).read_bytes())
    with open_broker(write_config(folder)) as server, deal_in_order(dict(Config().games)):
        async with (
            listen(server) as capture,
            open_node(folder / "mine", "house-1", databases[0], server, capture) as mine,
            open_node(folder / "other", "house-2", databases[1], server, capture) as other,
        ):
            for side in (mine, other):
                await side.begin()
            yield mine, other
