"""The whole wire in one document: OpenAPI 3.1 for the calls, the messages of the socket beside them.

    python -m ventuno.web.messages.schema > openapi.json

Every refusal that a call can meet is written at the call; the client's types are generated from here.
"""

from __future__ import annotations

import json
import re
import sys
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from ventuno.web.http.errors import ErrorBody
from ventuno.web.http.request_checks import HEADER, HEADER_VALUE, SAFE
from ventuno.web.messages import client_messages, server_messages

SOCKET = "x-ventuno-socket"
REF = "#/components/schemas/"
ERROR = {"application/json": {"schema": {"$ref": f"{REF}ErrorBody"}}}
MARKER = {
    "name": HEADER,
    "in": "header",
    "required": True,
    "description": "no other site's page can send it",
    "schema": {"type": "string", "const": HEADER_VALUE},
}
ALWAYS = (403, 429, 500, 503)
CHANGING = (400, 408, 409, 413, 415)
DESCRIPTION = """\
A blackjack house. Amounts are integer cents, times milliseconds since 1970 in the house's clock. Every refusal is
`{"error": {code, detail, id, numbers}}`; 422 is a call that does not fit this document, 409 one that does and is
refused. Play is on the socket, whose messages are `Asked` and `Told` below; docs/protocol.md explains it with a worked
session.
"""


def build_document(app: FastAPI) -> dict[str, Any]:
    """The document of an application, made once."""
    if app.openapi_schema is None:
        openapi = get_openapi(
            title="Ventuno",
            version=app.version,
            description=DESCRIPTION,
            routes=app.routes,
            separate_input_output_schemas=True,
        )
        schemas = openapi.setdefault("components", {}).setdefault("schemas", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        _add(schemas, "ErrorBody", TypeAdapter(ErrorBody), "serialization")
        for path, operations in openapi["paths"].items():
            for method, operation in operations.items():
                _finish(path, method.upper(), operation)
        _require_all(schemas)
        _add(schemas, "Asked", client_messages.client_message, "validation")
        _add(schemas, "Told", server_messages.server_message, "serialization")
        openapi[SOCKET] = {
            "path": "/socket",
            "query": {"ticket": "from `POST /api/ticket`"},
            "asked": {"$ref": f"{REF}Asked"},
            "told": {"$ref": f"{REF}Told"},
            "closes": {str(code): why for code, why in server_messages.CLOSE_REASONS.items()},
        }
        app.openapi_schema = openapi
    return app.openapi_schema


def _finish(path: str, method: str, operation: dict[str, Any]) -> None:
    """Its first sentence for a list of calls, every error answer, and the header that a changing one carries."""
    operation["summary"] = summarize(operation.get("description", ""))
    answers, changing = operation["responses"], method not in SAFE
    if changing:
        operation.setdefault("parameters", []).append(MARKER)
    parameters = [parameter for parameter in operation.get("parameters", []) if parameter is not MARKER]
    codes = {*ALWAYS, *(CHANGING if changing else ())}
    codes |= {401} if operation.get("security") else set()
    codes |= {422} if parameters or "requestBody" in operation else set()
    codes |= {404} if "{" in path else set()
    declared = {int(code) for code in answers if code.isdecimal() and int(code) >= 400} - {422}
    for code in sorted(codes | declared):
        answers[str(code)] = {"description": HTTPStatus(code).phrase, "content": ERROR}
    if 422 not in codes:
        answers.pop("422", None)


def summarize(description: str) -> str:
    """The first sentence of a docstring, without the criteria that it cites.

    >>> summarize("Always possible, also for who is excluded; money comes\\nback first (R-38). More of it.")
    'Always possible, also for who is excluded; money comes back first'
    """
    text = " ".join(description.partition("\n\n")[0].split())
    return re.sub(r" \([^()]*\)$", "", re.split(r"(?<=[a-z)`0-9])\. ", text)[0].rstrip("."))


def _add(schemas: dict[str, Any], name: str, adapter: TypeAdapter[Any], mode: Any) -> None:
    """A type and all it is made of, under their own names; two types of one name are a fault."""
    schema = adapter.json_schema(mode=mode, ref_template=REF + "{model}")
    for key, definition in {**schema.pop("$defs", {}), name: schema}.items():
        fixed = [field for field, value in definition.get("properties", {}).items() if "const" in value]
        if fixed:
            definition["required"] = sorted({*definition.get("required", ()), *fixed})
        if schemas.setdefault(key, definition) != definition:
            raise ValueError(f"two types are called {key}")


def _require_all(schemas: dict[str, Any]) -> None:
    """What the house answers is always complete: fields with a default are there too. What is sent is closed."""
    for schema in schemas.values():
        if "properties" in schema and "additionalProperties" not in schema:
            schema["required"] = list(schema["properties"])


def main() -> None:
    from ventuno.web.app import schema_only

    json.dump(build_document(schema_only()), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
