"""The lobby and the games: tables at a glance, rules from the sheets in force, tables of one's own (V-35, V-95)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Request, Response

from ventuno.core.messages.refusals import Refusal, TooManyCopies
from ventuno.core.rules.cards import card, find_surplus, text
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.core.views.private_view import Limit
from ventuno.house.application import Application
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.lobby import TableSummary, list_tables
from ventuno.house.tables.practice import MAX_TABLES
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import DEAR, House, OptionalIdentity, SignedIn, charge_account
from ventuno.web.http.rulebook import Certificates, describe_game, game_line
from ventuno.web.messages.fields import TableName
from ventuno.web.messages.games import (
    GameLine,
    GameName,
    GameResponse,
    GamesResponse,
    LobbyLine,
    LobbyResponse,
    PracticeBody,
    PracticeLine,
    PracticeResponse,
    TableResponse,
)
from ventuno.web.operations.settings import Settings

router = APIRouter(prefix="/api", tags=["lobby"])
FRESH = 0.5
"""Seconds for which the board is shown as it was made."""
Game = Annotated[GameName, Path(description="the id of a game")]
Table = Annotated[TableName, Path(description="the name of a table")]


class NoSuchGame(Refusal):
    game: str
    known: str


class NotForOne(Refusal):
    game: str


class NoCertificate(Refusal):
    game: str


def find_sheet(app: Application, game: str) -> Sheet:
    games = app.config.games
    if game not in games:
        raise RefusalError.by(NoSuchGame(game, ", ".join(games)))
    return games[game]


async def get_certificates(request: Request) -> Certificates:
    certificates: Certificates = request.app.state.certificates
    return certificates


CertificateStore = Annotated[Certificates, Depends(get_certificates)]


def list_games(app: Application, certificates: Certificates) -> tuple[GameLine, ...]:
    return tuple(game_line(sheet, certificates.find(sheet)) for sheet in app.config.games.values())


class LobbyCache:
    """The shared tables as the lobby shows them, encoded once in a while for each VIP level: everybody looks at it."""

    def __init__(self, app: Application, settings: Callable[[], Settings]) -> None:
        self._app, self._settings = app, settings
        self._encoded: dict[int, tuple[float, list[msgspec.Raw]]] = {}

    def lines(self, player: PlayerId) -> list[msgspec.Raw]:
        """Shared tables first, then the player's own tables for one."""
        accounts, shown = self._app.accounts, self._app.tables.get_all()
        vip = accounts[player].player.vip if player else 0
        at, lines = self._encoded.get(vip, (0.0, []))
        now = asyncio.get_running_loop().time()
        if now - at >= FRESH or vip not in self._encoded:
            blocks = {block.name: (block.language, block.video) for block in self._settings().table}
            lines = [
                encode_line(line, shown, *blocks.get(line.table, ("", "")), self._find_dealer(shown[line.table]))
                for line in list_tables(shown.values(), "", vip)
            ]
            self._encoded[vip] = now, lines
        if not player:
            return lines
        own = [f"{game}-{player}" for game, sheet in self._app.config.games.items() if sheet.game.solo]
        return lines + [
            encode_line(line, shown)
            for line in list_tables([shown[name] for name in own if name in shown], player, vip)
        ]

    def _find_dealer(self, live: LiveTable) -> str:
        """The name of who deals real cards at a table, if anybody does (X-27)."""
        account = self._app.accounts.get(live.table.studio.dealer) if live.table.studio else None
        return account.player.name if account else ""


def encode_line(
    line: TableSummary, shown: Mapping[str, LiveTable], language: str = "", video: str = "", dealer: str = ""
) -> msgspec.Raw:
    return msgspec.Raw(
        msgspec.json.encode(
            LobbyLine(
                table=line.table,
                game=line.game,
                name=line.name,
                sheet=line.sheet,
                language=language,
                video=video,
                seats=line.seats,
                free=line.free,
                taken=line.taken,
                people=line.people,
                limits={bet: Limit(*both) for bet, both in line.limits.items()},
                betting_seconds=line.betting_seconds,
                decision_seconds=line.decision_seconds,
                streaks=line.streaks,
                phase=line.phase,
                deadline=line.deadline,
                paused=line.paused,
                rounds=line.rounds,
                multi_table=shown[line.table].table.sheet.options.multi_table,
                cards=shown[line.table].table.sheet.shoe.cards,
                dealer=dealer,
            )
        )
    )


