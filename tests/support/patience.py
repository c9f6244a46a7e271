"""How long the tests wait for what must come: a busy machine is slow, not wrong, and what comes is not waited for."""

from __future__ import annotations

from typing import Any

import httpx
from websockets.asyncio import client
from websockets.sync import client as sync_client

PATIENCE = 120.0
"""Seconds after which it will not come."""


def lengthen_timeouts() -> None:
    """Of the clients that the tests and the example call with: theirs are 5 seconds an answer, 10 a handshake."""
    for name in ("connect", "read", "write", "pool"):
        setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, name, PATIENCE)
    connects: tuple[Any, ...] = (client.connect.__init__, sync_client.connect)
    for connect in connects:
        assert {"open_timeout", "ping_interval"} <= connect.__kwdefaults__.keys()
        connect.__kwdefaults__.update(open_timeout=PATIENCE, ping_interval=None)
