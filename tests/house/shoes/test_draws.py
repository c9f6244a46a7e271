"""Wheel and boards from the sealed seed: the sheet's weights exactly, no draw by another, nothing that the house could
choose (L-22…L-28, R-22, R-26).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from tests.support.sample_shoes import bonus_specimen, fixed_source, specimen
from tests.support.shuffle_statistics import LEVEL, goodness
from ventuno.core.scenario.scenario import BonusEntry
from ventuno.house.shoes import draws
from ventuno.house.shoes.commitment import OLDEST, Commitment, restore_shoe, seal
from ventuno.house.shoes.draws import DrawPlace, DrawSeed, draw_bonus, pick
from ventuno.house.shoes.shuffle import Below, Stream
from ventuno.house.shoes.verification import verify
from ventuno.sheets import load

LINK = load("link")
RULES = LINK.bonus
SHOES, PLACES, BONUSES = 250, (0, 40), 4
SEED = "draws 2026"
"""Written down before the first run."""


def make_parts(number: int) -> tuple[bytes, Commitment, list[bytes]]:
    name = f"{SEED}/{number}".encode()
    made = Commitment("T7", number, "link", LINK.hash, 6, sha256(b"root" + name).digest(), version=2)
    return sha256(b"seed" + name).digest(), made, [sha256(b"player" + name).digest()[:16]]


def make_seed(number: int) -> DrawSeed:
    return DrawSeed(*make_parts(number))


def pick_one_too_far(weights: Mapping[str, int], below: Below) -> str:
    """A wrong choice by weights, for the tests: each name reaches one place too far."""
    place = below(sum(weights.values()))
    for name in sorted(weights):
        if place <= weights[name]:
            return name
        place -= weights[name]
    raise AssertionError


@pytest.mark.parametrize("kind", ["wheel", "start", "cell", "boxes", "diamonds"])
def test_l23_every_name_has_as_many_places_as_its_weight(kind: str) -> None:
    """All places are counted: the odds are those of the sheet exactly, whatever the order of its lines."""
    weights: Mapping[str, int] = getattr(RULES, kind)

    def choose_all(choose: Callable[[Mapping[str, int], Below], str], names: Mapping[str, int]) -> list[str]:
        places = iter(range(sum(weights.values())))
        return [choose(names, lambda _: next(places)) for _ in range(sum(weights.values()))]

    assert Counter(choose_all(pick, weights)) == weights
    assert choose_all(pick, dict(reversed(list(weights.items())))) == choose_all(pick, weights)
    assert Counter(choose_all(pick_one_too_far, weights)) != weights


def test_l26_every_choice_of_cells_has_as_many_draws_as_any_other() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for taken in product(range(6), range(5), range(4)):
        counts[tuple(draws._draw_cells(6, 3, partial(_take_next, iter(taken))))] += 1
    assert counts == dict.fromkeys(combinations(range(6), 3), 6 * 5 * 4 // comb(6, 3))


def _take_next(numbers: Iterator[int], _: int) -> int:
    return next(numbers)


def draw_sample() -> list[BonusEntry]:
    """Bonuses of many shoes: several in a round, two rounds in a shoe, neighbours beside each other."""
    return [
        draw_bonus(RULES, make_seed(shoe), first, bonus)
        for shoe in range(SHOES)
        for bonus in range(BONUSES)
        for first in PLACES
    ]


def list_cells(board: BonusEntry) -> Iterable[tuple[bool, str]]:
    """What each empty cell shows in each spin, and whether the spin before locked nothing."""
    empty, after_nothing = {*range(len(board.boxes) * RULES.box_cells)} - {*board.start}, False
    for locks in board.spins:
        yield from ((after_nothing, str(locks.get(cell, "nothing"))) for cell in empty)
        empty, after_nothing = empty - {*locks}, not locks


def fit(seen: Iterable[str], weights: Mapping[str, int]) -> float:
    counts, total = Counter(seen), sum(weights.values())
    assert counts.keys() <= weights.keys()
    return goodness(
        np.array([counts[name] for name in weights]), [Fraction(weight, total) for weight in weights.values()]
    )


def compute_chances(sample: list[BonusEntry]) -> dict[str, float]:
    """How likely each of these figures, or one further off, is by the weights of the sheet."""
    wheels, boards = [entry.wheel for entry in sample], [entry for entry in sample if entry.boxes]
    total, alike = sum(RULES.wheel.values()) ** 2, sum(weight**2 for weight in RULES.wheel.values())
    cells = [shown for board in boards for shown in list_cells(board)]

    def repeat(distance: int) -> float:
        pairs = zip(wheels, wheels[distance:], strict=False)
        return fit((str(one == other) for one, other in pairs), {"True": alike, "False": total - alike})

    return {
        "wheel": fit(wheels, RULES.wheel),
        "wheel beside wheel, of two rounds": repeat(1),
        "wheel after wheel, in a round": repeat(len(PLACES)),
        "wheel after wheel, in two shoes": repeat(len(PLACES) * BONUSES),
        "boxes": fit((name for board in boards for name in board.boxes), RULES.boxes),
        "prizes at the start": fit((str(prize) for board in boards for prize in board.start.values()), RULES.start),
        "places at the start": fit(
            (str(cell) for board in boards if board.wheel == "link" for cell in board.start),
            {str(cell): 1 for cell in range(RULES.boards["link"].cells)},
        ),
        "cells": fit((shown for _, shown in cells), RULES.cell),
        "cells after a spin of nothing": fit((shown for is_after, shown in cells if is_after), RULES.cell),
    }


def find_rejected(sample: list[BonusEntry]) -> set[str]:
    chances = compute_chances(sample)
    return {name for name, chance in chances.items() if chance < LEVEL / len(chances)}


@pytest.mark.parametrize(
    ("left_out", "by"),
    [
        ("", ""),
        ("first", "wheel beside wheel, of two rounds"),
        ("bonus", "wheel after wheel, in a round"),
        ("spin", "cells after a spin of nothing"),
        ("shoe", "wheel after wheel, in two shoes"),
    ],
)
def test_r26_draws_follow_the_weights_and_not_each_other(
    left_out: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 99 % over the whole list; a generator that is named without one of its parts is rejected, by its own test."""
    right = DrawSeed.make_stream

    def make_wrong(seed: DrawSeed, place: DrawPlace) -> Stream:
        if left_out == "shoe":
            return right(make_seed(0), place)
        return right(seed, place._replace(**{left_out: 0}) if left_out else place)

    monkeypatch.setattr(DrawSeed, "make_stream", make_wrong)
    rejected = find_rejected(draw_sample())
    assert by in rejected if by else rejected == set()


