"""Paired runs over HTTP: every call that reads, by everybody, while a round is being played (H-1, H-4, H-7, H-8, H-10).

Two houses deal from sealed shoes that differ where no card is shown. Whatever they answer must be equal but for hashes
over hidden leaves, and of equal length even so; the document and the story of a round that is not over are not there.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.hidden_shoes import Choice, Shoes, Watch
from tests.support.paired_runs import Leak
from tests.support.planted_leaks import lobby_that_knows, stakes_with_insurance
from tests.support.sealed_paired_houses import OTHER, OWNER, SUPERVISOR, Side, houses
from tests.support.volume import VOLUME
from ventuno.core.messages.commands import Act, ActEarly
from ventuno.core.messages.events import Event, HandsDealt
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Stage
from ventuno.core.table.state import Phase, Table
from ventuno.house.shoes.face_up_cards import turn_cards
from ventuno.house.tables import live_proofs
from ventuno.sheets import GAMES

WAITING: dict[str, tuple[Action | None, Action | None]] = {
    "insurance": (Action.INSURE, Action.DECLINE),
    "insurance or nothing": (Action.INSURE, None),
    "early": (Action.HIT, Action.STAND),
    "early or nothing": (Action.HIT, None),
}
"""Choices that stay hidden for a while, where there is anybody to hide them from: what is chosen here and there."""
TURNS = 3 if VOLUME else 2
"""Decisions of a round after which everything is asked."""
_names = count(1)


async def compared(sides: tuple[Side, Side], what: str, blind: str = "") -> int:
    """Ask both houses everything; how many answers there were."""
    mine, other = [await side.read() for side in sides]
    for one, two in zip(mine, other, strict=True):
        if one != two and one[0] != blind:
            first = next(at for at in range(len(one[3]) + 1) if one[3][at : at + 1] != two[3][at : at + 1])
            place = slice(max(first - 80, 0), first + 40)
            raise Leak(f"{what}: {one[:3]}: {one[3][place]} is not {two[3][place]}")
    return len(mine)


def modes(sheet: Sheet) -> tuple[str, ...]:
    cards = ("own", "first", "second", "all") if sheet.game.family == DUEL else ("hole", "rest", "later", "both")
    return cards if sheet.game.solo else (*cards, *WAITING)


async def pair(sides: tuple[Side, Side], game: str, mode: str, rng: Random) -> int:
    """One round in both houses up to the reveal; how many answers were equal."""
    sheet = sides[0].doors.application.config.games[game]
    number = next(_names)
    boxes = 1 if sheet.game.solo else 2
    orders = Shoes(sheet).pair(mode, boxes, sheet.shoe.burn, rng)
    for side, order in zip(sides, orders, strict=True):
        side.order, side.reveal = order, Watch(sheet, *orders, sheet.shoe.burn)
        await side.arrive(number, sheet)
    equal = await compared(sides, f"{game} {mode} betting")
    for side in sides:
        await side.deal()
    for turn_ in range(TURNS):
        if any(side.reveal and side.reveal.revealed for side in sides) or sides[0].held.phase is not Phase.ROUND:
            break
        equal += await compared(sides, f"{game} {mode} {turn_}")
        if mode in WAITING and (blind := await chosen(sides, mode)):
            return equal + await compared(sides, f"{game} {mode} chosen", blind)
        await decided(sides)
    return equal


async def chosen(sides: tuple[Side, Side], mode: str) -> str:
    """Somebody decides for himself, here one thing and there another or nothing; who it was."""
    play, insures = sides[0].held.round, mode.startswith("insurance")
    now = turn(play) if play else None
    if (
        play is None
        or (play.stage is Stage.INSURANCE) is not insures
        or (not insures and (not now or now[0].number > 1))
    ):
        return ""
    name, box = (OWNER, 1) if insures else (OTHER, 4)
    for side, word in zip(sides, WAITING[mode], strict=True):
        player = side.players[name]
        side.reveal = Choice("insurance" if insures else "early", box)
        if word is not None:
            asked = Act(player, box, word, 0) if insures else ActEarly(player, box, word, 0)
            if (await side.doors.application.tables.ask(player, side.table, asked, "chosen")).refused:
                return ""
    return name


async def decided(sides: tuple[Side, Side]) -> None:
    """Whoever is asked decides the same in both houses."""
    play = sides[0].held.round
    assert play is not None
    if play.stage is Stage.INSURANCE:
        for side in sides:
            for name, box in ((OWNER, 1), (OTHER, 4)):
                await side.say(name, Act(side.players[name], box, Action.DECLINE, 0))
        return
    now = turn(play)
    if now is None or now[1] < 0:
        return
    names = {player: name for name, player in sides[0].players.items()}
    word = Action.LEFT if sides[0].held.sheet.game.family == DUEL and now[0].hands[0].added == 0 else Action.HIT
    for side in sides:
        name = names[now[0].player]
        await side.say(name, Act(side.players[name], now[0].number, word, 0))


async def run(sides: tuple[Side, Side], game: str, chosen_modes: tuple[str, ...]) -> int:
    rng, equal = Random(7), 0
    for mode in chosen_modes:
        equal += await pair(sides, game, mode, rng)
    return equal


@pytest.mark.parametrize("game", GAMES)
async def test_h7_no_call_tells_of_what_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    async with houses(tmp_path, monkeypatch) as sides:
        chosen_modes = modes(sides[0].doors.application.config.games[game])
        equal = await run(sides, game, chosen_modes)
    assert equal > 30 * len(chosen_modes)


def proof_of_the_hole_card(patched: pytest.MonkeyPatch) -> None:
    real = turn_cards

    def leaky(felt: Any, event: Event, before: Table) -> Any:
        made = real(felt, event, before)
        return made._replace(up=(*made.up, *made.down)) if isinstance(event, HandsDealt) else made

    patched.setattr(live_proofs, "turn_cards", leaky)


@pytest.mark.parametrize(
    ("plant", "mode"),
    [(proof_of_the_hole_card, "hole"), (lobby_that_knows, "hole"), (stakes_with_insurance, "insurance")],
)
async def test_a_call_that_tells_too_much_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Any, mode: str
) -> None:
    """The check itself. The last one was a true fault: supervisors saw stakes on insurance before they were shown."""
    async with houses(tmp_path, monkeypatch) as sides:
        plant(monkeypatch)
        with pytest.raises(Leak):
            await run(sides, "ventuno", (mode,) * 20)


async def test_h7_of_a_round_in_play_there_is_neither_story_nor_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for its player, not for a supervisor; when it is over both are there."""
    async with houses(tmp_path, monkeypatch) as (side, _):
        sheet = side.doors.application.config.games["first-person"]
        for side.order in Shoes(sheet).packs:
            await side.arrive(next(_names), sheet)
            await side.deal()
            if side.held.phase is Phase.ROUND:
                break
        assert side.held.round is not None
        code = side.held.round.code
        paths = [f"/api/history/{code}", f"/api/rounds/{code}/steps", f"/api/verify/{code}"]
        for name in (OWNER, OTHER, SUPERVISOR):
            assert [(await side.clients[name].get(path)).status_code for path in paths] == [404] * 3, name
        assert (await side.clients[OWNER].get("/api/history")).json()["lines"] == []
        while side.held.phase is Phase.ROUND:
            for word in (Action.DECLINE, Action.STAND):
                await side.say(OWNER, Act(side.players[OWNER], 1, word, 0))
        for name, status in ((OWNER, 200), (OTHER, 404), (SUPERVISOR, 200)):
            assert [(await side.clients[name].get(path)).status_code for path in paths] == [status] * 3, name
