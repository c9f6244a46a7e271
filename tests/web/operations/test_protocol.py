"""docs/protocol.md and docs/session.txt say what the wire says: it reads every frame in them, and none is missing."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import TypeAdapter, ValidationError

from ventuno.core.messages.refusals import Refusal
from ventuno.core.table.round import Action
from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import PublicView
from ventuno.house.tables import practice
from ventuno.web.app import schema_only
from ventuno.web.http import request_checks
from ventuno.web.http.errors import ErrorBody
from ventuno.web.http.identity import DEAR
from ventuno.web.http.rate_limits import RateLimits
from ventuno.web.messages import client_messages, server_messages
from ventuno.web.messages.account import Movement
from ventuno.web.messages.games import TableResponse
from ventuno.web.messages.login import LoginResponse, TicketResponse
from ventuno.web.sockets import lag, websocket_protocol
from ventuno.web.sockets.changes import apply_changes
from ventuno.web.sockets.limits import SocketLimits
from ventuno.words import describe_refusal

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "protocol.md").read_text(encoding="utf-8")
SESSION = (DOCS / "session.txt").read_text(encoding="utf-8").splitlines()
BODIES = {
    "/api/guest": LoginResponse,
    "/api/cashier/deposits": Movement,
    "/api/solo/first-person": TableResponse,
    "/api/ticket": TicketResponse,
}
SENT, HEARD = "→ ", "← "
CUT = " … "


def kinds(union: Any, word: str) -> set[str]:
    """The names of the members of a union, as the wire tells them apart."""
    members = get_args(get_args(union)[0]) if get_origin(union) is Annotated else get_args(union)
    return {str(next(one.default for one in fields(member) if one.name == word)) for member in members}


def blocks(language: str) -> list[str]:
    """The lines of the fenced blocks of a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [row for block in found for row in block.splitlines() if row]


def quoted() -> list[str]:
    """Every JSON object that stands in backquotes in the text."""
    return [one for one in re.findall(r"`(\{[^`\n]*\})`", PAGE) if '":' in one]


def heard(text: str) -> Any:
    """A frame of the house: read by the wire, and nothing in it that the wire does not have."""
    found, raw = server_messages.server_message.validate_json(text), json.loads(text)
    again = json.loads(server_messages.server_message.dump_json(found))
    assert {name: value for name, value in again.items() if name in raw} == raw
    return found


def test_every_example_of_what_is_heard_is_read_and_every_kind_has_one() -> None:
    frames = [row for row in blocks("json") if '"error"' not in row]
    assert {heard(row).type for row in frames} | {"table"} == kinds(server_messages.ServerMessage, "type")
    (error,) = [row for row in blocks("json") if '"error"' in row]
    assert TypeAdapter(ErrorBody).validate_json(error).error.code == "TooMany"


def test_every_refusal_in_an_example_says_what_the_house_says() -> None:
    """Its numbers by their names, and its sentence, where it has one, as they make it."""
    known = {kind.__name__: kind for kind in kinds_of(Refusal)}
    raw = [json.loads(row) for row in blocks("json")]
    examples = [one["error"] for one in raw if "error" in one] + [one["refused"] for one in raw if one.get("refused")]
    assert len(examples) == 2
    for one in examples:
        sentence = describe_refusal(known[one["code"]](**one["numbers"]))
        assert one.get("detail", sentence) == sentence


def kinds_of(kind: type[Refusal]) -> list[type[Refusal]]:
    return [found for one in kind.__subclasses__() for found in (one, *kinds_of(one))]


def test_v44_every_code_of_the_parser_that_ends_a_socket_is_explained() -> None:
    """`test_hostile` meets them."""
    assert {1002, 1007, 1009, 1011} <= {int(code) for code in re.findall(r"^\| (1\d{3}) \|", PAGE, re.MULTILINE)}


def test_every_example_of_what_is_sent_is_read_and_every_kind_has_one() -> None:
    whole = [one for one in quoted() if '"type"' in one]
    assert {client_messages.client_message.validate_json(one).type for one in whole} == kinds(
        client_messages.ClientMessage, "type"
    )


def test_the_eight_lines_of_the_page_apply_changes_as_the_house_does() -> None:
    """On every step of the recorded session."""
    program = compile("\n".join(blocks("python")), "protocol.md", "exec")
    steps = [json.loads(row.removeprefix(HEARD)) for row in SESSION if '"type":"step"' in row and CUT not in row]
    whole = next(json.loads(row.removeprefix(HEARD)) for row in SESSION if '"type":"table"' in row and CUT not in row)
    tree, applied = whole["public"], 0
    for step in steps:
        promised = apply_changes(tree, step["public"])
        if all(path for path, *_ in step["public"]):
            exec(program, {"changes": step["public"], "tree": tree})
            assert tree == promised
            applied += len(step["public"])
        tree = promised
    assert applied > 10


def test_every_command_has_an_example() -> None:
    doing: TypeAdapter[Any] = TypeAdapter(client_messages.TableCommand)
    found = [doing.validate_json(one) for one in quoted() if '"do"' in one and '"type"' not in one]
    assert {one.do for one in found} == kinds(client_messages.TableCommand, "do")
    assert all(f"`{action}`" in PAGE for action in Action)


def test_every_notice_and_every_reason_to_close_is_explained() -> None:
    rows = dict(re.findall(r"^\| (4\d{3}) \| (.*) \|$", PAGE, re.MULTILINE))
    assert {int(code): why for code, why in rows.items()} == server_messages.CLOSE_REASONS
    assert all(f"`{kind}`" in PAGE for kind in get_args(server_messages.NoticeKind))