def test_l22_a_draw_hangs_on_all_that_was_fixed_beforehand_and_on_nothing_else() -> None:
    """The seed, the root, what the players sent, the shoe, the place; not the code of a round, which tells the time."""
    (secret, made, parts), place = make_parts(1), DrawPlace(40, 1, 2)
    seed = DrawSeed(secret, made, parts)
    told = seed.make_stream(place).take(32)
    others = [
        (DrawSeed(bytes(32), made, parts), place),
        (DrawSeed(secret, replace(made, root=bytes(32)), parts), place),
        (DrawSeed(secret, replace(made, shoe=2), parts), place),
        (DrawSeed(secret, made, [bytes(16)]), place),
        (seed, DrawPlace(41, 1, 2)),
        (seed, DrawPlace(40, 2, 2)),
        (seed, DrawPlace(40, 1, 3)),
    ]
    assert len({told, *(other.make_stream(at).take(32) for other, at in others)}) == len(others) + 1
    assert make_seed(1).make_stream(place).take(32) == told


def test_r23_a_sealed_seed_comes_back_from_the_store() -> None:
    for sheet in (LINK, load("ventuno")):
        shoe, made = seal(fixed_source("stored"), sheet, "T7", 1)
        again = restore_shoe(shoe.to_bytes())
        assert again.unseal() == shoe.unseal()
        assert again.root == made.root
        seed = again.unseal_seed()
        assert (sha256(seed).digest() if seed else b"") == made.draws
        assert bool(seed) is bool(sheet.bonus.wheel)


def test_notes_tell_which_draws_are_not_checked() -> None:
    """An old shoe sealed none; one that is not open yet shows its seed later."""
    unsealed, in_use = bonus_specimen("link", version=OLDEST), bonus_specimen("link", is_open=False)
    told = {name: verify(one.dossier, LINK).notes for name, one in (("old", unsealed), ("in use", in_use))}
    assert any("were not sealed" in note for note in told["old"])
    assert any("draws of the bonus are checked when" in note for note in told["in use"])
    for game in ("link", "ventuno"):
        assert not any("draws" in note for note in verify(specimen(game).dossier, load(game)).notes)
