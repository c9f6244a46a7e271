"""The trainer: what each open decision is worth, by the cards that its player sees alone (X-03, X-17, H-1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.busy_house import World
from tests.support.house import key
from tests.support.in_process_house import LIVE, InProcessHouse, opened
from tests.support.patience import PATIENCE
from ventuno.core.messages.commands import Act, DealNow, PlaceBet, Spot, TakeSeat
from ventuno.core.table.round import Action
from ventuno.house.tables.table_service import VersionedView
from ventuno.odds.exact.action_values import insurance, value_decisions, values
from ventuno.odds.exact.chart import UP_CARDS
from ventuno.odds.exact.duel import Plan, solve_duel
from ventuno.odds.exact.solver import solve
from ventuno.sheets import load

VALUES = tuple(range(1, 11))
VALUE = {"A": 1, **{str(pips): pips for pips in range(2, 10)}, **dict.fromkeys("TJQK", 10)}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcessHouse]:
    async with opened(tmp_path_factory.mktemp("trainer")) as made:
        yield made


class Pupil:
    """Somebody who practises with chosen cards, and asks what he should do."""

    def __init__(self, house: InProcessHouse, player: str, token: str) -> None:
        self.house, self.player, self.token = house, player, token
        self.table = ""

    @classmethod
    async def come(cls, house: InProcessHouse, name: str) -> Pupil:
        player = await house.joined(name, 50_000)
        return cls(house, player, await house.token(player))

    async def practise(self, game: str, cards: str, *boxes: int) -> None:
        async with self.house.client(self.token) as client:
            body = {"game": game, "cards": cards.split()}
            self.table = (await client.post("/api/practice", json=body)).json()["table"]
        for box in boxes:
            await self.say(PlaceBet(self.player, (Spot(box, "main"),), 1_000, 0))
        await self.say(DealNow(self.player, 0))

    async def say(self, command: Any) -> None:
        answer = await self.house.application.tables.ask(self.player, self.table, command, key())
        assert not answer.refused, answer

    async def decide(self, box: int, action: Action) -> None:
        await self.say(Act(self.player, box, action, 0))

    async def until(self, phase: str) -> None:
        """The clock is moved to every deadline before that phase."""
        async with asyncio.timeout(PATIENCE):
            while (view := self.seen().public).phase != phase:
                if view.deadline is not None:
                    self.house.clock.move(max(view.deadline - self.house.application.now(), 0))
                await asyncio.sleep(0.005)

    def seen(self) -> VersionedView:
        found = self.house.application.tables.see(self.table, self.player)
        assert isinstance(found, VersionedView)
        return found

    async def advice(self) -> Any:
        async with self.house.client(self.token) as client:
            return (await client.get(f"/api/tables/{self.table}/advice")).json()

    async def worths(self, box: int) -> dict[str, float]:
        told = await self.advice()
        hand = next(one for one in told["hands"] if one["box"] == box)
        assert [one["value"] for one in hand["worths"]] == sorted(
            (one["value"] for one in hand["worths"]), reverse=True
        )
        assert hand["best"] == hand["worths"][0]["action"]
        return {one["action"]: one["value"] for one in hand["worths"]}


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_the_values_are_those_of_the_cards_seen(house: InProcessHouse) -> None:
    """Ten and six against a ten; then with a card more, the other box's cards always counted as gone."""
    pupil = await Pupil.come(house, "Anna")
    await pupil.practise("sisal", "TS 5H TD 6C 4H 9C 2D 9D", 1, 2)
    sheet = load("sisal")
    assert await pupil.worths(1) == pytest.approx(dict(values(sheet, (10, 6), 10, seen=(5, 4))), abs=1e-12)
    await pupil.decide(1, Action.HIT)
    hit = dict(values(sheet, (10, 6, 2), 10, seen=(5, 4)))
    assert await pupil.worths(1) == pytest.approx(hit, abs=1e-12)


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_a_split_hand_knows_that_its_fellow_is_gone(house: InProcessHouse) -> None:
    pupil = await Pupil.come(house, "Bruno")
    await pupil.practise("first-person", "8S 6D 8H 3C 4D 9C 9D", 1)
    sheet = load("first-person")
    first = await pupil.worths(1)
    assert first == pytest.approx(dict(values(sheet, (8, 8), 6)), abs=1e-12)
    assert {"split", "cash-out"} <= set(first)
    await pupil.decide(1, Action.SPLIT)
    told = (await pupil.advice())["hands"][0]
    seen = house.application.tables.see(pupil.table, pupil.player)
    assert isinstance(seen, VersionedView)
    hands = [[8 if card[0] == "8" else int(card[0]) for card in hand.cards] for hand in seen.public.boxes[0].hands]
    rest = hands[1][1:]
    expected = values(sheet, tuple(hands[0]), 6, seen=rest, split=True)
    assert {one["action"]: one["value"] for one in told["worths"]} == pytest.approx(
        {name: value for name, value in expected.items() if name in {one["action"] for one in told["worths"]}},
        abs=1e-12,
    )


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_insurance_and_even_money_are_valued(house: InProcessHouse) -> None:
    pupil = await Pupil.come(house, "Carla")
    await pupil.practise("link", "AS TS AC KD 9D 7D 2C 3C", 1, 2)
    sheet = load("link")
    even = await pupil.worths(1)
    p = (insurance(sheet, (1, 10), seen=(10, 9)) + 1) / 3
    assert even == pytest.approx({"even-money": 1.0, "decline": 1.5 * (1 - p)}, abs=1e-12)
    insured = await pupil.worths(2)
    assert insured == pytest.approx({"decline": 0.0, "insure": insurance(sheet, (10, 9), seen=(1, 10)) / 2}, abs=1e-12)


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_a_duel_is_valued_before_and_after_the_card_is_taken(house: InProcessHouse) -> None:
    pupil = await Pupil.come(house, "Dino")
    await pupil.practise("duello", "8S 9D KC 6D 6H QC", 2)
    choice = solve_duel(load("duello")).chart[8, 6, 10].values
    told = await pupil.worths(2)
    best = {card: max(float(choice[Plan(card, hits)]) for hits in (True, False)) for card in (6, 10)}
    assert told == pytest.approx({"left": best[10], "right": best[6], "fold": -1.0}, abs=1e-12)
    await pupil.decide(2, Action.LEFT)
    assert await pupil.worths(2) == pytest.approx(
        {"stand": float(choice[Plan(10, False)]), "hit": float(choice[Plan(10, True)])}, abs=1e-12
    )


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_nothing_is_told_of_cards_that_lie_face_down(house: InProcessHouse) -> None:
    """Two rounds alike in what is seen, and unlike in the hidden card and in all that comes."""
    told = []
    for name, rest in (("Elsa", "6D 2C 2D 2H 2S"), ("Fabio", "KD 9C 9D 9H 9S")):
        pupil = await Pupil.come(house, name)
        await pupil.practise("duello", f"8S 9D KC 6H {rest}", 2)
        told.append((await pupil.advice())["hands"])
    assert told[0] == told[1]
    assert told[0]


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_where_the_shoe_goes_on_its_earlier_rounds_are_counted(house: InProcessHouse) -> None:
    """Two rounds of one shoe: what was turned in the first is gone in the second, and the hidden card never counts."""
    told = []
    for name, hidden in (("Nora", "9S"), ("Olga", "2S")):
        pupil = await Pupil.come(house, name)
        await pupil.practise("ventuno", f"TS 9H QD 8C TC 6D 5H {hidden} 4C 5C 6C 7C", 1)
        await pupil.until("round")
        first, sheet = await pupil.worths(1), load("ventuno")
        fresh = values(sheet, (10, 10), 9)
        assert first == pytest.approx({word: fresh[word] for word in first}, abs=1e-12), "a fresh shoe, as certified"
        await pupil.decide(1, Action.STAND)
        await pupil.until("betting")
        await pupil.say(PlaceBet(pupil.player, (Spot(1, "main"),), 1_000, 0))
        await pupil.until("round")
        told.append(await pupil.worths(1))
        assert told[-1] == await pupil.worths(1), "asked again, nothing is counted twice"
    counted = values(load("ventuno"), (10, 5), 6, seen=(10, 9, 10, 8))
    assert told[0] == told[1] == pytest.approx({name: counted[name] for name in told[0]}, abs=1e-12)
    alone = values(load("ventuno"), (10, 5), 6)
    assert told[0]["stand"] != pytest.approx(alone["stand"], abs=1e-6), "the check itself: they matter"


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_never_where_others_play_for_money(house: InProcessHouse) -> None:
    pupil = await Pupil.come(house, "Gina")
    pupil.table = LIVE
    answer, _ = await house.application.tables.bring(pupil.player, LIVE, 10_000, key())
    assert not answer.refused
    await pupil.say(TakeSeat(pupil.player, 1, 0))
    assert (await pupil.advice())["error"]["code"] == "NoTrainerHere"
    await pupil.practise("ventuno", "TS 5H TD", 1)
    assert "hands" in await pupil.advice()
    other = await Pupil.come(house, "Ugo")
    other.table = pupil.table
    assert (await other.advice())["error"]["code"] == "NoSuchTable"


