"""What was: one's own rounds, each in full, replayed as it was seen, and the figures of all (V-66…V-70, X-02, X-17)."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from ventuno.core.rules.money import PlayerId
from ventuno.core.views.public_view import Person, Settled
from ventuno.house.application import Application
from ventuno.house.history.account_history import START
from ventuno.house.history.round_detail import RoundDetail, replay_views
from ventuno.house.store.store import LAST, HistoryFilter
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import DEAR, House, SignedIn, charge_account
from ventuno.web.messages.fields import Moment
from ventuno.web.messages.games import GameName
from ventuno.web.messages.history import (
    Frame,
    HistoryPlace,
    HistoryResponse,
    ReplayResponse,
    RoundResponse,
    StatisticsResponse,
)

router = APIRouter(prefix="/api", tags=["past"])
Code = Annotated[str, Path(pattern=r"^[a-zA-Z0-9 _.:-]{1,120}$", description="the code of a round")]


@router.get("/history", name="history")
async def list_rounds(
    who: SignedIn,
    app: House,
    game: Annotated[GameName | None, Query(description="rounds of this game alone")] = None,
    first: Annotated[Moment | None, Query(description="that ended then or later")] = None,
    last: Annotated[Moment | None, Query(description="that ended then or earlier")] = None,
    before: Annotated[Moment | None, Query(description="`before.ended` of the last page")] = None,
    before_code: Annotated[str, Query(max_length=120, description="`before.code` of the last page")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> HistoryResponse:
    """One's own rounds for money, latest finished first, with the totals of all that fit (V-69)."""
    chosen = HistoryFilter(game or "", first or 0, LAST if last is None else last)
    page = await app.history.list_rounds(who.player, START if before is None else (before, before_code), limit, chosen)
    return HistoryResponse(page.lines, page.totals, HistoryPlace(*page.before) if page.before else None)


@router.get("/history/{code}")
async def read_round(code: Code, request: Request, who: SignedIn, app: House) -> RoundResponse:
    """A finished round in full: cards, decisions with their origin, bets, payouts with their arithmetic (V-70)."""
    charge_account(request, who, DEAR)
    return describe_round(app, unwrap(await app.history.describe_round(who.player, code)))


def describe_round(app: Application, story: RoundDetail) -> RoundResponse:
    players = [*(entry.player for entry in story.hands), *(entry.player for entry in story.bets)]
    players += [scan.dealer for scan in story.scans]
    return RoundResponse(
        code=story.code,
        table=story.table,
        game=story.game,
        sheet=story.sheet,
        session=story.session,
        participation=story.participation,
        started=story.started,
        ended=story.ended,
        voided=story.voided,
        capped=story.capped,
        people={player: find_person(app, player) for player in dict.fromkeys(players)},
        steps=story.steps,
        dealer=story.dealer,
        hands=story.hands,
        bets=tuple(Settled(**entry._asdict()) for entry in story.bets),
        before=story.before,
        after=story.after,
        line=story.line,
        agrees=story.agrees,
        scans=story.scans,
        corrections=story.corrections,
    )


def find_person(app: Application, player: PlayerId) -> Person:
    account = app.accounts.get(player)
    return Person(player, account.player.name if account else "", bool(account and account.player.is_bot))


@router.get("/rounds/{code}/steps", name="replay", response_model=ReplayResponse)
async def replay_round(code: Code, request: Request, who: SignedIn, app: House) -> Response:
    """The table after each step of a finished round, as one saw it then (X-02)."""
    charge_account(request, who, DEAR)
    played = unwrap(await app.history.read_round(who.player, code))
    views = replay_views(played, who.player, partial(find_person, app))
    frames = tuple(Frame(record.seq, record.at, public, private) for record, public, private in views)
    return Response(msgspec.json.encode(ReplayResponse(code, frames)), media_type="application/json")


@router.get("/statistics", name="statistics")
async def compute_statistics(request: Request, who: SignedIn, app: House) -> StatisticsResponse:
    """Figures of all one's rounds; voided ones are apart (X-17)."""
    charge_account(request, who, DEAR)
    result = await app.history.compute_statistics(who.player)
    return StatisticsResponse(result.total, result.by_game, result.streaks, result.voided)
