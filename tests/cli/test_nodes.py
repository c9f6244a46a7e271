"""`ventuno migrate` and `ventuno nodes`: the schema of several machines, and who keeps a house on them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import create_database, execute
from tests.support.kept_units import open_nodes, wait_for
from tests.support.next_versions import CONTRACTED, EXPANDED, as_version
from tests.support.postgres import Cluster
from tests.support.server_process import clear_settings
from ventuno.cli.main import main
from ventuno.house.store import schema
from ventuno.house.store.records import Batch, Head, chain_events
from ventuno.house.store.store import WriteRequest


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_settings(monkeypatch)


@pytest.fixture
def url(postgres: Cluster) -> str:
    return create_database(postgres)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    told = capsys.readouterr()
    return code, told.out + told.err


async def call_beside(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """While nodes run in this process."""
    return await asyncio.to_thread(call, capsys, *words)


def test_migrate_makes_and_upgrades_a_schema_and_does_it_once(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = call(capsys, "nodes", "--database", url)
    assert code == 1
    assert "ventuno migrate" in told
    for _ in range(2):
        assert call(capsys, "migrate", "--database", url)[0] == 0
    asyncio.run(
        execute(
            url,
            "DROP TABLE nodes",
            "DROP TABLE streams",
            "DROP INDEX accounts_by_pit",
            "UPDATE alembic_version SET version_num = 'r0006'",
        )
    )
    code, told = call(capsys, "migrate", "--database", url)
    assert code == 0
    assert schema.REVISION in told
    code, told = call(capsys, "nodes", "--database", url)
    assert code == 1, "nobody owns the house"
    assert "nobody has taken the house yet" in told


def test_migrate_knows_a_file_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "house.db"
    assert call(capsys, "migrate", "--database", str(file))[0] == 0
    assert file.exists()
    code, told = call(capsys, "nodes", "--database", str(file))
    assert code == 2
    assert "SQLite has no nodes" in told


async def test_nodes_are_listed_with_what_they_hold_and_drained(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (await call_beside(capsys, "migrate", "--database", url))[0] == 0
    async with open_nodes(url, "h1", "h2") as (first, second):
        code, told = await call_beside(capsys, "nodes", "--json", "--database", url)
        listed: dict[str, Any] = json.loads(told)
        assert code == 0
        assert [(row["node"], row["state"], row["units"]) for row in listed["nodes"]] == [
            ("h1", "ready", [0]),
            ("h2", "ready", []),
        ]
        [unit] = listed["units"]
        assert (unit["node"], unit["epoch"], unit["owned"]) == ("h1", 1, True)
        assert 0 <= unit["lease_age"] < 3_000
        assert abs(listed["nodes"][0]["clock_offset"]) < 250
        code, told = await call_beside(capsys, "nodes", "drain", "h9", "--database", url)
        assert code == 1
        assert "no such node" in told
        assert (await call_beside(capsys, "nodes", "drain", "h1", "--database", url))[0] == 0
        await wait_for(lambda: second.units and not first.units)
        code, told = await call_beside(capsys, "nodes", "--database", url)
        assert "draining" in told
        assert "unit 0 at epoch 2: h2" in told
        assert (await call_beside(capsys, "nodes", "drain", "h1", "--undo", "--database", url))[0] == 0
        assert "draining" not in (await call_beside(capsys, "nodes", "--database", url))[1]


def test_drain_wants_a_node(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = call(capsys, "nodes", "drain", "--database", url)
    assert code == 2
    assert "ventuno nodes drain NODE" in told


async def test_r06_steps_that_only_add_are_taken_while_nodes_play_and_others_are_not(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    today = schema.REVISION
    assert (await call_beside(capsys, "migrate", "--database", url))[0] == 0
    async with open_nodes(url, "h1", "h2") as (first, _):
        with as_version(CONTRACTED):
            code, told = await call_beside(capsys, "migrate", "--database", url)
            assert code == 1
            assert "h1, h2 could not go on" in told
        with as_version(EXPANDED):
            code, told = await call_beside(capsys, "nodes", "--database", url)
            assert code == 1
            assert "ventuno migrate" in told, "a newer node does not start before"
            assert (await call_beside(capsys, "migrate", "--database", url))[0] == 0
        records, _ = chain_events(Head(), "table:T1", 1, [("Told", b"{}")])
        owner = first.owned[0].writer
        await owner.write(owner.connection, [WriteRequest(Batch(records), lambda _fault: None)], 0)
        async with open_nodes(url, "h3", free=False):
            with as_version(EXPANDED):
                async with open_nodes(url, "h4", free=False):
                    code, told = await call_beside(capsys, "nodes", "--database", url)
                    assert code == 0
                    assert all(f"test/{revision}" in told for revision in (today, EXPANDED))
    with as_version(CONTRACTED):
        assert (await call_beside(capsys, "migrate", "--database", url))[0] == 0
    code, told = await call_beside(capsys, "nodes", "--database", url)
    assert code == 1
    assert "upgrade this node" in told
