"""What a live proof costs: microseconds of CPU for one card, for the house that makes it and for who checks it (G-14).

The house shows salt and path of a leaf and writes them as JSON; the other side reads them and climbs to the root. The
cut is gone through once for each shoe, on both sides. Exits 1 where the check of a card misses its goal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from ventuno.core.rules.cards import card
from ventuno.house.shoes.commitment import CardProof, Commitment, SealedShoe, seal
from ventuno.house.shoes.cut import compute_order
from ventuno.house.shoes.entropy import EntropySource
from ventuno.sheets import load

GOAL = 2_000
TURNS = 5
CARDS = 40
"""Cards of a full round of seven boxes, about."""


def main() -> int:
    sheet = load("ventuno")
    shoe, made = seal(EntropySource(), sheet, "bench", 1)
    order, _ = compute_order(made, [bytes(16)] * 7, sheet)
    leaves = order[:CARDS]
    sent = [written(shoe, leaf) for leaf in leaves]
    if not all(holds(made, line) for line in sent):
        raise ValueError("a proof does not hold")
    made_in = best(lambda: [written(shoe, leaf) for leaf in leaves]) / CARDS
    checked = best(lambda: [holds(made, line) for line in sent]) / CARDS
    cut = best(lambda: [compute_order(made, [bytes(16)] * 7, sheet)])
    print(f"proof of one card, made and written: {made_in * 1e6:,.1f} microseconds, {len(sent[0])} bytes")
    print(f"proof of one card, read and checked: {checked * 1e6:,.1f} microseconds (goal {GOAL:,})")
    print(f"the order of play from the players' cut, once for each shoe: {cut * 1e3:,.2f} ms")
    return int(checked * 1e6 > GOAL)


def written(shoe: SealedShoe, leaf: int) -> str:
    return json.dumps(shoe.show(leaf).to_dict())


def holds(made: Commitment, line: str) -> bool:
    raw = json.loads(line)
    path = tuple(bytes.fromhex(one) for one in raw["path"])
    proof = CardProof(raw["leaf"], card(raw["card"]), bytes.fromhex(raw["salt"]), path)
    return proof.is_valid(made.root, made.size)


def best(work: Callable[[], object], count: int = 20) -> float:
    """Seconds of CPU for one call, in the best of several turns: noise only slows."""
    found = []
    for _ in range(TURNS):
        began = time.process_time()
        for _ in range(count):
            work()
        found.append((time.process_time() - began) / count)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
