"""A port for a server that is started again on it.

Below those that the system gives to callers: one of them could hold it while the server is away, or call itself.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom


def free_port() -> int:
    chance = SystemRandom()
    while True:
        port = chance.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
