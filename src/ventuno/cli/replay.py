"""`ventuno replay CODE`: a recorded round step by step, from the house's database or from an export (X-02, V-70)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from ventuno import sheets
from ventuno.cli.fault import ANSWER_IS_NO, Fault
from ventuno.core.code import game_code
from ventuno.core.money import euro
from ventuno.core.round import Line
from ventuno.core.sheet import Sheet
from ventuno.house.books import export
from ventuno.house.books.codec import Unreadable
from ventuno.house.books.durability import open_store
from ventuno.house.books.records import ChainBroken, Record, RoundRow
from ventuno.house.books.store import Store
from ventuno.house.past import history
from ventuno.house.past.steps import Step
from ventuno.house.past.story import Played, Story, cut_out, story
from ventuno.house.tables.concession import STREAM
from ventuno.house.tables.reports import admission_of

_WIDTH = 14
Found = TypeVar("Found")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="the game code, or the start time hh:mm:ss (GMT) on the screen")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--from", dest="file", metavar="FILE", help="an export; - reads standard input")
    source.add_argument("--database", metavar="URL", help="a file of SQLite, or the address of a database")
    parser.add_argument("--as", dest="viewer", metavar="PLAYER", help="as this player saw it; without it, in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    known = {sheet.hash: sheet for sheet in map(sheets.load, sheets.GAMES)}
    source = (_stored, given.database) if given.database else (_exported, given.file)
    played, reports = source[0](source[1], given.code, known)
    admission = admission_of(reports, played.row.code, given.viewer or "")
    told = story(played, given.viewer or "", admission, all_seeing=given.viewer is None)
    if given.json:
        print(json.dumps(msgspec.to_builtins(told), ensure_ascii=False))
    else:
        print("\n".join(_readable(told)))
    return 0 if told.agrees is not False else ANSWER_IS_NO


def _lines(name: str) -> Iterator[bytes]:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise Fault(f"{name}: cannot be read: {reason}") from None
    return iter(raw.splitlines(keepends=True))


def stored(address: str, code: str, read: Callable[[Store, RoundRow], Awaitable[Found]]) -> Found:
    """What is read of a round in the database, also beside a house that plays; nothing is written."""
    url = address if "://" in address else f"sqlite:///{address}"
    file = Path(url.removeprefix("sqlite:///").partition("?")[0])
    if url.startswith("sqlite:") and not file.is_file():
        raise Fault(f"{address}: there is no such file")
    try:
        return asyncio.run(_asked(url, code, read))
    except (ChainBroken, Unreadable) as fault:
        raise Fault(f"{address}: does not hold: {fault}", ANSWER_IS_NO) from None
    except KeyError as fault:
        raise Fault(f"{code}: played on sheet {str(fault)[1:13]}, which is not installed here") from None


async def _asked(url: str, code: str, read: Callable[[Store, RoundRow], Awaitable[Found]]) -> Found:
    store = await open_store(url, unsafe=True, alone=False)
    try:
        row = await store.round(code)
        if row is None:
            raise Fault(f"{code}: no such round in this database", ANSWER_IS_NO)
        return await read(store, row)
    finally:
        await store.close()


def _stored(address: str, code: str, known: dict[str, Sheet]) -> tuple[Played, list[Record]]:
    """The round from the database; its stream is read from the start, and its chain checked."""

    async def read(store: Store, row: RoundRow) -> tuple[Played, list[Record]]:
        records = await store.records(row.stream, upto=row.last)
        return cut_out(row, records, known), await store.records(STREAM)

    return stored(address, code, read)


def _exported(name: str, code: str, known: dict[str, Sheet]) -> tuple[Played, list[Record]]:
    """The round from an export, which is checked as a whole first; also by the time on the screen."""
    try:
        found = export.examined(_lines(name), known)
    except Unreadable as fault:
        raise Fault(f"{name}: {fault}") from None
    if not found.holds:
        raise Fault(f"{name}: does not hold: {found.faults[0]}", ANSWER_IS_NO)
    held = found.held
    row = held.round(code)
    if row is None:
        fitting = history.at_time(held.rounds, code)
        rows = fitting if isinstance(fitting, list) else []
        if len(rows) > 1:
            raise Fault(f"{code}: several rounds: {', '.join(one.code for one in rows)}")
        if not rows:
            raise Fault(f"{code}: no such round in this file", ANSWER_IS_NO)
        row = rows[0]
    return cut_out(row, held.streams[row.stream], known), held.streams.get(STREAM, [])


def _readable(told: Story) -> Iterator[str]:
    yield f"{told.code}  {told.game}, table {told.table}, sheet {told.sheet[:12]}"
    if told.session:
        yield f"session {told.session}, participation {told.participation}"
    for step in told.steps:
        yield f"  {_clock(step.at)}  {_step(step)}"
    yield f"dealer {told.dealer or '-'}"
    for hand in told.hands:
        yield f"box {hand.box} hand {hand.hand}  {hand.player:<10} {hand.cards:<20} {hand.outcome}"
    for line in told.bets:
        yield _bet(line)
    if told.voided:
        yield "the round was voided: every stake went back"
    if told.agrees is not None:
        yield "played again from its record: every payout equal" if told.agrees else "played again: PAYOUTS DIFFER"
    if told.line:
        yield told.line


def _step(step: Step) -> str:
    place = f"box {step.box}" + (f" hand {step.hand}" if step.hand > 1 else "") if step.box else ""
    origin = f"({step.origin})" if step.origin and step.origin != "player" else ""
    amount = euro(step.amount) if step.amount else ""
    words = (f"{step.what:<13}", place, step.player, step.cards, amount, step.detail, origin)
    return " ".join(word for word in words if word).rstrip()


def _bet(line: Line) -> str:
    place = f"box {line.box}" if line.box else "table"
    amounts = f"{euro(line.stake):>{_WIDTH}} -> {euro(line.returned):>{_WIDTH}}"
    return f"  {line.player:<10} {place:<6} {line.bet:<14} {amounts}  {line.criterion}  {line.arithmetic}".rstrip()


def _clock(at: int) -> str:
    """The GMT time of day with its milliseconds."""
    digits = game_code("", at, 0).split("-")[2]
    return f"{digits[:2]}:{digits[2:4]}:{digits[4:]}.{at % 1000:03d}"
