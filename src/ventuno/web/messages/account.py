"""What is one's own: means, clock, ids, protection, settings, money that comes and goes (R-30…R-40, V-71…V-75)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import Field, with_config

from ventuno.house.accounts.sessions import SessionClock
from ventuno.house.accounts.settings import Settings
from ventuno.web.messages.fields import STRICT, Amount, AsObject, Body, LimitAmount, Message, Moment, typed_dict


def make_change(tab: Any) -> Any:
    """Any fields of the settings, or of a tab of them; strict and closed, with the bounds that the house has."""
    kinds = {name: to_pydantic(kind) for name, kind in get_type_hints(tab, include_extras=True).items()}
    return with_config(STRICT)(typed_dict(f"{tab.__name__}Change", kinds, total=False))


def to_pydantic(kind: Any) -> Any:
    """The type of a setting, with its bounds, which are written for msgspec, as pydantic reads them."""
    if is_dataclass(kind):
        return make_change(kind)
    if get_origin(kind) is not Annotated:
        return kind
    plain, meta = get_args(kind)
    return Annotated[plain, Field(ge=meta.ge, le=meta.le, pattern=meta.pattern)]


if TYPE_CHECKING:
    SettingsChange: TypeAlias = Mapping[str, Mapping[str, object]]
else:
    SettingsChange = make_change(Settings)
    SettingsChange.__doc__ = "Any fields of the five tabs, changed together or not at all (V-71)."


class LimitBody(Body):
    """Lower acts at once; higher, or none (null), after a wait and a confirmation (R-35)."""

    amount: LimitAmount | None


class RealityBody(Body):
    minutes: Annotated[int, Field(ge=5, le=240)]


class CoolOffBody(Body):
    until: Moment


class ExclusionBody(Body):
    days: Annotated[int, Field(ge=0, le=3650, description="0 is without end")]


class MoneyBody(Body):
    amount: Amount


class OwnTable(Message):
    """A table at which one has money, a seat or an open round; with its ids of the concession (R-03, V-75)."""

    table: str
    game: str
    name: str
    purse: int
    staked: int
    boxes: tuple[int, ...]
    open_round: str
    practice: bool
    session: str
    participation: str
    issuer: str


class MeResponse(Message):
    """`rates` are units of a currency for one euro, as text: for showing others' bets, never for counting (V-53).

    `dealers` has the tables whose dealer speaks one language to everybody, `videos` those with a live picture; `mail`
    is one's own address, null where the house sends none.
    """

    player: str
    name: str
    guest: bool
    role: str
    vip: int
    since: int
    last_login: int
    second_factor: bool
    session: str
    free: int
    at_tables: int
    in_play: int
    clock: Annotated[SessionClock, AsObject("SessionClock", SessionClock)]
    tables: tuple[OwnTable, ...]
    house: str
    now: int
    unsafe: bool
    rates: dict[str, str]
    dealers: dict[str, str]
    videos: dict[str, str]
    mail: str | None


class PendingRaise(Message):
    """A higher limit, or none (null), that may be confirmed from `ready` on."""

    amount: int | None
    ready: int


class LimitLine(Message):
    name: str
    amount: int | None
    asked: PendingRaise | None


class ExclusionLine(Message):
    """`until` 0 is without end; `revoked` is when it stops counting, 0 where nobody has revoked it."""

    since: int
    until: int
    revoked: int


class ProtectionResponse(Message):
    """What stands between the player and the games, and what he can still choose (R-33…R-38).

    `helpline` is who helps with gambling, as this house says it; empty where the client's own words hold (V-74).
    """

    limits: tuple[LimitLine, ...]
    reality_minutes: int
    cooling: int
    excluded: ExclusionLine | None
    closed: str
    raise_wait: int
    exclusions: tuple[int, ...]
    cool_off_days: tuple[int, int]
    now: int
    helpline: str


class CashierResponse(Message):
    """`prompts` is true where a deposit limit is to be offered first (R-33)."""

    balance: int
    at_tables: int
    provider: str
    prompts: bool


class Movement(Message):
    """What was moved (out is negative), and what is there after it."""

    amount: int
    balance: int
    reference: str


class TransactionLine(Message):
    place: int
    at: int
    amount: int
    provider: str
    reference: str


class TransactionsResponse(Message):
    """Newest first; `before` asks for the next page."""

    lines: tuple[TransactionLine, ...]
    before: int | None
