"""A player's settings: five tabs, changed together, kept in the profile, loaded on any device (V-71).

A change is a mapping of tabs to fields. All of it is taken or none: an unknown field or a value outside its range
refuses the whole, and says where.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec

from ventuno.core.messages.refusals import Refusal

Volume = Annotated[int, msgspec.Meta(ge=0, le=100)]
Currency = Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
Chip = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class General:
    """V-61 focus mode, V-65 chat, V-53 currency, X-07 four colours and motion."""

    language: Literal["it", "en"] = "it"
    currency: Currency = "EUR"
    show_chat: bool = True
    focus: bool = False
    four_colours: bool = False
    reduced_motion: bool = False
    clock_24h: bool = True


@dataclass(frozen=True, slots=True)
class Video:
    """V-72: the quality of the drawn dealer, or of a table's stream."""

    quality: Literal["auto", "low", "medium", "high"] = "auto"
    full_screen: bool = False


@dataclass(frozen=True, slots=True)
class Audio:
    """V-68: voice and sounds apart, each with its volume."""

    voice: bool = True
    voice_volume: Volume = 80
    sounds: bool = True
    sounds_volume: Volume = 80


@dataclass(frozen=True, slots=True)
class BetBehind:
    """V-30…V-33: pre-decisions of a bettor behind, and whether others may bet behind one's own boxes."""

    follow_double: bool = False
    follow_split: bool = False
    allow_others: bool = True


@dataclass(frozen=True, slots=True)
class Play:
    """The tab of the game: F-12 cash out, X-03 trainer, the chip at hand."""

    show_cash_out: bool = True
    trainer: bool = False
    show_totals: bool = True
    confirm_deal: bool = False
    fast: bool = False
    skip_animations: bool = False
    chip: Chip = 100


@dataclass(frozen=True, slots=True)
class Settings:
    general: General = field(default_factory=General)
    video: Video = field(default_factory=Video)
    audio: Audio = field(default_factory=Audio)
    bet_behind: BetBehind = field(default_factory=BetBehind)
    game: Play = field(default_factory=Play)


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The whole as it is from now on."""

    settings: Settings


class SettingUnfit(Refusal):
    reason: str
    asked: str = ""
    allowed: str = ""


def change(settings: Settings, changes: Mapping[str, Mapping[str, object]]) -> list[SettingsChanged] | SettingUnfit:
    """The settings with these changes, all of them or none."""
    tabs: dict[str, dict[str, Any]] = msgspec.to_builtins(settings)
    for tab, fields in changes.items():
        if tab not in tabs:
            return SettingUnfit("no-tab", tab, ", ".join(tabs))
        if not isinstance(fields, Mapping):
            return SettingUnfit("tab-fields", tab)
        if unknown := [name for name in fields if name not in tabs[tab]]:
            return SettingUnfit("no-setting", f"{tab}.{unknown[0]}", ", ".join(tabs[tab]))
        tabs[tab] |= fields
    try:
        changed = msgspec.convert(tabs, type=Settings)
    except msgspec.ValidationError as fault:
        return SettingUnfit("setting-value", str(fault))
    return [SettingsChanged(changed)] if changed != settings else []
