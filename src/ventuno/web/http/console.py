"""What supervisors look up: players, turnover, the export for a regulator (X-10, X-14, H-8).

Each look is written down before it is shown; what is long is bounded, or comes in pages (R-17).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Account
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.rights import list_rights
from ventuno.house.application import Application
from ventuno.house.console import PlayerFile
from ventuno.house.history.account_history import START
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import DEAR, House, Supervisor, charge_account
from ventuno.web.http.protection import describe_exclusion, list_limits
from ventuno.web.http.records import list_named, log_lines
from ventuno.web.http.supervision import Player, find_names
from ventuno.web.messages.fields import Moment
from ventuno.web.messages.history import HistoryPlace, HistoryResponse
from ventuno.web.messages.supervision import (
    AskedErasureLine,
    ErasureResponse,
    FoundPlayer,
    OpenSession,
    PersonRecordLine,
    PersonResponse,
    PlayerResponse,
    PlayersResponse,
    PlayerTable,
    ReasonBody,
    StaffBody,
    StaffLine,
    StaffResponse,
    TurnoverResponse,
)

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
CHUNK = 1 << 16


@router.get("/players")
async def find_players(
    request: Request,
    who: Supervisor,
    app: House,
    name: Annotated[str, Query(min_length=2, max_length=40, description="a part of a name, or a number")],
) -> PlayersResponse:
    """Who is called so; twenty at most."""
    charge_account(request, who, DEAR)
    return PlayersResponse(tuple(map(found_player, unwrap(await app.console.find_players(who.player, name)))))


def found_player(account: Account) -> FoundPlayer:
    player = account.player
    return FoundPlayer(player.id, player.name, player.guest, player.role, player.since, player.disabled)


@router.get("/players/{player}")
async def read_player(
    player: Player,
    request: Request,
    who: Supervisor,
    app: House,
    before: Annotated[Moment | None, Query(description="`rounds.before.ended` of the last page")] = None,
    before_code: Annotated[str, Query(max_length=120, description="`rounds.before.code` of the last page")] = "",
    limit: Annotated[int, Query(ge=1, le=200, description="rounds of the page")] = 20,
) -> PlayerResponse:
    """One player on one page: money, limits, exclusion, sessions, rounds, marks."""
    charge_account(request, who, DEAR)
    place = START if before is None else (before, before_code)
    return describe_player(app, unwrap(await app.console.read_player(who.player, player, place, limit)))


def describe_player(app: Application, page: PlayerFile) -> PlayerResponse:
    player, limits, now = page.account.player, page.account.player_limits, app.now()
    marks = log_lines(page.marks)
    erasure = app.erasure.find_asked(player.id)
    return PlayerResponse(
        player=player.id,
        name=player.name,
        guest=player.guest,
        role=player.role,
        vip=player.vip,
        since=player.since,
        last_login=page.account.sessions.last_login,
        disabled=player.disabled,
        free=page.balances.free,
        at_tables=page.balances.at_tables,
        in_play=page.balances.in_play,
        net=page.balances.clock.net,
        minutes=page.balances.clock.minutes,
        tables=tuple(list_tables_of(app, player.id)),
        limits=list_limits(limits),
        reality_minutes=limits.reality_minutes,
        cooling=limits.cooling if now < limits.cooling else 0,
        excluded=describe_exclusion(limits, now),
        muted=page.muted.until if page.muted else 0,
        reset_until=app.accounts.get_reset_expiry(player.id),
        advertising=app.integrity.may_advertise_to(player.id),
        erasure=AskedErasureLine(*erasure) if erasure else None,
        sessions=tuple(OpenSession(entry.opened, entry.seen, entry.address, entry.agent) for entry in page.sessions),
        marks=marks,
        rounds=HistoryResponse(
            page.rounds.lines, page.rounds.totals, HistoryPlace(*page.rounds.before) if page.rounds.before else None
        ),
        names=find_names(app, [*list_named(marks), *([erasure.by] if erasure else [])]),
        now=now,
    )


def list_tables_of(app: Application, player: PlayerId) -> Iterator[PlayerTable]:
    for name, live in app.tables.get_all().items():
        if player in (table := live.table).purses:
            staked = table.total_stake_of(player)
            yield PlayerTable(name, table.sheet.game.name, table.purse(player), staked, live.practice)


@router.get("/players/{player}/data")
async def export_person(player: Player, request: Request, who: Supervisor, app: House) -> PersonResponse:
    """What the house keeps of one person, to be handed to him; secrets are not in it."""
    charge_account(request, who, DEAR)
    data = unwrap(await app.console.export_person(who.player, player))
    records = tuple(PersonRecordLine(*record[:-1], dict(record.fields)) for record in data.records)
    return PersonResponse(
        player, app.accounts[player].player.name, app.now(), records, data.rounds, dict(data.balances)
    )


@router.post("/players/{player}/erasure")
async def erase_player(
    player: Player, body: ReasonBody, request: Request, who: Supervisor, app: House
) -> ErasureResponse:
    """Forget who this was: the first person asks for it, another one within a day does it. Money and rounds stay."""
    charge_account(request, who, DEAR)
    erasure = unwrap(await app.erasure.ask(who.player, player, body.reason))
    return ErasureResponse(erasure.player, erasure.until == 0, erasure.until)


@router.get("/staff")
async def list_staff(who: Supervisor, app: House) -> StaffResponse:
    """Everybody with a role, and what it includes."""
    return StaffResponse(tuple(map(describe_staff, unwrap(await app.console.list_staff(who.player)))))


def describe_staff(account: Account) -> StaffLine:
    player, seen = account.player, account.sessions.last_login
    rights, enrolled = list_rights(player.role), not player.needs_second_factor
    return StaffLine(player.id, player.name, player.role, rights, enrolled, player.disabled, seen)


@router.post("/staff", status_code=204, responses={404: {}})
async def appoint(body: StaffBody, who: Supervisor, app: House) -> None:
    """An account gets a role; its owner sets up a second factor when he logs in next, before anything else."""
    unwrap(await app.supervision.appoint(who.player, body.player, body.role, body.reason))


@router.post("/staff/{player}/removal", status_code=204)
async def dismiss(player: Player, body: ReasonBody, who: Supervisor, app: House) -> None:
    """One of the staff is a player again."""
    unwrap(await app.supervision.dismiss(who.player, player, body.reason))


@router.get("/turnover")
async def turnover(
    request: Request,
    who: Supervisor,
    app: House,
    first: Annotated[Moment, Query(description="any moment of the first day, GMT")],
    last: Annotated[Moment, Query(description="any moment of the last day, GMT; a quarter at most")],
) -> TurnoverResponse:
    """What was staked, what went back and what the house kept, by day and game, to the cent."""
    charge_account(request, who, DEAR)
    lines = unwrap(await app.console.read_turnover(who.player, first, last))
    return TurnoverResponse(tuple(lines), first // DAY, last // DAY)


@router.get("/export", response_class=StreamingResponse)
async def export(
    request: Request,
    who: Supervisor,
    app: House,
    first: Annotated[Moment | None, Query(description="any moment of the first day, GMT; with `last`")] = None,
    last: Annotated[Moment | None, Query(description="any moment of the last day, GMT; with `first`")] = None,
) -> StreamingResponse:
    """What may leave the house, as JSON lines that can be checked without trust (X-14): all, or some days of it."""
    charge_account(request, who, DEAR)
    days = None if first is None and last is None else (first or 0, app.now() if last is None else last)
    file = unwrap(await app.console.export(who.player, days))
    disposition = f'attachment; filename="ventuno-export-{app.now()}.jsonl"'
    headers = {"Content-Disposition": disposition}
    return StreamingResponse(read_chunks(file), media_type="application/x-ndjson", headers=headers)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
