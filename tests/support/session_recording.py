"""Records docs/session.txt: one round of a game for one, from the first call to the settlement, against a real house.

    python -m tests.support.session_recording > docs/session.txt

Lines begin with → for what the client sends and ← for what it hears; calls over HTTP say method and path, or status.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.support.server_process import ServerProcess, example, running

GAME = "first-person"


class Recorder:
    """A socket that writes down what passes."""

    def __init__(self, socket: ClientConnection, lines: list[str]) -> None:
        self._socket, self._lines = socket, lines

    async def send(self, text: str) -> None:
        frame = json.dumps(json.loads(text), separators=(",", ":"))
        self._lines.append(f"→ {frame}")
        await self._socket.send(frame)

    async def recv(self) -> str:
        frame = str(await self._socket.recv())
        self._lines.append(f"← {frame}")
        return frame


async def recorded(house: ServerProcess) -> list[str]:
    lines: list[str] = []
    headers = {"X-Ventuno": "1", "Origin": house.url}
    async with httpx.AsyncClient(base_url=house.url, headers=headers) as http:

        async def post(path: str, body: Any = None, **more: str) -> Any:
            answer = await http.post(path, json=body, headers=more)
            said = "".join(f" {name}: {value}" for name, value in more.items())
            lines.append(f"→ POST {path}{said}{f' {json.dumps(body)}' if body else ''}")
            lines.append(f"← {answer.status_code} {answer.text}")
            return answer.json()

        await post("/api/guest")
        await post("/api/cashier/deposits", {"amount": 100_000}, **{"Idempotency-Key": "deposit-0001"})
        table = (await post(f"/api/solo/{GAME}"))["table"]
        ticket = (await post("/api/ticket"))["ticket"]
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    lines.append(f"→ GET /socket?ticket={ticket}")
    lines.append("← 101")
    address = f"{house.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
    async with connect(address, origin=Origin(house.url), additional_headers={"Cookie": cookie}) as socket:
        await example().Bot(Recorder(socket, lines), table, 1, True).play(1)
    return lines


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as house:
        print("\n".join(asyncio.run(recorded(house))))


if __name__ == "__main__":
    main()
