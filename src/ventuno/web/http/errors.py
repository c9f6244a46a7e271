"""How every door says no: one form for all refusals and faults, each with an id that the log knows too (ASVS 16).

A refusal of the house keeps its name, its sentence and its numbers. What nobody expected says nothing but its id.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno.core.messages.refusals import Refusal
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.pipeline import PipelineBroken
from ventuno.house.tables.requests import Answer
from ventuno.web.messages.errors import ErrorBody, ErrorDetail
from ventuno.web.operations.logs import request_id

_log = logging.getLogger(__name__)
T = TypeVar("T")

REFUSED = 409
"""What is well said and refused all the same; every other status is in the table below. 422 is what does not fit the
published schema, and nothing else."""
STATUS = {
    **dict.fromkeys(("NotJson",), 400),
    **dict.fromkeys(("NotKnown", "SessionOver", "WrongCredentials", "WrongCode", "SecondFactorNeeded"), 401),
    **dict.fromkeys(("HeaderMissing", "ForeignOrigin", "NotSupervisor", "SecondFactorMissing", "AccountClosed"), 403),
    **dict.fromkeys(("NoGuests", "PlayExcluded", "CoolingOff", "NotYours", "TicketUnfit"), 403),
    **dict.fromkeys(("NothingHere", "NoSuchRound", "NoSuchTable", "NoSuchSession", "NoSuchGame"), 404),
    **dict.fromkeys(("NoSuchLimit", "NoSuchPlayer", "NoReceipt", "NoCertificate", "NotCommitted"), 404),
    **dict.fromkeys(("NoSuchMethod",), 405),
    **dict.fromkeys(("TooSlow",), 408),
    **dict.fromkeys(("BodyTooLarge",), 413),
    **dict.fromkeys(("NotJsonType",), 415),
    **dict.fromkeys(("BodyUnfit",), 422),
    **dict.fromkeys(("TryLater", "TooMany", "TooManySockets", "TooFast"), 429),
    **dict.fromkeys(("Broken",), 500),
    **dict.fromkeys(("HouseClosed", "DiskFull", "CentralUnreachable", "ChanceStopped", "NotCertified"), 503),
    **dict.fromkeys(("OddsClosed", "OddsBusy", "OddsTooLong", "OddsFailed"), 503),
}
"""The status of a refusal by its name."""


@dataclass(frozen=True, slots=True)
class NotJson(Refusal):
    says = "the body is no JSON"


@dataclass(frozen=True, slots=True)
class BodyUnfit(Refusal):
    """Each fault with its place; what was sent is not repeated."""

    says = "what was sent does not fit: {first}"
    first: str
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NothingHere(Refusal):
    says = "there is nothing here"


@dataclass(frozen=True, slots=True)
class NoSuchMethod(Refusal):
    says = "this is not how it is asked"


@dataclass(frozen=True, slots=True)
class Broken(Refusal):
    says = "something went wrong here; the log knows it by the id of this answer"


@dataclass(frozen=True, slots=True)
class HouseClosed(Refusal):
    """The store has failed or the house is closing: nothing is taken that could be lost."""

    says = "the house takes nothing now; try again"


class RefusalError(Exception):
    """Carries a refusal to the door."""

    def __init__(self, code: str, detail: str, numbers: Mapping[str, Any], headers: Mapping[str, str] | None = None):
        super().__init__(code)
        self.code, self.detail, self.numbers = code, detail, dict(numbers)
        self.headers = dict(headers or {})

    @classmethod
    def by(cls, refusal: Refusal, headers: Mapping[str, str] | None = None) -> RefusalError:
        numbers = asdict(refusal)
        if isinstance(wait := numbers.get("seconds"), int) and STATUS.get(refusal.code) == 429:
            headers = {"Retry-After": str(wait), **(headers or {})}
        return cls(refusal.code, refusal.detail, numbers, headers)


def unwrap(outcome: T | Refusal) -> T:
    """What the house gave, or its refusal on the way out."""
    if isinstance(outcome, Refusal):
        raise RefusalError.by(outcome)
    return outcome


def unwrap_answer(answer: Answer) -> Answer:
    """The same for what was asked of a table."""
    if answer.refused:
        raise RefusalError(answer.refused, answer.detail, answer.numbers)
    return answer


def error_response(fault: RefusalError) -> Response:
    """The answer to a refusal. Texts that came from outside may hold anything: it is written in plain ASCII."""
    status, id = STATUS.get(fault.code, REFUSED), request_id()
    level = logging.ERROR if status >= 500 else logging.INFO
    _log.log(level, "refused", extra={"id": id, "code": fault.code, "status": status})
    body = asdict(ErrorBody(ErrorDetail(fault.code, fault.detail, id, fault.numbers)))
    text = json.dumps(body, allow_nan=False, default=str)
    return Response(text, status, fault.headers, "application/json")


async def handle_refusal(_request: Request, fault: Exception) -> Response:
    assert isinstance(fault, RefusalError)
    return error_response(fault)


async def handle_unfit(_request: Request, fault: Exception) -> Response:
    assert isinstance(fault, RequestValidationError)
    errors = fault.errors()
    if any(error["type"] == "json_invalid" for error in errors):
        return error_response(RefusalError.by(NotJson()))
    faults = tuple(f"{'.'.join(map(str, error['loc']))}: {error['msg']}"[:200] for error in errors[:20])
    return error_response(RefusalError.by(BodyUnfit(faults[0] if faults else "", faults)))


async def handle_http(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    refusals: dict[int, Refusal] = {400: NotJson(), 404: NothingHere(), 405: NoSuchMethod()}
    headers = dict(fault.headers or {})
    if fault.status_code == 405 and (path := getattr(request.scope.get("route"), "path", None)):
        listed = request.app.openapi()["paths"].get(path, {})
        headers["Allow"] = ", ".join(sorted(map(str.upper, listed))) or headers.get("Allow", "")
    return error_response(RefusalError.by(refusals.get(fault.status_code, Broken()), headers))


def install(app: FastAPI) -> None:
    app.add_exception_handler(RefusalError, handle_refusal)
    app.add_exception_handler(RequestValidationError, handle_unfit)
    app.add_exception_handler(HTTPException, handle_http)


class FaultMiddleware:
    """The last net: whatever was not foreseen becomes an answer without a trace of what it was (ASVS 16)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        except Exception as fault:
            if scope["type"] != "http" or begun:
                raise
            await handle_fault(fault)(scope, receive, send)


def handle_fault(fault: Exception) -> Response:
    if isinstance(fault, RefusalError):
        return error_response(fault)
    if isinstance(fault, StoreFailed | PipelineBroken):
        _log.error("the house takes nothing: %s", type(fault).__name__)
        return error_response(RefusalError.by(HouseClosed(), {"Retry-After": "5"}))
    _log.error("a fault nobody foresaw", exc_info=fault)
    return error_response(RefusalError.by(Broken()))
