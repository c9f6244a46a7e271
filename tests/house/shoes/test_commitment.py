"""The house shuffles, the players cut: Merkle trees, the sealed shoe, the order of events, the opening (R-23, R-27)."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sample_shoes import accepted, fixed_source, specimen
from ventuno.core.messages.commands import LoadShoe
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.shoes import cut_window
from ventuno.house.shoes import commitment, cut, merkle
from ventuno.house.shoes.commitment import CLOSED, Commitment, hash_rules, open_shoe, restore_shoe, seal
from ventuno.house.shoes.cut import Cut, Origin, Phase
from ventuno.house.shoes.entropy import SEED_SIZE, EntropySource, RandomnessFailed
from ventuno.house.shoes.merkle import Tree, compute_root, hash_leaf, is_consistent
from ventuno.house.store import canonical_json
from ventuno.sheets import GAMES, load
from ventuno.words import describe_refusal

# The trees of the Certificate Transparency reference tests (RFC 6962).
DATA = [bytes.fromhex(word) for word in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
DATA.append(bytes(range(0x60, 0x70)))
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
SHEET = load("ventuno")
PLAYERS = ("anna", "bruno", "carla")
SENT = {player: sha256(player.encode()).digest()[:16] for player in PLAYERS}


def promised(player: str) -> bytes:
    return sha256(SENT[player]).digest()


def test_published_trees() -> None:
    tree = Tree(map(hash_leaf, DATA))
    assert [tree.root(size).hex() for size in range(9)] == ROOTS


@pytest.mark.parametrize("size", range(1, 40))
def test_paths_and_continuations(size: int) -> None:
    leaves = [hash_leaf(bytes([number])) for number in range(size)]
    bulk, grown = Tree(leaves), Tree()
    for one in leaves:
        grown.append(one)
    assert bulk.root() == grown.root()
    for index, one in enumerate(leaves):
        path = bulk.path(index)
        assert path == grown.path(index)
        assert compute_root(one, index, size, path) == bulk.root()
        assert compute_root(one, index, size, path[:-1]) != bulk.root() or size == 1
        assert compute_root(one, index, size, (*path, bytes(32))) is None
        assert compute_root(one, (index + 1) % size, size, path) != bulk.root() or size == 1
        assert compute_root(one, size, size, path) is None
    for old in range(1, size + 1):
        proof = bulk.prove_consistency(old)
        assert is_consistent(old, bulk.root(old), size, bulk.root(), proof)
        assert not is_consistent(old, bytes(32), size, bulk.root(), proof)
        assert not is_consistent(old, bulk.root(old), size, bytes(32), proof)
        for i in range(len(proof)):
            assert not is_consistent(old, bulk.root(old), size, bulk.root(), (*proof[:i], bytes(32), *proof[i + 1 :]))
            assert not is_consistent(old, bulk.root(old), size, bulk.root(), proof[:i])


@pytest.mark.parametrize("game", GAMES)
def test_x01_a_shoe_is_the_whole_pack_and_every_card_proven(game: str) -> None:
    sheet = load(game)
    shoe, made = seal(EntropySource(), sheet, "T1", 1)
    cards, salts = shoe.unseal()
    assert Counter(cards) == Counter(pack(sheet.shoe.decks))
    assert len(set(salts)) == len(salts) == made.size
    for place in range(made.size):
        proof = shoe.show(place)
        assert len(proof.path) <= 9
        assert proof.is_valid(made.root, made.size)
        assert not replace(proof, card=(proof.card + 1) % 52).is_valid(made.root, made.size)
    assert (made.game, made.sheet, made.decks) == (game, sheet.hash, sheet.shoe.decks)


def test_x01_rules_are_inside_the_root() -> None:
    """The same cards and salts under another sheet, or another number of decks, have another root."""
    cards, salts = specimen("ventuno").shoe.unseal()
    roots = {
        commitment.build_tree(cards, salts, hash_rules(sheet, decks)).root()
        for sheet in (SHEET.hash, load("ventuno", {"blackjack.pays": "6/5"}).hash)
        for decks in (7, 8)
    }
    assert len(roots) == 4
    made = specimen("ventuno").dossier.commitment
    tree = commitment.build_tree(cards, salts, made.rules_hash)
    assert compute_root(hash_leaf(made.rules_hash), made.size, made.size + 1, tree.path(made.size)) == made.root


def test_the_commitment_shows_neither_cards_nor_salts() -> None:
    one = specimen("ventuno")
    published = canonical_json.encode(one.dossier.commitment.to_dict())
    for salt in one.shoe.unseal()[1]:
        assert salt.hex().encode() not in published
        assert salt not in published
    assert commitment.read(canonical_json.decode(published)) == one.dossier.commitment


def test_m09_the_outcome_does_not_follow_from_what_was_published() -> None:
    """Two shoes under one commitment number and one cut: π is public, the cards under it are not a function of C."""
    source = fixed_source("mistake 9")
    one, made = seal(source, SHEET, "T1", 1)
    other, _ = seal(source, SHEET, "T1", 1)
    order, _ = cut.compute_order(made, list(SENT.values()), SHEET)
    assert one.arrange(order) != other.arrange(order)
    assert one.arrange(order) != tuple(order)


def test_commitments_are_chained() -> None:
    source = EntropySource()
    _, first = seal(source, SHEET, "T1", 1)
    _, second = seal(source, SHEET, "T1", 2, first.digest)
    assert first.previous == bytes(32)
    assert second.previous == sha256(canonical_json.encode(first.to_dict())).digest()


def test_r23_a_kept_shoe_comes_back_card_by_card() -> None:
    """R-23: recovery draws nothing again."""
    shoe, made = seal(EntropySource(), SHEET, "T1", 1)
    again = restore_shoe(shoe.to_bytes())
    assert again.unseal() == shoe.unseal()
    assert again.root == shoe.root == made.root


def test_r24_every_shoe_has_fresh_entropy_of_the_kernel_and_the_document_says_what_that_replaces() -> None:
    """R-21, R-24: no state lives on between two shoes, so there is none to be cycled in the background."""
    drawn: list[bytes] = []

    def read(size: int) -> bytes:
        drawn.append(os.urandom(size))
        return drawn[-1]

    source, roots = EntropySource(read), set[bytes]()
    for number in range(1, 6):
        asked = len(drawn)
        roots.add(seal(source, SHEET, "T1", number)[0].root)
        assert any(len(one) >= SEED_SIZE for one in drawn[asked:])
    assert len(roots) == 5
    said = (Path(__file__).parents[3] / "docs" / "fairness.md").read_text(encoding="utf-8")
    assert "fresh kernel entropy" in next(line for line in said.splitlines() if "background cycling (R-24)" in line)


def test_r27_no_shoe_from_a_failed_source() -> None:
    with pytest.raises(RandomnessFailed):
        seal(EntropySource(lambda size: bytes(size)), SHEET, "T1", 1)


def at_table() -> Cut:
    return Cut(specimen("ventuno").dossier.commitment, PLAYERS, solo=False)


def revealing(*missing: str) -> Cut:
    state = accepted(cut.publish(at_table()))
    for player in PLAYERS:
        if player not in missing:
            state = accepted(cut.promise(state, player, promised(player)))
    return accepted(cut.end_promises(state))


def code(outcome: object) -> str:
    assert isinstance(outcome, Refusal), outcome
    assert "{" not in describe_refusal(outcome)
    return outcome.code


def test_nothing_is_taken_before_the_commitment_is_out() -> None:
    sealed = at_table()
    assert code(cut.promise(sealed, "anna", promised("anna"))) == "CutNotOpen"
    assert code(cut.reveal(sealed, "anna", SENT["anna"])) == "CutNotOpen"
    assert code(cut.supply(sealed, bytes(16))) == "CutNotOpen"
    assert code(cut.end_promises(sealed)) == "CutNotOpen"
    assert code(cut.close(sealed, SHEET)) == "CutNotOpen"
    alone = replace(sealed, solo=True, players=("anna",))
    assert code(cut.reveal(alone, "anna", SENT["anna"])) == "CutNotOpen"
    assert code(cut.publish(accepted(cut.publish(sealed)))) == "CutNotOpen"


def test_promises() -> None:
    state = accepted(cut.publish(at_table()))
    assert code(cut.reveal(state, "anna", SENT["anna"])) == "CutNotOpen"
    state = accepted(cut.promise(state, "anna", promised("anna")))
    assert code(cut.promise(state, "anna", promised("anna"))) == "PromisedTwice"
    assert code(cut.promise(state, "bruno", promised("anna"))) == "PromiseCopied"
    assert code(cut.promise(state, "zoe", promised("bruno"))) == "NotAtTheTable"
    assert code(cut.promise(state, "bruno", b"short")) == "EntropyUnfit"
    late = accepted(cut.end_promises(state))
    assert code(cut.promise(late, "bruno", promised("bruno"))) == "CutNotOpen"
    assert code(cut.reveal(late, "bruno", SENT["bruno"])) == "PromiseMissing"


def test_reveals() -> None:
    state = revealing()
    assert code(cut.reveal(state, "anna", SENT["bruno"])) == "RevealMismatch"
    assert code(cut.reveal(state, "anna", b"short")) == "EntropyUnfit"
    assert code(cut.reveal(state, "zoe", SENT["anna"])) == "NotAtTheTable"
    state = accepted(cut.reveal(state, "anna", SENT["anna"]))
    assert code(cut.reveal(state, "anna", SENT["anna"])) == "RevealedTwice"
    assert code(cut.supply(state, bytes(16))) == "PlayersHaveCut"
    closed = cut.close(state, SHEET)
    assert not isinstance(closed, Refusal)
    assert closed.cut.phase is Phase.CLOSED
    assert code(cut.reveal(closed.cut, "bruno", SENT["bruno"])) == "CutNotOpen"
    assert code(cut.close(closed.cut, SHEET)) == "CutNotOpen"


def test_a_missing_reveal_is_empty_and_flagged() -> None:
    state = revealing("carla")
    state = accepted(cut.reveal(state, "anna", SENT["anna"]))
    closed = cut.close(state, SHEET)
    assert not isinstance(closed, Refusal)
    assert [(one.origin, one.reveal) for one in closed.entropy.contributions] == [
        (Origin.PLAYER, SENT["anna"]),
        (Origin.MISSING, b""),
        (Origin.MISSING, b""),
    ]
    assert closed.entropy.contributions[1].promise == promised("bruno")
    assert closed.entropy.is_verifiable
    assert closed.order == cut.compute_order(state.commitment, [SENT["anna"]], SHEET)[0]


def test_what_the_house_makes_is_not_verifiable() -> None:
    alone = accepted(cut.end_promises(accepted(cut.publish(replace(at_table(), solo=True, players=("anna",))))))
    helped = accepted(cut.supply(alone, bytes(16)))
    mended = accepted(cut.reveal(helped, "anna", SENT["anna"]))
    for state, origins in (
        (alone, [Origin.MISSING]),
        (helped, [Origin.MISSING, Origin.SERVER]),
        (mended, [Origin.PLAYER]),
    ):
        closed = cut.close(state, SHEET)
        assert not isinstance(closed, Refusal)
        assert [one.origin for one in closed.entropy.contributions] == origins
        assert closed.entropy.is_verifiable is (origins == [Origin.PLAYER])


@given(st.permutations(PLAYERS), st.permutations(PLAYERS))
@settings(max_examples=20)
def test_the_order_of_arrival_does_not_matter(promises: list[str], reveals: list[str]) -> None:
    state = accepted(cut.publish(at_table()))
    for player in promises:
        state = accepted(cut.promise(state, player, promised(player)))
    state = accepted(cut.end_promises(state))
    for player in reveals:
        state = accepted(cut.reveal(state, player, SENT[player]))
    closed = cut.close(state, SHEET)
    assert not isinstance(closed, Refusal)
    assert closed.order == cut.compute_order(state.commitment, [SENT[player] for player in PLAYERS], SHEET)[0]


def test_every_part_of_the_seed_moves_the_cut() -> None:
    made = specimen("ventuno").dossier.commitment
    flipped = bytes([SENT["anna"][0] ^ 1]) + SENT["anna"][1:]
    orders = {
        cut.compute_order(one, reveals, SHEET)[0]
        for one in (made, replace(made, shoe=4), replace(made, root=bytes(32)))
        for reveals in ([], [SENT["anna"]], [flipped], [SENT["bruno"], SENT["anna"]], [SENT["anna"], SENT["bruno"]])
    }
    assert len(orders) == 15
    assert all(sorted(order) == list(range(416)) for order in orders)


@pytest.mark.parametrize("game", GAMES)
def test_a_cut_shoe_is_one_that_the_table_takes(game: str) -> None:
    """The cards in the order of play, with the cut card where the players put it, load as they are (V-81, R-28)."""
    sheet = load(game)
    source = EntropySource()
    least, most = cut_window(sheet)
    for number in range(1, 6):
        shoe, made = seal(source, sheet, "T1", number)
        order, cut_card = cut.compute_order(made, [source.draw(16)], sheet)
        assert least <= cut_card <= most
        table = open_table("T1", sheet, "anna", {})
        assert not isinstance(advance(table, LoadShoe(shoe.arrange(order), cut_card, 0)), Refusal)


def test_the_cut_card_lies_anywhere_in_its_window() -> None:
    made = Commitment("T1", 1, "ventuno", SHEET.hash, 8, bytes(32))
    least, most = cut_window(SHEET)
    places = {cut.compute_order(made, [number.to_bytes(16, "big")], SHEET)[1] for number in range(1200)}
    assert places == set(range(least, most + 1))


def test_openings() -> None:
    one = specimen("ventuno")
    made, opening = one.dossier.commitment, open_shoe(one.shoe, CLOSED)
    cards, salts = opening.cards, opening.salts
    assert opening.find_fault(made) == ""
    assert opening.matches(one.shoe.show(5))
    assert not opening.matches(replace(one.shoe.show(5), salt=bytes(16)))
    assert not opening.matches(replace(one.shoe.show(5), leaf=416))
    other = next(i for i in range(1, 416) if cards[i] != cards[0])
    swapped = [cards[other], *cards[1:other], cards[0], *cards[other + 1 :]]
    assert "root" in replace(opening, cards=tuple(swapped)).find_fault(made)
    assert "decks" in replace(opening, cards=(cards[other], *cards[1:])).find_fault(made)
    assert "root" in replace(opening, salts=(bytes(16), *salts[1:])).find_fault(made)
    assert "salts" in replace(opening, salts=salts[1:]).find_fault(made)
    assert "root" in opening.find_fault(replace(made, sheet="00" * 32))
    with pytest.raises(ValueError, match="none of"):
        open_shoe(one.shoe, "boredom")


def test_leaves_and_nodes_are_told_apart() -> None:
    assert merkle.hash_node(bytes(32), bytes(32)) != merkle.hash_leaf(bytes(64))
    assert len({len(salt) for salt in specimen("ventuno").shoe.unseal()[1]}) == 1
