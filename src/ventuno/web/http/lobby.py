"""The lobby and the games: tables at a glance, rules from the sheets in force, tables of one's own (V-35, V-95)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Request, Response

from ventuno.core.messages.refusals import Refusal, TooManyCopies
from ventuno.core.rules.cards import card, text, too_many
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.house.application import Premises
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.lobby import TableLine, listed
from ventuno.house.tables.practice import make_way
from ventuno.web.http.errors import Refused, granted
from ventuno.web.http.identity import DEAR, House, Passerby, Visitor, allowed
from ventuno.web.http.rulebook import Certificates, game_line, game_told
from ventuno.web.messages.games import (
    GameLine,
    GameName,
    GamesTold,
    GameTold,
    LobbyLine,
    LobbyTold,
    PracticeBody,
    TableNamed,
)
from ventuno.web.messages.views import Limit

router = APIRouter(prefix="/api", tags=["lobby"])
FRESH = 0.5
"""Seconds for which the board is shown as it was made."""
Game = Annotated[GameName, Path(description="the id of a game")]


@dataclass(frozen=True, slots=True)
class NoSuchGame(Refusal):
    says = "there is no game {game}; games: {known}"
    game: str
    known: str


@dataclass(frozen=True, slots=True)
class NotForOne(Refusal):
    says = "{game} is played at shared tables"
    game: str


@dataclass(frozen=True, slots=True)
class NoCertificate(Refusal):
    says = "{game} is not certified in this house"
    game: str


def sheet_of(premises: Premises, game: str) -> Sheet:
    games = premises.staff.fittings.games
    if game not in games:
        raise Refused.by(NoSuchGame(game, ", ".join(games)))
    return games[game]


async def certificates(request: Request) -> Certificates:
    held: Certificates = request.app.state.certificates
    return held


Papers = Annotated[Certificates, Depends(certificates)]


def offered(premises: Premises, papers: Certificates) -> tuple[GameLine, ...]:
    return tuple(game_line(sheet, papers.of(sheet)) for sheet in premises.staff.fittings.games.values())


class Board:
    """The shared tables as the lobby shows them, encoded once in a while for each VIP level: everybody looks at it."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
        self._held: dict[int, tuple[float, list[msgspec.Raw]]] = {}

    def lines(self, player: PlayerId) -> list[msgspec.Raw]:
        """Shared tables first, then the player's own tables for one."""
        accounts, shown = self._premises.staff.accounts, self._premises.house.shown
        vip = accounts[player].player.vip if player else 0
        at, lines = self._held.get(vip, (0.0, []))
        now = asyncio.get_running_loop().time()
        if now - at >= FRESH or vip not in self._held:
            lines = [_encoded(one, shown) for one in listed(shown.values(), "", vip)]
            self._held[vip] = now, lines
        if not player:
            return lines
        own = [f"{game}-{player}" for game, sheet in self._premises.staff.fittings.games.items() if sheet.game.solo]
        return lines + [
            _encoded(one, shown) for one in listed([shown[name] for name in own if name in shown], player, vip)
        ]


def _encoded(one: TableLine, shown: Mapping[str, Room]) -> msgspec.Raw:
    return msgspec.Raw(
        msgspec.json.encode(
            LobbyLine(
                table=one.table,
                game=one.game,
                name=one.name,
                sheet=one.sheet,
                seats=one.seats,
                free=one.free,
                limits={bet: Limit(*both) for bet, both in one.limits.items()},
                betting_seconds=one.betting_seconds,
                decision_seconds=one.decision_seconds,
                streaks=one.streaks,
                phase=one.phase,
                deadline=one.deadline,
                paused=one.paused,
                rounds=one.rounds,
                multi_table=shown[one.table].table.sheet.options.multi_table,
            )
        )
    )


@router.get("/lobby", response_model=LobbyTold)
async def lobby(request: Request, who: Passerby, premises: House, papers: Papers) -> Response:
    """Every table that the visitor can go to, as it stood at most half a second ago; his own tables for one too."""
    told = {
        "house": premises.staff.fittings.name,
        "now": premises.house.now(),
        "unsafe": bool(premises.unsafe),
        "entered": who is not None,
        "games": offered(premises, papers),
        "tables": request.app.state.board.lines(who.player if who else ""),
    }
    return Response(msgspec.json.encode(told), media_type="application/json")


@router.get("/games")
async def games(premises: House, papers: Papers) -> GamesTold:
    return GamesTold(offered(premises, papers))


@router.get("/games/{game}")
async def game(game: Game, premises: House, papers: Papers) -> GameTold:
    """Rules, pay tables, limits, published and certified returns, all from the sheet in force (V-95)."""
    sheet = sheet_of(premises, game)
    return game_told(sheet, papers.of(sheet))


@router.get("/games/{game}/certificate")
async def game_certificate(game: Game, premises: House, papers: Papers) -> dict[str, Any]:
    """The whole certificate of the sheet in force, strategy and all (X-04)."""
    found = papers.of(sheet_of(premises, game))
    if found is None:
        raise Refused.by(NoCertificate(game))
    return dict(found)


@router.post("/solo/{game}")
async def solo(game: Game, request: Request, who: Visitor, premises: House) -> TableNamed:
    """One's own table of a game for one: the one there is, with its open round, or a new one (R-03)."""
    if not sheet_of(premises, game).game.solo:
        raise Refused.by(NotForOne(game))
    allowed(request, who, DEAR)
    return TableNamed(granted(await premises.solo(who.player, game)))


@router.post("/practice", responses={404: {}})
async def practise(body: PracticeBody, request: Request, who: Visitor, premises: House) -> TableNamed:
    """A table with credit that is no money, and with cards of one's own choice where some are named (X-08)."""
    chosen, decks = tuple(map(card, body.cards)), sheet_of(premises, body.game).shoe.decks
    if (extra := too_many(chosen, decks)) is not None:
        raise Refused.by(TooManyCopies(text(extra), decks))
    allowed(request, who, DEAR)
    granted(await make_way(premises.house, who.player))
    return TableNamed(await premises.practise(who.player, body.game, chosen))
