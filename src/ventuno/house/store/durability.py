"""Opens a store, on settings alone under which a crash or a power cut loses nothing that was acknowledged (G-23)."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from ventuno.house.store import schema, sqlite
from ventuno.house.store.file_lock import FileLock
from ventuno.house.store.read_only import ReadOnlyStore
from ventuno.house.store.sqlite import check_revision, connect
from ventuno.house.store.store import Store

_SYNCHRONOUS = ("off", "normal", "full", "extra")


class Unsafe(RuntimeError):
    """The database would lose acknowledged play in a crash or a power cut.

    Change its settings, or start with --unsafe: every screen then says so.
    """


class BooksMissing(RuntimeError):
    """An older house was kept here, and its books are gone or empty: nothing is begun in their place by itself."""


class StoreInconsistent(RuntimeError):
    """What is stored does not agree with itself, so the house does not open. `faults` lists all that is wrong.

    Restore a good copy, or have the faults explained; nothing is repaired here.
    """

    def __init__(self, faults: list[str]) -> None:
        shown = faults[:20] + [f"and {len(faults) - 20} more"] * (len(faults) > 20)
        super().__init__("; ".join(shown))
        self.faults = faults


def find_sqlite_faults(settings: Mapping[str, str]) -> list[str]:
    """What is unsafe in a SQLite connection's settings."""
    level = settings["synchronous"]
    name = _SYNCHRONOUS[int(level)] if level.isdigit() and int(level) < len(_SYNCHRONOUS) else level
    faults = (
        [] if name in ("full", "extra") else [f"synchronous={name}, not full: a power cut loses what was acknowledged"]
    )
    if settings["journal_mode"] not in ("wal", "delete"):
        faults.append(f"journal_mode={settings['journal_mode']}, not wal or delete: a crash can ruin the file")
    if sys.platform == "darwin" and settings["fullfsync"] != "1":
        faults.append("fullfsync=0: the drive's cache loses what was acknowledged in a power cut")
    return faults


def find_postgres_faults(settings: Mapping[str, str]) -> list[str]:
    """What is unsafe in a PostgreSQL session's settings."""
    return [
        f"{name}=off: {what}"
        for name, what in (
            ("fsync", "a power cut can ruin the database"),
            ("synchronous_commit", "a crash loses what was acknowledged"),
            ("full_page_writes", "a power cut can ruin pages half written"),
        )
        if settings[name] == "off"
    ]


def find_replication_faults(settings: Mapping[str, str]) -> list[str]:
    """What would lose acknowledged play with the machine of the primary, where several machines keep a house."""
    faults = []
    if settings["synchronous_commit"] not in ("on", "remote_apply", "off"):
        faults.append(
            f"synchronous_commit={settings['synchronous_commit']}, not on: a standby may lack what was acknowledged"
        )
    if not settings["synchronous_standby_names"]:
        faults.append(
            "synchronous_standby_names is empty: what was acknowledged is lost with the primary's machine; "
            "name standbys, as in synchronous_standby_names = 'ANY 1 (b, c)'"
        )
    return faults


def check_safety(faults: list[str], *, unsafe: bool) -> str:
    """The warning for every screen, or Unsafe where nobody has said that he knows."""
    if faults and not unsafe:
        raise Unsafe("; ".join(faults))
    return f"UNSAFE: {'; '.join(faults)}" if faults else ""


async def open_store(
    url: str, *, unsafe: bool = False, exclusive: bool = True, writer_process: bool = False, expected: bool = False
) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://…`, migrated, its settings judged.

    It is held by this process alone until it is closed; HouseOpen where another holds it. Who only reads, beside a
    house that plays, says `exclusive=False`: nothing is made or migrated then, and NotReadable says what does not fit.
    With `writer_process` a process of its own writes a SQLite file, so that play has this one for itself. Where books
    are `expected` none are begun: BooksMissing. A query on a SQLite address sets pragmas:
    `sqlite:///house.db?synchronous=normal`.
    """
    if url.startswith("sqlite"):
        parsed = make_url(url)
        path = parsed.database or ""
        if expected and (not Path(path).exists() or not _read_revision(path)):
            raise BooksMissing(f"{path} is {'empty' if Path(path).exists() else 'missing'}")
        return await _open_sqlite(parsed, unsafe=unsafe, exclusive=exclusive, writer_process=writer_process)
    from ventuno.house.store import postgres

    writer = await postgres.connect(url)
    try:
        if exclusive:
            await postgres.take_lock(writer)
        revision = await postgres.read_revision(writer)
        if await postgres.is_ahead(writer, revision):
            pass
        elif not exclusive:
            check_revision(revision)
        elif expected and not revision:
            raise BooksMissing(f"the database {url.rpartition('/')[2].partition('?')[0]} is empty")
        elif revision != schema.REVISION:
            await asyncio.to_thread(_migrate, url)
        if exclusive:
            await postgres.check_undivided(writer)
        warning = check_safety(find_postgres_faults(await postgres.read_settings(writer)), unsafe=unsafe)
        return await postgres.PostgresStore.open(url, writer, warning, alone=exclusive)
    except BaseException:
        await writer.close()
        raise


async def _open_sqlite(url: URL, *, unsafe: bool, exclusive: bool, writer_process: bool) -> Store:
    path = url.database or ""
    if path in ("", ":memory:"):
        raise Unsafe("a house in memory keeps nothing: name a file")
    if not exclusive:
        return ReadOnlyStore(path)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        if not Path(path).exists() or _read_revision(path) != schema.REVISION:
            await asyncio.to_thread(_migrate, url.render_as_string(hide_password=False))
        pragmas = sqlite.PRAGMAS | {name: str(value) for name, value in url.query.items()}
        with closing(connect(path, pragmas)) as connection:
            warning = check_safety(find_sqlite_faults(sqlite.read_settings(connection)), unsafe=unsafe)
        writer = (
            await sqlite.WriterProcess.start(path, pragmas, lock)
            if writer_process
            else sqlite.start_writer_thread(path, pragmas)
        )
        return sqlite.SqliteStore(path, writer, warning, lock)
    except BaseException:
        lock.release()
        raise


def _migrate(url: str) -> None:
    from ventuno.house.store.migrations import migrate  # takes a quarter of a second to load: only where it is needed

    migrate(url)


def _read_revision(path: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return sqlite.read_revision(connection)
