"""How every door says no: one form for all refusals and faults, each with an id that the log knows too (ASVS 16).

A refusal of the house keeps its name and its numbers, and is said in English by the catalogue. What nobody expected
says nothing but its id.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno import words
from ventuno.core.messages.refusals import Refusal
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.authority import Answer
from ventuno.house.tables.pipeline import PipelineBroken
from ventuno.web.messages import fields
from ventuno.web.operations.logs import get_request_id

_log = logging.getLogger(__name__)
T = TypeVar("T")

REFUSED = 409
"""What is well said and refused all the same; every other status is in the table below. 422 is what does not fit the
published schema, and nothing else."""
STATUS = {
    **dict.fromkeys(("NotJson",), 400),
    **dict.fromkeys(("NotKnown", "SessionOver", "WrongCredentials", "WrongCode", "SecondFactorNeeded"), 401),
    **dict.fromkeys(("TokenUnfit",), 401),
    **dict.fromkeys(("WrongResetCode",), 401),
    **dict.fromkeys(("HeaderMissing", "ForeignOrigin", "NotSupervisor", "SecondFactorMissing", "AccountClosed"), 403),
    **dict.fromkeys(("PersonNeeded",), 403),
    **dict.fromkeys(("RightMissing", "NoGuests", "PlayExcluded", "CoolingOff", "NotYours", "TicketUnfit"), 403),
    **dict.fromkeys(("NothingHere", "NoSuchRound", "NoSuchTable", "NoSuchSession", "NoSuchToken", "NoSuchGame"), 404),
    **dict.fromkeys(
        ("NoSuchLimit", "NoSuchPlayer", "NoReceipt", "NoCertificate", "NotCommitted", "NoSuchCheckpoint", "NoSuchShoe"),
        404,
    ),
    **dict.fromkeys(("NoRecording",), 404),
    **dict.fromkeys(("NoSuchMethod",), 405),
    **dict.fromkeys(("TooSlow",), 408),
    **dict.fromkeys(("BodyTooLarge",), 413),
    **dict.fromkeys(("NotJsonType",), 415),
    **dict.fromkeys(("BodyUnfit",), 422),
    **dict.fromkeys(("TryLater", "TooMany", "TooManySockets", "TooFast", "AnnouncedJustNow"), 429),
    **dict.fromkeys(("Broken",), 500),
    **dict.fromkeys(("HouseClosed", "DiskFull", "CentralUnreachable", "ChanceStopped", "NotCertified"), 503),
    **dict.fromkeys(("ExportFailed",), 503),
    **dict.fromkeys(("OddsClosed", "OddsBusy", "OddsTooLong", "OddsFailed"), 503),
}
"""The status of a refusal by its name."""


class ErrorDetail(fields.Message):
    code: str
    detail: str
    id: str
    numbers: dict[str, Any]


class ErrorBody(fields.Message):
    """How every refusal is written: a code, a sentence, an id that the log knows too, the numbers that explain."""

    error: ErrorDetail


class NotJson(Refusal):
    pass


class BodyUnfit(Refusal):
    """Each fault with its place; what was sent is not repeated."""

    first: str
    faults: tuple[str, ...]


class NothingHere(Refusal):
    pass


class NoSuchMethod(Refusal):
    pass


class Broken(Refusal):
    pass


class HouseClosed(Refusal):
    """The store has failed or the house is closing: nothing is taken that could be lost."""


class RefusalError(Exception):
    """Carries a refusal to the door."""

    def __init__(self, code: str, numbers: Mapping[str, Any], headers: Mapping[str, str] | None = None):
        super().__init__(code)
        self.code, self.numbers = code, dict(numbers)
        self.headers = dict(headers or {})

    @classmethod
    def by(cls, refusal: Refusal, headers: Mapping[str, str] | None = None) -> RefusalError:
        numbers = asdict(refusal)
        if isinstance(wait := numbers.get("seconds"), int) and STATUS.get(refusal.code) == 429:
            headers = {"Retry-After": str(wait), **(headers or {})}
        return cls(refusal.code, numbers, headers)


def unwrap(outcome: T | Refusal) -> T:
    """What the house gave, or its refusal on the way out."""
    if isinstance(outcome, Refusal):
        raise RefusalError.by(outcome)
    return outcome


def unwrap_answer(answer: Answer) -> Answer:
    """The same for what was asked of a table."""
    if answer.refused:
        raise RefusalError(answer.refused, answer.numbers)
    return answer


def encode_error(status: int, code: str, numbers: Mapping[str, Any]) -> bytes:
    """The body of a refusal; the log knows it by its id. Texts from outside may hold anything: it is plain ASCII."""
    id, level = get_request_id(), logging.ERROR if status >= 500 else logging.INFO
    _log.log(level, "refused", extra={"id": id, "code": code, "status": status})
    body = asdict(ErrorBody(ErrorDetail(code, words.describe(code, numbers), id, dict(numbers))))
    return json.dumps(body, allow_nan=False, default=str).encode()


def error_response(refusal: Refusal | RefusalError) -> Response:
    error = RefusalError.by(refusal) if isinstance(refusal, Refusal) else refusal
    status = STATUS.get(error.code, REFUSED)
    body = encode_error(status, error.code, error.numbers)
    return Response(body, status, error.headers, "application/json")


def respond_to(fault: Exception, scope: Scope) -> Response:
    """The answer to whatever ended a call; what nobody foresaw leaves no trace of what it was (ASVS 16)."""
    match fault:
        case RefusalError():
            return error_response(fault)
        case RequestValidationError():
            return error_response(describe_unfit(fault.errors()))
        case HTTPException():
            return error_response(describe_http(fault, scope))
        case StoreFailed() | PipelineBroken():
            _log.error("the house takes nothing: %s", type(fault).__name__)
            return error_response(RefusalError.by(HouseClosed(), {"Retry-After": "5"}))
        case _:
            _log.error("a fault nobody foresaw", exc_info=fault)
            return error_response(Broken())


def describe_unfit(errors: Sequence[Any]) -> Refusal:
    if any(error["type"] == "json_invalid" for error in errors):
        return NotJson()
    faults = tuple(f"{'.'.join(map(str, error['loc']))}: {error['msg']}"[:200] for error in errors[:20])
    return BodyUnfit(faults[0] if faults else "", faults)


def describe_http(fault: HTTPException, scope: Scope) -> RefusalError:
    refusals: dict[int, Refusal] = {400: NotJson(), 404: NothingHere(), 405: NoSuchMethod()}
    headers = dict(fault.headers or {})
    if fault.status_code == 405 and (path := getattr(scope.get("route"), "path", None)):
        methods = scope["app"].openapi()["paths"].get(path, {})
        headers["Allow"] = ", ".join(sorted(map(str.upper, methods))) or headers.get("Allow", "")
    return RefusalError.by(refusals.get(fault.status_code, Broken()), headers)


async def handle_error(request: Request, fault: Exception) -> Response:
    return respond_to(fault, request.scope)


def install(app: FastAPI) -> None:
    for kind in (RefusalError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, handle_error)


class ErrorMiddleware:
    """The last net: turns every error that no route has handled into an answer (ASVS 16)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def send_watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        except Exception as fault:
            if scope["type"] != "http" or has_begun:
                raise
            await respond_to(fault, scope)(scope, receive, send)
