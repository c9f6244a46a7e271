"""The supervisors' door: behind their role and their second factor; every act has an author and a reason (X-10, H-8).

Who may what is asked of the house again with every call: this door only tells people apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request, Response

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Round, Stage
from ventuno.core.table.state import Phase
from ventuno.core.views.public_view import build_public_view
from ventuno.house.accounts.players import NoSuchPlayer
from ventuno.house.accounts.rights import Right, list_rights
from ventuno.house.application import Application
from ventuno.house.tables.authority import LiveTable, NoSuchTable
from ventuno.web.http.errors import RefusalError, unwrap, unwrap_answer
from ventuno.web.http.fairness import Table
from ventuno.web.http.history import find_person
from ventuno.web.http.identity import DEAR, House, IdempotencyKey, Supervisor, charge_account
from ventuno.web.messages.supervision import (
    AnnouncementBody,
    ConsoleLine,
    ConsoleResponse,
    LimitsBody,
    MuteBody,
    OpeningBody,
    PlayerNumber,
    ReasonBody,
    TableActionResponse,
    TableViewResponse,
    VoidBody,
    VoidPreparation,
)

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
Player = Annotated[PlayerNumber, Path()]


@router.get("/tables")
async def list_tables(who: Supervisor, app: House) -> ConsoleResponse:
    """Every table of the house at a glance; nothing in it that a spectator could not see."""
    unwrap(app.accounts.check_right(who.player, Right.SEE_TABLES))
    lines = tuple(console_line(name, live) for name, live in sorted(app.tables.get_all().items()))
    players = (player for line in lines for player in (*line.boxes, line.paused_by))
    return ConsoleResponse(
        lines, tuple(app.maintenance.faults), app.now(), find_names(app, players), list_rights(who.role)
    )


def find_names(app: Application, players: Iterable[PlayerId]) -> dict[PlayerId, str]:
    """What these accounts are called, those that are accounts."""
    return {player: account.player.name for player in players if (account := app.accounts.get(player))}


def console_line(name: str, live: LiveTable) -> ConsoleLine:
    table = live.table
    play, pause = table.round if table.phase is Phase.ROUND else None, table.pause
    return ConsoleLine(
        table=name,
        game=table.sheet.game.id,
        name=table.sheet.game.name,
        phase=table.phase,
        code=play.code if play else "",
        deadline=table.deadline,
        paused=pause.reason if pause else "",
        paused_by=pause.by if pause else "",
        closing=table.closing or "",
        practice=live.practice,
        seats=len(table.seats),
        seated=sum(seat is not None for seat in table.seats),
        players=len(table.purses),
        staked=sum(public_stakes(play, player) for player in table.purses) if play else 0,
        rounds=table.rounds,
        boxes=tuple(seat.player if seat else "" for seat in table.seats),
    )


def public_stakes(play: Round, player: PlayerId) -> Cents:
    """A player's stakes without answers on insurance that nobody is shown yet (H-4)."""
    hidden = play.boxes if play.stage is Stage.INSURANCE else ()
    answers = [box.insurance or 0 for box in hidden if box.player == player]
    answers += [bet.insurance or 0 for box in hidden for bet in box.behind if bet.player == player]
    return play.total_stake_of(player) - sum(answers)


@router.post("/tables")
async def open_table(body: OpeningBody, who: Supervisor, app: House) -> TableActionResponse:
    """A table for several players opens while the house plays, on a game with a certificate (V-20)."""
    answer = unwrap(await app.supervision.open_table(who.player, body.table, body.game, body.reason, body.cards))
    return action_response(unwrap_answer(answer).version, body.table)


@router.post("/announcements", status_code=204)
async def announce(body: AnnouncementBody, request: Request, who: Supervisor, app: House) -> None:
    """A message to everybody who is here, as a notice; one in ten seconds."""
    charge_account(request, who, DEAR)
    unwrap(await app.supervision.announce(who.player, body.text))


