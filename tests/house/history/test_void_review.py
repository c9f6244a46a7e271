"""Voids by what the round would have given (section 3, R-07): counted, published, and a biased hand shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from tests.support.house import LIVE, OpenHouse
from tests.support.house_in_memory import SHEETS, HouseInMemory
from ventuno.core.messages.commands import Act, DealNow, Spot, Void
from ventuno.core.rules import hand
from ventuno.core.rules.cards import cards
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase, Table
from ventuno.house.history.void_review import DOUBT, Outcomes, VoidRates, VoidReview, compute_standing
from ventuno.house.store.audit_log import VoidJudged, read_entries
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch
from ventuno.sheets import GAMES


def at_cards(game: str, line: str, *actions: Action, main: int = 1_000) -> Table:
    """A round of a game from these cards, after these decisions."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    name = foyer.practise(ada, SHEETS[game], cards(line))
    foyer.bet(name, ada, 1, main)
    if SHEETS[game].game.solo:
        foyer.say(name, DealNow(ada, foyer.now), ada)
    else:
        foyer.tick(name)
    for action in actions:
        foyer.say(name, Act(ada, 1, action, foyer.now), ada)
    table = foyer.authority.tables[name].table
    assert table.phase is Phase.ROUND
    return table


@pytest.mark.parametrize(
    ("game", "line", "actions", "house"),
    [
        ("ventuno", "TS 6D KC TH 5S", (), -1_000),
        ("ventuno", "TS 9D 8C TH", (), 1_000),
        ("ventuno", "TS 9D 9C TH", (), 0),
        ("ventuno", "5S 9D 6C TH 9S 2S 2H", (Action.HIT,), -1_000),
        ("sisal", "TS AD 8C KH", (), 1_000),
        ("sisal", "TS AD 8C KH", (Action.INSURE,), 0),
        ("link", "8S 6D 8C TH 3S TS 2H 2C", (Action.SPLIT,), -1_000 + 1_000),
        ("first-person", "TS AD 8C 5H", (), -1_000),
        ("duello", "TS 5D 9C 2H 7D TC", (), -1_000),
        ("duello", "TS 5D 9C 2H 7D TC", (Action.LEFT,), -1_000 - 1_000),
    ],
)
def test_r07_how_a_round_stands(game: str, line: str, actions: tuple[Action, ...], house: int) -> None:
    """By the cards that are out, the dealer's hidden ones too, as if every open hand stood and nobody drew."""
    assert compute_standing(at_cards(game, line, *actions)) == house


def decisions(game: str, seed: int, rounds: int, seen: Callable[[HouseInMemory, str, PlayerId], bool]) -> HouseInMemory:
    """Rounds at a table; `seen` is asked at every decision, and ends the round where it says so."""
    foyer = HouseInMemory(seed)
    ada = foyer.joined("Ada", 90_000_000)
    table = foyer.open(game, "T", ada if SHEETS[game].game.solo else "")
    foyer.sit(ada, table, 1, 100_000)
    for _ in range(rounds):
        held = foyer.authority.tables[table].table
        if held.phase is Phase.RESULTS and held.deadline is not None:
            foyer.tick(table)
        foyer.bet(table, ada, 1, 100)
        if SHEETS[game].game.solo:
            foyer.say(table, DealNow(ada, foyer.now), ada)
        else:
            foyer.tick(table)
        while foyer.authority.tables[table].table.phase is Phase.ROUND:
            if seen(foyer, table, ada):
                foyer.say(table, Void("eva", "a card fell", foyer.now), "")
            else:
                foyer.decide(table)
    return foyer


@pytest.mark.parametrize("game", GAMES)
def test_h1_no_card_of_the_shoe_is_looked_at(game: str) -> None:
    """Paired: with every card that is still in the shoe exchanged, the same round stands the same."""
    compared = 0

    def paired(foyer: HouseInMemory, name: str, _: PlayerId) -> bool:
        nonlocal compared
        table = foyer.authority.tables[name].table
        assert table.shoe is not None
        left = table.shoe.cards[table.shoe.position :]
        other = table.shoe._replace(cards=(*table.shoe.cards[: table.shoe.position], *reversed(left)))
        assert compute_standing(table) == compute_standing(table._replace(shoe=other, spare=None))
        compared += 1
        return False

    decisions(game, 3, 60, paired)
    assert compared > 60


def voided(game: str, seed: int, wanted: int, seen: Callable[[HouseInMemory, str, PlayerId], bool]) -> Outcomes:
    """How so many voids stood."""
    found = Outcomes()

    def judged(foyer: HouseInMemory, name: str, player: PlayerId) -> bool:
        nonlocal found
        if sum(found) >= wanted or not seen(foyer, name, player):
            return False
        found = found.add(compute_standing(foyer.authority.tables[name].table))
        return True

    decisions(game, seed, 700, judged)
    assert sum(found) == wanted
    return found


def looks_lost(foyer: HouseInMemory, name: str, _: PlayerId) -> bool:
    """What a biased hand goes by: what everybody sees. A good hand against a weak card of the dealer."""
    play = foyer.authority.tables[name].table.round
    assert play is not None
    shown = play.dealer or play.community
    return max(one.total for box in play.boxes for one in box.hands) >= 17 and hand.total(shown[:1]) in range(2, 8)


