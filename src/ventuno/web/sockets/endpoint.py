"""The socket's door: `GET /socket?ticket=…`, from a page of the house, with a session and its ticket (ASVS 4.4).

A plain ASGI endpoint: who is not let in is refused before the socket opens; who is speaks over a `WebSocketProtocol`.
"""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter
from starlette.datastructures import State
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from ventuno.house.accounts.sessions import Identity
from ventuno.web.http.client_address import address_group
from ventuno.web.http.identity import accept_handshake
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.channel import Line
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.open_socket import find_line, leave_serving

PATH = "/socket"


class SocketEndpoint:
    """Lets sockets in, one at a time, and counts them out again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line: Line | None = find_line(scope)
        if line is None:
            raise RuntimeError("sockets are served over WebSocketProtocol: see its UVICORN_OPTIONS")
        identity = await accept_handshake(WebSocket(scope, receive, send))
        if identity is None:
            return
        state, group = scope["app"].state, address_group(scope["ventuno.address"])
        try:
            scope["ventuno.identity"], scope["ventuno.group"] = identity, group
            scope["query_string"] = b""  # the ticket has no business in anybody's log
            await receive()
            await send({"type": "websocket.accept"})
        except BaseException:
            state.rates.disconnect(group)
            raise
        leave_serving(scope, partial(self._serve, state, line, receive, identity, group))

    async def _serve(self, state: State, line: Line, receive: Receive, identity: Identity, group: str) -> None:
        try:
            await state.hub.serve(line, receive, identity)
        finally:
            state.rates.disconnect(group)


def read_limits(settings: Settings) -> SocketLimits:
    """The limits of the sockets as the settings have them."""
    return SocketLimits(sockets=settings.sockets, waiting=settings.asks_waiting, credit=settings.lag_credit)


router = APIRouter()
router.routes.append(WebSocketRoute(PATH, SocketEndpoint(), name="socket"))
