"""`ventuno backup FILE`: the whole house in one file, while it plays: books, key, sheets, certificates (T-10)."""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from ventuno.cli import book_source, house_archive, output
from ventuno.cli.errors import Fault
from ventuno.cli.house_archive import BOOKS, DUMP, FOLDERS, KEY


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a new file; its owner alone may read it")
    book_source.arguments(parser)


def run(given: argparse.Namespace) -> int:
    house = book_source.read_settings(given.config, {"database": given.database, "data": given.data})
    if not book_source.may_exist(house.url):
        place = book_source.format_address(house.url)
        raise Fault(f"{place}: there is no such file; name the house with --data or --database")
    if not (house.data / KEY).is_file():
        raise Fault(f"{house.data / KEY}: there is no key; name the folder of the house with --data")
    before = os.umask(house_archive.PRIVATE)
    try:
        with output.create_private(given.file) as file, tempfile.TemporaryDirectory(dir=given.file.parent) as beside:
            paths = {KEY: house.data / KEY, **_list_files(house.data), **_copy_books(house.url, Path(beside))}
            contents = house_archive.write(file, house.house, paths)
    finally:
        os.umask(before)
    count, size = len(contents.files), given.file.stat().st_size
    print(f"wrote {given.file}: {count} files, {size:,} bytes; keep it as you keep keys", file=sys.stderr)
    return 0


def _list_files(folder: Path) -> dict[str, Path]:
    return {
        f"{name}/{path.name}": path for name, kind in FOLDERS.items() for path in sorted((folder / name).glob(kind))
    }


def _copy_books(url: str, beside: Path) -> dict[str, Path]:
    """The books at one moment: by SQLite's own backup, or by pg_dump."""
    if not url.startswith(book_source.SQLITE):
        dump = beside / DUMP
        house_archive.run_postgres_tool("pg_dump", url, "--format=custom", f"--file={dump}")
        return {DUMP: dump}
    copy, source = beside / BOOKS, Path(book_source.format_address(url))
    try:
        address = f"{source.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as books, closing(sqlite3.connect(copy)) as target:
            books.backup(target)
    except sqlite3.Error as fault:
        raise Fault(f"{source}: cannot be copied: {fault}") from None
    house_archive.check_sqlite(copy)
    return {BOOKS: copy}
