"""The odds room and the trainer: exact figures of any rules, and what a decision is worth (X-03, X-16)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request, Response

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import plain
from ventuno.house.application import Premises
from ventuno.house.history.account_history import START
from ventuno.web.http.client_address import household
from ventuno.web.http.errors import Refused, granted
from ventuno.web.http.identity import DEAR, House, Visitor, allowed
from ventuno.web.http.lobby import Game, sheet_of
from ventuno.web.http.rulebook import Certificates
from ventuno.web.messages.odds import AdviceTold, Decided, LeversTold, OddsBody, OddsTold, PlayTold
from ventuno.web.odds_room import comparison, decision_review, training, what_if
from ventuno.web.odds_room.calculator import Calculator
from ventuno.web.odds_room.seen_cards import Counts
from ventuno.web.odds_room.training import NoTrainerHere

router = APIRouter(prefix="/api", tags=["odds"])
KEPT = 256
"""Answers that are kept, the last asked for longest."""
ROUNDS, WORST = 25, 5
"""Rounds that are looked back on at most, and mistakes that are named."""
Table = Annotated[str, Path(pattern=r"^[a-zA-Z0-9 _.:-]{1,80}$", description="the name of a table")]


class Solved:
    """Certificates of any rules: from the house's folder, from memory, else from the calculator; each computed once."""

    def __init__(self, calculator: Calculator, certificates: Certificates) -> None:
        self.calculator, self._certificates = calculator, certificates
        self._kept: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._coming: dict[str, asyncio.Task[Any]] = {}
        self.counts = Counts()
        self.judged: OrderedDict[tuple[str, str], tuple[Decided, ...]] = OrderedDict()
        """Decisions by player and round: what is over does not change."""

    def held(self, sheet: Sheet) -> Mapping[str, Any] | None:
        """What is known without computing anything."""
        if sheet.hash in self._kept:
            self._kept.move_to_end(sheet.hash)
            return self._kept[sheet.hash]
        found = self._certificates.of(sheet)
        return found if comparison.is_whole(found) else None

    async def of(self, sheet: Sheet, *, compare: bool) -> Mapping[str, Any] | Refusal:
        """Whoever asks for what is being computed waits for the same answer."""
        if (found := self.held(sheet)) is not None:
            return found
        coming = self._coming.get(sheet.hash)
        if coming is None:
            question = {"ask": "figures", "rules": plain(sheet), "compare": compare}
            coming = self._coming[sheet.hash] = asyncio.create_task(self.calculator.ask(question))
            coming.add_done_callback(lambda done: self._keep(sheet.hash, done))
        answer: Mapping[str, Any] | Refusal = await asyncio.shield(coming)
        return answer

    def _keep(self, sheet: str, done: asyncio.Task[Any]) -> None:
        self._coming.pop(sheet, None)
        if done.cancelled() or done.exception() or isinstance(done.result(), Refusal):
            return
        self._kept[sheet] = done.result()
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


async def solved(request: Request) -> Solved:
    held: Solved = request.app.state.solved
    return held


Answers = Annotated[Solved, Depends(solved)]


def paced(request: Request, key: str) -> None:
    """What has to be computed is counted for each visitor."""
    state = request.app.state
    if no := state.rates.refuses("odds", key, state.premises.house.now()):
        raise Refused.by(no)


@router.get("/odds/{game}")
async def levers(game: Game, premises: House, answers: Answers) -> LeversTold:
    """The switches that the figures of a game depend on, with what each may be; the calculator wakes up."""
    answers.calculator.wake()
    return what_if.told(sheet_of(premises, game))


@router.post("/odds/{game}", response_model=OddsTold)
async def odds(game: Game, body: OddsBody, request: Request, premises: House, answers: Answers) -> Response:
    """Exact returns, best play and what differs from the game's own sheet, with these switches changed (X-16)."""
    own = sheet_of(premises, game)
    sheet = granted(what_if.changed(own, body.switches))
    if answers.held(sheet) is None or answers.held(own) is None:
        paced(request, household(request.scope["ventuno.address"]))
    before = granted(await answers.of(own, compare=True))
    after = granted(await answers.of(sheet, compare=False)) if sheet.hash != own.hash else before
    told = comparison.compared(own, sheet, before, after)
    return Response(msgspec.json.encode(told), media_type="application/json")


@router.get("/tables/{table}/advice")
async def advice(table: Table, request: Request, who: Visitor, premises: House, answers: Answers) -> AdviceTold:
    """What each open decision of one's own hands is worth, by the cards seen; for one, or for practice (X-03)."""
    room = granted(premises.room(table, who.player))
    if not (room.practice or room.table.sheet.game.solo):
        raise Refused.by(NoTrainerHere(table))
    seen = granted(premises.see(table, who.player))
    earlier = await answers.counts.earlier(premises, room, who.player)
    hands = training.asked(room.table.sheet, seen.view, earlier)
    found: list[Any] = [None] * len(hands)
    if hands:
        paced(request, f"player {who.player}")
        question = {"ask": "worths", "rules": plain(room.table.sheet), "hands": [one.question for one in hands]}
        found = granted(await answers.calculator.ask(question))
    told = tuple(training.advised(one, values) for one, values in zip(hands, found, strict=True))
    return AdviceTold(table, seen.version, seen.view.code, told)


@router.get("/statistics/play")
async def play(
    request: Request,
    who: Visitor,
    premises: House,
    answers: Answers,
    limit: Annotated[int, Query(ge=1, le=ROUNDS, description="rounds, the last first")] = ROUNDS,
) -> PlayTold:
    """One's decisions of the last rounds for money against best play, from the records of the rounds (X-17)."""
    page = await premises.history(who.player, START, limit)
    lines = [one for one in page.lines if not one.voided]
    if any((who.player, one.code) not in answers.judged for one in lines):
        allowed(request, who, DEAR)
    made = [decided for line in lines for decided in await _judged(premises, answers, who.player, line.code)]
    return PlayTold(
        rounds=len(lines),
        decisions=len(made),
        right=sum(not one.cost for one in made),
        cost=sum(one.cost * one.stake for one in made),
        worst=tuple(sorted((one for one in made if one.cost), key=lambda one: -one.cost * one.stake)[:WORST]),
    )


async def _judged(premises: Premises, answers: Solved, player: str, code: str) -> tuple[Decided, ...]:
    held = answers.judged
    if (player, code) not in held:
        played = granted(await premises.played(player, code))
        taken = decision_review.decisions(played, player)
        sheet = played.opening.sheet
        values: list[Any] = []
        if taken:
            hands = [one.asked.question for one in taken]
            values = granted(await answers.calculator.ask({"ask": "worths", "rules": plain(sheet), "hands": hands}))
        held[player, code] = decision_review.judged(code, sheet.game.id, taken, values)
        while len(held) > KEPT * ROUNDS:
            held.popitem(last=False)
    return held[player, code]
