"""The supervisors' door: behind their role and their second factor; every act has an author and a reason (X-10, H-8).

Who may what is asked of the house again with every call: this door only tells people apart.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Response

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Round, Stage
from ventuno.core.table.state import Phase
from ventuno.house.accounts.players import NoSuchPlayer
from ventuno.house.application import Premises
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.requests import NoSuchTable
from ventuno.web.http.errors import Refused, agreed, granted
from ventuno.web.http.fairness import Table
from ventuno.web.http.identity import House, Once, Supervisor
from ventuno.web.messages.supervision import (
    Acted,
    LimitsBody,
    MuteBody,
    PlayerNumber,
    ReasonBody,
    VoidBody,
    VoidPrepared,
    WatchedLine,
    WatchedTold,
    WatchTold,
)
from ventuno.web.sockets import table_view

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
Player = Annotated[PlayerNumber, Path()]


@router.get("/tables")
async def watched(_who: Supervisor, premises: House) -> WatchedTold:
    """Every table of the house at a glance; nothing in it that a spectator could not see."""
    lines = tuple(_line(name, room) for name, room in sorted(premises.house.shown.items()))
    return WatchedTold(lines, tuple(premises.faults), premises.house.now())


def _line(name: str, room: Room) -> WatchedLine:
    table = room.table
    play, pause = table.round if table.phase is Phase.ROUND else None, table.pause
    return WatchedLine(
        table=name,
        game=table.sheet.game.id,
        name=table.sheet.game.name,
        phase=table.phase,
        code=play.code if play else "",
        deadline=table.deadline,
        paused=pause.reason if pause else "",
        paused_by=pause.by if pause else "",
        closing=table.closing or "",
        practice=room.practice,
        seats=len(table.seats),
        seated=sum(seat is not None for seat in table.seats),
        players=len(table.purses),
        staked=sum(_staked(play, player) for player in table.purses) if play else 0,
        rounds=table.rounds,
    )


def _staked(play: Round, player: PlayerId) -> Cents:
    """A player's stakes without answers on insurance that nobody is shown yet (H-4)."""
    hidden = play.boxes if play.stage is Stage.INSURANCE else ()
    answers = [box.insurance or 0 for box in hidden if box.player == player]
    answers += [one.insurance or 0 for box in hidden for one in box.behind if one.player == player]
    return play.staked(player) - sum(answers)


@router.get("/tables/{table}", response_model=WatchTold)
async def watch(table: Table, who: Supervisor, premises: House) -> Response:
    """A table as a spectator sees it, hidden cards hidden; the look is written down before it is shown (R-17)."""
    granted(await premises.oversee(who.player, table, lambda _: None))[1]()
    room = premises.house.shown.get(table)
    if room is None:
        raise Refused.by(NoSuchTable(table))
    public = table_view.public(room, lambda player: _person(premises, player))
    told = {"table": table, "now": premises.house.now(), "public": public}
    return Response(msgspec.json.encode(told), media_type="application/json")


def _person(premises: Premises, player: PlayerId) -> table_view.Tree:
    held = premises.staff.accounts.get(player)
    return {"player": player, "name": held.player.name if held else "", "bot": bool(held and held.player.bot)}


@router.post("/tables/{table}/pause")
async def pause(table: Table, body: ReasonBody, key: Once, who: Supervisor, premises: House) -> Acted:
    """Nothing moves and no time runs out; every player at the table is told why (V-76)."""
    return _acted(agreed(await premises.pause(who.player, table, body.reason, key)).version, table)


@router.post("/tables/{table}/resumption")
async def resume(table: Table, key: Once, who: Supervisor, premises: House) -> Acted:
    """From the very state, with the time that was left (V-77)."""
    return _acted(agreed(await premises.resume(who.player, table, key)).version, table)


@router.post("/tables/{table}/void/preparation")
async def prepare_void(table: Table, body: ReasonBody, who: Supervisor, premises: House) -> VoidPrepared:
    """What would be voided, and the word that confirms it."""
    return VoidPrepared(*granted(premises.prepare_void(who.player, table, body.reason)))


@router.post("/tables/{table}/void")
async def void(table: Table, body: VoidBody, key: Once, who: Supervisor, premises: House) -> Acted:
    """Every stake of the round that was prepared goes back to who placed it (R-07)."""
    answer = await premises.void(who.player, table, body.reason, key, body.confirm)
    return _acted(agreed(answer).version, table)


@router.put("/tables/{table}/limits")
async def change_limits(table: Table, body: LimitsBody, key: Once, who: Supervisor, premises: House) -> Acted:
    limits = {bet: (span.least, span.most) for bet, span in body.limits.items()}
    answer = await premises.change_limits(who.player, table, limits, body.reason, key)
    return _acted(agreed(answer).version, table)


@router.post("/tables/{table}/closing")
async def close_table(table: Table, body: ReasonBody, key: Once, who: Supervisor, premises: House) -> Acted:
    """No new bets; after the open round seats are left, money goes back, and the table is gone."""
    return _acted(agreed(await premises.close_table(who.player, table, body.reason, key)).version, table)


def _acted(version: int, table: str) -> Acted:
    return Acted(table, version)


@router.post("/tables/{table}/mutes", status_code=204)
async def mute(table: Table, body: MuteBody, who: Supervisor, premises: House) -> None:
    """A player says nothing in any chat for so many minutes; recorded, and told to him (V-63, R-45)."""
    _known(premises, table, body.player)
    granted(await premises.mute(who.player, table, body.player, body.reason, body.minutes))


@router.delete("/tables/{table}/mutes/{player}", status_code=204)
async def unmute(table: Table, player: Player, who: Supervisor, premises: House) -> None:
    _known(premises, table, player)
    granted(await premises.unmute(who.player, table, player))


def _known(premises: Premises, table: str, player: PlayerId) -> None:
    if table not in premises.house.shown:
        raise Refused.by(NoSuchTable(table))
    if player not in premises.staff.accounts:
        raise Refused.by(NoSuchPlayer(player))
