"""The socket in machine form: every message of both directions, as the types have it, served as it is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from tests.support.in_process_house import InProcessHouse
from tests.support.patience import PATIENCE
from tests.support.server_process import ROOT
from ventuno.web.messages import asyncapi, client_messages, server_messages

SENT, HEARD = "→ ", "← "


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(asyncapi.build_socket_document()))
    return document


def find_references(value: Any) -> Iterator[str]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        yield value["$ref"]
    for part in parts:
        yield from find_references(part)


def resolve(document: dict[str, Any], reference: str) -> Any:
    place: Any = document
    for word in reference.removeprefix("#/").split("/"):
        place = place[word]
    return place


@pytest.mark.parametrize(
    ("operation", "action", "union"),
    [("ask", "send", client_messages.ClientMessage), ("hear", "receive", server_messages.ServerMessage)],
)
def test_each_message_is_there_with_its_type(document: dict[str, Any], operation: str, action: str, union: Any) -> None:
    described = document["operations"][operation]
    messages = [resolve(document, resolve(document, line["$ref"])["$ref"]) for line in described["messages"]]
    assert described["action"] == action
    assert {message["title"] for message in messages} == {kind.__name__ for kind in asyncapi.list_messages(union)}
    for message in messages:
        payload = resolve(document, message["payload"]["$ref"])
        assert payload["properties"]["type"]["const"] == message["name"]
        assert "type" in payload["required"]
        assert len(message["summary"]) > 9


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    references = set(find_references(document))
    assert len(references) > 40
    for reference in references:
        resolve(document, reference)
    assert document["channels"]["socket"]["x-closes"].keys() == {str(code) for code in server_messages.CLOSE_REASONS}


def check_frame(document: dict[str, Any], operation: str, frame: Any) -> bool:
    """Whether a frame fits the schema of the message that its type names."""
    names = [line["$ref"].rpartition("/")[2] for line in document["operations"][operation]["messages"]]
    fitting = [name for name in names if document["components"]["messages"][name]["name"] == frame["type"]]
    return len(fitting) == 1 and jsonschema_rs.is_valid(
        {"$ref": f"{asyncapi.SCHEMAS}{fitting[0]}", "components": document["components"]}, frame
    )


def test_the_worked_session_fits_it(document: dict[str, Any]) -> None:
    """Every frame of a real run, in its direction; the other way round, or with another type, it does not."""
    rows = (ROOT / "docs" / "session.txt").read_text(encoding="utf-8").splitlines()
    frames = [({SENT: "ask", HEARD: "hear"}[row[:2]], row[2:]) for row in rows if row[:2] in (SENT, HEARD)]
    read = [(operation, json.loads(text)) for operation, text in frames if text.startswith("{") and '"type"' in text]
    assert len(read) > 20
    for operation, frame in read:
        assert check_frame(document, operation, frame), frame
        assert not check_frame(document, "hear" if operation == "ask" else "ask", frame)
    ask = next(frame for operation, frame in read if frame["type"] == "ask")
    assert not check_frame(document, "ask", {**ask, "more": 1})


async def test_it_is_served_as_it_is_printed(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        served = (await client.get(asyncapi.ADDRESS)).json()
    command = [sys.executable, "-m", "ventuno.web.messages.asyncapi"]
    printed = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout
    assert json.loads(printed) == served == asyncapi.build_socket_document()
