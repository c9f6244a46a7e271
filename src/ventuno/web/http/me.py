"""Oneself: means, the clock of the sitting, tables with their ids, settings (R-30, R-37, V-71, V-75)."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter, Request

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.accounts.settings import Settings as Profile
from ventuno.house.application import Application
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import House, SignedIn
from ventuno.web.messages.account import MeResponse, OwnTable, SettingsChange

router = APIRouter(prefix="/api", tags=["me"])


@router.get("/me", name="me")
async def read_me(request: Request, who: SignedIn, app: House) -> MeResponse:
    """Everything that is always on screen, and where to go back to."""
    balances = await app.cashier.read_balances(who.player)
    account = app.accounts[who.player]
    player = account.player
    return MeResponse(
        player=player.id,
        name=player.name,
        guest=player.guest,
        role=player.role,
        vip=player.vip,
        since=player.since,
        last_login=account.sessions.last_login,
        second_factor=bool(player.second_factor),
        session=who.session,
        free=balances.free,
        at_tables=balances.at_tables,
        in_play=balances.in_play,
        clock=balances.clock,
        tables=tuple(list_own_tables(app, who.player)),
        house=app.config.name,
        now=app.now(),
        unsafe=bool(app.unsafe),
        rates=request.app.state.settings.rates,
        mail=player.mail if request.app.state.settings.mail else None,
        dealers={block.name: block.language for block in request.app.state.settings.table if block.language},
        videos={block.name: block.video for block in request.app.state.settings.table if block.video},
    )


def list_own_tables(app: Application, player: PlayerId) -> Iterator[OwnTable]:
    """Where he has brought money, and his own tables for one: a seat and a round come after both."""
    own = {f"{game}-{player}" for game, sheet in app.config.games.items() if sheet.game.solo}
    for name, live in app.tables.get_all().items():
        table = live.table
        if player not in table.purses and name not in own:
            continue
        boxes = tuple(box for box in range(1, len(table.seats) + 1) if table.owner(box) == player)
        play = table.round if table.phase is Phase.ROUND else None
        ids = app.tables.find_admission(player, name)
        yield OwnTable(
            table=name,
            game=table.sheet.game.id,
            name=table.sheet.game.name,
            purse=table.purse(player),
            staked=table.total_stake_of(player),
            boxes=boxes,
            open_round=play.code if play and play.total_stake_of(player) else "",
            practice=live.practice,
            session=ids.session if ids else "",
            participation=ids.participation if ids else "",
            issuer=ids.issuer if ids else "",
        )


@router.get("/settings", name="settings")
async def read_settings(who: SignedIn, app: House) -> Profile:
    """How the page looks and sounds to this player (V-71)."""
    await app.flush()
    return app.accounts[who.player].settings


@router.patch("/settings")
async def change_settings(body: SettingsChange, who: SignedIn, app: House) -> Profile:
    """All changes of the five tabs together, or none (V-71)."""
    unwrap(await app.accounts.change_settings(who.player, body))
    return app.accounts[who.player].settings
