"""Calls that no page of ours makes: forms, foreign pages, missing headers, on every changing call (ASVS 3.5).

Nothing may come of any of them: the heads of all streams are the same before and after.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from tests.support.busy_house import CALLS, Call, Who, World
from tests.support.in_process_house import InProcessHouse, opened
from ventuno.web.http import request_checks
from ventuno.web.http.request_checks import BODY, is_json
from ventuno.web.operations.settings import Settings

FOREIGN: dict[str, tuple[dict[str, str | None], int]] = {
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "a form with files": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "plain text": ({"Content-Type": "text/plain"}, 415),
    "text that calls itself JSON too": ({"Content-Type": "text/plain; application/json"}, 415),
    "no content type": ({"Content-Type": None}, 415),
    "no header": ({"X-Ventuno": None}, 403),
    "another header": ({"X-Ventuno": "0"}, 403),
    "a foreign page": ({"Origin": "https://evil.example"}, 403),
    "a page whose name begins like ours": ({"Origin": "http://127.0.0.1:21210"}, 403),
    "a sandboxed page": ({"Origin": "null"}, 403),
    "a page of another site, by the browser's word": ({"Sec-Fetch-Site": "cross-site"}, 403),
    "a page of a neighbour, by the browser's word": ({"Sec-Fetch-Site": "same-site"}, 403),
}
CHANGING = {operation: call for operation, call in CALLS.items() if not operation.startswith("GET ")}


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


def changed(client: httpx.AsyncClient, made: dict[str, Any], headers: dict[str, str | None]) -> httpx.Request:
    """The call with other headers; None takes one away. There is always a body: a form always has one."""
    body = made.pop("json", {})
    fixed = {"Content-Type": "application/json", **made.pop("headers", {})}
    request = client.build_request(content=json.dumps(body), headers=fixed, **made)
    for name, value in headers.items():
        request.headers.pop(name, None)
        if value is not None:
            request.headers[name] = value
    return request


def read_heads(world: World) -> dict[str, Any]:
    """Of all streams but the reports to the concession, which the house sends by itself once a second."""
    heads = world.entrance.application.host.commits._heads
    return {stream: head for stream, head in heads.items() if stream != "concession"}


async def let_in(world: World, calls: dict[str, Call]) -> list[str]:
    """Every foreign call that was not turned away as it should be, or that changed anything."""
    found = []
    for operation, call in calls.items():
        who = Who.SUPERVISOR if call.rule == "staff" else Who.OWNER
        player, client = await world.visit(who, ada=bool(call.strange))
        async with client:
            for name, (headers, status) in FOREIGN.items():
                made = call.request(operation, world, player)
                before = read_heads(world)
                answer = await client.send(changed(client, made, headers))
                if answer.status_code != status:
                    found.append(f"{operation} by {name}: {answer.status_code}")
                if read_heads(world) != before:
                    found.append(f"{operation} by {name}: something came of it")
    return found


async def test_nothing_comes_of_foreign_calls(world: World) -> None:
    assert await let_in(world, CHANGING) == []


async def test_the_same_calls_from_our_pages_are_taken(world: World) -> None:
    """So that the test above does not pass because nothing is ever taken."""
    for operation, call in CHANGING.items():
        who = Who.SUPERVISOR if call.rule == "staff" else Who.OWNER
        player, client = await world.visit(who, ada=bool(call.strange))
        async with client:
            answer = await client.send(changed(client, call.request(operation, world, player), {}))
            assert answer.is_success or answer.json()["error"]["code"] == call.expected(who), operation


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("is_own_origin", "a foreign page"),
        ("is_json", "text that calls itself JSON too"),
        ("HEADER_VALUE", "no header"),
    ],
)
async def test_planted_hole_in_the_gate_is_caught(
    world: World, monkeypatch: pytest.MonkeyPatch, part: str, name: str
) -> None:
    holes: dict[str, Any] = {
        "is_own_origin": lambda _scope, _settings: True,
        "is_json": lambda _kind: True,
        "HEADER_VALUE": None,
    }
    monkeypatch.setattr(request_checks, part, holes[part])
    operation = "POST /api/protection/reality-check/acknowledgement"
    found = await let_in(world, {operation: CALLS[operation]})
    assert f"{operation} by {name}: 204" in found
    assert f"{operation} by {name}: something came of it" in found


async def test_a_page_of_another_site_reads_nothing(entrance: InProcessHouse) -> None:
    async with entrance.client(**{"Sec-Fetch-Site": "cross-site"}) as client:
        for path in ("/api/lobby", "/api/me", "/api/openapi.json"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "ForeignOrigin")
        assert (await client.get("/")).status_code == 200


async def test_no_page_is_ever_given_leave_to_call_from_elsewhere(entrance: InProcessHouse) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    async with entrance.client(**asked) as client:
        for path in ("/api/login", "/api/lobby", "/"):
            answer = await client.options(path)
            assert not any(name.startswith("access-control") for name in answer.headers)
            assert answer.status_code == 405


@pytest.mark.parametrize("size", [BODY + 1, 100_000])
async def test_a_body_is_small(entrance: InProcessHouse, size: int) -> None:
    async def drops() -> AsyncIterator[bytes]:
        for _ in range(size // 1000 + 1):
            yield b" " * 1000

    kind = {"Content-Type": "application/json"}
    async with entrance.client() as client:
        for body in (b" " * size, drops()):
            answer = await client.post("/api/login", content=body, headers=kind)
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "BodyTooLarge")


async def test_a_body_comes_in_time(entrance: InProcessHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "SECONDS", 0.05)

    async def drops() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)

    async with entrance.client() as client:
        answer = await client.post("/api/login", content=drops(), headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (408, "TooSlow")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 16_000, b"NaN", b'{"name": }', b"\x00", b'{"name": "a", "name"'],
)
async def test_what_is_no_json_is_told_so(entrance: InProcessHouse, body: bytes) -> None:
    async with entrance.client() as client:
        answer = await client.post("/api/login", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]["code"] in ("NotJson", "BodyUnfit")
        assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "amount", ["1.0", "1e3", "true", '"100"', "-1", "0", "NaN", "Infinity", "null", "[1]", str(10**13), "1" * 400]
)
async def test_an_amount_is_a_whole_number_of_cents(entrance: InProcessHouse, amount: str) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        kind = {"Content-Type": "application/json", "Idempotency-Key": "k" * 12}
        answer = await client.post("/api/cashier/deposits", content=f'{{"amount": {amount}}}', headers=kind)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "BodyUnfit")
        assert (await client.get("/api/me")).json()["free"] == 0


async def test_an_unknown_field_is_an_error_everywhere(world: World) -> None:
    for operation, call in CHANGING.items():
        if call.body is None:
            continue
        who = Who.SUPERVISOR if call.rule == "staff" else Who.OWNER
        player, client = await world.visit(who, ada=bool(call.strange))
        made = call.request(operation, world, player)
        made["json"] = {**made["json"], "and_one_more": 1}
        async with client:
            answer = await client.request(**made)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "BodyUnfit"), operation
        assert "and_one_more" in answer.json()["error"]["detail"]


async def test_half_a_character_is_no_text(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        for body in (
            '{"name": "\\ud800", "password": "correct horse"}',
            '{"name": "ada", "password": "\\udfff2345678"}',
            '{"name": "ada", "password": "correct horse", "\\ud800": 1}',
        ):
            answer = await client.post("/api/login", content=body, headers={"Content-Type": "application/json"})
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "BodyUnfit")


def test_what_counts_as_json() -> None:
    assert all(is_json(one) for one in ("application/json", "Application/JSON; charset=UTF-8", "application/json;"))
    assert not any(is_json(one) for one in ("", "application/json; charset=utf-7", "text/json", "application/jsonp"))


def make_scope(method: str, headers: list[tuple[str, str]]) -> dict[str, Any]:
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    app = SimpleNamespace(state=SimpleNamespace(rates=SimpleNamespace(check=lambda *_: None)))
    server = ("127.0.0.1", 2121)
    fixed = {"type": "http", "path": "/api/lobby", "app": app, "server": server, "ventuno.address": "192.0.2.1"}
    return {**fixed, "method": method, "headers": raw}


OWN, EVIL = ("Origin", "http://127.0.0.1:2121"), ("Origin", "https://evil.example")


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ([OWN], True),
        ([OWN, OWN], True),
        ([OWN, EVIL], False),
        ([EVIL, OWN], False),
        ([OWN, ("Origin", "null")], False),
        ([OWN, ("Sec-Fetch-Site", "same-site")], False),
        ([OWN, ("Sec-Fetch-Site", "cross-site")], False),
        ([OWN, ("Sec-Fetch-Site", "same-origin")], True),
        ([("Sec-Fetch-Site", "none")], True),
    ],
)
def test_asvs_3_5_every_origin_that_is_named_must_be_ours(headers: list[tuple[str, str]], is_own: bool) -> None:
    """ASVS 3.5: also where a header comes twice, in either order, and for the page of a neighbour."""
    scope = make_scope("POST", headers)
    assert request_checks.is_own_origin(scope, Settings()) is is_own
    names_origin = any(name == "Origin" for name, _ in headers)
    assert request_checks.is_own_origin(scope, Settings(), needed=True) is (is_own and names_origin)


@pytest.mark.parametrize("site", ["same-site", "cross-site", "same-origin", "none"])
def test_asvs_3_5_no_other_site_reads_an_answer(site: str) -> None:
    """ASVS 3.5: a call that changes nothing is refused to other sites and to neighbours too."""
    gate = request_checks.RequestChecks(FastAPI(), Settings())
    refusal = gate._check(make_scope("GET", [("Sec-Fetch-Site", site)]))
    assert isinstance(refusal, request_checks.ForeignOrigin) is (site in ("same-site", "cross-site"))
