"""What a house gains that may choose between several orders of a shoe: by reveals that puppets keep back (X-24).

With n puppets it has k = 2^n orders of R rounds. The result of an order has the standard deviation s√R, s being that of
one round by the certificate (docs/odds.md). The best of k for the house is better than the mean by m_k s√R where shoes
are long, m_k the expected largest of k normal variables, and never by more than s√R (k - 1)/√(2k - 1), whatever the
distribution (Hartley and David, 1954). Where it could write a promise when all honest reveals are known, k would be as
many orders as it has the time to try: the second table. Prints both tables of docs/fairness.md.

    python3 dev.py bench choosing
"""

from __future__ import annotations

import math
from collections.abc import Iterator

SD = 1.113055
"""Of a round of Ventuno in stakes (docs/odds.md)."""
ROUNDS = 45
"""Of a shoe of eight decks with one player and the dealer: some 264 cards before the cut card, 5.9 a round."""
PUPPETS = (0, 1, 2, 3, 6)
TRIES = (10**3, 10**6, 10**9)
"""Orders that a house could try without the list of promises; a million take seconds."""
_STEP, _REACH = 0.001, 9.0


def expect_largest(count: int) -> float:
    """The expected largest of so many independent standard normal variables, by the trapezoidal rule."""
    steps = round(2 * _REACH / _STEP)

    def integrand(x: float) -> float:
        below = 0.5 * (1 + math.erf(x / math.sqrt(2)))
        return x * count * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * below ** (count - 1)

    return _STEP * sum(integrand(-_REACH + i * _STEP) for i in range(steps + 1))


def bound_largest(count: int) -> float:
    """No distribution of standard deviation 1 has a larger expected largest of so many."""
    return (count - 1) / math.sqrt(2 * count - 1)


def list_rows(rounds: int = ROUNDS) -> Iterator[str]:
    """The rows of the table: puppets, orders, the gain in per cent of the stakes of a shoe, and its bound."""
    for puppets in PUPPETS:
        orders = 2**puppets
        gain, bound = (
            100 * SD / math.sqrt(rounds) * value for value in (expect_largest(orders), bound_largest(orders))
        )
        yield f"| {puppets} | {orders} | {abs(gain):.1f} % | {bound:.1f} % | {puppets / 2:g} |"


def list_try_rows(rounds: int = ROUNDS) -> Iterator[str]:
    """The rows of the second table: orders that are tried, and the gain."""
    for tries in TRIES:
        yield f"| {tries:,} | {100 * SD / math.sqrt(rounds) * expect_largest(tries):.1f} % |"


if __name__ == "__main__":
    print("\n".join((*list_rows(), "", *list_try_rows())))