def test_the_limits_are_those_in_force() -> None:
    bounds, allowed = SocketLimits(), RateLimits()
    wanted = [
        f"| a frame | {bounds.frame} bytes |",
        f"| messages of one socket | {bounds.rate} a second, {bounds.burst} at once |",
        "| pings, pongs and pieces of messages, of RFC 6455, on one socket | "
        f"{websocket_protocol.CONTROL_FRAMES[0]} a second, "
        f"{websocket_protocol.CONTROL_FRAMES[1]} at once |",
        f"| pieces of one message | {websocket_protocol.FRAGMENTS} |",
        f"| frames that are no message, on one socket | {bounds.faults} |",
        f"| tables on one socket | {bounds.tables} |",
        f"| sockets of one session; one more replaces the oldest | {bounds.per_session} |",
        f"| bytes that wait for a slow reader | {websocket_protocol.BUFFER} |",
        f"| a body over HTTP | {request_checks.BODY} bytes |",
        f"| calls of one address | {allowed.address.per_second} a second, {allowed.address.burst} at once |",
        f"| calls of one account; opening a table, or a round of one's history, counts {DEAR} | "
        f"{allowed.account.per_second} a second, {allowed.account.burst} at once |",
        f"| guest, register, login from one address | 1 in {1 / allowed.entry.per_second:.0f} seconds, "
        f"{allowed.entry.burst} at once |",
        f"| sockets of one address | a setting, {allowed.connections} |",
        f"| practice tables of one account | {practice.MAX_TABLES} |",
        f"up to {bounds.credit} milliseconds",
        f"`ping` {lag.CALM // 1000} seconds after the last one",
    ]
    assert [one for one in wanted if one not in PAGE] == []


def test_the_worked_session_is_read_frame_by_frame() -> None:
    """The recording of a real run: what was sent, what was heard, and views that hold together step by step."""
    asked, public, mine, version = "", None, None, -1
    answers = []
    for row in SESSION:
        text = row.removeprefix(SENT).removeprefix(HEARD)
        if row.startswith(f"{SENT}POST "):
            asked = text.split()[1]
        elif row.startswith(f"{HEARD}200 "):
            TypeAdapter(BODIES[asked]).validate_json(text.partition(" ")[2])
        elif row.startswith(f"{SENT}{{"):
            client_messages.client_message.validate_json(text)
        elif row.startswith(f"{HEARD}{{"):
            match heard(text):
                case server_messages.TableMessage():
                    raw = json.loads(text)
                    public, mine, version = raw["public"], raw["mine"], raw["version"]
                case server_messages.Step(after=after):
                    raw = json.loads(text)
                    assert after == version
                    public, mine = apply_changes(public, raw["public"]), apply_changes(mine, raw.get("mine", ()))
                    version = raw["version"]
                    TypeAdapter(PublicView).validate_python(public)
                    TypeAdapter(PrivateView).validate_python(mine)
                case server_messages.AnswerMessage(refused=refused):
                    answers.append(refused)
                case _:
                    pass
    assert answers == [None] * 7  # join, promise, reveal and four commands
    assert public is not None
    assert mine is not None
    assert [one["returned"] for one in public["lines"]] == [200]
    assert mine["balance"] == 50_100


def test_the_session_on_the_page_is_cut_out_of_the_recording() -> None:
    shown = [row for row in blocks("") if row.startswith((SENT, HEARD))]
    assert len(shown) == len(SESSION)
    for short, whole in zip(shown, SESSION, strict=True):
        place = 0
        for piece in short.split(CUT):
            place = whole.index(piece, place) + len(piece)


@pytest.mark.parametrize(
    "frame",
    [
        '{"type":"answer","id":"3","table":"T","version":42}x',
        '{"type":"answer","id":"3","version":42,"refused":null}',
        '{"type":"answer","id":"3","table":"T","version":42,"refused":null,"colour":"red"}',
        '{"type":"applause"}',
    ],
)
def test_a_planted_stale_frame_is_caught(frame: str) -> None:
    with pytest.raises((ValidationError, AssertionError)):
        heard(frame)


CALL = re.compile(r"`(?:(GET|POST|PUT|PATCH|DELETE) )?(/[^`?]*)[^`]*`")
"""A call in the first column of a table; what names no method has that of the call before it."""


def list_documented_calls(page: str) -> set[tuple[str, str]]:
    calls, prefix = set(), ""
    for line in page.splitlines():
        if line.startswith("| call"):
            prefix = "/api/supervisor" if "/api/supervisor" in line else ""
        method = ""
        for named, path in CALL.findall(line.split(" | ")[0]) if line.startswith(("| `", "| call")) else ():
            method = named or method
            if method:
                calls.add((method, f"{prefix}{path}"))
    return calls


def list_routes() -> set[tuple[str, str]]:
    """Every call that the house answers: those of the published document, and those that are not in it."""
    paths = schema_only().openapi()["paths"]
    inner = {
        ("GET", path)
        for path in (
            "/api/openapi.json",
            "/api/asyncapi.json",
            "/healthz",
            "/readyz",
            "/metrics",
            "/socket",
            "/video/{table}",
        )
    }
    return {(method.upper(), path) for path, methods in paths.items() for method in methods} | inner


def test_every_call_is_in_the_tables_and_nothing_else() -> None:
    assert len(list_routes()) > 70
    assert list_documented_calls(PAGE) == list_routes()
    planted = PAGE.replace("| `GET /api/me` |", "| `GET /api/mine` |")
    assert list_documented_calls(planted) ^ list_routes() == {("GET", "/api/me"), ("GET", "/api/mine")}
