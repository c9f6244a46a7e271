"""The odds room and the trainer: exact figures of any rules, and what a decision is worth (X-03, X-16)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request, Response

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import plain
from ventuno.house.application import Application
from ventuno.house.history.account_history import START
from ventuno.web.http.client_address import address_group
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import DEAR, House, SignedIn, charge, charge_account
from ventuno.web.http.lobby import Game, find_sheet
from ventuno.web.http.rulebook import Certificates
from ventuno.web.messages.odds import (
    AdviceResponse,
    OddsBody,
    OddsResponse,
    PlayReviewResponse,
    ReviewedDecision,
    SwitchesResponse,
)
from ventuno.web.odds_room import trainer, what_if
from ventuno.web.odds_room.calculator import Calculator

router = APIRouter(prefix="/api", tags=["odds"])
KEPT = 256
"""Answers that are kept, the last asked for longest."""
ROUNDS, WORST = 25, 5
"""Rounds that are looked back on at most, and mistakes that are named."""
Table = Annotated[str, Path(pattern=r"^[a-zA-Z0-9 _.:-]{1,80}$", description="the name of a table")]


class CertificateCache:
    """Certificates of any rules: from the house's folder, from memory, else from the calculator; each computed once."""

    def __init__(self, calculator: Calculator, certificates: Certificates) -> None:
        self.calculator, self._certificates = calculator, certificates
        self._certificates_by_sheet: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._computing: dict[str, asyncio.Task[Any]] = {}
        self.counts = trainer.CardCounts()
        self.reviews: OrderedDict[tuple[str, str], tuple[ReviewedDecision, ...]] = OrderedDict()
        """Decisions by player and round: what is over does not change."""

    def find(self, sheet: Sheet) -> Mapping[str, Any] | None:
        """What is known without computing anything."""
        if sheet.hash in self._certificates_by_sheet:
            self._certificates_by_sheet.move_to_end(sheet.hash)
            return self._certificates_by_sheet[sheet.hash]
        certificate = self._certificates.find(sheet)
        return certificate if what_if.is_complete(certificate) else None

    async def compute(self, sheet: Sheet, *, compare: bool) -> Mapping[str, Any] | Refusal:
        """Whoever asks for what is being computed waits for the same answer."""
        if (certificate := self.find(sheet)) is not None:
            return certificate
        computing = self._computing.get(sheet.hash)
        if computing is None:
            question = {"ask": "figures", "rules": plain(sheet), "compare": compare}
            computing = self._computing[sheet.hash] = asyncio.create_task(self.calculator.ask(question))
            computing.add_done_callback(lambda done: self._keep(sheet.hash, done))
        answer: Mapping[str, Any] | Refusal = await asyncio.shield(computing)
        return answer

    async def value_hands(self, sheet: Sheet, hands: Sequence[trainer.OpenHand]) -> list[Mapping[str, float] | None]:
        """What each action of each hand is worth; None where a hand is not valued."""
        if not hands:
            return []
        question = {"ask": "worths", "rules": plain(sheet), "hands": [hand.question for hand in hands]}
        values: list[Mapping[str, float] | None] = unwrap(await self.calculator.ask(question))
        return values

    def _keep(self, sheet: str, done: asyncio.Task[Any]) -> None:
        self._computing.pop(sheet, None)
        if done.cancelled() or done.exception() or isinstance(done.result(), Refusal):
            return
        self._certificates_by_sheet[sheet] = done.result()
        while len(self._certificates_by_sheet) > KEPT:
            self._certificates_by_sheet.popitem(last=False)


async def get_cache(request: Request) -> CertificateCache:
    cache: CertificateCache = request.app.state.solved
    return cache


Cache = Annotated[CertificateCache, Depends(get_cache)]


@router.get("/odds/{game}", name="odds_switches")
async def list_switches(game: Game, app: House, cache: Cache) -> SwitchesResponse:
    """The switches that the figures of a game depend on, with what each may be; the calculator wakes up."""
    cache.calculator.wake()
    return what_if.describe_switches(find_sheet(app, game))


@router.post("/odds/{game}", name="odds", response_model=OddsResponse)
async def compute_odds(game: Game, body: OddsBody, request: Request, app: House, cache: Cache) -> Response:
    """Exact returns, best play and what differs from the game's own sheet, with these switches changed (X-16)."""
    own = find_sheet(app, game)
    sheet = unwrap(what_if.change_switches(own, body.switches))
    if cache.find(sheet) is None or cache.find(own) is None:
        charge(request, "odds", address_group(request.scope["ventuno.address"]))
    before = unwrap(await cache.compute(own, compare=True))
    after = unwrap(await cache.compute(sheet, compare=False)) if sheet.hash != own.hash else before
    return Response(msgspec.json.encode(what_if.compare(own, sheet, before, after)), media_type="application/json")


@router.get("/tables/{table}/advice", name="advice")
async def give_advice(table: Table, request: Request, who: SignedIn, app: House, cache: Cache) -> AdviceResponse:
    """What each open decision of one's own hands is worth, by the cards seen; for one, or for practice (X-03)."""
    live = unwrap(app.tables.get(table, who.player))
    if not (live.practice or live.table.sheet.game.solo):
        raise RefusalError.by(trainer.NoTrainerHere(table))
    seen = unwrap(app.tables.see(table, who.player))
    earlier = await cache.counts.count_earlier(app, live, who.player)
    hands = trainer.find_open_hands(live.table.sheet, seen.public, seen.private, earlier)
    if hands:
        charge(request, "odds", f"player {who.player}")
    values = await cache.value_hands(live.table.sheet, hands)
    return AdviceResponse(table, seen.version, seen.public.code, tuple(map(trainer.advise, hands, values)))


@router.get("/statistics/play", name="play_review")
async def review_play(
    request: Request,
    who: SignedIn,
    app: House,
    cache: Cache,
    limit: Annotated[int, Query(ge=1, le=ROUNDS, description="rounds, the last first")] = ROUNDS,
) -> PlayReviewResponse:
    """One's decisions of the last rounds for money against best play, from the records of the rounds (X-17)."""
    page = await app.history.list_rounds(who.player, START, limit)
    codes = [line.code for line in page.lines if not line.voided]
    if any((who.player, code) not in cache.reviews for code in codes):
        charge_account(request, who, DEAR)
    decisions = [decision for code in codes for decision in await review_round(app, cache, who.player, code)]
    mistakes = [decision for decision in decisions if decision.cost]
    mistakes.sort(key=lambda mistake: -mistake.cost * mistake.stake)
    return PlayReviewResponse(
        rounds=len(codes),
        decisions=len(decisions),
        right=len(decisions) - len(mistakes),
        cost=sum(decision.cost * decision.stake for decision in decisions),
        worst=tuple(mistakes[:WORST]),
    )


async def review_round(
    app: Application, cache: CertificateCache, player: str, code: str
) -> tuple[ReviewedDecision, ...]:
    reviews = cache.reviews
    if (player, code) not in reviews:
        played = unwrap(await app.history.read_round(player, code))
        decisions, sheet = trainer.find_decisions(played, player), played.opening.sheet
        values = await cache.value_hands(sheet, [decision.hand for decision in decisions])
        reviews[player, code] = tuple(trainer.review(code, sheet.game.id, decisions, values))
        while len(reviews) > KEPT * ROUNDS:
            reviews.popitem(last=False)
    return reviews[player, code]
