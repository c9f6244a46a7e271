"""What refusals, views and messages have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import dataclass_transform


@dataclass_transform(frozen_default=True)
class FrozenRecord:
    """Each class that is derived from this is a frozen data class."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)
