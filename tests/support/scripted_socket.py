"""The house's end of a client's socket, played by a test: it answers what it is told to, and ends lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any, Self

from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

Frame = dict[str, Any]
LOST = ConnectionClosedError(None, None)
React = Callable[[Frame], Iterable[Frame | Exception]]


def close(code: int) -> ConnectionClosedError:
    return ConnectionClosedError(Close(code, "a test"), None)


class ScriptedSocket:
    """One line: what is sent over it is kept, and `react` says what is heard then, or how the line ends."""

    def __init__(self, react: React, *first: Frame | Exception) -> None:
        self.sent: list[Frame] = []
        self._react = react
        self._frames: asyncio.Queue[Frame | Exception] = asyncio.Queue()
        for frame in first:
            self._frames.put_nowait(frame)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def send(self, text: str) -> None:
        self.sent.append(json.loads(text))
        for frame in self._react(self.sent[-1]):
            self._frames.put_nowait(frame)

    async def recv(self) -> str:
        frame = await self._frames.get()
        if isinstance(frame, Exception):
            raise frame
        return json.dumps(frame)


def answer(message: Frame, version: int = 1, code: str = "", **numbers: Any) -> Frame:
    refused = {"code": code, "numbers": numbers} if code else None
    return {"type": "answer", "id": message["id"], "table": message["table"], "version": version, "refused": refused}