@router.get("/lobby", name="lobby", response_model=LobbyResponse)
async def show_lobby(request: Request, who: OptionalIdentity, app: House, papers: CertificateStore) -> Response:
    """Every table that the visitor can go to, as it stood at most half a second ago; his own tables for one too."""
    answer = {
        "house": app.config.name,
        "now": app.now(),
        "unsafe": bool(app.unsafe),
        "entered": who is not None,
        "mails": request.app.state.settings.mail is not None,
        "games": list_games(app, papers),
        "tables": request.app.state.board.lines(who.player if who else ""),
    }
    return Response(msgspec.json.encode(answer), media_type="application/json")


@router.get("/games", name="games")
async def show_games(app: House, papers: CertificateStore) -> GamesResponse:
    """Every game of the house, with the hash of its rules."""
    return GamesResponse(list_games(app, papers))


@router.get("/games/{game}", name="game")
async def show_game(game: Game, app: House, papers: CertificateStore) -> GameResponse:
    """Rules, pay tables, limits, published and certified returns, all from the sheet in force (V-95)."""
    sheet = find_sheet(app, game)
    return describe_game(sheet, papers.find(sheet))


@router.get("/games/{game}/certificate", name="game_certificate")
async def read_certificate(game: Game, app: House, papers: CertificateStore) -> dict[str, Any]:
    """The whole certificate of the sheet in force, strategy and all (X-04)."""
    certificate = papers.find(find_sheet(app, game))
    if certificate is None:
        raise RefusalError.by(NoCertificate(game))
    return dict(certificate)


@router.post("/solo/{game}", name="solo")
async def open_solo(game: Game, request: Request, who: SignedIn, app: House) -> TableResponse:
    """One's own table of a game for one: the one there is, with its open round, or a new one (R-03)."""
    if not find_sheet(app, game).game.solo:
        raise RefusalError.by(NotForOne(game))
    charge_account(request, who, DEAR)
    return TableResponse(unwrap(await app.tables.open_solo(who.player, game)))


@router.post("/practice", responses={404: {}})
async def practise(body: PracticeBody, request: Request, who: SignedIn, app: House) -> TableResponse:
    """A table with credit that is no money, and with cards of one's own choice where some are named (X-08)."""
    chosen, decks = tuple(map(card, body.cards)), find_sheet(app, body.game).shoe.decks
    if (extra := find_surplus(chosen, decks)) is not None:
        raise RefusalError.by(TooManyCopies(text(extra), decks))
    charge_account(request, who, DEAR)
    unwrap(await app.tables.close_oldest_practice(who.player))
    return TableResponse(await app.tables.open_practice(who.player, body.game, chosen, scanned=body.scanned))


@router.get("/practice")
async def list_practice(who: SignedIn, app: House) -> PracticeResponse:
    """One's open practice tables, to go on at or to close (X-08)."""
    lines = [_practice_line(live, who.player) for live in app.tables.list_practice(who.player)]
    return PracticeResponse(tuple(lines), MAX_TABLES)


def _practice_line(live: LiveTable, player: PlayerId) -> PracticeLine:
    table = live.table
    play = table.round if table.phase is Phase.ROUND else None
    return PracticeLine(
        table=table.id,
        game=table.sheet.game.id,
        name=table.sheet.game.name,
        credit=table.purse(player),
        staked=table.total_stake_of(player),
        rounds=table.rounds,
        open_round=play.code if play else "",
        phase=table.phase,
    )


@router.delete("/practice/{table}", status_code=204, responses={404: {}})
async def close_practice(table: Table, request: Request, who: SignedIn, app: House) -> None:
    """Close one of them; a round that is open there is given up: it was no money (X-08)."""
    charge_account(request, who, DEAR)
    unwrap(await app.tables.close_practice(who.player, table))
