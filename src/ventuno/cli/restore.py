"""`ventuno restore FILE`: a house from its backup, where none is, or in the place of one that is moved aside (T-10)."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ventuno.cli import book_source, house_archive
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.house_archive import BOOKS, DUMP, FOLDERS, KEY, Contents

if TYPE_CHECKING:
    from ventuno.web.operations.settings import Settings

_BESIDE = ("", "-wal", "-shm")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="what `ventuno backup` wrote")
    book_source.arguments(parser)
    parser.add_argument(
        "--replace", action="store_true", help="also where a house is: its files are moved aside, a database is emptied"
    )


def run(given: argparse.Namespace) -> int:
    house = book_source.read_settings(given.config, {"database": given.database, "data": given.data})
    book_source.require_driver(house.url)
    before = os.umask(house_archive.PRIVATE)
    try:
        house.data.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=house.data, prefix=".restore-") as beside:
            contents = house_archive.extract(given.file, Path(beside))
            _require_kind(contents, house.url, given.file)
            if BOOKS in contents.files:
                house_archive.check_sqlite(Path(beside) / BOOKS)
                aside = _put_file(house, Path(beside), replace=given.replace)
            else:
                asyncio.run(_fill_database(house, Path(beside) / DUMP, replace=given.replace))
                aside = _move_aside(house.data, [house.data / KEY])
            _put_folder(house.data, Path(beside), contents)
    except OSError as fault:
        raise Fault(f"{fault.filename or house.data}: {fault.strerror or fault}") from None
    finally:
        os.umask(before)
    taken = time.strftime("%Y-%m-%d %H:%M:%S GMT", time.gmtime(contents.at / 1000))
    print(f"the house of {taken} is in {house.data}" + (f"; what was there is in {aside}" if aside else ""))
    print("`ventuno check` proves its books; what was played after that moment is not in them")
    return 0


def _require_kind(contents: Contents, url: str, file: Path) -> None:
    is_file = url.startswith(book_source.SQLITE)
    if is_file != (BOOKS in contents.files):
        there, here = ("a PostgreSQL database", "a file") if is_file else ("a file", "a PostgreSQL database")
        raise Fault(f"{file}: is the backup of a house in {there}, and --database names {here}")


def _refuse_existing(place: object) -> Fault:
    return Fault(
        f"{place}: a house is kept there; name another folder with --data, "
        "or say --replace to put this one in its place",
        ANSWER_IS_NO,
    )


def _put_file(house: Settings, beside: Path, *, replace: bool) -> Path | None:
    """The books as a file, while nobody else can open them; where those were that are moved aside."""
    books = Path(book_source.format_address(house.url))
    books.parent.mkdir(parents=True, exist_ok=True)
    with _hold(books):
        existing = [file for file in (*(Path(f"{books}{end}") for end in _BESIDE), house.data / KEY) if file.exists()]
        if existing and not replace:
            raise _refuse_existing(existing[0].parent)
        aside = _move_aside(house.data, existing)
        shutil.move(beside / BOOKS, books)
    return aside


@contextmanager
def _hold(books: Path) -> Iterator[None]:
    from ventuno.house.store.file_lock import FileLock
    from ventuno.house.store.store import HouseOpen

    try:
        lock = FileLock(str(books))
    except HouseOpen as fault:
        raise Fault(f"{fault}: stop it first", ANSWER_IS_NO) from None
    try:
        yield
    finally:
        lock.release()


def _move_aside(folder: Path, files: list[Path]) -> Path | None:
    present = [file for file in files if file.exists()]
    if not present:
        return None
    aside = Path(tempfile.mkdtemp(dir=folder, prefix=time.strftime("replaced-%Y%m%d-%H%M%S-", time.gmtime())))
    for file in present:
        shutil.move(file, aside / file.name)
    return aside


def _put_folder(folder: Path, beside: Path, contents: Contents) -> None:
    """Key, sheets and certificates; sheets that are there already have the same name and content."""
    for name in FOLDERS:
        (folder / name).mkdir(exist_ok=True)
    for name in contents.files:
        if name not in (BOOKS, DUMP):
            (beside / name).replace(folder / name)


async def _fill_database(house: Settings, dump: Path, *, replace: bool) -> None:
    """The books in a PostgreSQL database, while nobody else can open them."""
    from ventuno.house.store import postgres
    from ventuno.house.store.store import HouseOpen

    place = book_source.format_address(house.url)
    try:
        connection = await postgres.connect(house.url)
    except Exception as fault:
        raise Fault(f"{place}: cannot be reached: {fault}") from None
    try:
        await postgres.take_lock(connection)
        if await postgres.read_revision(connection) and not replace:
            raise _refuse_existing(place)
        options = ("--clean", "--if-exists", "--no-owner", "--exit-on-error", "--single-transaction", str(dump))
        await asyncio.to_thread(house_archive.run_postgres_tool, "pg_restore", house.url, *options)
    except HouseOpen as fault:
        raise Fault(f"{fault}: stop it first", ANSWER_IS_NO) from None
    finally:
        await connection.close()
