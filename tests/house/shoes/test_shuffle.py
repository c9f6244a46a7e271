"""The shuffle: no bias, proven on the code itself; then the statistics of whole shoes, beside five that must fail."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import shuffle_statistics
from tests.support.sample_shoes import VECTORS, fixed_source, vectors
from tests.support.shuffle_statistics import SIZE
from tests.support.volume import scale
from tests.support.wrong_shuffles import CONTROLS, drawn, fair
from ventuno.core.rules.cards import pack
from ventuno.house.shoes import laboratory_samples
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import MOST, NARROW_MOST, RangeUnfit, Stream, find_word_size, reduce_word, shuffle
from ventuno.sheets import load

SHOES = scale(56_000)
SEED = "ventuno 2026"
"""Written down before the first run."""


def test_g12_every_value_has_as_many_words_as_any_other() -> None:
    """All words of the stream against all bounds up to 416 cards: the proof that scaling adds no bias (R-22)."""
    for bound in range(1, SIZE + 1):
        space = 1 << 8 * find_word_size(bound)
        words = Counter([reduce_word(word, bound, space) for word in range(space)])
        assert words.pop(None, 0) == space % bound < bound
        assert words == dict.fromkeys(range(bound), space // bound)


@given(st.integers(1, MOST), st.data())
def test_wide_words_have_no_bias_either(bound: int, data: st.DataObject) -> None:
    """What the exhaustive proof shows by counting: accepted words are whole blocks of `bound`, in order."""
    space = 1 << 8 * find_word_size(bound)
    last = space // bound * bound
    word = data.draw(st.integers(0, space - 1))
    assert reduce_word(word, bound, space) == (word % bound if word < last else None)
    assert space - last < bound <= space // 16


@pytest.mark.parametrize("bound", [0, -1, MOST + 1])
def test_bounds(bound: int) -> None:
    with pytest.raises(RangeUnfit):
        Stream(HmacDrbg(bytes(32))).below(bound)
    assert find_word_size(NARROW_MOST) == 2
    assert find_word_size(NARROW_MOST + 1) == 8


@pytest.mark.parametrize("size", range(1, 8))
def test_every_sequence_of_draws_gives_its_own_order(size: int) -> None:
    """Fisher-Yates is one to one from draws to orders: with unbiased draws all orders are equally likely."""
    seen = Counter(_led_to(draws) for draws in product(*(range(bound) for bound in range(size, 1, -1))))
    assert len(seen) == math.factorial(size)
    assert set(seen.values()) == {1}


def _led_to(draws: tuple[int, ...]) -> tuple[int, ...]:
    taken = iter(draws)
    return shuffle(range(len(draws) + 1), lambda bound: _checked(next(taken), bound))


def _checked(draw: int, bound: int) -> int:
    assert 0 <= draw < bound
    return draw


@given(st.permutations(range(SIZE)))
@settings(max_examples=50)
def test_every_order_of_eight_decks_can_come_out(order: list[int]) -> None:
    """The draws that lead to an order are found by undoing it; there is exactly one such sequence."""
    left, draws = list(range(SIZE)), []
    for last in range(SIZE - 1, 0, -1):
        place = left.index(order[last])
        draws.append(place)
        left[last], left[place] = left[place], left[last]
    assert _led_to(tuple(draws)) == tuple(order)


def test_stream_is_the_concatenation_of_its_portions() -> None:
    stream, drbg = Stream(HmacDrbg(bytes(32))), HmacDrbg(bytes(32))
    whole = b"".join(drbg.generate(1024) for _ in range(4))
    assert b"".join(stream.take(size) for size in (1, 1000, 500, 1500, 1095)) == whole


def test_vectors_of_the_construction() -> None:
    """Shared with the verifier of the browser; `python -m tests.support.sample_shoes` writes them."""
    assert json.loads((VECTORS / "construction.json").read_text(encoding="utf-8")) == vectors()


def test_r25_samples() -> None:
    """R-25: raw bytes, orders, and orders after the cut, each from what the tables themselves use."""
    sheet = load("duello")
    file = io.BytesIO()
    assert laboratory_samples.write_samples(file, laboratory_samples.generate_bytes(EntropySource(), 20_000)) == 20_000
    assert len(set(file.getvalue())) == 256
    for shoe in laboratory_samples.generate_shuffles(EntropySource(), sheet, 3):
        assert Counter(shoe) == Counter(pack(6))
    for before, after in laboratory_samples.generate_outcomes(EntropySource(), sheet, 3):
        assert Counter(before) == Counter(after) == Counter(pack(6))
        assert before != after


def test_r25_raw_bytes_are_even() -> None:
    raw = b"".join(laboratory_samples.generate_bytes(fixed_source(SEED), 2**20))
    counts = np.bincount(np.frombuffer(raw, dtype=np.uint8), minlength=256)
    bits = int(np.unpackbits(np.frombuffer(raw, dtype=np.uint8)).sum())
    found = {
        "bytes": shuffle_statistics.chi_tail(float(((counts - 4096) ** 2 / 4096).sum()), 255),
        "bits": shuffle_statistics.normal_tail((bits - 2**22) / math.sqrt(2**21)),
    }
    assert shuffle_statistics.rejected(found) == []


def test_g12_statistics_of_shoes_and_negative_controls() -> None:
    """R-26: the list of `battery` at 99 % on shoes before and after the cut; each control is rejected beside it."""
    played = list(laboratory_samples.generate_outcomes(fixed_source(SEED), load("ventuno"), SHOES))
    for stage in range(2):
        shoes = np.frombuffer(b"".join(row[stage] for row in played), dtype=np.uint8).reshape(SHOES, SIZE)
        found = shuffle_statistics.chances(shoes)
        assert shuffle_statistics.rejected(found) == [], found
    for name, control in CONTROLS.items():
        assert shuffle_statistics.rejected(shuffle_statistics.chances(control(SHOES))), f"{name} was not rejected"
    assert shuffle_statistics.rejected(shuffle_statistics.chances(drawn(fair, 7, SHOES))) == []


def test_g12_a_sample_in_pieces_is_judged_as_one() -> None:
    """Counts add up: but for neighbours in two pieces, nothing is lost by counting piece by piece."""
    shoes = drawn(fair, 8, 2_000)
    whole, pieces = (
        shuffle_statistics.counted(shoes),
        [shuffle_statistics.counted(shoes[at : at + 500]) for at in range(0, 2_000, 500)],
    )
    sums = shuffle_statistics.added(pieces)
    apart = {name for name in whole if (sums[name] != whole[name]).any()}
    assert apart == {"between shoes, lag 1", "between shoes, lag 2"}
    assert shuffle_statistics.rejected(shuffle_statistics.judged(sums)) == []


def test_holm() -> None:
    assert shuffle_statistics.rejected({"a": 0.004, "b": 0.2, "c": 0.0051}) == []
    assert shuffle_statistics.rejected({"a": 0.003, "b": 0.2, "c": 0.004}) == ["a", "c"]
    assert shuffle_statistics.rejected({"a": 0.003, "b": 0.2, "c": 0.006}) == ["a"]


@pytest.mark.parametrize(
    ("x", "freedom", "tail"),
    [(3.841459, 1, 0.05), (23.20925, 10, 0.01), (2.55821, 10, 0.99), (149.4493, 100, 0.001), (553.127, 500, 0.05)],
)
def test_chi_square_tail(x: float, freedom: int, tail: float) -> None:
    assert shuffle_statistics.chi_tail(x, freedom) == pytest.approx(tail, rel=1e-3)
    assert shuffle_statistics.chi_tail(1107.0, 1000) == pytest.approx(0.01, rel=0.02)
