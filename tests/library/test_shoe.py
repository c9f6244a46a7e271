"""A shoe for programs: a value, whole packs, reproducible."""

from collections import Counter

import pytest

import ventuno
from ventuno.core.rules.cards import NotACard
from ventuno.core.table.shoes import cut_window
from ventuno.sheets import GAMES


def test_a_shuffled_shoe_is_the_whole_pack_with_its_cut_card() -> None:
    for game in GAMES:
        sheet = ventuno.load_sheet(game)
        shoe = ventuno.Shoe.shuffled(game, seed=1)
        assert set(Counter(shoe).values()) == {sheet.shoe.decks}
        assert len(set(shoe)) == 52
        least, most = cut_window(sheet)
        assert least <= shoe.cut <= most
        assert shoe == ventuno.Shoe.shuffled(sheet, seed=1)
        assert shoe.cards != ventuno.Shoe.shuffled(sheet, seed=2).cards


def test_dealing_leaves_the_shoe_as_it_was() -> None:
    shoe = ventuno.Shoe.read("AS KD 9H")
    dealt, rest = shoe.deal(2)
    assert (dealt, rest.deal()[0], shoe.remaining, rest.remaining) == (("AS", "KD"), ("9H",), 3, 1)
    assert (shoe.count("A"), rest.count("A"), str(rest)) == (1, 0, "9H")
    with pytest.raises(ValueError, match="4 cards from a shoe of 3"):
        shoe.deal(4)


def test_the_cut_card_ends_a_shoe() -> None:
    shoe = ventuno.Shoe(("AS", "KD", "9H"), cut=2)
    assert not shoe.deal(1)[1].is_out
    assert shoe.deal(2)[1].is_out
    assert not ventuno.Shoe.read("AS").deal(1)[1].is_out


def test_what_is_no_card_and_no_deck_is_refused() -> None:
    with pytest.raises(NotACard):
        ventuno.Shoe.read("AS 1H")
    with pytest.raises(ValueError, match="one deck"):
        ventuno.Shoe.shuffled(0)
