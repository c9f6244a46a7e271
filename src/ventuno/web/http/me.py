"""Oneself: means, the clock of the sitting, tables with their ids, settings (R-30, R-37, V-71, V-75)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from fastapi import APIRouter, Request

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.accounts.settings import Settings as Profile
from ventuno.house.application import Premises
from ventuno.house.store.records import Batch
from ventuno.web.http.errors import granted
from ventuno.web.http.identity import House, Visitor
from ventuno.web.messages.account import ClockTold, MeTold, OwnTable, SettingsChange

router = APIRouter(prefix="/api", tags=["me"])


@router.get("/me")
async def me(request: Request, who: Visitor, premises: House) -> MeTold:
    """Everything that is always on screen, and where to go back to."""
    means = await premises.means(who.player)
    account = premises.staff.accounts[who.player]
    held = account.player
    return MeTold(
        player=held.id,
        name=held.name,
        guest=held.guest,
        role=held.role,
        vip=held.vip,
        since=held.since,
        last_login=account.sessions.last_login,
        second_factor=bool(held.second_factor),
        session=who.session,
        free=means.free,
        at_tables=means.at_tables,
        in_play=means.in_play,
        clock=ClockTold(*means.clock),
        tables=tuple(own_tables(premises, who.player)),
        house=premises.staff.fittings.name,
        now=premises.house.now(),
        unsafe=bool(premises.unsafe),
        rates=request.app.state.settings.rates,
    )


def own_tables(premises: Premises, player: PlayerId) -> Iterator[OwnTable]:
    """Where he has brought money, and his own tables for one: a seat and a round come after both."""
    own = {f"{game}-{player}" for game, sheet in premises.staff.fittings.games.items() if sheet.game.solo}
    for name, room in premises.house.shown.items():
        table = room.table
        if player not in table.purses and name not in own:
            continue
        boxes = tuple(box for box in range(1, len(table.seats) + 1) if table.owner(box) == player)
        play = table.round if table.phase is Phase.ROUND else None
        ids = premises.staff.concession.admitted(player, name)
        yield OwnTable(
            table=name,
            game=table.sheet.game.id,
            name=table.sheet.game.name,
            purse=table.purse(player),
            staked=table.staked(player),
            boxes=boxes,
            open_round=play.code if play and play.staked(player) else "",
            practice=room.practice,
            session=ids.session if ids else "",
            participation=ids.participation if ids else "",
            issuer=ids.issuer if ids else "",
        )


@router.get("/settings")
async def settings(who: Visitor, premises: House) -> Profile:
    await premises.commit(Batch())
    return premises.staff.accounts[who.player].settings


@router.patch("/settings")
async def change_settings(body: SettingsChange, who: Visitor, premises: House) -> Profile:
    """All changes of the five tabs together, or none (V-71)."""
    granted(await premises.change_settings(who.player, cast(Mapping[str, Mapping[str, object]], body)))
    return premises.staff.accounts[who.player].settings