@pytest.mark.parametrize("game", ["ventuno", "first-person", "sisal", "link"])
def test_a_planted_biased_voider_shows_and_an_honest_one_does_not(game: str) -> None:
    """Forty voids each: at random, and whenever the players seem to win."""
    chance = Random(7)
    honest = VoidRates(voided=voided(game, 7, 40, lambda *_: chance.random() < 0.08))
    biased = VoidRates(voided=voided(game, 7, 40, looks_lost))
    assert not honest.is_biased, honest
    assert biased.is_biased, biased
    assert biased.chance < DOUBT < honest.chance


def test_the_chance_of_a_bias() -> None:
    assert VoidRates().chance == 1.0
    assert VoidRates(voided=Outcomes(0, 13, 5)).chance == pytest.approx(0.6**13)
    assert not VoidRates(voided=Outcomes(0, 13)).is_biased
    assert VoidRates(voided=Outcomes(0, 14)).is_biased
    assert not VoidRates(voided=Outcomes(400, 600)).is_biased
    assert VoidRates(voided=Outcomes(340, 660)).is_biased
    assert not VoidRates(voided=Outcomes(660, 340)).is_biased


@pytest_asyncio.fixture
async def evening(url: str, tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(url, tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


async def opened(evening: OpenHouse) -> tuple[PlayerId, PlayerId]:
    """Ada at the live table with a bet whose round is open; Eva supervises."""
    ada, eva = await evening.joined("Ada"), await evening.supervisor()
    await evening.application.tables.open(LIVE, "ventuno")
    await evening.sit(ada, LIVE, 1)
    return ada, eva


async def dealt(evening: OpenHouse, ada: PlayerId) -> str:
    """An open round that somebody has to decide in."""
    while True:
        await evening.betting(LIVE)
        await evening.bet(ada, LIVE, (Spot(1, "main"),))
        code = await evening.deal(LIVE, ada)
        if evening.view(LIVE).phase == "round":
            return code


async def judgements(evening: OpenHouse, *codes: str) -> dict[str, int]:
    """What the log says of these voids once it says it."""
    await evening.until(lambda: set(codes) <= evening.application.history._voids._codes)
    await evening.application.host.commits.commit(Batch())
    log = [one.event for one in read_entries(await evening.application.host.commits.store.read_records("house"))]
    found = [one for one in log if isinstance(one, VoidJudged)]
    assert len(found) == len({one.code for one in found}), "each once"
    return {one.code: one.house for one in found}


async def test_r07_voids_and_rounds_are_published_by_what_they_gave(evening: OpenHouse) -> None:
    ada, eva = await opened(evening)
    stood: dict[str, int] = {}
    for _ in range(3):
        code = await dealt(evening, ada)
        stood[code] = compute_standing(evening.application.host.committed[LIVE].table)
        await evening.void(eva, LIVE, "a card fell")
        await dealt(evening, ada)
        await evening.finish(LIVE, (ada,))
    assert await judgements(evening, *stood) == stood
    page = await evening.application.history.list_rounds(ada, limit=100)
    settled, voided_now = Outcomes(), Outcomes()
    for line in page.lines:
        settled = settled if line.voided else settled.add(-line.net)
    for house in stood.values():
        voided_now = voided_now.add(house)
    assert await evening.application.history.compute_void_rates() == {"ventuno": VoidRates(settled, voided_now)}
    assert sum(settled) >= 3
    await evening.crash()
    assert await evening.application.history.compute_void_rates() == {"ventuno": VoidRates(settled, voided_now)}


async def test_r07_bets_that_are_voided_before_the_deal_are_no_round(evening: OpenHouse) -> None:
    ada, eva = await opened(evening)
    await evening.betting(LIVE)
    await evening.bet(ada, LIVE, (Spot(1, "main"),))
    await evening.void(eva, LIVE, "a card fell")
    assert await evening.application.history.compute_void_rates() == {}


async def test_r07_a_void_that_a_crash_cut_off_is_judged_when_the_house_opens(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, eva = await opened(evening)
    with monkeypatch.context() as cut:
        cut.setattr(VoidReview, "_judge", lambda *_: None)
        code = await dealt(evening, ada)
        stood = compute_standing(evening.application.host.committed[LIVE].table)
        await evening.void(eva, LIVE, "a card fell")
        assert evening.application.history._voids.judged == {}
    await evening.crash()
    assert await judgements(evening, code) == {code: stood}
    await evening.crash()
    assert await judgements(evening, code) == {code: stood}, "and not again"


async def test_r07_nothing_is_judged_before_the_void_is_durable(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the moment of judging another reader finds the void in the database."""
    ada, eva = await opened(evening)
    right, found = VoidReview._judge, []

    def looked(self: VoidReview, table: Table) -> None:
        assert table.round is not None
        found.append(committed(evening.url, table.round.code))
        right(self, table)

    monkeypatch.setattr(VoidReview, "_judge", looked)
    code = await dealt(evening, ada)
    assert not await asyncio.to_thread(committed, evening.url, code)
    await evening.void(eva, LIVE, "a card fell")
    assert found == [True]


def committed(url: str, code: str) -> bool:
    """Asked in a thread with a loop of its own: the house's goes on."""

    async def ask() -> bool:
        store = await open_store(url, exclusive=False)
        row = await store.find_round(code)
        await store.close()
        return row is not None

    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, ask()).result()