@pytest.mark.asyncio(loop_scope="module")
async def test_x03_between_decisions_there_is_nothing_to_say(house: InProcessHouse) -> None:
    pupil = await Pupil.come(house, "Ivo")
    pupil.table = await house.application.tables.open_practice(pupil.player, "sisal")
    told = await pupil.advice()
    assert (told["table"], told["hands"]) == (pupil.table, [])


def test_x03_the_best_values_of_all_deals_make_the_certified_return() -> None:
    """Each first hand by its chance, played as the trainer says, returns what the certificate says of best play."""
    sheet = load("sisal")
    shoe = {value: sheet.shoe.decks * (16 if value == 10 else 4) for value in VALUES}
    cards, total = sum(shoe.values()), 0.0
    for up in UP_CARDS:
        for first in VALUES:
            for second in range(first, 11):
                left = dict(shoe)
                chance = 1.0
                for number, card in enumerate((first, second, up)):
                    chance *= left[card] / (cards - number)
                    left[card] -= 1
                chance *= 1 if first == second else 2
                hand = {"stage": "play", "hand": [first, second], "up": up, "seen": [], "split": False, "added": False}
                found = value_decisions(sheet, hand)
                if (first, second) == (10, 10):  # tens of one rank alone are split: the rest is played as it is
                    alike = (4 * sheet.shoe.decks - 1) / (16 * sheet.shoe.decks - 1)
                    apart = max(value for action, value in found.items() if action != "split")
                    total += chance * (alike * max(found.values()) + (1 - alike) * apart)
                else:
                    total += chance * max(found.values())
    assert 100 * (1 + total) == pytest.approx(solve(sheet).rtp_initial, abs=1e-9)


