"""Dieharder on the raw stream of our generator: 0 FAILED after the retest rule (G-13, R-26).

    python3 dev.py soak dieharder [--minutes M] [--tests N...]

Runs what Debian's `dieharder -a` runs, test by test, on bytes by the production code, from the kernel's entropy. The
next run goes on after the last test that ended (`bench/support/progress.py`). Where the program is not installed it
says so, counts as not run, and exits 0.

The retest rule, written before the first run: whatever comes out WEAK or FAILED (p outside 0.005…0.995, and outside
0.000001…0.999999) is run once more by itself, on a fresh stream, with twice the samples. It counts as failed where the
second run is FAILED, or where a test that was FAILED is WEAK again. Test 14 (sums), which the program itself marks
"Do Not Use", is shown and not counted. In the same run a linear congruential generator must be FAILED by the first two
tests it is given.

By their defaults its lagged sums alone draw 224 GB (a million numbers of 32 bits for each of the lags 0 to 32, and all
of it a hundred times): a night's work at the 29 MB a second measured for the generator.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume
from ventuno.house.shoes import laboratory_samples
from ventuno.house.shoes.entropy import EntropySource

PROGRAM = "dieharder"
FIELDS = ("show_num", "test_name", "ntuple", "psamples", "pvalues", "assessment", "no_whitespace")
STDIN = ("-g", "200")
NOT_COUNTED = (14,)
CONTROL = (100, 0)
"""Monobit and birthdays: quick, and the planted generator fails both."""
PORTION = 1 << 20
TUPLES = {200: range(1, 13), 201: range(2, 6), 202: range(2, 6), 203: range(33)}
"""Tests that `-a` runs for several lengths."""
ALL = (*range(18), *range(100, 103), *range(200, 210))
MODULES = ("ventuno.house.shoes.laboratory_samples",)

Stream = Callable[[], Iterator[bytes]]


class Result(NamedTuple):
    name: str
    number: int
    ntuple: int
    samples: int
    chance: float
    verdict: str


def generator() -> Iterator[bytes]:
    """The bytes that shoes are made of, without end."""
    source = EntropySource()
    while True:
        yield b"".join(laboratory_samples.generate_bytes(source, PORTION))


def congruential() -> Iterator[bytes]:
    """The planted generator: sixteen bits of state, all of them shown."""
    state, portion = 1, bytearray()
    for _ in range(1 << 16):
        state = (state * 1_103_515_245 + 12_345) & 0xFFFF
        portion += state.to_bytes(2, "little")
    while True:
        yield bytes(portion) * 8


def run(program: str, options: Sequence[str], stream: Stream) -> Iterator[Result]:
    """The results of the program as they come, while it is fed."""
    shown = [word for field in FIELDS for word in ("-D", field)]
    command = [program, *STDIN, "-k", "2", "-c", ",", *shown, *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = Thread(target=feed, args=(process.stdin.fileno(), stream), daemon=True)
        feeder.start()
        for line in process.stdout:
            if result := read(line.decode()):
                yield result
        if process.wait():
            raise RuntimeError(f"{shlex.join(command)} ended with {process.returncode}")


def feed(pipe: int, stream: Stream) -> None:
    """Until the program has had enough and closes the pipe."""
    with suppress(BrokenPipeError, OSError):
        for portion in stream():
            left = memoryview(portion)
            while left:
                left = left[os.write(pipe, left) :]


def read(line: str) -> Result | None:
    """A line of the table; None for any other.

    >>> read("sts_monobit,100,1,100,0.00000000,FAILED")
    Result(name='sts_monobit', number=100, ntuple=1, samples=100, chance=0.0, verdict='FAILED')
    """
    words = line.strip().split(",")
    if len(words) != 6 or words[-1] not in ("PASSED", "WEAK", "FAILED"):
        return None
    number, ntuple, many = map(int, words[1:4])
    return Result(words[0], number, ntuple, many, float(words[4]), words[5])


def tell(result: Result, more: str = "") -> None:
    print(f"{result.verdict:<7}{more} {result.name} {result.ntuple}: p {result.chance:.6f}, {result.samples} samples")


def list_options(tests: Sequence[int]) -> list[tuple[str, ...]]:
    """What the program is asked, one call for each test and each length of it."""
    return [
        ("-d", str(number), *(() if length is None else ("-n", str(length))))
        for number in tests or ALL
        for length in TUPLES.get(number, (None,))
    ]


def go_on(program: str, progress: Progress, options: Sequence[str]) -> None:
    """One more test; what is doubtful is run again at once, on a fresh stream."""
    began, counts, failures = time.process_time(), Counter[str](), list[str]()
    for first in list(run(program, options, generator)):
        tell(first)
        counts[first.verdict] += 1
        if first.verdict == "PASSED" or first.number in NOT_COUNTED:
            continue
        counts["run again"] += 1
        again = ("-d", str(first.number), "-n", str(first.ntuple), "-p", str(2 * first.samples))
        for second in run(program, again, generator):
            tell(second, " again:")
            if second.verdict == "FAILED" or (first.verdict, second.verdict) == ("FAILED", "WEAK"):
                failures.append(f"{second.name} {second.ntuple}")
    progress.add(1, time.process_time() - began, counts, failures)


def find_unnoticed(program: str) -> list[str]:
    """The tests that pass the planted generator: there must be none."""
    found = [result for number in CONTROL for result in run(program, ("-d", str(number)), congruential)]
    for result in found:
        tell(result, " planted:")
    return [result.name for result in found if result.verdict != "FAILED"] or ([] if found else ["no result"])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, len(list_options(())), "tests, each length of one counted")
    parser.add_argument(
        "--tests", type=int, nargs="*", default=[], help="numbers of `dieharder -l`; all of `-a` if none"
    )
    chosen = parser.parse_args(words)
    program = shutil.which(PROGRAM)
    if program is None:
        print(f"not run: {PROGRAM} is not installed; type: sudo apt-get install {PROGRAM}")
        return 0
    deadline, asked = Deadline(chosen.minutes), list_options(chosen.tests)
    until = min(chosen.until, len(asked))
    with resume(chosen.progress, "dieharder", MODULES, {"tests": chosen.tests}) as progress:
        faults = [f"planted generator passed {name}" for name in find_unnoticed(program)]
        before = progress.done
        for options in asked[before:until]:
            if deadline.is_over:
                break
            go_on(program, progress, options)
            deadline.show("tests", progress.done, before, until)
        print(file=sys.stderr)
        print(f"{progress.describe(until, 'tests')}; {dict(progress.counts)}")
        faults += progress.failures
    print(f"FAILED: {'; '.join(faults)}" if faults else "fine: 0 FAILED")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