@router.get("/tables/{table}", response_model=TableViewResponse)
async def view_table(table: Table, who: Supervisor, app: House) -> Response:
    """A table as a spectator sees it, hidden cards hidden; the look is written down before it is shown (R-17)."""
    unwrap(await app.supervision.oversee(who.player, table))
    live = app.tables.get_all().get(table)
    if live is None:
        raise RefusalError.by(NoSuchTable(table))
    public = build_public_view(live.table, partial(find_person, app), practice=live.practice)
    answer = TableViewResponse(table, app.now(), public)
    return Response(msgspec.json.encode(answer), media_type="application/json")


@router.post("/tables/{table}/pause")
async def pause(
    table: Table, body: ReasonBody, key: IdempotencyKey, who: Supervisor, app: House
) -> TableActionResponse:
    """Nothing moves and no time runs out; every player at the table is told why (V-76)."""
    return action_response(
        unwrap_answer(await app.supervision.pause(who.player, table, body.reason, key)).version, table
    )


@router.post("/tables/{table}/resumption")
async def resume(table: Table, key: IdempotencyKey, who: Supervisor, app: House) -> TableActionResponse:
    """From the very state, with the time that was left (V-77)."""
    return action_response(unwrap_answer(await app.supervision.resume(who.player, table, key)).version, table)


@router.post("/tables/{table}/void/preparation")
async def prepare_void(table: Table, body: ReasonBody, who: Supervisor, app: House) -> VoidPreparation:
    """What would be voided, and the word that confirms it."""
    return VoidPreparation(*unwrap(app.supervision.prepare_void(who.player, table, body.reason)))


@router.post("/tables/{table}/void")
async def void(table: Table, body: VoidBody, key: IdempotencyKey, who: Supervisor, app: House) -> TableActionResponse:
    """Every stake of the round that was prepared goes back to who placed it (R-07)."""
    answer = await app.supervision.void(who.player, table, body.reason, key, body.confirm)
    return action_response(unwrap_answer(answer).version, table)


@router.put("/tables/{table}/limits")
async def change_limits(
    table: Table, body: LimitsBody, key: IdempotencyKey, who: Supervisor, app: House
) -> TableActionResponse:
    """Other limits of a table, in force when betting opens next."""
    limits = {bet: (span.least, span.most) for bet, span in body.limits.items()}
    answer = await app.supervision.change_limits(who.player, table, limits, body.reason, key)
    return action_response(unwrap_answer(answer).version, table)


@router.post("/tables/{table}/closing")
async def close_table(
    table: Table, body: ReasonBody, key: IdempotencyKey, who: Supervisor, app: House
) -> TableActionResponse:
    """No new bets; after the open round seats are left, money goes back, and the table is gone."""
    return action_response(
        unwrap_answer(await app.supervision.close_table(who.player, table, body.reason, key)).version, table
    )


def action_response(version: int, table: str) -> TableActionResponse:
    return TableActionResponse(table, version)


@router.post("/tables/{table}/mutes", status_code=204)
async def mute(table: Table, body: MuteBody, who: Supervisor, app: House) -> None:
    """A player says nothing in any chat for so many minutes; recorded, and told to him (V-63, R-45)."""
    require_player(app, table, body.player)
    unwrap(await app.supervision.mute(who.player, table, body.player, body.reason, body.minutes))


@router.delete("/tables/{table}/mutes/{player}", status_code=204)
async def unmute(table: Table, player: Player, who: Supervisor, app: House) -> None:
    """A muted player may write in the chat again."""
    require_player(app, table, player)
    unwrap(await app.supervision.unmute(who.player, table, player))


def require_player(app: Application, table: str, player: PlayerId) -> None:
    if table not in app.tables.get_all():
        raise RefusalError.by(NoSuchTable(table))
    if player not in app.accounts:
        raise RefusalError.by(NoSuchPlayer(player))
