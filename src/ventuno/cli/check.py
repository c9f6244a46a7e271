"""`ventuno check`: the books of a house, or an export of it, checked from the first record; every round played again.

Nothing is written, also beside a house that plays. Exit code 1 where anything is wrong; each fault is a line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ventuno.cli import book_source, input_file, sheet_choice
from ventuno.cli.errors import ANSWER_IS_NO, Fault

if TYPE_CHECKING:
    from ventuno.core.rules.sheet import Sheet
    from ventuno.house.store.store import Store


def arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from", dest="file", metavar="FILE", help="an export; - reads standard input")
    book_source.arguments(parser, source)
    sheet_choice.add_folders(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    figures, faults = (_check_books if given.file is None else _check_file)(given)
    if given.json:
        print(json.dumps({**figures, "faults": faults, "sound": not faults}, ensure_ascii=False))
    else:
        print("checked " + ", ".join(f"{count:,} {name}" for name, count in figures.items()))
        print(
            "\n".join([*faults, "DOES NOT HOLD: keep what lies there, and restore a backup"] if faults else ["sound"])
        )
    return ANSWER_IS_NO if faults else 0


def _check_books(given: argparse.Namespace) -> tuple[dict[str, int], list[str]]:
    house = book_source.read_settings(given.config, {"database": given.database, "data": given.data})
    rules = book_source.load_sheets(house, sheet_choice.list_folders(given))
    if not book_source.may_exist(house.url):
        raise Fault(f"{book_source.format_address(house.url)}: there is no such file; name the house with --data")

    async def check(store: Store) -> Any:
        from ventuno.house.history.book_check import check_books

        with _show_progress() as report:
            return await check_books(store, rules, report)

    checked = book_source.read_store(house.url, check)
    names = ("streams", "records", "rounds", "accounts")
    return {name: getattr(checked, name) for name in names}, checked.faults


def _check_file(given: argparse.Namespace) -> tuple[dict[str, int], list[str]]:
    from ventuno.house.history.export import check_export
    from ventuno.house.store.records import Unreadable

    house = book_source.read_settings(given.config, {"data": given.data})
    rules: dict[str, Sheet] = book_source.load_sheets(house, sheet_choice.list_folders(given))
    try:
        checked = check_export(input_file.read_lines(given.file), rules)
    except Unreadable as fault:
        raise Fault(f"{given.file}: {fault}") from None
    data = checked.data
    figures = {
        "streams": len(data.streams),
        "records": sum(map(len, data.streams.values())),
        "rounds": len(data.rounds),
        "accounts": len(checked.balances),
    }
    return figures, list(checked.faults)


@contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal; elsewhere nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TextColumn("{task.completed:,} of {task.total:,} records"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=1)
        yield lambda done, total: bar.update(task, completed=done, total=total)
