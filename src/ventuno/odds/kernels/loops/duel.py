"""The loop of the duel: a straight line from six cards to one outcome."""

from __future__ import annotations

from ventuno.odds.kernels.loops.compiler import inlined, loop
from ventuno.odds.kernels.loops.xoshiro import U, high, turned, word


@inlined
def _draw(pack, dealt, x, size):  # type: ignore[no-untyped-def]
    left = size - U(dealt)
    at = U(dealt) + high(x, left)
    card = pack[at]
    pack[at] = pack[dealt]
    pack[dealt] = card
    return U(card), x * left


@loop
def play(random, pack, size, rounds, players, dealers, results, counts, sides):  # type: ignore[no-untyped-def]
    """Deal order: up-card, the dealer's first, left, right, the hidden card, the dealer's second."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    value, ten = U(15), U(10)
    for _ in range(rounds):
        x = word(a, d)
        a, b, c, d = turned(a, b, c, d)
        up, x = _draw(pack, 0, x, size)
        first, x = _draw(pack, 1, x, size)
        left, x = _draw(pack, 2, x, size)
        x = word(a, d)
        a, b, c, d = turned(a, b, c, d)
        right, x = _draw(pack, 3, x, size)
        hidden, x = _draw(pack, 4, x, size)
        second, x = _draw(pack, 5, x, size)
        middle = (left & value) * ten + (right & value)
        player = players[((up & value) * U(100) + middle) * ten + (hidden & value)]
        dealer = dealers[((first & value) * U(100) + middle) * ten + (second & value)]
        counts[results[U(player) * U(32) + U(dealer)]] += 1
        one, two, three = up >> U(4) == left >> U(4), left >> U(4) == right >> U(4), up >> U(4) == right >> U(4)
        sides[U(one | two | three) + U(one & two)] += 1
