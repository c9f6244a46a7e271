"""`ventuno replay CODE`: a recorded round step by step, from the house's database or from an export (X-02, V-70).

Where nothing else is said, the database is the one that `ventuno serve` would open.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import msgspec

from ventuno import sheets
from ventuno.cli import book_source, input_file
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.core.rules.money import euro
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.game_code import game_code
from ventuno.core.table.round import Line
from ventuno.house.history import export
from ventuno.house.history.round_detail import Played, Story, cut_out, story
from ventuno.house.history.round_steps import Step
from ventuno.house.store.codec import Unreadable
from ventuno.house.store.records import Record, RoundRow
from ventuno.house.store.store import Store
from ventuno.house.tables.concession import STREAM
from ventuno.house.tables.concession_log import admission_of

_WIDTH = 14


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="the game code, or the start time hh:mm:ss (GMT) on the screen")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from", dest="file", metavar="FILE", help="an export; - reads standard input")
    book_source.arguments(parser, source)
    parser.add_argument("--as", dest="viewer", metavar="PLAYER", help="as this player saw it; without it, in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    known = {sheet.hash: sheet for sheet in map(sheets.load, sheets.GAMES)}
    source = (_stored, book_source.address(given)) if given.file is None else (_exported, given.file)
    played, reports = source[0](source[1], given.code, known)
    admission = admission_of(reports, played.row.code, given.viewer or "")
    told = story(played, given.viewer or "", admission, all_seeing=given.viewer is None)
    if given.json:
        print(json.dumps(msgspec.to_builtins(told), ensure_ascii=False))
    else:
        print("\n".join(_readable(told)))
    return 0 if told.agrees is not False else ANSWER_IS_NO


def _stored(address: str, code: str, known: dict[str, Sheet]) -> tuple[Played, list[Record]]:
    """The round from the database; its stream is read from the start, and its chain checked."""

    async def read(store: Store, row: RoundRow) -> tuple[Played, list[Record]]:
        records = await store.records(row.stream, upto=row.last)
        return cut_out(row, records, known), await store.records(STREAM)

    return book_source.stored(address, code, read)


def _exported(name: str, code: str, known: dict[str, Sheet]) -> tuple[Played, list[Record]]:
    """The round from an export, which is checked as a whole first; also by the time on the screen."""
    try:
        found = export.examined(input_file.lines(name), known)
    except Unreadable as fault:
        raise Fault(f"{name}: {fault}") from None
    if not found.holds:
        raise Fault(f"{name}: does not hold: {found.faults[0]}", ANSWER_IS_NO)
    held = found.held
    row = held.round(code) or book_source.the_one(book_source.fitting(held.rounds, code), code, "file")
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
