"""What a player puts between himself and the games; every act counts with the answer (R-33…R-40, X-13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from ventuno.house.accounts.player_limits import LIMIT_NAMES, PlayerLimits, PlayExcluded
from ventuno.house.accounts.sessions import Identity
from ventuno.house.application import Application
from ventuno.web.http import security
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import House, HouseSettings, SignedIn
from ventuno.web.messages.account import (
    CoolOffBody,
    ExclusionBody,
    ExclusionLine,
    LimitBody,
    LimitLine,
    PendingRaise,
    ProtectionResponse,
    RealityBody,
)

router = APIRouter(prefix="/api/protection", tags=["protection"])
LimitName = Annotated[str, Path(pattern=r"^[a-z]{1,12}:[a-z]{1,12}$", description=", ".join(LIMIT_NAMES))]


def describe_protection(app: Application, who: Identity) -> ProtectionResponse:
    shield, now = app.accounts[who.player].player_limits, app.now()
    profile, refusal = app.config.rules.profile, shield.check_play(now)
    return ProtectionResponse(
        limits=list_limits(shield),
        reality_minutes=shield.reality_minutes,
        cooling=shield.cooling if now < shield.cooling else 0,
        excluded=describe_exclusion(shield, now),
        closed=refusal.code if refusal else "",
        raise_wait=profile.raise_wait,
        exclusions=profile.exclusions,
        cool_off_days=profile.cool_offs,
        now=now,
        helpline=app.config.helpline,
    )


def list_limits(shield: PlayerLimits) -> tuple[LimitLine, ...]:
    """Every limit there is, with what is in force and what waits."""
    limits = []
    for name in LIMIT_NAMES:
        waiting = shield.asked.get(name)
        pending = PendingRaise(None if waiting.removed else waiting.amount, waiting.ready) if waiting else None
        limits.append(LimitLine(name, shield.limits.get(name), pending))
    return tuple(limits)


def describe_exclusion(shield: PlayerLimits, now: int) -> ExclusionLine | None:
    exclusion = shield.find_exclusion(now)
    return ExclusionLine(exclusion.at, exclusion.until, shield.revoked) if exclusion else None


@router.get("", name="protection")
async def read_protection(who: SignedIn, app: House) -> ProtectionResponse:
    """One's limits, pause or exclusion, and what waits (R-35)."""
    await app.flush()
    return describe_protection(app, who)


@router.put("/limits/{name}")
async def set_limit(name: LimitName, body: LimitBody, who: SignedIn, app: House) -> ProtectionResponse:
    """A first or lower limit counts at once; a higher one, or none, waits and is then confirmed (R-35)."""
    unwrap(await app.protection.set_limit(who.player, name, body.amount))
    return describe_protection(app, who)


@router.post("/limits/{name}/confirmation")
async def confirm_limit(name: LimitName, who: SignedIn, app: House) -> ProtectionResponse:
    """The fresh word after the wait."""
    unwrap(await app.protection.confirm_limit(who.player, name))
    return describe_protection(app, who)


@router.put("/reality-check")
async def choose_reality(body: RealityBody, who: SignedIn, app: House) -> ProtectionResponse:
    """How many minutes lie between two reality checks (R-37)."""
    unwrap(await app.protection.choose_reality(who.player, body.minutes))
    return describe_protection(app, who)


@router.post("/reality-check/acknowledgement", name="acknowledge", status_code=204)
async def acknowledge_reality_check(who: SignedIn, app: House) -> None:
    """Read; play may go on (R-37)."""
    await app.protection.acknowledge(who.player)


@router.post("/cool-off")
async def cool_off(body: CoolOffBody, who: SignedIn, app: House) -> ProtectionResponse:
    """A pause may be made longer, never shorter."""
    unwrap(await app.protection.cool_off(who.player, body.until))
    return describe_protection(app, who)


@router.post("/exclusion")
async def exclude(
    body: ExclusionBody, response: Response, who: SignedIn, app: House, settings: HouseSettings
) -> ProtectionResponse:
    """In force with the answer, on every device (R-38, R-40); this browser remembers it, and lets in no guest."""
    unwrap(await app.protection.exclude(who.player, body.days))
    refusal = app.accounts[who.player].player_limits.check_play(app.now())
    if isinstance(refusal, PlayExcluded):
        security.mark_excluded(response, settings, refusal, app.now())
    return describe_protection(app, who)


@router.delete("/exclusion", name="revoke")
async def revoke_exclusion(who: SignedIn, app: House) -> ProtectionResponse:
    """Only one without end, only after half a year, effective a week later (R-38)."""
    unwrap(await app.protection.revoke_exclusion(who.player))
    return describe_protection(app, who)
