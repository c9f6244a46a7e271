"""What every answer carries: on every route, page, refusal and fault, on plain http and on https (ASVS 3.4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.support.busy_house import CALLS, Who, World
from tests.support.in_process_house import LIVE, opened
from ventuno.house.store.store import StoreFailed
from ventuno.web.http import security
from ventuno.web.http.lobby import LobbyCache

HTTPS = {"public_origin": "https://play.example.org"}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "media-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
}
FIXED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
OTHERS = (
    "/",
    "/lobby",
    "/docs",
    "/docs/it",
    "/docs/it/nothing",
    "/docs/guide.css",
    "/nothing.js",
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/nothing",
    "/api/openapi.json",
    "/api/asyncapi.json",
)


@pytest_asyncio.fixture(params=[{}, HTTPS], ids=["http", "https"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path, request.param) as entrance:
        yield await World(entrance).begin()


def missing(answer: httpx.Response, *, secure: bool) -> list[str]:
    """What an answer lacks."""
    held = answer.headers
    found = [name for name, value in FIXED.items() if held.get(name) != value]
    words = [one.strip().partition(" ") for one in held.get("content-security-policy", "").split(";")]
    policy = {name: rest for name, _, rest in words}
    connects = policy.pop("connect-src", "").split()
    scheme = "wss://" if secure else "ws://"
    if policy != POLICY or connects[:1] != ["'self'"] or not all(one.startswith(scheme) for one in connects[1:2]):
        found.append("content-security-policy")
    if "camera=()" not in held.get("permissions-policy", ""):
        found.append("permissions-policy")
    if ("strict-transport-security" in held) is not secure:
        found.append("strict-transport-security")
    if str(answer.url.path).startswith("/api") and held.get("cache-control") != "no-store":
        found.append("cache-control")
    if "server" in held or "x-powered-by" in held:
        found.append("it says what it is made of")
    return found


async def lacking(world: World, calls: dict[str, Any]) -> list[str]:
    """Every answer without its headers: each operation as nobody and as who may, and all other paths."""
    secure, found = world.entrance.settings.secure, []
    for operation, call in calls.items():
        for who in (Who.ANONYMOUS, Who.SUPERVISOR if call.rule == "staff" else Who.OWNER):
            player, client = await world.visit(who, ada=bool(call.strange))
            async with client:
                answer = await client.request(**call.request(operation, world, player))
            found += [f"{operation} as {who}: {name}" for name in missing(answer, secure=secure)]
    async with world.entrance.client() as client:
        for path in OTHERS:
            found += [f"{path}: {name}" for name in missing(await client.get(path), secure=secure)]
        for method in ("POST", "PUT", "TRACE"):
            answer = await client.request(method, "/api/lobby")
            found += [f"{method} /api/lobby: {name}" for name in missing(answer, secure=secure)]
    return found


async def test_every_answer_carries_its_headers(world: World) -> None:
    assert await lacking(world, CALLS) == []


@pytest.mark.parametrize("name", [*FIXED, "content-security-policy", "permissions-policy"])
async def test_planted_missing_header_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    whole = security.security_headers

    def fewer(*given: Any) -> dict[str, str]:
        return {key: value for key, value in whole(*given).items() if key.lower() != name}

    monkeypatch.setattr(security, "security_headers", fewer)
    async with opened(tmp_path) as entrance:
        found = await lacking(World(entrance), {"GET /api/lobby": CALLS["GET /api/lobby"]})
        assert f"GET /api/lobby as anonymous: {name}" in found
        assert f"/: {name}" in found


@pytest.mark.parametrize("weaker", ["'unsafe-inline'", "*", "https:"])
async def test_planted_weaker_policy_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weaker: str) -> None:
    whole = security.policy

    def weaken(*given: Any, **named: Any) -> str:
        return whole(*given, **named).replace("script-src 'self'", f"script-src 'self' {weaker}")

    monkeypatch.setattr(security, "policy", weaken)
    async with opened(tmp_path) as entrance, entrance.client() as client:
        assert missing(await client.get("/"), secure=False) == ["content-security-policy"]


@pytest.mark.parametrize("path", ["/dealer", "/dealer/", "/dealer/V1", "/parts"])
async def test_x27_a_page_of_the_studio_may_ask_for_camera_and_microphone_and_for_nothing_else(
    world: World, path: str
) -> None:
    async with world.entrance.client() as client:
        answer, other = await client.get(path), await client.get("/")
    allowed = set(answer.headers["permissions-policy"].split(", ")) - set(
        other.headers["permissions-policy"].split(", ")
    )
    assert allowed == {"camera=(self)", "microphone=(self)"}
    assert missing(answer, secure=world.entrance.settings.secure) == ["permissions-policy"]


@pytest.mark.parametrize("path", ["/dealers", "/x/dealer", "/api/dealer", "/assets/parts"])
async def test_no_other_page_may_ask_for_a_camera(world: World, path: str) -> None:
    async with world.entrance.client() as client:
        answer = await client.get(path)
    assert "(self)" not in answer.headers["permissions-policy"]


async def test_the_reader_of_codes_alone_may_compile(world: World) -> None:
    """Its worker is held to the policy of its own script; no page is weakened for it."""
    async with world.entrance.client() as client:
        answer = await client.get("/assets/decoder.worker-Ab1.js")
        others = [await client.get(path) for path in ("/assets/index-Ab1.js", "/dealer", "/decoder.worker-Ab1.js")]
    script = next(part for part in answer.headers["content-security-policy"].split("; ") if part.startswith("script"))
    assert script == "script-src 'self' 'wasm-unsafe-eval'"
    assert missing(answer, secure=world.entrance.settings.secure) == ["content-security-policy"]
    assert not [other for other in others if "wasm" in other.headers["content-security-policy"]]


async def test_a_fault_says_nothing_but_its_id(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_given: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(LobbyCache, "lines", broken)
    async with world.entrance.client() as client:
        answer = await client.get("/api/lobby")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "Broken")
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    known = [getattr(record, "id", "") for record in caplog.records]
    assert answer.json()["error"]["id"] in known, "the log knows it by the same id"
    assert missing(answer, secure=world.entrance.settings.secure) == []


async def test_a_house_that_takes_nothing_says_so(world: World) -> None:
    _, client = await world.visit(Who.OWNER)
    world.entrance.application.host.commits.fail(StoreFailed("the disk is gone"))
    async with client:
        answer = await client.patch("/api/settings", json={"audio": {"voice": False}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "HouseClosed")
    assert answer.headers["retry-after"].isdecimal()


async def test_v72_only_the_pages_of_the_dealer_may_use_a_camera(tmp_path: Path) -> None:
    async with opened(tmp_path) as house, house.client() as client:
        dealers = ("/dealer", "/dealer/practice")
        for path in ("/", "/dealers", "/lobby/dealer", "/lobby", "/api/lobby", *dealers):
            allowed = (await client.get(path)).headers["permissions-policy"]
            for feature in ("camera", "microphone"):
                assert f"{feature}=({'self' if path in dealers else ''})" in allowed
            assert "geolocation=()" in allowed


async def test_v72_the_server_of_an_external_stream_is_named_and_no_other(tmp_path: Path) -> None:
    block = {"name": LIVE, "game": "ventuno", "video": "hls:https://live.example:8443/t1/index.m3u8"}
    async with opened(tmp_path, {"table": [block]}) as house, house.client() as client:
        policy = (await client.get("/")).headers["content-security-policy"]
        assert "media-src 'self' https://live.example:8443 blob:" in policy
        assert " https://live.example:8443;" in policy.partition("connect-src")[2][:200]
        (line,) = [line for line in (await client.get("/api/lobby")).json()["tables"] if line["table"] == LIVE]
        assert line["video"] == block["video"]
