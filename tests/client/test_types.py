"""The client's own types are those of the wire: each field, and each command with its fields."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from ventuno import client
from ventuno.client import Table
from ventuno.web.messages import client_messages
from ventuno.web.messages.account import Movement
from ventuno.web.messages.games import GameLine, LobbyLine, LobbyResponse
from ventuno.web.messages.login import LoginResponse
from ventuno.web.messages.server_messages import Notice

PAIRS = [
    (client.TableLine, LobbyLine),
    (client.GameLine, GameLine),
    (client.Lobby, LobbyResponse),
    (client.Login, LoginResponse),
    (client.Movement, Movement),
]
VALUES: dict[str, Any] = {
    **dict.fromkeys(("box", "amount", "times"), 1),
    **dict.fromkeys(("allowed", "double", "split", "exact"), True),
    "action": "insure",
    "card": "TD",
    "reason": "why",
    "spots": [(1, "main")],
    "spot": (1, "main"),
}


def name_type(hint: Any) -> str:
    """A type without its modules; a dict is read as a mapping, and the lobby's line is called a table's here."""
    plain = re.sub(r"[\w.]+\.(?=\w)|<class '|'>", "", str(hint))
    return plain.replace("dict[", "Mapping[").replace("LobbyLine", "TableLine")


def find_differences(kind: type, wire: type) -> list[str]:
    own, published = get_type_hints(kind), get_type_hints(wire)
    return [
        name
        for name in (field.name for field in fields(kind))
        if name not in published or name_type(own[name]) != name_type(published[name])
    ]


@pytest.mark.parametrize(("kind", "wire"), PAIRS)
def test_each_field_is_one_of_the_wire(kind: type, wire: type) -> None:
    assert find_differences(kind, wire) == []


def test_planted_drift_is_caught() -> None:
    assert find_differences(client.TableLine, GameLine) == [
        *("table", "seats", "free", "taken", "limits", "phase", "paused", "rounds", "multi_table")
    ]
    assert find_differences(client.Movement, Notice) == ["amount", "balance", "reference"]


@pytest.mark.parametrize("word", client_messages.COMMANDS)
async def test_each_command_of_the_protocol_is_a_method_with_its_fields(word: str) -> None:
    """What it sends is read by the wire."""
    _, wire_fields = client_messages.COMMANDS[word]
    method = getattr(Table, word.replace("-", "_"))
    assert list(inspect.signature(method).parameters)[1:] == list(wire_fields)
    sent = list[Any]()

    class Line:
        async def request(self, kind: str, table: str, **more: Any) -> Any:
            sent.append({"type": kind, "id": "1", "table": table, **more})
            return {"version": -1, "refused": None}

    table = Table("T1", "7", 1, Line())  # type: ignore[arg-type]
    await method(table, **{name: VALUES[name] for name in wire_fields})
    asked: Any = client_messages.client_message.validate_json(json.dumps(sent[0]))
    assert asked.command.do == word
