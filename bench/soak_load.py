"""Half of the full load for hours: memory, files and invariants of a house that nobody restarts (G-25).

    python3 dev.py soak load [--until MINUTES] [--minutes M] [--window MINUTES] [--tables N] [--sockets N] [--rate R]

The crowd of `bench load` plays at half its rate, in windows of 25 minutes, each in a house of its own, until they are
two and a half hours in all; the next run goes on where this one stopped (`bench/support/progress.py`). Every minute:
memory of the house and of its writer, the files they have open, the size of the database and of its log, what the
living books show wrong, what was refused. At the end of a window the house is stopped as an operator would, every
acknowledged ask is looked for in the store, and the books are opened once more and read to the last record. The first
quarter of an hour of a house is its youth; what it gains after that is added up over all windows. Exits 1 where memory
has grown by more than 5 % in that sum, or open files by more than eight, where the writer or the log of the database is
larger than its bound, an invariant broke, or something acknowledged is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import OFFERED, Bench, arguments, played
from bench.support.progress import Deadline, Progress, add_arguments, now, resume
from tests.support import crash_checks
from ventuno.house.application import Application
from ventuno.house.config import Config

MINUTES, WINDOW = 150, 25
"""The whole time and that of one house: who only watches for half an hour loses his session."""
YOUTH = 15.0
"""Minutes in which a house fills its caches: a tenth of the whole time."""
GROWTH, FILES = 0.05, 8
"""How much of its memory a house may gain, and how many open files."""
WRITER, LOG = 160 << 20, 512 << 20
"""Bytes that the writer may have, 64 MB of them for its cache, and the log of the database."""
MINUTE = 60.0
MILLION = 1 << 20
MODULES = ("bench.soak_load", "ventuno.cli.serve")
WINDOWS = "windows"


class Sample(NamedTuple):
    """A house at one moment."""

    minutes: float
    memory: int
    """Of the house itself."""
    writer: int
    """Of its writer, which has a cache of the database: that fills up to a bound of its own."""
    files: int
    database: int
    log: int
    faults: int


async def take_sample(bench: Bench, began: float) -> Sample:
    told = await bench.metrics()
    file = bench.folder / "house.db"
    log = Path(f"{file}-wal")
    wrong = int(told["ventuno_books_faults"] + told["ventuno_refused_ticks_total"])
    size = log.stat().st_size if log.exists() else 0
    minutes, meter = (time.monotonic() - began) / MINUTE, bench.meter
    writer = meter.all_memory - meter.memory
    return Sample(minutes, meter.memory, writer, meter.open_files, file.stat().st_size, size, wrong)


async def play(bench: Bench, minutes: float) -> list[Sample]:
    """Play for so long, and look every minute."""
    await bench.sit()
    rate, began = OFFERED * bench.given.rate / 2, time.monotonic()
    samples = [await take_sample(bench, began)]
    while (left := minutes * MINUTE - (time.monotonic() - began)) > 0:
        done = await bench.hold(f"{samples[-1].minutes:.1f} min", rate, min(MINUTE, left))
        samples.append(sample := await take_sample(bench, began))
        print(
            f"  {done['actions']:,.0f} actions and {done['deliveries']:,.0f} deliveries a second; memory "
            f"{sample.memory / MILLION:,.0f} MB, writer {sample.writer / MILLION:,.0f} MB, files {sample.files:,}, "
            f"database {sample.database / MILLION:,.0f} MB, log {sample.log / MILLION:,.0f} MB, faults {sample.faults}",
            flush=True,
        )
    return samples


def judge(windows: Sequence[Sequence[Sample]]) -> list[str]:
    """What is wrong with how houses have aged: their gains after youth, one after the other as if in one life."""
    aged = [grown for samples in windows if len(grown := [one for one in samples if one.minutes >= YOUTH]) > 1]
    gain = sum(grown[-1].memory / grown[0].memory - 1 for grown in aged)
    more = sum(grown[-1].files - grown[0].files for grown in aged)
    hours = sum(grown[-1].minutes - grown[0].minutes for grown in aged) / 60
    log = max((one.log for samples in windows for one in samples), default=0)
    writer = max((one.writer for samples in windows for one in samples), default=0)
    faults = sum(max(one.faults for one in samples) for samples in windows)
    print(
        f"  {hours:.2f} hours after youth: memory {gain:+.1%}, open files {more:+}; the writer had at most "
        f"{writer / MILLION:,.0f} MB, the log of the database {log / MILLION:,.0f} MB"
    )
    found = [f"memory has grown by {gain:.1%}"] if gain > GROWTH else []
    found += [f"{more} more files are open"] if more > FILES else []
    found += [f"the writer had {writer} bytes"] if writer > WRITER else []
    found += [f"the log of the database had {log} bytes"] if log > LOG else []
    return found + ([f"{faults} invariants broken"] if faults else [])


async def open_again(folder: Path) -> list[str]:
    application = await Application.open(f"sqlite:///{folder}/house.db", folder, Config(accepted="a soak"), deep=True)
    faults = application.host.authority.find_faults()
    await application.close()
    return faults


def go_on(progress: Progress, minutes: int, given: argparse.Namespace) -> None:
    """One more window, in a house of its own."""
    samples, began = list[Sample](), time.process_time()

    async def age(bench: Bench) -> None:
        samples.extend(await play(bench, minutes))
        bench.crowd.leave()

    with tempfile.TemporaryDirectory(prefix="ventuno-soak-") as name:
        folder = Path(name)
        bench = played(given, folder, age)
        asked = [one[4:].split(" ") for one in bench.crowd.acknowledged]
        database = f"sqlite:///{folder / 'house.db'}"
        faults = [*bench.report.missed, *crash_checks.lost(database, [(player, key) for player, key in asked])]
        faults += [*crash_checks.unbalanced(database), *asyncio.run(open_again(folder))]
    progress.data.setdefault(WINDOWS, []).append({"ended": now(), "samples": samples})
    progress.add(minutes, time.process_time() - began, {"acknowledged": len(asked)}, faults)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, MINUTES, "minutes")
    parser.add_argument("--window", type=int, default=WINDOW, help=f"minutes of one house, more than {YOUTH:.0f}")
    own, others = parser.parse_known_args(words)
    if own.window <= YOUTH:
        parser.error("a house that is not past its youth shows nothing: longer windows, please")
    given, deadline = arguments(others), Deadline(own.minutes)
    settings = {"tables": given.tables, "sockets": given.sockets, "rate": given.rate}
    with resume(own.progress, "load", MODULES, settings) as progress:
        before = progress.done
        while progress.done < own.until and not deadline.is_over:
            go_on(progress, own.window, given)
            deadline.show("minutes", progress.done, before, own.until)
        print(file=sys.stderr)
        windows = [[Sample(*values) for values in window["samples"]] for window in progress.data.get(WINDOWS, [])]
        size = f"{given.tables} tables, {given.sockets} sockets, {given.rate / 2:,.0f} actions a second"
        print(progress.describe(own.until, f"minutes of {size}, {len(windows)} windows"))
        print(f"  {progress.counts['acknowledged']:,} asks acknowledged")
        faults = [*progress.failures, *judge(windows)]
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
