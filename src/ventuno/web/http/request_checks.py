"""Checks before every call: its origin, its form, its size, its rate (ASVS 3.5, ASVS 2.4, ASVS 4.4).

A page of another site can send neither our header nor our content type without being asked for it first, and it is
never given leave; where the browser says whose page it is, that counts too. A program with an access token sends what
no page can, and needs no header of ours beside it.
"""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno.core.messages.refusals import Refusal
from ventuno.web.http.client_address import Proxies, address_group
from ventuno.web.http.errors import error_response
from ventuno.web.http.rate_limits import RateLimiter
from ventuno.web.http.security import API, port_of, read_bearer
from ventuno.web.operations.settings import Settings

HEADER, HEADER_VALUE = "X-Ventuno", "1"
BODY = 16 * 1024
SECONDS = 10
SAFE = ("GET", "HEAD", "OPTIONS")
_FOREIGN = ("cross-site", "same-site")


class HeaderMissing(Refusal):
    name: str = HEADER
    value: str = HEADER_VALUE


class ForeignOrigin(Refusal):
    pass


class NotJsonType(Refusal):
    pass


class BodyTooLarge(Refusal):
    most: int = BODY


class TooSlow(Refusal):
    within: int = SECONDS


class RequestChecks:
    """Stands between the server and the routes; the address it finds is `scope["ventuno.address"]`."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._proxies = Proxies(settings.proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            scope["ventuno.address"] = self._proxies.client(scope)
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._check(scope)
        if refusal is None and scope["method"] not in SAFE:
            body = await read_body(receive)
            if isinstance(body, Refusal):
                refusal = body
            elif body and not is_json(Headers(scope=scope).get("content-type", "")):
                refusal = NotJsonType()
            else:
                receive = replay_body(body, receive)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await error_response(refusal)(scope, receive, send)

    def _check(self, scope: Scope) -> Refusal | None:
        headers, is_api = Headers(scope=scope), scope["path"].startswith(API)
        rates: RateLimiter = scope["app"].state.rates
        if is_api and (refusal := rates.check("address", address_group(scope["ventuno.address"]))):
            return refusal
        if scope["method"] in SAFE:
            return ForeignOrigin() if is_api and headers.get("sec-fetch-site", "same-origin") in _FOREIGN else None
        if not is_own_origin(scope, self._settings):
            return ForeignOrigin()
        if headers.get(HEADER) != HEADER_VALUE and not read_bearer(scope["headers"]):
            return HeaderMissing()
        kind, length = headers.get("content-type"), headers.get("content-length", "0")
        if (kind is not None or length != "0") and not is_json(kind or ""):
            return NotJsonType()
        return BodyTooLarge() if length.isdecimal() and (len(length) > 9 or int(length) > BODY) else None


def is_own_origin(scope: Scope, settings: Settings, *, needed: bool = False) -> bool:
    """Whether the page that calls is one of ours. A call that no browser makes names none; a handshake must."""
    headers = Headers(scope=scope)
    origins = headers.getlist("origin")
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    return all(origin in settings.own_origins(port_of(scope)) for origin in origins) and (bool(origins) or not needed)


def is_json(kind: str) -> bool:
    word, _, rest = kind.partition(";")
    return word.strip().lower() == "application/json" and rest.strip().lower() in ("", "charset=utf-8")


async def read_body(receive: Receive) -> bytes | Refusal:
    """The whole body, if it is small and comes in time."""
    body = bytearray()
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return TooSlow()
                body += message.get("body", b"")
                if len(body) > BODY:
                    return BodyTooLarge()
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        return TooSlow()


def replay_body(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
