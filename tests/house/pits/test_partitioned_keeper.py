"""A node that does not reach its database: it gives up what it has by itself, and comes back by itself (T-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.support.databases import create_database
from tests.support.kept_units import NotingNode, wait_for
from tests.support.postgres import Cluster
from tests.support.stopwatch import Stopwatch
from tests.support.tcp_proxy import TcpProxy, proxied
from ventuno.house.config import Config
from ventuno.house.pits import keeper as keeping
from ventuno.house.pits.leases import LEASE
from ventuno.house.pits.renewal import Renewal
from ventuno.house.store.migrations import migrate
from ventuno.web.doors.node import renew_issuer

LAPSED = 2 * LEASE / 1000 + 1
"""Seconds after which a node that hears nothing knows that its lease is over: a renewal may wait for a whole one."""


@pytest.fixture
async def proxy(postgres: Cluster) -> AsyncIterator[TcpProxy]:
    async with proxied(postgres.port) as running:
        yield running


async def open_node(postgres: Cluster, proxy: TcpProxy) -> NotingNode:
    url = await asyncio.to_thread(create_database, postgres)
    await asyncio.to_thread(migrate, url)
    node = NotingNode(url.replace(f":{postgres.port}/", f":{proxy.port}/"), "h1")
    await wait_for(lambda: node.units and node.keeper._spare)
    return node


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "it waits for an answer"])
async def test_who_does_not_reach_the_database_gives_up_what_it_has(
    postgres: Cluster, proxy: TcpProxy, is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_planted:
        monkeypatch.setattr(Renewal, "_lose_lapsed", lambda _self: None)
    node = await open_node(postgres, proxy)
    proxy.stall()
    with Stopwatch() as watch:
        while node.units and watch.seconds < LAPSED:
            await asyncio.sleep(0.05)
    assert bool(node.units) is is_planted
    proxy.resume()
    await node.stop()


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "it waits for an answer"])
async def test_a_line_that_stays_silent_is_made_anew(
    postgres: Cluster, proxy: TcpProxy, is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault, a look without an end, waits on a line that nobody serves any more."""
    if is_planted:
        monkeypatch.setattr(keeping, "LOOK_SECONDS", 1e6)
    node = await open_node(postgres, proxy)
    proxy.stall()
    await asyncio.sleep(2 * keeping.LOOK)
    proxy.forget()
    with Stopwatch() as watch:
        while len(node.owned) < 2 and watch.seconds < 2 * LAPSED:
            await asyncio.sleep(0.05)
    assert len(node.owned) == (1 if is_planted else 2)
    if is_planted:
        proxy.reset()
    await node.stop()


def test_r31_the_built_in_issuer_counts_one_tenure() -> None:
    """Another host has sent reports between two tenures of one process: the next number is no gap."""
    config = Config()
    config.issuer.report(1, b"")
    with pytest.raises(ValueError, match="one is missing"):
        config.issuer.report(7, b"")
    renew_issuer(config).issuer.report(7, b"")
