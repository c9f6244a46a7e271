"""The document of the wire: complete, closed, and the same from the application and from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema_rs
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from tests.support.busy_house import CALLS, operations
from tests.support.in_process_house import InProcessHouse
from tests.support.patience import PATIENCE
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.settings import Settings
from ventuno.web.app import schema_only
from ventuno.web.http import errors
from ventuno.web.messages import account, client_messages, schema, server_messages

REF = "#/components/schemas/"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(schema.build_document(schema_only())))
    return document


def refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        for one in value.values():
            yield from refs(one)
    elif isinstance(value, list):
        for one in value:
            yield from refs(one)


def undocumented(document: dict[str, Any]) -> list[str]:
    """Calls that do not say how they refuse, or ask for less than the gate does."""
    found = []
    for path, held in document["paths"].items():
        for method, operation in held.items():
            name, answers = f"{method.upper()} {path}", operation["responses"]
            wanted = {"403", "429", "500", "503"}
            wanted |= set() if method == "get" else {"400", "408", "409", "413", "415"}
            wanted |= {"401"} if operation.get("security") else set()
            wanted |= {"404"} if "{" in path else set()
            found += [f"{name}: {code}" for code in sorted(wanted - set(answers))]
            for code, answer in answers.items():
                body = answer.get("content", {}).get("application/json", {}).get("schema", {})
                if int(code) >= 400 and body.get("$ref") != f"{REF}ErrorBody":
                    found.append(f"{name}: {code} is no error body")
            given = {one["name"]: one for one in operation.get("parameters", [])}
            if method != "get" and not given.get("X-Ventuno", {}).get("required"):
                found.append(f"{name}: X-Ventuno")
    return found


def open_bodies(document: dict[str, Any]) -> list[str]:
    """Types that are sent and let unknown fields through."""
    schemas, waiting, seen = document["components"]["schemas"], list[str](), set[str]()
    for held in document["paths"].values():
        for operation in held.values():
            waiting += refs(operation.get("requestBody", {}))
    waiting += refs(schemas["Asked"])
    found = []
    while waiting:
        name = waiting.pop().removeprefix(REF)
        if name in seen:
            continue
        seen.add(name)
        one = schemas[name]
        waiting += refs(one)
        if one.get("type") == "object" and one.get("additionalProperties") is not False:
            found.append(name)
    assert len(seen) > 30
    return found


def test_every_call_says_how_it_refuses(document: dict[str, Any]) -> None:
    assert undocumented(document) == []


def test_planted_call_that_does_not_is_caught(document: dict[str, Any]) -> None:
    broken = json.loads(json.dumps(document))
    del broken["paths"]["/api/me"]["get"]["responses"]["401"]
    broken["paths"]["/api/login"]["post"]["parameters"] = []
    broken["paths"]["/api/guest"]["post"]["responses"]["429"] = {"description": "wait"}
    assert undocumented(broken) == [
        "POST /api/guest: 429 is no error body",
        "POST /api/login: X-Ventuno",
        "GET /api/me: 401",
    ]


def find_unsummarized(document: dict[str, Any]) -> list[str]:
    """Calls whose line in a list says nothing, or only what their function is called."""
    calls = [operation for methods in document["paths"].values() for operation in methods.values()]
    names = {route.endpoint.__name__ for route in every_route(schema_only().routes)}
    names |= {operation["operationId"] for operation in calls}
    plain = {name.replace("_", " ").lower() for name in names}
    return [call["operationId"] for call in calls if len(call["summary"]) < 9 or call["summary"].lower() in plain]


def every_route(routes: Any) -> Iterator[APIRoute]:
    for route in routes:
        if (inner := getattr(route, "original_router", None)) is not None:
            yield from every_route(inner.routes)
        elif isinstance(route, APIRoute):
            yield route


def test_every_call_has_a_summary_that_says_something(document: dict[str, Any]) -> None:
    assert find_unsummarized(document) == []
    assert len({operation["summary"] for held in document["paths"].values() for operation in held.values()}) > 60


def test_planted_summary_is_caught(document: dict[str, Any]) -> None:
    broken = json.loads(json.dumps(document))
    broken["paths"]["/api/logout"]["post"]["summary"] = ""
    broken["paths"]["/api/games"]["get"]["summary"] = "Show Games"
    assert find_unsummarized(broken) == ["logout", "games"]


def test_whatever_is_sent_is_closed(document: dict[str, Any]) -> None:
    assert open_bodies(document) == []


def test_planted_open_body_is_caught(document: dict[str, Any]) -> None:
    broken = json.loads(json.dumps(document))
    del broken["components"]["schemas"]["MoneyBody"]["additionalProperties"]
    assert open_bodies(broken) == ["MoneyBody"]


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    known = {f"{REF}{name}" for name in document["components"]["schemas"]}
    assert set(refs(document)) - known == set()
    assert document["openapi"].startswith("3.1")
    names = [operation["operationId"] for held in document["paths"].values() for operation in held.values()]
    assert len(names) == len(set(names)) == len(CALLS)


def test_the_messages_of_the_socket_are_in_it(document: dict[str, Any]) -> None:
    schemas, socket = document["components"]["schemas"], document[schema.SOCKET]
    for name, union in (("Asked", client_messages.ClientMessage), ("Told", server_messages.ServerMessage)):
        listed = {one.__name__ for one in get_args(get_args(union)[0])}
        assert {one["$ref"].removeprefix(REF) for one in schemas[name]["oneOf"]} == listed
        assert all("type" in schemas[one]["required"] for one in listed)
    assert socket["asked"] == {"$ref": f"{REF}Asked"}
    assert set(socket["closes"]) == {str(code) for code in server_messages.CLOSE_REASONS}


def test_a_message_that_the_house_takes_fits_its_schema(document: dict[str, Any]) -> None:
    whole = {**document["components"]["schemas"]["Asked"], "components": document["components"]}
    good = {"type": "ask", "id": "1", "table": "T1", "key": "k" * 8, "command": {"do": "sit", "box": 1}}
    assert jsonschema_rs.is_valid(whole, good)
    client_messages.client_message.validate_json(json.dumps(good))
    for bad in ({**good, "more": 1}, {**good, "type": "other"}, {**good, "command": {"do": "sit", "box": 9}}):
        assert not jsonschema_rs.is_valid(whole, bad)
        with pytest.raises(ValueError, match="validation error"):
            client_messages.client_message.validate_json(json.dumps(bad))


def test_two_types_of_one_name_are_a_fault() -> None:
    with pytest.raises(ValueError, match="two types are called Asked"):
        schema._add({"Asked": {"type": "string"}}, "Asked", TypeAdapter(int), "validation")


def test_the_table_names_every_call(document: dict[str, Any]) -> None:
    assert sorted(operations(document)) == sorted(CALLS)


def test_the_settings_that_are_sent_are_those_of_the_house() -> None:
    """The five tabs of the house and of the wire are the same, field by field (V-71)."""
    house = TypeAdapter(Settings).json_schema()["$defs"]
    wire = TypeAdapter(account.SettingsChange).json_schema()
    tabs = {"general": "General", "video": "Video", "audio": "Audio", "bet_behind": "BetBehind", "game": "Play"}
    assert set(wire["properties"]) == set(tabs) == set(Settings.__dataclass_fields__)
    for tab, name in tabs.items():
        sent = wire["$defs"][wire["properties"][tab]["$ref"].rpartition("/")[2]]["properties"]
        assert {field: one["type"] for field, one in sent.items()} == {
            field: one["type"] for field, one in house[name]["properties"].items()
        }


def test_the_statuses_are_those_of_refusals_that_exist() -> None:
    def names(kind: type[Refusal]) -> set[str]:
        return {kind.__name__} | {name for one in kind.__subclasses__() for name in names(one)}

    assert set(errors.STATUS) - names(Refusal) == set()


async def test_the_document_is_served_as_it_is_printed(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        served = (await client.get("/api/openapi.json")).json()
    ran = subprocess.run(
        [sys.executable, "-m", "ventuno.web.messages.schema"], capture_output=True, check=True, timeout=PATIENCE
    )
    assert json.loads(ran.stdout) == served


async def test_there_is_no_door_beside_those_of_the_document(entrance: InProcessHouse) -> None:
    """Paths that the document does not name: a closed list."""
    assert beside(entrance.app) == {
        *("/api/openapi.json", "/api/asyncapi.json", "/healthz", "/readyz", "/metrics", "/socket"),
        "/video/{table}",
        *("/docs", "/docs/{path:path}"),
    }
    entrance.app.add_api_route("/hidden", lambda: None, include_in_schema=False)
    assert "/hidden" in beside(entrance.app)


def beside(app: FastAPI) -> set[str]:
    return set(paths(app.routes)) - set(app.openapi()["paths"])


def paths(routes: Any) -> Iterator[str]:
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from paths(inner.routes)
        elif isinstance(path := getattr(route, "path", None), str):
            yield path
