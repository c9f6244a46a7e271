"""The socket's door: `GET /socket?ticket=…`, from a page of the house, with a session and its ticket (ASVS 4.4).

A plain ASGI endpoint: who is not let in is refused before the socket opens; who is speaks over a `Line`.
"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from ventuno.web.http.client_address import household
from ventuno.web.http.identity import handshake
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.hub import Hub
from ventuno.web.sockets.limits import Bounds
from ventuno.web.sockets.websocket_protocol import line_of

PATH = "/socket"


class Door:
    """Lets sockets in, one at a time, and counts them out again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = line_of(scope)
        if line is None:
            raise RuntimeError("sockets are served over ventuno.web.sockets.websocket_protocol.Line: see its SERVER")
        known = await handshake(WebSocket(scope, receive, send))
        if known is None:
            return
        state = scope["app"].state
        try:
            scope["query_string"] = b""  # the ticket has no business in anybody's log
            await receive()
            await send({"type": "websocket.accept"})
            await state.hub.serve(line, receive, known)
        finally:
            state.rates.disconnect(household(scope["ventuno.address"]))


def bounds(settings: Settings) -> Bounds:
    """The limits of the sockets as the settings have them."""
    return Bounds(sockets=settings.sockets, waiting=settings.asks_waiting, credit=settings.lag_credit)


router = APIRouter()
router.routes.append(WebSocketRoute(PATH, Door(), name="socket"))

__all__ = ["PATH", "Bounds", "Door", "Hub", "bounds", "router"]
