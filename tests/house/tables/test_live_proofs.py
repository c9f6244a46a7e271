"""Live proofs: each card that lies open can be checked at once, and nothing is told of any other (X-01, G-14, H-1)."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.house import LIVE, OpenHouse, key
from ventuno.core.messages.commands import DealNow, Spot
from ventuno.core.messages.events import Event, HandsDealt
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.core.views.public_view import PublicView
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.commitment import SealedShoe, hash_rules
from ventuno.house.shoes.face_up_cards import Felt
from ventuno.house.shoes.face_up_cards import turn_cards as right
from ventuno.house.shoes.shoe_document import DealtCard
from ventuno.house.shoes.verification import ProofFailed, check_cards
from ventuno.house.tables import live_proofs
from ventuno.house.tables.authority import NoSuchTable
from ventuno.house.tables.live_proofs import NotCommitted, Proofs
from ventuno.sheets import GAMES, load

GOAL = 0.002
"""Seconds to check one card."""


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


async def seated(evening: OpenHouse, game: str) -> tuple[str, tuple[PlayerId, ...]]:
    """A table of the game and who plays there: two at the live one, the owner with two boxes elsewhere."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    if not load(game).game.solo:
        await evening.application.tables.open(LIVE, game)
        await evening.sit(ada, LIVE, 1)
        await evening.sit(bea, LIVE, 2)
        return LIVE, (ada, bea)
    table = await evening.application.tables.open_solo(ada, game)
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, key())
    return table, (ada,)


async def dealt(evening: OpenHouse, table: str, players: tuple[PlayerId, ...]) -> str:
    await evening.betting(table, players[0])
    for box in (1, 2):
        player = players[min(box, len(players)) - 1]
        await evening.bet(player, table, (Spot(box, "main"),))
    return await evening.deal(table, players[0])


def proven(evening: OpenHouse, table: str, viewer: PlayerId) -> Proofs:
    found = evening.application.fairness.prove(table, viewer)
    assert isinstance(found, Proofs), found
    return found


def visible(view: PublicView) -> Counter[str]:
    """Every card on the felt that left the shoe and lies open; a community card stands beside two hands at once."""
    shared = bool(view.dealer.community)
    rows = [hand.cards for box in view.boxes for hand in box.hands] + [view.dealer.cards]
    own = [card for row in rows for at, card in enumerate(row) if not (shared and at == 1)]
    return Counter([*own, *view.dealer.community])


def checked(proofs: Proofs) -> None:
    check_cards(proofs.commitment, proofs.entropy, proofs.cards, load(proofs.commitment.game))


@pytest.mark.parametrize("game", GAMES)
async def test_g14_every_open_card_of_every_step_is_proven_and_no_other(evening: OpenHouse, game: str) -> None:
    """As many cards as lie open, the same ones, each leading to the root that was out before the bets."""
    table, players = await seated(evening, game)
    steps = 0
    for _ in range(4):
        await evening.betting(table, players[0])
        out = evening.application.fairness.prove(table, players[0])
        assert isinstance(out, Proofs)
        code = await dealt(evening, table, players)
        while True:
            view, proofs = evening.view(table, players[0]), proven(evening, table, players[0])
            assert proofs.code == code
            checked(proofs)
            if view.phase == "round" or view.boxes:
                assert Counter(card.to_dict()["card"] for card in proofs.cards) == visible(view)
                steps += 1
            if view.phase != "round":
                break
            await evening.step(table, players)
        paper = await evening.application.history.read_document(players[0], code)
        assert not isinstance(paper, Refusal)
        read = shoe_document.read(json.dumps(paper).encode(), GAMES)
        round_ = next(one for one in read.rounds if one.code == code)
        assert set(proofs.cards) <= set(read.dealt)
        assert all(round_.first <= card.play < round_.end for card in proofs.cards)
    assert steps > 8


async def test_g14_one_changed_bit_of_a_live_proof_is_found(evening: OpenHouse) -> None:
    table, players = await seated(evening, "sisal")
    await dealt(evening, table, players)
    proofs = proven(evening, table, players[0])
    for number, card in enumerate(proofs.cards):
        proof = card.proof
        forged = (
            replace(proof, card=(proof.card + 4) % 52),
            replace(proof, salt=bytes([proof.salt[0] ^ 1, *proof.salt[1:]])),
            replace(proof, path=(bytes([proof.path[0][0] ^ 1, *proof.path[0][1:]]), *proof.path[1:])),
            replace(proof, path=proof.path[:-1]),
            replace(proof, leaf=proof.leaf ^ 1),
        )
        for other in [*(DealtCard(card.play, one) for one in forged), DealtCard(card.play + 100, proof)]:
            cards = (*proofs.cards[:number], other, *proofs.cards[number + 1 :])
            with pytest.raises(ProofFailed):
                checked(replace(proofs, cards=tuple(sorted(cards, key=lambda one: one.play))))
    with pytest.raises(ProofFailed):
        check_cards(proofs.commitment, proofs.entropy, proofs.cards, load("link"))


