"""Who may call what: every operation of the document x every role, against a table written by hand (ASVS 8, G-18).

The matrix is a function of an application, so that it can be shown to catch applications that are broken on purpose.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from starlette.requests import Request

from tests.support.busy_house import CALLS, Who, World, operations
from tests.support.in_process_house import opened
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import Identity
from ventuno.house.history.history_service import HistoryService
from ventuno.house.tables.table_service import TableService
from ventuno.web.http import identity
from ventuno.web.http.security import read_token


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


def unlisted(world: World) -> list[str]:
    """Operations without an expectation, and expectations without an operation."""
    return sorted(set(operations(world.entrance.app.openapi())) ^ set(CALLS))


async def differences(world: World, only: str = "") -> list[str]:
    """Every cell of the matrix that is not as the table says."""
    found = []
    for operation, call in CALLS.items():
        if only and not operation.endswith(only):
            continue
        for who in Who:
            player, client = await world.visit(who, ada=bool(call.strange))
            async with client:
                answer = await client.request(**call.request(operation, world, player))
            got = "ok" if answer.is_success else answer.json()["error"]["code"]
            if got != call.expected(who):
                found.append(f"{operation} as {who}: {got}, expected {call.expected(who)}")
    return found


async def test_every_operation_is_in_the_table(world: World) -> None:
    assert unlisted(world) == []


async def test_everybody_may_do_what_the_table_says_and_nothing_else(world: World) -> None:
    assert await differences(world) == []


async def test_planted_operation_is_missed_by_the_table(world: World) -> None:
    async def open_door() -> dict[str, str]:
        return {}

    world.entrance.app.add_api_route("/api/open-door", open_door, methods=["POST"])
    assert unlisted(world) == ["POST /api/open-door"]


async def test_planted_door_without_a_session_is_caught(world: World) -> None:
    """`known` lets everybody in, as Ada."""

    async def anybody() -> Identity:
        return Identity(world.ada, "0" * 16, Role.PLAYER, None)

    world.entrance.app.dependency_overrides[identity.identify] = anybody
    found = await differences(world, "/api/me")
    assert any("GET /api/me as anonymous: ok" in one for one in found)


async def test_planted_round_for_everybody_is_caught(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def any_row(self: HistoryService, viewer: str, code: str) -> object:
        del viewer
        return await self._commits.store.find_round(code)

    monkeypatch.setattr(HistoryService, "_find_allowed", any_row)
    for operation in ("/api/history/{code}", "/api/rounds/{code}/steps", "/api/verify/{code}"):
        assert await differences(world, operation) == [f"GET {operation} as other: ok, expected NoSuchRound"]


async def test_planted_table_for_everybody_is_caught(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = TableService.get
    monkeypatch.setattr(TableService, "get", lambda self, table, viewer="": before(self, table, viewer and world.ada))
    found = await differences(world, "/receipt")
    assert {one.split(":")[0] for one in found} == {
        "GET /api/tables/{table}/receipt as other",
        "GET /api/tables/{table}/receipt as supervisor",
    }


async def test_planted_console_without_its_role_check_is_caught(world: World) -> None:
    """Any known visitor passes for a supervisor at the door; where the house asks again, he still is none."""

    async def anybody(request: Request) -> Identity:
        found = await world.entrance.application.accounts.identify(
            read_token(request.scope["headers"], world.entrance.settings)
        )
        assert isinstance(found, Identity)
        return found

    world.entrance.app.dependency_overrides[identity.identify_supervisor] = anybody
    found = await differences(world, "/api/supervisor/tables")
    assert "GET /api/supervisor/tables as other: ok, expected NotSupervisor" in found
    assert not any("as owner: ok" in one or "as other: ok" in one for one in await differences(world, "/pause"))


async def test_h8_every_look_at_what_is_not_ones_own_is_written_down(world: World) -> None:
    for operation in ("GET /api/history/{code}", "GET /api/verify/{code}", "GET /api/supervisor/tables/{table}"):
        eva, client = await world.visit(Who.SUPERVISOR)
        before = world.entrance.application.host.commits._heads["house"].seq
        async with client:
            assert (await client.request(**CALLS[operation].request(operation, world, eva))).is_success
        records = await world.entrance.application.host.commits.store.read_records("house", before)
        assert [record.kind for record in records] == ["SupervisorViewed"], operation
        assert f'"{eva}"'.encode() in records[0].body


async def test_asvs_8_what_others_have_is_told_apart_from_nothing_by_nobody(world: World) -> None:
    """The answer for another's round, session or table is the answer for one that never was."""
    _, client = await world.visit(Who.OTHER)
    session = world.entrance.application.accounts.list_sessions(world.ada)
    assert not session
    await world.entrance.token(world.ada)
    held = world.entrance.application.accounts.list_sessions(world.ada)[0].id
    pairs = [
        (f"/api/history/{world.code}", f"/api/history/{world.code}9"),
        (f"/api/verify/{world.code}", f"/api/verify/{world.code}9"),
        (f"/api/rounds/{world.code}/steps", f"/api/rounds/{world.code}9/steps"),
        (f"/api/tables/{world.solo}/receipt", f"/api/tables/{world.solo}9/receipt"),
        (f"/api/tables/{world.solo}/proofs", f"/api/tables/{world.solo}9/proofs"),
        (f"/api/sessions/{held}", f"/api/sessions/{'0' * 16}"),
    ]
    async with client:
        for theirs, nothing in pairs:
            method = "DELETE" if "sessions" in theirs else "GET"
            one, other = await client.request(method, theirs), await client.request(method, nothing)
            assert one.status_code == other.status_code == 404
            assert one.json()["error"]["code"] == other.json()["error"]["code"]
    assert world.entrance.application.accounts.list_sessions(world.ada)[0].id == held
