"""Statistical tests of shuffled shoes at 99 % over the whole list, by Holm's procedure (R-26, G-12).

The list and the rule are fixed here, before any run. A sample is an array of shoes, one row each, of the card numbers
in order; TESTS are applied to all of it, in one piece or in several whose counts are added, and it is rejected when
Holm's procedure rejects at least one at 1 % for the family. The sample of the tests is drawn from fixed entropy, so a
run repeats. On fresh entropy a rejected sample is drawn anew once, and only a second rejection by the same test counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

LEVEL = 0.01
COPIES = 8
SIZE = 52 * COPIES
Shoes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
_RANKS = 13
_ALIKE = 4 * COPIES


def normal_tail(z: float) -> float:
    """Two-sided."""
    return math.erfc(abs(z) / math.sqrt(2))


def chi_tail(x: float, freedom: int) -> float:
    """Upper tail of chi-square: the incomplete gamma function, or Wilson-Hilferty where freedom is large."""
    if freedom > 500:
        spread = 2 / (9 * freedom)
        return math.erfc(((x / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread)) / 2
    a, x = freedom / 2, x / 2
    if x <= 0:
        return 1.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a)) if x < 700 else 0.0
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, 2000):
            term *= x / (a + n)
            total += term
        return max(0.0, 1 - total * scale)
    b, c = x + 1 - a, 1e300
    d = h = 1 / b
    for n in range(1, 2000):
        step = -n * (n - a)
        b += 2
        d, c = 1 / (step * d + b), b + step / c
        h *= d * c
    return h * scale


def goodness(counts: Numbers, chances: list[Fraction]) -> float:
    """Chi-square of counts against exact chances, neighbours joined until each cell expects ten."""
    total = int(counts.sum())
    cells: list[tuple[float, float]] = []
    seen = expected = 0.0
    for count, chance in zip(counts.tolist(), chances, strict=True):
        seen, expected = seen + count, expected + float(chance) * total
        if expected >= 10:
            cells.append((seen, expected))
            seen = expected = 0.0
    if seen or expected:
        last = cells.pop()
        cells.append((last[0] + seen, last[1] + expected))
    return chi_tail(sum((o - e) ** 2 / e for o, e in cells), len(cells) - 1)


class Tally(NamedTuple):
    """What a sample gives in numbers that may be added to those of others, and the chance of such a sum."""

    counts: Callable[[Shoes], Numbers]
    judge: Callable[[Numbers], float]


def mean_is(values: Callable[[Shoes], Numbers], expected: Fraction) -> Tally:
    """Whether independent whole numbers, one for each shoe, have this mean, by their own spread."""

    def count(shoes: Shoes) -> Numbers:
        found = values(shoes).astype(np.int64)
        return np.array([len(found), found.sum(), (found * found).sum()])

    def judge(sums: Numbers) -> float:
        many, total, squares = map(int, sums)
        variance = Fraction(many * squares - total * total, many * (many - 1))
        away = abs(Fraction(total, many) - expected)
        if not variance:
            return 0.0 if away else 1.0
        return normal_tail(math.sqrt(away * away / variance * many))

    return Tally(count, judge)


def fits(counts: Callable[[Shoes], Numbers], chances: list[Fraction]) -> Tally:
    """Whether counts follow exact chances."""
    return Tally(counts, lambda sums: goodness(sums, chances))


def ranks_of(shoes: Shoes) -> Numbers:
    """The rank of each card less the mean: every shoe sums to zero."""
    return (shoes >> 2).astype(np.int64) - (_RANKS - 1) // 2


def frequency() -> Tally:
    """Each card equally often at each place. Places of one shoe share a pack: 51 x 415 degrees of freedom."""

    def count(shoes: Shoes) -> Numbers:
        return np.concatenate([np.bincount(shoes[:, place], minlength=52) for place in range(SIZE)])

    def judge(sums: Numbers) -> float:
        expected = int(sums.sum()) / SIZE / 52
        total = float(((sums - expected) ** 2).sum()) / expected
        return chi_tail(total * (SIZE - 1) / SIZE, 51 * (SIZE - 1))

    return Tally(count, judge)


def matches() -> Tally:
    """Eight cards of a shoe lie where the unshuffled pack has the same card."""
    pack = np.arange(SIZE) % 52
    return mean_is(lambda shoes: (shoes == pack).sum(axis=1), Fraction(COPIES))


def runs() -> Tally:
    """Runs of one colour (Wald-Wolfowitz)."""

    def found(shoes: Shoes) -> Numbers:
        red = ((shoes & 3) == 1) | ((shoes & 3) == 2)
        changes: Numbers = (red[:, 1:] != red[:, :-1]).sum(axis=1)
        return changes + 1

    return mean_is(found, Fraction(1 + SIZE // 2))


def serial(lag: int) -> Tally:
    """Correlation of cards so far apart in a shoe, the end joined to the beginning."""
    squares = _ALIKE * sum((rank - (_RANKS - 1) // 2) ** 2 for rank in range(_RANKS))

    def found(shoes: Shoes) -> Numbers:
        ranks = ranks_of(shoes)
        products: Numbers = (ranks * np.roll(ranks, lag, axis=1)).sum(axis=1)
        return products

    return mean_is(found, Fraction(-squares, SIZE - 1))


def gap(number: int) -> Tally:
    """Cards between one ace and the next; every gap of a shoe has the same distribution."""
    chances = [
        Fraction(math.comb(SIZE - between - 1, _ALIKE - 1), math.comb(SIZE, _ALIKE))
        for between in range(SIZE - _ALIKE + 1)
    ]

    def count(shoes: Shoes) -> Numbers:
        aces = np.nonzero(shoes >> 2 == 12)[1].reshape(len(shoes), _ALIKE)
        between = aces[:, number] - (aces[:, number - 1] + 1 if number else 0)
        return np.bincount(between, minlength=len(chances))

    return fits(count, chances)


def poker(first: int) -> Tally:
    """Five cards by how many are of one rank, against exact chances."""
    hands: dict[tuple[int, ...], Fraction] = {}
    for ranks in combinations_with_replacement(range(_RANKS), 5):
        alike = tuple(sorted(ranks.count(rank) for rank in set(ranks)))
        ways = math.prod(math.comb(_ALIKE, count) for count in alike)
        hands[alike] = hands.get(alike, Fraction(0)) + Fraction(ways, math.comb(SIZE, 5))
    # The number of equal pairs tells the seven patterns apart, but for one of three alike and two pairs.
    kinds = sorted(hands, key=_pairs)

    def count(shoes: Shoes) -> Numbers:
        ranks = np.sort(shoes[:, first : first + 5] >> 2, axis=1)
        pairs = sum((ranks[:, i] == ranks[:, j]).astype(int) for i in range(5) for j in range(i))
        most = np.max([(ranks[:, i : i + 1] == ranks).sum(axis=1) for i in range(5)], axis=0)
        return np.array([((pairs == _pairs(kind)) & (most == max(kind))).sum() for kind in kinds])

    return fits(count, [hands[kind] for kind in kinds])


def _pairs(kind: tuple[int, ...]) -> int:
    return sum(count * (count - 1) // 2 for count in kind)


def coupons() -> Tally:
    """Cards until every rank has come, against exact chances."""
    within = [
        sum(
            (
                (-1) ** k * math.comb(_RANKS, k) * Fraction(math.comb(SIZE - _ALIKE * k, cards))
                for k in range(_RANKS + 1)
            ),
            Fraction(0),
        )
        / math.comb(SIZE, cards)
        for cards in range(SIZE + 1)
    ]

    def count(shoes: Shoes) -> Numbers:
        ranks = shoes >> 2
        needed = np.max([np.argmax(ranks == rank, axis=1) for rank in range(_RANKS)], axis=0) + 1
        return np.bincount(needed, minlength=SIZE + 1)

    return fits(count, [within[0], *(b - a for a, b in pairwise(within))])


def permutation() -> Tally:
    """The order in which five cards come first: 120 orders, equally likely."""
    number = {order: i for i, order in enumerate(permutations(range(5)))}

    def count(shoes: Shoes) -> Numbers:
        firsts = np.stack([np.argmax(shoes == card, axis=1) for card in (0, 13, 26, 39, 51)], axis=1)
        found = [number[tuple(row)] for row in np.argsort(firsts, axis=1).tolist()]
        return np.bincount(found, minlength=120)

    return fits(count, [Fraction(1, 120)] * 120)


def between_shoes(lag: int) -> Tally:
    """Eight cards lie in the same place as in the shoe so many before."""
    return mean_is(lambda shoes: (shoes[lag:] == shoes[:-lag]).sum(axis=1), Fraction(COPIES))


def starts(shoes: Shoes) -> npt.NDArray[np.void]:
    """The first twelve cards of each shoe as one value."""
    return np.ascontiguousarray(shoes[:, :12]).view(np.dtype((np.void, 12))).ravel()


def overlaps() -> Tally:
    """Shoes that begin with the same twelve cards: the chance of any such pair among 10,000 is below 10^-11."""
    return Tally(
        lambda shoes: np.array([len(shoes) - len(np.unique(starts(shoes)))]), lambda sums: 0.0 if sums[0] else 1.0
    )


TESTS: dict[str, Tally] = {
    "frequency": frequency(),
    "matches with the pack": matches(),
    "runs": runs(),
    "serial correlation, lag 1": serial(1),
    "serial correlation, lag 2": serial(2),
    "serial correlation, lag 52": serial(52),
    "gap before the first ace": gap(0),
    "gap amid the aces": gap(16),
    "poker, first cards": poker(0),
    "poker, amid the shoe": poker(200),
    "coupon collector": coupons(),
    "permutation": permutation(),
    "between shoes, lag 1": between_shoes(1),
    "between shoes, lag 2": between_shoes(2),
    "overlaps": overlaps(),
}


def counted(shoes: Shoes) -> dict[str, Numbers]:
    """What a sample adds to each test of the list."""
    return {name: test.counts(shoes) for name, test in TESTS.items()}


def added(pieces: Iterable[Mapping[str, Numbers]]) -> dict[str, Numbers]:
    """The counts of several samples as those of one."""
    sums: dict[str, Numbers] = {}
    for piece in pieces:
        for name, numbers in piece.items():
            sums[name] = sums[name] + numbers if name in sums else numbers
    return sums


def judged(sums: Mapping[str, Numbers]) -> dict[str, float]:
    """The p-value of every test for the sum of one or many samples."""
    return {name: TESTS[name].judge(numbers) for name, numbers in sums.items()}


def chances(shoes: Shoes) -> dict[str, float]:
    """The p-value of every test of the list for one sample."""
    return judged(counted(shoes))


def rejected(found: dict[str, float], level: float = LEVEL) -> list[str]:
    """The tests that Holm's procedure rejects, the family together erring in no more than the level."""
    out: list[str] = []
    for rank, (name, chance) in enumerate(sorted(found.items(), key=lambda entry: entry[1])):
        if chance > level / (len(found) - rank):
            break
        out.append(name)
    return out
