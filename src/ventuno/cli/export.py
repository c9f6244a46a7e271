"""`ventuno export FILE`: what may leave the house, for a regulator, whole or a part of it (X-14).

Read beside a house that plays or from one that is closed; `ventuno check --from FILE` checks it again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from datetime import UTC, date, datetime, timedelta
from typing import IO, TYPE_CHECKING

from ventuno.cli import book_source, output
from ventuno.cli.errors import ANSWER_IS_NO, Fault

if TYPE_CHECKING:
    from ventuno.house.store.store import Store

STDOUT = "-"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default=STDOUT, help="a new file; - is standard output")
    parser.add_argument("--first", metavar="DAY", type=parse_day, help="only from this day on, as 2026-11-30 (GMT)")
    parser.add_argument("--last", metavar="DAY", type=parse_day, help="only up to this day, included")
    parser.add_argument(
        "--rounds", metavar="CODE", nargs=2, help="only from the round of the first code to that of the second"
    )
    book_source.arguments(parser)


def parse_day(text: str) -> date:
    """A day, refused in the words of the command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write it as 2026-11-30") from None


def run(given: argparse.Namespace) -> int:
    if given.rounds and (given.first or given.last):
        raise Fault("export: name days or rounds, not both")
    if given.first and given.last and given.last < given.first:
        raise Fault(f"export: --last {given.last} is before --first {given.first}")
    url = book_source.address(given)

    async def write(store: Store) -> int:
        span = await _find_span(store, given)
        if given.file == STDOUT:
            return await _write(store, span, sys.stdout.buffer)
        with output.create_private(given.file) as file:
            return await _write(store, span, file)

    count = book_source.read_store(url, write)
    if given.file != STDOUT:
        print(f"wrote {given.file}: {count:,} lines, {os.path.getsize(given.file):,} bytes", file=sys.stderr)
    return 0


async def _find_span(store: Store, given: argparse.Namespace) -> tuple[int, int] | None:
    """The first and the last millisecond of the part; None for the whole."""
    if given.rounds:
        rows = [await store.find_round(code) for code in given.rounds]
        missing = [code for code, row in zip(given.rounds, rows, strict=True) if row is None]
        if missing:
            raise Fault(f"{missing[0]}: no such round in this database", ANSWER_IS_NO)
        began, ended = (row for row in rows if row)
        if ended.ended < began.started:
            raise Fault(f"export: {given.rounds[1]} ended before {given.rounds[0]} began: name them in their order")
        return began.started, ended.ended
    if given.first is None and given.last is None:
        return None
    end = _begin(given.last + timedelta(days=1)) - 1 if given.last else _now()
    return _begin(given.first) if given.first else 0, end


def _begin(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def _now() -> int:
    return time.time_ns() // 1_000_000


async def _write(store: Store, span: tuple[int, int] | None, file: IO[bytes]) -> int:
    from ventuno.house.history import export

    count = 0
    for line in export.encode_export(await export.collect(store), _now(), days=span):
        file.write(line)
        count += 1
    return count
