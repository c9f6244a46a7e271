"""What was: one's own rounds, each in full, replayed as it was seen, and the figures of all (V-66…V-70, X-02, X-17)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.evolve import evolve
from ventuno.core.table.round import Stage
from ventuno.house.application import Premises
from ventuno.house.history.account_history import START
from ventuno.house.history.round_detail import Played, Story
from ventuno.house.history.statistics import Figures
from ventuno.house.store.records import Head
from ventuno.house.store.round_queries import LAST, Chosen
from ventuno.house.tables.live_table import Room
from ventuno.web.http.errors import granted
from ventuno.web.http.identity import DEAR, House, Visitor, allowed
from ventuno.web.messages.games import GameName
from ventuno.web.messages.history import (
    CorrectionBeside,
    FiguresTold,
    HandTold,
    HistoryLine,
    HistoryPlace,
    HistoryTold,
    HistoryTotals,
    ReplayTold,
    RoundTold,
    StatisticsTold,
    StepTold,
    StreaksTold,
)
from ventuno.web.messages.request_body import Moment
from ventuno.web.messages.views import Person, Settled
from ventuno.web.sockets import table_view

router = APIRouter(prefix="/api", tags=["past"])
Code = Annotated[str, Path(pattern=r"^[a-zA-Z0-9 _.:-]{1,120}$", description="the code of a round")]


@router.get("/history")
async def history(
    who: Visitor,
    premises: House,
    game: Annotated[GameName | None, Query(description="rounds of this game alone")] = None,
    first: Annotated[Moment | None, Query(description="that ended then or later")] = None,
    last: Annotated[Moment | None, Query(description="that ended then or earlier")] = None,
    before: Annotated[Moment | None, Query(description="`before.ended` of the last page")] = None,
    before_code: Annotated[str, Query(max_length=120, description="`before.code` of the last page")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> HistoryTold:
    """One's own rounds for money, latest finished first, with the totals of all that fit (V-69)."""
    chosen = Chosen(game or "", first or 0, LAST if last is None else last)
    page = await premises.history(who.player, START if before is None else (before, before_code), limit, chosen)
    return HistoryTold(
        tuple(HistoryLine(*line) for line in page.lines),
        HistoryTotals(*page.totals),
        HistoryPlace(*page.before) if page.before else None,
    )


@router.get("/history/{code}")
async def round_told(code: Code, request: Request, who: Visitor, premises: House) -> RoundTold:
    """A finished round in full: cards, decisions with their origin, bets, payouts with their arithmetic (V-70)."""
    allowed(request, who, DEAR)
    return told(premises, granted(await premises.story(who.player, code)))


def told(premises: Premises, story: Story) -> RoundTold:
    players = [*(one.player for one in story.hands), *(one.player for one in story.bets)]
    return RoundTold(
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
        people={player: person(premises, player) for player in dict.fromkeys(players)},
        steps=tuple(StepTold(*one) for one in story.steps),
        dealer=story.dealer,
        hands=tuple(HandTold(*one) for one in story.hands),
        bets=tuple(Settled(**one._asdict()) for one in story.bets),
        before=story.before,
        after=story.after,
        line=story.line,
        agrees=story.agrees,
        corrections=tuple(CorrectionBeside(*one) for one in story.corrections),
    )


def person(premises: Premises, player: PlayerId) -> Person:
    held = premises.staff.accounts.get(player)
    return Person(player, held.player.name if held else "", bool(held and held.player.bot))


@router.get("/rounds/{code}/steps", response_model=ReplayTold)
async def replay(code: Code, request: Request, who: Visitor, premises: House) -> Response:
    """The table after each step of a finished round, as one saw it then (X-02)."""
    allowed(request, who, DEAR)
    played = granted(await premises.played(who.player, code))
    told = {"code": code, "frames": list(frames(premises, played, who.player))}
    return Response(msgspec.json.encode(told), media_type="application/json")


def frames(premises: Premises, played: Played, viewer: PlayerId) -> Iterator[table_view.Tree]:
    """Between the end of betting and the deal there is nothing to see: both are one command."""
    table = played.opening

    def named(player: PlayerId) -> table_view.Tree:
        found: table_view.Tree = msgspec.to_builtins(person(premises, player))
        return found

    for one, event in zip(played.records, played.events, strict=True):
        table = evolve(table, event)
        if table.round is None or table.round.stage is not Stage.DEAL:
            shown = Room(one.stream, table, Head(one.seq, one.hash))
            mine = table_view.private(table, viewer, None) if viewer in table.purses else table_view.stranger(viewer)
            yield {"seq": one.seq, "at": one.at, "public": table_view.public(shown, named), "mine": mine}


@router.get("/statistics")
async def statistics(request: Request, who: Visitor, premises: House) -> StatisticsTold:
    """Figures of all one's rounds; voided ones are apart (X-17)."""
    allowed(request, who, DEAR)
    found = await premises.statistics(who.player)
    return StatisticsTold(
        _figures(found.total),
        {game: _figures(one) for game, one in found.by_game.items()},
        StreaksTold(*found.streaks),
        found.voided,
    )


def _figures(one: Figures) -> FiguresTold:
    return FiguresTold(one.rounds, one.staked, one.returned, one.net, one.won, one.lost, one.even, one.best, one.worst)
