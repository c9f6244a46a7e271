"""The client as files: its page for every path that is not the house's, its assets kept by the browser for good.

Vite builds it into `static/`; asset names carry a hash of their content, so they never change.
"""

from __future__ import annotations

from pathlib import Path

from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from ventuno.web.http.errors import NoSuchMethod, NothingHere, RefusalError, error_response

STATIC = Path(__file__).parents[1] / "static"
ASSETS = "assets"
FOREVER = "public, max-age=31536000, immutable"
UNBUILT = (
    "The house is open; its pages are not built yet.\n\n"
    "    python3 dev.py play     builds them and opens the house\n\n"
    "The protocol is at /api/openapi.json.\n"
)
OURS = ("api", "socket", "docs", "healthz", "readyz", "metrics")
"""First words of paths that are no file of the client."""


class Pages:
    """An application for all other paths; it gives nothing but files of its folder."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._folder = folder.resolve()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(error_response(NothingHere()))
            return
        await self.respond(scope["path"], scope["method"])(scope, receive, send)

    def respond(self, path: str, method: str) -> Response:
        words = [word for word in path.split("/") if word]
        if words and words[0] in OURS:
            return error_response(NothingHere())
        if method not in ("GET", "HEAD"):
            return error_response(RefusalError.by(NoSuchMethod(), {"Allow": "GET, HEAD"}))
        if file := self._file(words):
            return FileResponse(file, headers={"Cache-Control": FOREVER if words[0] == ASSETS else "no-cache"})
        if words and (words[0] == ASSETS or "." in words[-1]):
            return error_response(NothingHere())
        page = self._folder / "index.html"
        return FileResponse(page) if page.is_file() else PlainTextResponse(UNBUILT)

    def _file(self, words: list[str]) -> Path | None:
        """A file inside the folder; no name that leads out of it, and none that begins with a dot."""
        if not words or any(word.startswith(".") or "\\" in word or "\0" in word for word in words):
            return None
        file = self._folder.joinpath(*words)
        try:
            inside = file.is_file() and file.resolve().is_relative_to(self._folder)
        except (OSError, ValueError):
            return None
        return file if inside else None
