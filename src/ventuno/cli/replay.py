"""`ventuno replay CODE`: a recorded round step by step, from the house's database or from an export (X-02, V-70).

Where nothing else is said, the database is the one that `ventuno serve` would open.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import msgspec

from ventuno.cli import book_source, input_file, sheet_choice
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.core.rules.money import format_euro
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.betting import game_code
from ventuno.core.table.round import Line
from ventuno.house.history import export
from ventuno.house.history.round_detail import RecordedRound, RoundDetail, describe_round, extract_round
from ventuno.house.history.round_steps import Step
from ventuno.house.store.records import Record, RoundRow, Unreadable
from ventuno.house.store.store import Store
from ventuno.house.tables.concession import STREAM, read_admission

_WIDTH = 14


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="the game code, or the start time hh:mm:ss (GMT) on the screen")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from", dest="file", metavar="FILE", help="an export; - reads standard input")
    book_source.arguments(parser, source)
    sheet_choice.add_folders(parser)
    parser.add_argument("--as", dest="viewer", metavar="PLAYER", help="as this player saw it; without it, in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    sheets_by_hash = sheet_choice.list_by_hash(given)
    source = (_read_database, book_source.address(given)) if given.file is None else (_read_export, given.file)
    played, reports = source[0](source[1], given.code, sheets_by_hash)
    admission = read_admission(reports, played.row.code, given.viewer or "")
    round_story = describe_round(played, given.viewer or "", admission, all_seeing=given.viewer is None)
    if given.json:
        print(json.dumps(msgspec.to_builtins(round_story), ensure_ascii=False))
    else:
        print("\n".join(_describe(round_story)))
    return 0 if round_story.agrees is not False else ANSWER_IS_NO


def _read_database(address: str, code: str, sheets_by_hash: dict[str, Sheet]) -> tuple[RecordedRound, list[Record]]:
    """The round from the database; its stream is read from the start, and its chain checked."""

    async def read(store: Store, row: RoundRow) -> tuple[RecordedRound, list[Record]]:
        records = await store.read_records(row.stream, upto=row.last)
        return extract_round(row, records, sheets_by_hash), await store.read_records(STREAM)

    return book_source.read_round(address, code, read)


def _read_export(name: str, code: str, sheets_by_hash: dict[str, Sheet]) -> tuple[RecordedRound, list[Record]]:
    """The round from an export, which is checked as a whole first; also by the time on the screen."""
    try:
        examination = export.check_export(input_file.read_lines(name), sheets_by_hash)
    except Unreadable as fault:
        raise Fault(f"{name}: {fault}") from None
    if not examination.is_valid:
        raise Fault(f"{name}: does not hold: {examination.faults[0]}", ANSWER_IS_NO)
    if examination.is_part:
        raise Fault(f"{name}: holds some days alone; a round is replayed from a whole export", ANSWER_IS_NO)
    contents = examination.data
    row = contents.find_round(code) or book_source.require_single(
        book_source.find_by_time(contents.rounds, code), code, "file"
    )
    return extract_round(row, contents.streams[row.stream], sheets_by_hash), contents.streams.get(STREAM, [])


def _describe(round_story: RoundDetail) -> Iterator[str]:
    yield f"{round_story.code}  {round_story.game}, table {round_story.table}, sheet {round_story.sheet[:12]}"
    if round_story.session:
        yield f"session {round_story.session}, participation {round_story.participation}"
    for step in round_story.steps:
        yield f"  {_clock(step.at)}  {_step(step)}"
    yield f"dealer {round_story.dealer or '-'}"
    for hand in round_story.hands:
        yield f"box {hand.box} hand {hand.hand}  {hand.player:<10} {hand.cards:<20} {hand.outcome}"
    for line in round_story.bets:
        yield _bet(line)
    if round_story.voided:
        yield "the round was voided: every stake went back"
    if round_story.agrees is not None:
        yield (
            "played again from its record: every payout equal" if round_story.agrees else "played again: PAYOUTS DIFFER"
        )
    if round_story.line:
        yield round_story.line


def _step(step: Step) -> str:
    place = f"box {step.box}" + (f" hand {step.hand}" if step.hand > 1 else "") if step.box else ""
    origin = f"({step.origin})" if step.origin and step.origin != "player" else ""
    amount = format_euro(step.amount) if step.amount else ""
    words = (f"{step.what:<13}", place, step.player, step.cards, amount, step.detail, origin)
    return " ".join(word for word in words if word).rstrip()


def _bet(line: Line) -> str:
    place = f"box {line.box}" if line.box else "table"
    amounts = f"{format_euro(line.stake):>{_WIDTH}} -> {format_euro(line.returned):>{_WIDTH}}"
    return f"  {line.player:<10} {place:<6} {line.bet:<14} {amounts}  {line.criterion}  {line.arithmetic}".rstrip()


def _clock(at: int) -> str:
    """The GMT time of day with its milliseconds."""
    digits = game_code("", at, 0).split("-")[2]
    return f"{digits[:2]}:{digits[2:4]}:{digits[4:]}.{at % 1000:03d}"