@pytest.mark.parametrize("game", GAMES)
async def test_h1_the_answer_does_not_depend_on_what_lies_hidden(evening: OpenHouse, game: str) -> None:
    """Paired shoes: all cards that are not up exchanged. Places, leaves, cards and salts stay, sizes too; of the paths
    only hashes over salts that nobody has can differ.
    """
    table, players = await seated(evening, game)
    await dealt(evening, table, players)
    proofs_of = evening.application.fairness._proofs
    compared = 0
    while evening.view(table, players[0]).phase == "round":
        before = proven(evening, table, players[0])
        shoe = proofs_of._shoes[table][before.commitment.shoe]
        cards, salts = shoe.get_sealed().unseal()
        up = {card.proof.leaf for card in before.cards}
        hidden = [leaf for leaf in range(len(cards)) if leaf not in up]
        swapped = list(cards)
        for leaf, other in zip(hidden, reversed(hidden), strict=True):
            swapped[leaf] = cards[other]
        assert swapped != list(cards)
        kept, shoe._sealed = (
            shoe._sealed,
            SealedShoe(swapped, salts, hash_rules(shoe.commitment.sheet, shoe.commitment.decks)),
        )
        proofs_of._proven.clear()
        after = proven(evening, table, players[0])
        shoe._sealed = kept
        proofs_of._proven.clear()
        assert [without_path(one) for one in before.cards] == [without_path(one) for one in after.cards]
        sent, other_sent = json.dumps(before.to_dict()), json.dumps(after.to_dict())
        assert len(sent) == len(other_sent)
        assert not any(salts[leaf].hex() in sent for leaf in hidden)
        compared += 1
        await evening.step(table, players)
    assert compared


def without_path(card: DealtCard) -> dict[str, object]:
    return {name: value for name, value in card.to_dict().items() if name != "path"}


async def test_h1_planted_fault_a_hole_card_told_at_the_deal_is_noticed(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaking(felt: Felt, event: Event, before: Table) -> Felt:
        made = right(felt, event, before)
        return made._replace(up=(*made.up, *made.down)) if isinstance(event, HandsDealt) else made

    monkeypatch.setattr(live_proofs, "turn_cards", leaking)
    table, players = await seated(evening, "sisal")
    await dealt(evening, table, players)
    view, proofs = evening.view(table, players[0]), proven(evening, table, players[0])
    assert view.dealer.face_down == 1
    assert Counter(card.to_dict()["card"] for card in proofs.cards) != visible(view)


async def test_r06_the_proofs_of_an_open_round_are_the_same_after_a_crash(evening: OpenHouse) -> None:
    for game in ("ventuno", "duello"):
        table, players = await seated(evening, game) if game == "ventuno" else (await _own(evening), ("1",))
        await dealt(evening, table, players)
        before = proven(evening, table, players[0])
        assert before.cards
        await evening.crash()
        assert proven(evening, table, players[0]) == before
        await evening.finish(table, players)
        checked(proven(evening, table, players[0]))
        assert len(proven(evening, table, players[0]).cards) > len(before.cards)


async def _own(evening: OpenHouse) -> str:
    table = await evening.application.tables.open_solo("1", "duello")
    assert isinstance(table, str)
    await evening.application.tables.bring("1", table, 50_000, key())
    return table


async def test_h7_proofs_are_for_who_may_see_the_table(evening: OpenHouse) -> None:
    table, (ada,) = await seated(evening, "link")
    assert evening.application.fairness.prove(table, "2") == NoSuchTable(table)
    assert evening.application.fairness.prove(table) == NoSuchTable(table)
    assert evening.application.fairness.prove("nowhere", ada) == NoSuchTable("nowhere")
    practice = await evening.application.tables.open_practice(ada, "link")
    assert evening.application.fairness.prove(practice, ada) == NotCommitted(practice)
    await evening.betting(table, ada)
    assert proven(evening, table, ada).cards == (), "committed and cut, and no card is out"


async def test_g14_no_card_is_proven_before_it_is_durable(evening: OpenHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """G-14, G-1: a deal that is decided and not yet kept shows nothing, in a proof as little as on the felt."""
    table, (ada,) = await seated(evening, "first-person")
    await evening.betting(table, ada)
    await evening.bet(ada, table, (Spot(1, "main"),))
    host = evening.application.host
    kept: list[tuple[Any, ...]] = []
    with monkeypatch.context() as patched:
        patched.setattr(host.commits.store, "submit", lambda *write: kept.append(write))
        dealing = asyncio.create_task(evening.say(ada, table, DealNow(ada, 0)))
        await evening.until(lambda: host.authority.tables[table].table.round is not None)
        assert kept
        assert proven(evening, table, ada).cards == ()
    for write in kept:
        host.commits.store.submit(*write)
    await dealing
    assert len(proven(evening, table, ada).cards) == visible(evening.view(table, ada)).total() > 0


async def test_h1_a_void_round_has_no_open_cards(evening: OpenHouse) -> None:
    table, players = await seated(evening, "ventuno")
    eva = await evening.supervisor()
    await dealt(evening, table, players)
    assert proven(evening, table, "").cards
    assert not (await evening.void(eva, table, "a card fell")).refused
    assert proven(evening, table, "").cards == ()


async def test_g14_a_card_is_checked_in_two_milliseconds(evening: OpenHouse) -> None:
    """By the place, the leaf and the path, as a browser does once it knows the cut."""
    table, players = await seated(evening, "ventuno")
    await dealt(evening, table, players)
    proofs = proven(evening, table, "")
    made = proofs.commitment
    begun = time.process_time()
    for _ in range(50):
        assert all(card.proof.is_valid(made.root, made.size) for card in proofs.cards)
    assert (time.process_time() - begun) / 50 / len(proofs.cards) < GOAL
