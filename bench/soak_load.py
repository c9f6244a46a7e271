"""Half of the full load for hours: memory, files and invariants of a house that nobody restarts (G-25).

    python3 dev.py soak load [--hours H] [--tables N] [--sockets N]

The crowd of `bench load` plays at half its rate. Every minute: memory of the house and of its writer, the size of the
database and of its log, what the living books show wrong, what was refused. At the end the house is stopped as an
operator would, every acknowledged ask is looked for in the store, and the books are opened once more and read to the
last record. Exits 1 where memory has grown by more than 5 % after the first tenth of the time, the log of the database
is larger than its bound, an invariant broke, or something acknowledged is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import OFFERED, Bench, arguments, played
from tests.support import crash_checks
from ventuno.house.application import Application
from ventuno.house.config import Config

GROWTH, LOG = 0.05, 512 << 20
"""How much of its memory a house may gain, and bytes that the log of the database may have."""
MINUTE = 60.0
MILLION = 1 << 20


class Sample(NamedTuple):
    """A house at one moment."""

    hours: float
    memory: int
    database: int
    log: int
    faults: int


async def sampled(bench: Bench, began: float) -> Sample:
    told = await bench.metrics()
    file = bench.folder / "house.db"
    log = Path(f"{file}-wal")
    wrong = int(told["ventuno_books_faults"] + told["ventuno_refused_ticks_total"])
    hours = (time.monotonic() - began) / 3600
    return Sample(hours, bench.meter.all_memory, file.stat().st_size, log.stat().st_size if log.exists() else 0, wrong)


async def held(bench: Bench, hours: float) -> list[Sample]:
    """Play for so long, and look every minute."""
    await bench.sit()
    rate, began = OFFERED * bench.given.rate / 2, time.monotonic()
    samples = [await sampled(bench, began)]
    while (left := hours * 3600 - (time.monotonic() - began)) > 0:
        done = await bench.hold(f"{samples[-1].hours:.2f} h", rate, min(MINUTE, left))
        samples.append(one := await sampled(bench, began))
        print(
            f"  {done['actions']:,.0f} actions and {done['deliveries']:,.0f} deliveries a second; memory "
            f"{one.memory / MILLION:,.0f} MB, database {one.database / MILLION:,.0f} MB, "
            f"log {one.log / MILLION:,.0f} MB, faults {one.faults}",
            flush=True,
        )
    return samples


def judged(samples: list[Sample], hours: float) -> list[str]:
    """What is wrong with how a house has aged; the first tenth of the time is its youth."""
    grown = [one for one in samples if one.hours >= hours / 10] or samples
    gain = grown[-1].memory / grown[0].memory - 1
    log, faults = max(one.log for one in samples), max(one.faults for one in samples)
    print(f"memory {gain:+.1%} after the first tenth; log of the database at most {log / MILLION:,.0f} MB")
    found = [f"memory has grown by {gain:.1%}"] if gain > GROWTH else []
    found += [f"the log of the database had {log} bytes"] if log > LOG else []
    return found + ([f"{faults} invariants broken"] if faults else [])


async def opened_again(folder: Path) -> list[str]:
    application = await Application.open(f"sqlite:///{folder}/house.db", folder, Config(accepted="a soak"), deep=True)
    found = application.host.authority.find_faults()
    await application.close()
    return found


def run(hours: float, given: argparse.Namespace) -> list[str]:
    found: list[str] = []

    async def aged(bench: Bench) -> None:
        found.extend(judged(await held(bench, hours), hours))
        bench.crowd.leave()

    with tempfile.TemporaryDirectory(prefix="ventuno-soak-") as name:
        folder = Path(name)
        bench = played(given, folder, aged)
        asked = [one[4:].split(" ") for one in bench.crowd.acknowledged]
        lost = crash_checks.lost(folder / "house.db", [(player, key) for player, key in asked])
        print(f"{len(asked):,} asks acknowledged; the books are read to the last record", flush=True)
        wrong = [*crash_checks.unbalanced(folder / "house.db"), *asyncio.run(opened_again(folder))]
        return [*found, *bench.report.missed, *lost, *wrong]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=8.0)
    own, others = parser.parse_known_args()
    found = run(own.hours, arguments(others))
    print(f"faults: {'; '.join(found[:20]) or 'none'}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
