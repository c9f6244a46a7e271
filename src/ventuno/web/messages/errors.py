"""How every door says no over HTTP: a code, a sentence, an id that the log knows too, the numbers that explain."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ventuno.web.messages.fields import Message


class ErrorDetail(Message):
    code: str
    detail: str
    id: str
    numbers: dict[str, Any] = field(default_factory=dict)


class ErrorBody(Message):
    error: ErrorDetail
