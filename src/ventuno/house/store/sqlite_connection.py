"""Connections to a SQLite file, with nothing done behind our back, and the questions that are asked of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy.dialects import sqlite

from ventuno.house.store import queries

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "cache_size": "-65536",
    "busy_timeout": "5000",
    "wal_autocheckpoint": "0",
}
"""Checkpoints are the writer's own: SQLite says nothing when one that it began by itself fails."""
QUERIES = queries.compile_queries(sqlite.dialect(paramstyle="qmark"))


class Connection(Protocol):
    """What the writer needs of a connection: the standard library's has it, and APSW's, which the fault tests use."""

    def execute(self, statement: str, values: Any = (), /) -> Any: ...

    def close(self) -> None: ...


def connect(path: str, pragmas: Mapping[str, str] = PRAGMAS) -> sqlite3.Connection:
    """A connection with nothing done behind our back: transactions begin and end where we say."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
    apply_pragmas(connection, pragmas)
    return connection


def apply_pragmas(connection: Connection, pragmas: Mapping[str, str] = PRAGMAS) -> None:
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name} = {value}").fetchall()


def read_settings(connection: Connection) -> dict[str, str]:
    """What the database really does, as it says itself."""
    return {
        name: str(next(iter(connection.execute(f"PRAGMA {name}")))[0]).lower()
        for name in ("journal_mode", "synchronous")
    }


def run_query(connection: Connection, name: str, values: Mapping[str, Any] | None = None) -> list[Any]:
    query = QUERIES[name]
    return list(connection.execute(query.text, query.values(values or {})))
