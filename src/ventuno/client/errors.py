"""What can go wrong for a client. Refusals carry the house's code and its numbers; words for people are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ClientError(Exception):
    """Whatever this package raises by itself."""


class Refused(ClientError):
    """The house said no and changed nothing: `code` is for programs, `numbers` explain it (X-19)."""

    def __init__(self, code: str, numbers: Mapping[str, Any]) -> None:
        super().__init__(code, dict(numbers))
        self.code, self.numbers = code, dict(numbers)

    def __str__(self) -> str:
        return f"{self.code} {self.numbers}" if self.numbers else self.code


class CallRefused(Refused):
    """A refusal over HTTP, with its status; `id` is in the house's log, `detail` is an English sentence."""

    def __init__(self, status: int, code: str, numbers: Mapping[str, Any], detail: str = "", id: str = "") -> None:
        super().__init__(code, numbers)
        self.status, self.detail, self.id = status, detail, id


class LineLost(ClientError):
    """The line was lost before the answer, and this cannot be asked twice: look at the table before trying again."""


class ConnectionEnded(ClientError):
    """The house closed the socket for good: log in again after 4004, stay away after 4005."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the connection ended: {code} {reason}".rstrip())
        self.code, self.reason = code, reason


class TableGone(ClientError):
    """The table is no longer shown on this connection: it was left, it closed, or another socket took it over."""

    def __init__(self, table: str, reason: str) -> None:
        super().__init__(f"{table}: {reason}")
        self.table, self.reason = table, reason
