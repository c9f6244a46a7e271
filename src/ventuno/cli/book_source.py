"""The books of a house as `replay` and `verify` find them: where `serve` keeps them, or where one says; only read.

What is asked of them is a round, by its code or by the start time on the screen (V-66). Only who reads books needs the
extra `house`: nothing of it is imported before.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ventuno import sheets
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.extras import explain_missing
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import list_by_hash
from ventuno.core.rules.switches import SheetError

if TYPE_CHECKING:
    from argparse import _ActionsContainer

    from ventuno.house.store.records import RoundRow
    from ventuno.house.store.store import Store
    from ventuno.web.operations.settings import Settings

SHEETS = "sheets"
"""In the folder of a house: every sheet that it has played on."""
SQLITE, DRIVER = "sqlite:///", "asyncpg"
PAGE = 10_000
Answer = TypeVar("Answer")
Question: TypeAlias = "Callable[[Store, RoundRow], Awaitable[Answer]]"


def arguments(parser: argparse.ArgumentParser, source: _ActionsContainer | None = None) -> None:
    """Where the books are; `source` is the group that `--database` excludes others of."""
    place = source or parser
    place.add_argument("--database", metavar="URL", help="a file of SQLite, or the address; as for `ventuno serve`")
    parser.add_argument("--data", metavar="FOLDER", help="the folder of the house, as for `ventuno serve`")
    parser.add_argument("--config", metavar="FILE", type=Path, help="its settings in TOML, as for `ventuno serve`")


def are_named(given: argparse.Namespace) -> bool:
    """Whether one said where they are."""
    return any(value is not None for value in (given.database, given.data, given.config))


def read_settings(config: Path | None, options: Mapping[str, object]) -> Settings:
    """The settings of the house with these options of the command line; those that were not given do not count."""
    from ventuno.web.operations.settings import SettingsUnfit

    try:
        return read_named(config, options)
    except SettingsUnfit as fault:
        raise Fault(str(fault)) from None


def read_named(config: Path | None, options: Mapping[str, object]) -> Settings:
    """The same, for who says himself what is wrong with them."""
    from ventuno.web.operations import settings

    names = settings.Settings.model_fields
    return settings.read(
        config, {name: value for name, value in options.items() if name in names and value is not None}
    )


def address(given: argparse.Namespace) -> str:
    """Where they are: as one says, else exactly where `serve` would open them."""
    return read_settings(given.config, {"database": given.database, "data": given.data}).url


def load_sheets(house: Settings, folders: Sequence[Path] = ()) -> dict[str, Sheet]:
    """Every sheet a house has played on, by its hash: those in force, and the older ones that it keeps (T-11)."""
    by_hash = list_by_hash(sheets.load_games(folders or house.sheets).values())
    for file in sorted((house.data / SHEETS).glob("*.toml")):
        if file.stem not in by_hash:
            with suppress(SheetError):  # of a later version: who meets its hash is told that it is not here
                by_hash |= list_by_hash((sheets.read_file(file).sheet,))
    return by_hash


def require_driver(url: str) -> None:
    """Fault where the driver of this kind of database is not installed: before anything else is begun."""
    if not url.startswith(SQLITE):
        try:
            importlib.import_module(DRIVER)
        except ModuleNotFoundError:
            raise explain_missing("--database: PostgreSQL", DRIVER) from None


def format_address(url: str) -> str:
    """The address for a message: a file by its name, a server without the password."""
    file = url.removeprefix(SQLITE).partition("?")[0] if url.startswith(SQLITE) else ""
    return file or re.sub(":[^/@]*@", ":***@", url)


def may_exist(url: str) -> bool:
    """No is certain: a file that is missing. A server has to be asked."""
    return not url.startswith(SQLITE) or Path(format_address(url)).is_file()


def read_round(url: str, code: str, read: Question[Answer]) -> Answer:
    """What is read of a round, also beside a house that plays; nothing is written.

    Whatever lies there instead of a sound house of this version is said in one line: a file may hold anything.
    """
    if not code.isprintable():
        raise Fault(f"{code!a}: is no code of a round")

    async def read_row(store: Store) -> Answer:
        try:
            return await read(store, await _row(store, code))
        except KeyError as fault:
            raise Fault(f"{code}: played on sheet {str(fault)[1:13]}, which is not installed here") from None

    return read_store(url, read_row)


def read_store(url: str, read: Callable[[Store], Awaitable[Answer]]) -> Answer:
    """What is read of the books, also beside a house that plays; whatever lies there instead is said in one line."""
    from ventuno.house.store.records import ChainBroken, Unreadable

    try:
        return asyncio.run(_read_in_store(url, read))
    except (Fault, ModuleNotFoundError):
        raise
    except (ChainBroken, Unreadable) as fault:
        raise Fault(f"{format_address(url)}: does not hold: {fault}", ANSWER_IS_NO) from None
    except Exception as fault:
        raise Fault(f"{format_address(url)}: cannot be read: {_reason(fault)}") from None


def _reason(fault: Exception) -> str:
    from ventuno.house.store.durability import Unsafe
    from ventuno.house.store.sqlite import NotReadable
    from ventuno.house.store.store import StoreFailed

    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    own = isinstance(fault, NotReadable | StoreFailed | Unsafe)
    return str(fault) if own else f"{type(fault).__name__}: {fault}"


async def _read_in_store(url: str, read: Callable[[Store], Awaitable[Answer]]) -> Answer:
    from ventuno.house.store.durability import open_store

    store = await open_store(url, unsafe=True, exclusive=False)
    try:
        return await read(store)
    finally:
        await store.close()


async def _row(store: Store, code: str) -> RoundRow:
    from ventuno.house.history import account_history
    from ventuno.house.history.account_history import NotATime

    if (row := await store.find_round(code)) is not None:
        return row
    rows: list[RoundRow] = []
    if not isinstance(account_history.select_by_time((), code), NotATime):
        after = (-1, "")
        while page := await store.list_rounds(after, PAGE):
            rows += find_by_time(page, code)
            after = page[-1].ended, page[-1].code
    return require_single(rows, code, "database")


def find_by_time(rows: Sequence[RoundRow], code: str) -> list[RoundRow]:
    """The rounds that began at this time of the day; none where it is no time."""
    from ventuno.house.history import account_history

    matches = account_history.select_by_time(rows, code)
    return matches if isinstance(matches, list) else []


def require_single(rows: Sequence[RoundRow], code: str, place: str) -> RoundRow:
    """The round that is meant; where several began in that second, their codes (V-66)."""
    if len(rows) > 1:
        raise Fault(f"{code}: several rounds: {', '.join(row.code for row in rows)}")
    if not rows:
        raise Fault(f"{code}: no such round in this {place}", ANSWER_IS_NO)
    return rows[0]
