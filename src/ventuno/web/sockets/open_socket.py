"""How an open socket is served: outside of the middlewares and routes that let it in.

A socket stays for hours, and its handshake is done with in a moment. What serves it is left with the line, and begun
when the application has returned: what the handshake needed, some 12 KiB for each socket, is free by then (G-19).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

EXTENSION = "ventuno.line"
Serving = Callable[[], Awaitable[None]]


def find_line(scope: Scope) -> Any:
    """The line under an application's scope, where the server is ours or at a door of ours."""
    return _find_extension(scope).get("line")


def leave_serving(scope: Scope, serving: Serving) -> None:
    """What is to be done for as long as the socket is open; where something was left before, this takes its place."""
    _find_extension(scope)["serving"] = serving


def find_serving(scope: Scope) -> Serving | None:
    serving: Serving | None = _find_extension(scope).get("serving")
    return serving


def _find_extension(scope: Scope) -> dict[str, Any]:
    extension: dict[str, Any] = (scope.get("extensions") or {}).get(EXTENSION, {})
    return extension


async def run_socket(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """A socket from its handshake to its end, as a server runs it."""
    await app(scope, receive, send)
    if serving := find_serving(scope):
        forget_handshake(scope)
        await serving()


def forget_handshake(scope: Scope) -> None:
    """Keep of a scope only what is said of the socket when it ends."""
    kept = {name: scope[name] for name in ("type", "state")}
    scope.clear()
    scope.update(kept)
