"""How every door says no over HTTP: a code, a sentence, an id that the log knows too, the numbers that explain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    code: str
    detail: str
    id: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    error: ErrorDetail
