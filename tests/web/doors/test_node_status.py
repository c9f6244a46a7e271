"""What each host says of itself, also while it stands by: whether it is fit, what it owns, what it took and lost."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from tests.support.databases import create_database, execute
from tests.support.kept_units import NotingNode, open_nodes, wait_for
from tests.support.postgres import Cluster
from ventuno.house.store.migrations import migrate
from ventuno.web.doors.node_status import make_status_app
from ventuno.web.operations.settings import Settings, SettingsUnfit, read

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "operations.md"


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


async def ask(node: NotingNode, path: str, client: str = "127.0.0.1", **headers: str) -> httpx.Response:
    app = make_status_app(Settings(metrics_token=SecretStr("word")), node.keeper, "1.0", lambda: b"house 1\n")
    transport = httpx.ASGITransport(app, client=(client, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://node") as asking:
        return await asking.get(path, headers=headers)


def is_fit(node: NotingNode) -> bool:
    return not node.keeper.find_reasons()


async def test_t7_a_host_tells_what_it_owns_and_why_it_has_it(url: str) -> None:
    async with open_nodes(url, "h1", "h2") as (first, second):
        told = (await ask(first, "/metrics")).text
        assert 'ventuno_node_info{node="h1",version="1.0"} 1.0' in told
        listed = re.findall(r"^\| `(ventuno_node_\w+)` \|", MANUAL.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(re.findall(r"^# TYPE (\w+)", told, re.MULTILINE)) == set(listed)
        assert "ventuno_node_units 1.0" in told
        assert 'ventuno_node_epoch{unit="0"} 1.0' in told
        assert 'ventuno_node_takeovers_total{cause="given-up"} 1.0' in told
        assert told.endswith("house 1\n")
        for node in (first, second):
            await wait_for(partial(is_fit, node))
            assert (await ask(node, "/readyz")).json() == {"ready": True, "reasons": []}
        await execute(url, "UPDATE pits SET node = 'h9', epoch = 2, until = 0")
        await wait_for(lambda: first.owned[1:] or second.owned)
        await wait_for(lambda: first.keeper.losses)
        assert "ventuno_node_losses_total 1.0" in (await ask(first, "/metrics")).text
        taken = first.keeper.takeovers + second.keeper.takeovers
        assert taken["lapsed"] == 1


async def test_readyz_of_a_host_names_what_keeps_it_from_taking(url: str) -> None:
    async with open_nodes(url, "h1", clock=lambda: 0, free=False) as [node]:
        await wait_for(lambda: node.keeper.clock_offset is not None)
        answer = await ask(node, "/readyz")
        assert answer.status_code == 503
        assert "ms behind" in answer.json()["reasons"][0]
        assert (await ask(node, "/healthz")).text == "alive\n"


async def test_metrics_of_a_host_are_for_this_machine_or_with_the_token(url: str) -> None:
    async with open_nodes(url, "h1") as [node]:
        assert (await ask(node, "/metrics", "10.0.0.9")).status_code == 404
        assert (await ask(node, "/metrics", "10.0.0.9", Authorization="Bearer word")).status_code == 200


@pytest.mark.parametrize("role", ["all", "door"])
def test_a_port_of_its_own_is_for_hosts(role: str) -> None:
    cluster = {"node": "d1", "broker": "nats://127.0.0.1:4222"} if role == "door" else {}
    with pytest.raises(SettingsUnfit, match="node_port"):
        read(None, {"role": role, "node_port": 9121, **cluster})
