"""What a player puts between himself and the games; every act counts with the answer (R-33…R-40, X-13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from ventuno.house.accounts.tokens import Known
from ventuno.house.application import Premises
from ventuno.house.protection.player_limits import NAMES
from ventuno.house.store.records import Batch
from ventuno.web.http.errors import granted
from ventuno.web.http.identity import House, Visitor
from ventuno.web.messages.account import (
    CoolOffBody,
    ExclusionBody,
    ExclusionTold,
    LimitBody,
    LimitTold,
    ProtectionTold,
    RaiseTold,
    RealityBody,
)

router = APIRouter(prefix="/api/protection", tags=["protection"])
LimitName = Annotated[str, Path(pattern=r"^[a-z]{1,12}:[a-z]{1,12}$", description=", ".join(NAMES))]


def told(premises: Premises, who: Known) -> ProtectionTold:
    shield, now = premises.staff.accounts[who.player].shield, premises.house.now()
    profile, out, no = premises.staff.fittings.rules.profile, shield.exclusion(now), shield.closed(now)
    limits = []
    for name in NAMES:
        waiting = shield.asked.get(name)
        asked = RaiseTold(None if waiting.removed else waiting.amount, waiting.ready) if waiting else None
        limits.append(LimitTold(name, shield.limits.get(name), asked))
    return ProtectionTold(
        limits=tuple(limits),
        reality_minutes=shield.reality_minutes,
        cooling=shield.cooling if now < shield.cooling else 0,
        excluded=ExclusionTold(out.at, out.until, shield.revoked) if out else None,
        closed=no.code if no else "",
        raise_wait=profile.raise_wait,
        exclusions=profile.exclusions,
        cool_off_days=profile.cool_offs,
        now=now,
        helpline=premises.staff.fittings.helpline,
    )


@router.get("")
async def protection(who: Visitor, premises: House) -> ProtectionTold:
    await premises.commit(Batch())
    return told(premises, who)


@router.put("/limits/{name}")
async def set_limit(name: LimitName, body: LimitBody, who: Visitor, premises: House) -> ProtectionTold:
    """A first or lower limit counts at once; a higher one, or none, waits and is then confirmed (R-35)."""
    granted(await premises.set_limit(who.player, name, body.amount))
    return told(premises, who)


@router.post("/limits/{name}/confirmation")
async def confirm_limit(name: LimitName, who: Visitor, premises: House) -> ProtectionTold:
    """The fresh word after the wait."""
    granted(await premises.confirm_limit(who.player, name))
    return told(premises, who)


@router.put("/reality-check")
async def choose_reality(body: RealityBody, who: Visitor, premises: House) -> ProtectionTold:
    granted(await premises.choose_reality(who.player, body.minutes))
    return told(premises, who)


@router.post("/reality-check/acknowledgement", status_code=204)
async def acknowledge(who: Visitor, premises: House) -> None:
    """Read; play may go on (R-37)."""
    await premises.acknowledge(who.player)


@router.post("/cool-off")
async def cool_off(body: CoolOffBody, who: Visitor, premises: House) -> ProtectionTold:
    """A pause may be made longer, never shorter."""
    granted(await premises.cool_off(who.player, body.until))
    return told(premises, who)


@router.post("/exclusion")
async def exclude(body: ExclusionBody, who: Visitor, premises: House) -> ProtectionTold:
    """In force with the answer, on every device (R-38, R-40)."""
    granted(await premises.exclude(who.player, body.days))
    return told(premises, who)


@router.delete("/exclusion")
async def revoke(who: Visitor, premises: House) -> ProtectionTold:
    """Only one without end, only after half a year, effective a week later (R-38)."""
    granted(await premises.commit(premises.staff.protection.revoke(who.player, premises.house.now())))
    return told(premises, who)
