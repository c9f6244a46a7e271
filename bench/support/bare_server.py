"""The least that a WebSocket server on uvicorn can do: whatever one of a group says is sent to all of the group.

    python bench/support/bare_server.py PORT

No rule, no store, no JSON: its cost for each frame is the floor under every other server's. The frame that is sent is
as long as the first word of what came asks for.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import uvicorn
import uvloop

Send = Any


class Groups:
    def __init__(self) -> None:
        self.members: dict[str, list[Send]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if scope["type"] != "websocket":
            return
        group = self.members.setdefault(scope["path"], [])
        await receive()
        await send({"type": "websocket.accept"})
        group.append(send)
        try:
            while (message := await receive())["type"] == "websocket.receive":
                size, _, mark = message["text"].partition(" ")
                text = mark.ljust(int(size), ".")
                for one in tuple(group):
                    await one({"type": "websocket.send", "text": text})
        finally:
            group.remove(send)


def main() -> None:
    options: dict[str, Any] = {"ws": "websockets-sansio", "ws_per_message_deflate": False, "log_level": "warning"}
    config = uvicorn.Config(Groups(), host="127.0.0.1", port=int(sys.argv[1]), lifespan="off", **options)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    main()
