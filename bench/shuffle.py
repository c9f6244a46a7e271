"""How fast shoes are made and proven: shoes a second, and microseconds for one card's proof (G-14).

Prints one line for each figure and exits 1 where the goal is missed. With `--shoes N` it also draws N shoes from the
kernel's entropy and runs the statistical list of the tests on them, before and after the cut, by its retest rule.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support import shuffle_statistics
from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import laboratory_samples
from ventuno.house.shoes.commitment import CLOSED, open_shoe, restore_shoe, seal
from ventuno.house.shoes.cut import compute_order
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.sheets import load

PROOF_GOAL = 2_000
TURNS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shoes", type=int, default=0, help="shoes for the statistical list; 0 leaves it out")
    wanted = parser.parse_args().shoes
    source, sheet = EntropySource(), load("ventuno")
    shoe, made = seal(source, sheet, "bench", 1)
    proof, opening, kept = shoe.show(77), open_shoe(shoe, CLOSED), shoe.to_bytes()
    drbg = HmacDrbg.fresh(source)
    sealed = best(lambda: seal(source, sheet, "bench", 1), 50)
    cut = best(lambda: compute_order(made, [bytes(16)] * 7, sheet), 50)
    checked = best(lambda: proof.is_valid(made.root, made.size), 2_000)
    print(f"8-deck shoes shuffled and committed: {1 / sealed:,.0f} a second")
    print(f"cuts by seven players: {1 / cut:,.0f} a second")
    print(f"shuffled, committed and cut: {1 / (sealed + cut):,.0f} shoes a second")
    print(f"check of one card's proof: {checked * 1e6:,.1f} microseconds (goal {PROOF_GOAL:,})")
    print(f"check of a whole opening: {best(lambda: opening.find_fault(made), 50) * 1e3:,.2f} ms")
    print(f"shoe restored from the store: {best(lambda: restore_shoe(kept), 50) * 1e3:,.2f} ms")
    print(f"raw generator: {65_536 / best(lambda: drbg.generate(65_536), 10) / 1e6:,.1f} MB a second")
    fine = statistics(source, sheet, wanted) if wanted else True
    return 0 if fine and checked * 1e6 <= PROOF_GOAL else 1


def best(work: Callable[[], object], count: int) -> float:
    """Seconds of CPU for one call, in the best of several turns: noise only slows."""
    found = []
    for _ in range(TURNS):
        began = time.process_time()
        for _ in range(count):
            work()
        found.append((time.process_time() - began) / count)
    return min(found)


def statistics(source: EntropySource, sheet: Sheet, count: int) -> bool:
    """The list on fresh shoes; a sample that fails is drawn anew once, and only the same test twice counts."""
    first = failing(source, sheet, count)
    again = first and failing(source, sheet, count) & first
    print(f"{count:,} shoes, {len(shuffle_statistics.TESTS)} tests at 99 %: rejected {sorted(first) or 'none'}", end="")
    print(f", again {sorted(again) or 'none'}" if first else "")
    return not again


def failing(source: EntropySource, sheet: Sheet, count: int) -> set[str]:
    rows = list(laboratory_samples.generate_outcomes(source, sheet, count))
    found = set()
    for stage, when in enumerate(("before the cut", "as played")):
        shoes = np.frombuffer(b"".join(row[stage] for row in rows), dtype=np.uint8).reshape(
            count, shuffle_statistics.SIZE
        )
        found |= {f"{name}, {when}" for name in shuffle_statistics.rejected(shuffle_statistics.chances(shoes))}
    return found


if __name__ == "__main__":
    sys.exit(main())
