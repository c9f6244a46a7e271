"""The socket in machine form: AsyncAPI 3.0, made from the message types.

    python -m ventuno.web.messages.asyncapi > asyncapi.json

What a client sends and what it receives, each message by its name with its schema, and why a socket is closed.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ventuno import __version__
from ventuno.web.messages import client_messages, server_messages
from ventuno.web.messages.fields import read_doc

ADDRESS, PATH = "/api/asyncapi.json", "/socket"
SCHEMAS, MESSAGES = "#/components/schemas/", "#/components/messages/"
DESCRIPTION = """\
One frame is one JSON text; `type` says which message it is. The first one heard is `welcome`. A ticket of
`POST /api/ticket` lets one socket in, with the cookie of the session and an `Origin` of the house. docs/protocol.md
explains versions, steps and keys with a worked session; HTTP is in /api/openapi.json.
"""


def list_messages(union: Any) -> tuple[type, ...]:
    """The message types of one direction."""
    return get_args(get_args(union)[0])


@cache
def build_socket_document() -> dict[str, Any]:
    """Both directions as the client has them: it sends what it asks, and receives what it is told."""
    schemas: dict[str, Any] = {}
    sent = _add_messages(schemas, list_messages(client_messages.ClientMessage), "validation")
    received = _add_messages(schemas, list_messages(server_messages.ServerMessage), "serialization")
    channel = {
        "address": PATH,
        "title": "The socket of a session",
        "messages": {name: {"$ref": f"{MESSAGES}{name}"} for name in (*sent, *received)},
        "bindings": {
            "ws": {
                "method": "GET",
                "query": {
                    "type": "object",
                    "properties": {"ticket": {"type": "string", "description": "from `POST /api/ticket`"}},
                    "required": ["ticket"],
                },
            }
        },
        "x-closes": {str(code): why for code, why in server_messages.CLOSE_REASONS.items()},
    }
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Ventuno", "version": __version__, "description": DESCRIPTION},
        "defaultContentType": "application/json",
        "channels": {"socket": channel},
        "operations": {
            "ask": _describe_operation("send", "What a client may send", sent),
            "hear": _describe_operation("receive", "What the house tells", received),
        },
        "components": {"messages": {**sent, **received}, "schemas": schemas},
    }


def _add_messages(schemas: dict[str, Any], kinds: tuple[type, ...], mode: Any) -> dict[str, Any]:
    """Each message with its schema; all that it is made of goes to the schemas, under its own name."""
    messages = {}
    for kind in kinds:
        schema = TypeAdapter(kind).json_schema(mode=mode, ref_template=SCHEMAS + "{model}")
        word = schema["properties"]["type"]["const"]
        schema["required"] = sorted({*schema.get("required", ()), "type"})
        for name, definition in {**schema.pop("$defs", {}), kind.__name__: schema}.items():
            if schemas.setdefault(name, definition) != definition:
                raise ValueError(f"two types are called {name}")
        doc = read_doc(kind)
        messages[kind.__name__] = {
            "name": word,
            "title": kind.__name__,
            "summary": " ".join(doc.partition("\n\n")[0].split()) if doc else f"`{word}`",
            "payload": {"$ref": f"{SCHEMAS}{kind.__name__}"},
        }
    return messages


def _describe_operation(action: str, summary: str, messages: dict[str, Any]) -> dict[str, Any]:
    listed = [{"$ref": f"#/channels/socket/messages/{name}"} for name in messages]
    return {"action": action, "channel": {"$ref": "#/channels/socket"}, "summary": summary, "messages": listed}


async def serve_document(_request: Request) -> Response:
    return JSONResponse(build_socket_document())


def main() -> None:
    json.dump(build_socket_document(), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
