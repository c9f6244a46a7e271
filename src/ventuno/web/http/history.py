"""What was: one's own rounds, each in full, replayed as it was seen, and the figures of all (V-66…V-70, X-02, X-17)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.evolve import evolve
from ventuno.core.table.round import Stage
from ventuno.house.application import Application
from ventuno.house.history.account_history import START
from ventuno.house.history.round_detail import RecordedRound, RoundDetail
from ventuno.house.history.statistics import Figures
from ventuno.house.store.records import Head
from ventuno.house.store.round_queries import LAST, HistoryFilter
from ventuno.house.tables.live_table import LiveTable
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import DEAR, House, SignedIn, charge_account
from ventuno.web.messages.games import GameName
from ventuno.web.messages.history import (
    CorrectionBeside,
    HistoryLine,
    HistoryPlace,
    HistoryResponse,
    HistoryTotals,
    PlayFigures,
    ReplayResponse,
    RoundHand,
    RoundResponse,
    RoundStep,
    StatisticsResponse,
    StreakFigures,
)
from ventuno.web.messages.request_body import Moment
from ventuno.web.messages.views import Person, Settled
from ventuno.web.sockets import table_view

router = APIRouter(prefix="/api", tags=["past"])
Code = Annotated[str, Path(pattern=r"^[a-zA-Z0-9 _.:-]{1,120}$", description="the code of a round")]


@router.get("/history")
async def history(
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
    return HistoryResponse(
        tuple(HistoryLine(*line) for line in page.lines),
        HistoryTotals(*page.totals),
        HistoryPlace(*page.before) if page.before else None,
    )


@router.get("/history/{code}")
async def read_round(code: Code, request: Request, who: SignedIn, app: House) -> RoundResponse:
    """A finished round in full: cards, decisions with their origin, bets, payouts with their arithmetic (V-70)."""
    charge_account(request, who, DEAR)
    return describe_round(app, unwrap(await app.history.describe_round(who.player, code)))


def describe_round(app: Application, story: RoundDetail) -> RoundResponse:
    players = [*(entry.player for entry in story.hands), *(entry.player for entry in story.bets)]
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
        steps=tuple(RoundStep(*entry) for entry in story.steps),
        dealer=story.dealer,
        hands=tuple(RoundHand(*entry) for entry in story.hands),
        bets=tuple(Settled(**entry._asdict()) for entry in story.bets),
        before=story.before,
        after=story.after,
        line=story.line,
        agrees=story.agrees,
        corrections=tuple(CorrectionBeside(*entry) for entry in story.corrections),
    )


def find_person(app: Application, player: PlayerId) -> Person:
    account = app.accounts.get(player)
    return Person(player, account.player.name if account else "", bool(account and account.player.is_bot))


@router.get("/rounds/{code}/steps", response_model=ReplayResponse)
async def replay(code: Code, request: Request, who: SignedIn, app: House) -> Response:
    """The table after each step of a finished round, as one saw it then (X-02)."""
    charge_account(request, who, DEAR)
    played = unwrap(await app.history.read_round(who.player, code))
    answer = {"code": code, "frames": list(replay_frames(app, played, who.player))}
    return Response(msgspec.json.encode(answer), media_type="application/json")


def replay_frames(app: Application, played: RecordedRound, viewer: PlayerId) -> Iterator[table_view.Tree]:
    """Between the end of betting and the deal there is nothing to see: both are one command."""
    table = played.opening

    def named(player: PlayerId) -> table_view.Tree:
        found: table_view.Tree = msgspec.to_builtins(find_person(app, player))
        return found

    for record, event in zip(played.records, played.events, strict=True):
        table = evolve(table, event)
        if table.round is None or table.round.stage is not Stage.DEAL:
            shown = LiveTable(record.stream, table, Head(record.seq, record.hash))
            mine = table_view.private(table, viewer, None) if viewer in table.purses else table_view.stranger(viewer)
            yield {"seq": record.seq, "at": record.at, "public": table_view.public(shown, named), "mine": mine}


@router.get("/statistics")
async def statistics(request: Request, who: SignedIn, app: House) -> StatisticsResponse:
    """Figures of all one's rounds; voided ones are apart (X-17)."""
    charge_account(request, who, DEAR)
    result = await app.history.compute_statistics(who.player)
    return StatisticsResponse(
        play_figures(result.total),
        {game: play_figures(figures) for game, figures in result.by_game.items()},
        StreakFigures(*result.streaks),
        result.voided,
    )


def play_figures(figures: Figures) -> PlayFigures:
    return PlayFigures(
        figures.rounds,
        figures.staked,
        figures.returned,
        figures.net,
        figures.won,
        figures.lost,
        figures.even,
        figures.best,
        figures.worst,
    )
