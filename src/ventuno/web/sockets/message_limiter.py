"""How many messages a socket may bring, and how long each may be: counted before anybody reads them (T-8)."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Message

from ventuno.web.http.rate_limits import TokenBucket
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.websocket_protocol import TOO_LONG, TOO_MANY


class MessageLimiter:
    __slots__ = ("_bucket", "_longest", "_steady")

    def __init__(self, limits: SocketLimits, steady: Callable[[], int]) -> None:
        self._longest, self._steady = limits.frame, steady
        self._bucket = TokenBucket(limits.rate, limits.burst, steady())

    def check(self, message: Message) -> int:
        """The code to close with, or 0."""
        if not self._bucket.take(self._steady()):
            return TOO_MANY
        return TOO_LONG if is_too_long(message.get("text") or "", self._longest) else 0


def is_too_long(text: str, most: int) -> bool:
    """Whether it has more bytes than that; a letter has four at most."""
    return len(text) > most // 4 and (len(text) > most or (not text.isascii() and len(text.encode()) > most))
