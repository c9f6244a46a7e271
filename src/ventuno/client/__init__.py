"""A client of the house for programs: typed, asynchronous, and back by itself when the line is lost.

It speaks the public protocol (docs/protocol.md) and needs the extra `bot` alone: httpx and websockets. docs/bots.md is
the guide, `examples/` has bots by level.

    async with Client.guest("http://127.0.0.1:2121") as client:
        await client.deposit(50_000)
        table = await client.join("Ventuno 1")
        result = await table.play_round(lambda now: "stand" if now.total >= 17 else "hit")
"""

from __future__ import annotations

from ventuno.client.account import Login, Movement
from ventuno.client.client import Client
from ventuno.client.errors import CallRefused, ClientError, ConnectionEnded, LineLost, Refused, TableGone
from ventuno.client.lobby import GameLine, Lobby, TableLine
from ventuno.client.rounds import Decision, RoundResult
from ventuno.client.table import Notice, Table

__all__ = [
    "CallRefused",
    "Client",
    "ClientError",
    "ConnectionEnded",
    "Decision",
    "GameLine",
    "LineLost",
    "Lobby",
    "Login",
    "Movement",
    "Notice",
    "Refused",
    "RoundResult",
    "Table",
    "TableGone",
    "TableLine",
]
