"""Who may call what: every operation of the document x every role, against a table written by hand (ASVS 8, G-18).

The matrix is a function of an application, so that it can be shown to catch applications that are broken on purpose.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from starlette.requests import Request

from tests.support.busy_house import ALL_STAFF, CALLS, Rule, Who, World, operations
from tests.support.in_process_house import opened
from ventuno.house.accounts import account_service
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import Identity
from ventuno.house.history.history_service import HistoryService
from ventuno.house.tables.table_service import TableService
from ventuno.web.http import identity
from ventuno.web.http.security import read_token

ALLOWED = {
    "/pause": (Who.PIT,),
    "/reset-code": (Who.SUPPORT,),
    "/audit": (Who.AUDITOR,),
    "/corrections": (Who.AUDITOR,),
}


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
            if call.rule is Rule.EVERYBODY and who in ALL_STAFF:
                continue  # nobody is asked who he is, and tries at passwords are few
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
        "GET /api/tables/{table}/receipt as support",
        "GET /api/tables/{table}/receipt as pit",
        "GET /api/tables/{table}/receipt as auditor",
        "GET /api/tables/{table}/receipt as dealer",
    }


async def test_planted_console_without_its_role_check_is_caught(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any known visitor passes for a supervisor at the door; the house asks again, and there he still is none."""

    async def anybody(request: Request) -> Identity:
        found = await world.entrance.application.accounts.identify(
            read_token(request.scope["headers"], world.entrance.settings)
        )
        assert isinstance(found, Identity)
        return found

    world.entrance.app.dependency_overrides[identity.identify_supervisor] = anybody
    with monkeypatch.context() as patched:
        patched.setattr(AccountService, "check_right", lambda *_: None)
        found = await differences(world, "/api/supervisor/tables")
    assert "GET /api/supervisor/tables as other: ok, expected NotSupervisor" in found
    assert not any("as owner: ok" in one or "as other: ok" in one for one in await differences(world, "/pause"))


@pytest.mark.parametrize("operation", ["/pause", "/reset-code", "/audit", "/corrections"])
async def test_planted_table_of_rights_that_lets_everybody_is_caught(
    operation: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_service, "has_right", lambda _role, _right: True)
    caught = {line.partition(" as ")[2].partition(":")[0] for line in await differences(world, operation)}
    assert caught >= {"support", "pit", "auditor"} - {str(who) for who in ALLOWED[operation]}


async def test_h8_staff_of_a_lower_role_cannot_touch_the_staff(world: World) -> None:
    """Support helps players; an account of the staff is a supervisor's to end or close."""
    eva = await world.supervisor()
    _, client = await world.visit(Who.SUPPORT)
    async with client:
        for act in ("logout", "closing", "opening"):
            answer = await client.post(f"/api/supervisor/players/{eva}/{act}", json={"reason": "why"})
            assert answer.json()["error"]["code"] == "RightMissing", act
    assert not world.entrance.application.accounts[eva].player.disabled


async def test_h8_roles_are_given_and_taken_by_supervisors_and_never_theirs(world: World) -> None:
    accounts = world.entrance.application.accounts
    bea, other = await world.entrance.joined("Beatrice"), await world.supervisor()
    _, client = await world.visit(Who.SUPERVISOR)

    async def ask(path: str, **body: str) -> str:
        answer = await client.post(f"/api/supervisor/staff{path}", json={"reason": "short of hands", **body})
        return "ok" if answer.is_success else str(answer.json()["error"]["code"])

    async with client:
        assert await ask("", player=bea, role="supervisor") == "BodyUnfit"
        assert await ask("", player=bea, role="support") == "ok"
        assert accounts[bea].player.role is Role.SUPPORT
        assert accounts[bea].player.effective_role is Role.PLAYER  # until he has his second factor
        assert await ask("", player=other, role="pit") == "NotHired"
        assert await ask(f"/{other}/removal") == "NotHired"
        listed = (await client.get("/api/supervisor/staff")).json()["staff"]
        (line,) = [entry for entry in listed if entry["player"] == bea]
        assert (line["role"], line["enrolled"]) == ("support", False)
        assert "correct" not in line["rights"]
        assert await ask(f"/{bea}/removal") == "ok"
        assert accounts[bea].player.role is Role.PLAYER
    log = await world.entrance.application.host.commits.store.read_records("house")
    assert any(b"role support: short of hands" in record.body for record in log)


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