def recomputed(told: Any) -> list[tuple[str, float]]:
    """The decisions of a round of one box and their costs, from what the history tells of it and nothing else."""
    sheet, cards, up, found = load(told["game"]), list[int](), 0, list[tuple[str, float]]()
    for step in told["steps"]:
        if step["what"] == "dealt":
            cards = [VALUE[card[0]] for card in step["cards"].split()]
        elif step["what"] == "dealer-up":
            up = VALUE[step["cards"][0]]
        elif step["origin"] == "player":
            hand = {"hand": cards, "up": up, "seen": [], "split": False, "added": False}
            hand |= {"stage": "insurance" if step["what"] in ("insure", "decline") else "play"}
            values = value_decisions(sheet, hand)
            found.append((step["what"], max(values.values()) - values[step["what"]]))
            cards = [*cards, *(VALUE[card[0]] for card in step["cards"].split())]
    return found


async def test_x17_decisions_against_best_play_are_recomputed_from_the_history(tmp_path: Path) -> None:
    """Somebody who always stands: what it cost him is what anybody finds out from the rounds themselves."""
    async with opened(tmp_path) as house:
        world = await World(house).begin()
        codes = [world.code, *[await world.round(world.ada, world.solo) for _ in range(7)]]
        async with house.client(await house.token(world.ada)) as client:
            told = (await client.get("/api/statistics/play")).json()
            rounds = [(await client.get(f"/api/history/{code}")).json() for code in codes]
            again = (await client.get("/api/statistics/play")).json()
        other, stranger = await house.visitor("Bea")
        async with stranger:
            nothing = (await stranger.get("/api/statistics/play")).json()
    expected = [one for each in rounds for one in recomputed(each)]
    assert len(expected) >= 5
    assert (told["rounds"], told["decisions"]) == (8, len(expected))
    assert told["right"] == sum(cost < 1e-9 for _, cost in expected) < len(expected)
    assert told["cost"] == pytest.approx(sum(cost for _, cost in expected) * 1_000, abs=1e-6)
    assert told["worst"][0]["cost"] == pytest.approx(max(cost for _, cost in expected), abs=1e-9)
    assert told == again
    assert (other != world.ada, nothing["rounds"], nothing["decisions"]) == (True, 0, 0)
