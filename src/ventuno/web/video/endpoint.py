"""The socket of a table's video: `GET /video/{table}?ticket=…`, let in as the socket of play is, to who may see it."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter
from starlette.datastructures import State
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from ventuno.house.accounts.sessions import Identity
from ventuno.web.http.client_address import address_group
from ventuno.web.http.errors import error_response
from ventuno.web.http.identity import accept_handshake
from ventuno.web.sockets.channel import Line
from ventuno.web.sockets.open_socket import find_line, leave_serving

PATH = "/video/{table}"


class VideoEndpoint:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line: Line | None = find_line(scope)
        if line is None:
            raise RuntimeError("sockets are served over WebSocketProtocol: see its UVICORN_OPTIONS")
        websocket = WebSocket(scope, receive, send)
        identity = await accept_handshake(websocket)
        if identity is None:
            return
        state, group = scope["app"].state, address_group(scope["ventuno.address"])
        table: str = scope["path_params"]["table"]
        try:
            if refusal := await state.hub.check_hidden(table, identity.player, identity.role):
                await websocket.send_denial_response(error_response(refusal))
                state.rates.disconnect(group)
                return
            scope["ventuno.identity"], scope["ventuno.group"] = identity, group
            scope["query_string"] = b""  # the ticket has no business in anybody's log
            await receive()
            await send({"type": "websocket.accept"})
        except BaseException:
            state.rates.disconnect(group)
            raise
        leave_serving(scope, partial(self._serve, state, line, receive, identity, group, table))

    async def _serve(
        self, state: State, line: Line, receive: Receive, identity: Identity, group: str, table: str
    ) -> None:
        try:
            await state.video.serve(line, receive, identity, table)
        finally:
            state.rates.disconnect(group)


router = APIRouter()
router.routes.append(WebSocketRoute(PATH, VideoEndpoint(), name="video"))
