"""A disk that writes down each write, sync and truncation, and what a power cut leaves of it (T-4)."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from ventuno.house.store.body_packing import unpack
from ventuno.house.store.migrations import migrate
from ventuno.house.store.records import Batch, ChainBroken, Head, Record, check_chain
from ventuno.house.store.sqlite import PRAGMAS, apply_pragmas

LOST, KEPT, TORN = "lost", "kept", "torn"
SECTOR = 512
EXCLUSIVE = {"locking_mode": "exclusive", **PRAGMAS}
CHECKPOINT = 60
_names = count()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to a file of the disk: write, truncate, sync, delete; or a write that was lost since."""

    kind: str
    file: str
    offset: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """A folder, what was done to it in order, and where along the way something was acknowledged."""

    folder: Path
    base: dict[str, bytes]
    steps: list[Step] = field(default_factory=list)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)

    def happens(self, step: Step) -> None:
        """Called before a step is done; a disk with faults raises here."""
        self.steps.append(step)

    def acknowledge(self, batch: Batch) -> None:
        self.acknowledged += [(len(self.steps), key.key) for key in batch.keys]

    def before(self, cut: int) -> set[str]:
        """The keys acknowledged before a cut."""
        return {key for place, key in self.acknowledged if place <= cut}


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)
        self._disk, self._name = disk, Path(path).name

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802  APSW's name
        self._disk.happens(Step("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  APSW's name
        self._disk.happens(Step("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, _flags: int) -> None:  # noqa: N802  APSW's name
        """Only written down: what a sync means is decided when the power fails, and the tests run no slower for it."""
        self._disk.happens(Step("sync", self._name))


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self.name = f"disk{next(_names)}"
        self._disk = disk
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802  APSW's name
        return _File(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  APSW's name
        self._disk.happens(Step("delete", Path(filename).name))
        super().xDelete(filename, syncdir)


@contextmanager
def connect_to_disk(disk: Disk, pragmas: dict[str, str]) -> Iterator[Any]:
    """An APSW connection to the house on this disk, with the pragmas of the store."""
    vfs = _Vfs(disk)
    connection = apsw.Connection(str(disk.folder / "house.db"), vfs=vfs.name)
    try:
        apply_pragmas(connection, pragmas)
        yield connection
    finally:
        connection.close(True)
        vfs.unregister()


def create_disk(folder: Path, kind: type[Disk] = Disk) -> Disk:
    """A disk with a migrated, empty house on it."""
    folder.mkdir(parents=True, exist_ok=True)
    migrate(f"sqlite:///{folder}/house.db")
    return kind(folder, {"house.db": (folder / "house.db").read_bytes()})


def cut_power(disk: Disk, cut: int, how: str, chance: random.Random) -> dict[str, bytes]:
    """The files after a power cut just before step number `cut`, which itself may be half done."""
    durable = {name: bytearray(data) for name, data in disk.base.items()}
    pending: dict[str, list[Step]] = {}
    for step in disk.steps[:cut]:
        if step.kind == "sync":
            for done in pending.pop(step.file, []):
                _apply(durable, done)
        elif step.kind == "delete":
            pending.pop(step.file, None)
            durable.pop(step.file, None)
        elif step.kind != "lost":
            pending.setdefault(step.file, []).append(step)
    if how == LOST:
        return {name: bytes(data) for name, data in durable.items()}
    if how == TORN and cut < len(disk.steps) and disk.steps[cut].kind == "write":
        pending.setdefault(disk.steps[cut].file, []).append(disk.steps[cut])
    for steps in pending.values():
        for step in steps:
            for part in [step] if how == KEPT else _torn(step, chance):
                _apply(durable, part)
    return {name: bytes(data) for name, data in durable.items()}


def _torn(step: Step, chance: random.Random) -> list[Step]:
    """What is left of a step that was never synced: all, nothing, or some of its sectors."""
    dice = chance.random()
    if dice < 0.4:
        return [step]
    if dice < 0.7 or step.kind != "write":
        return []
    starts = range(0, len(step.data), SECTOR)
    return [
        Step("write", step.file, step.offset + start, step.data[start : start + SECTOR])
        for start in starts
        if chance.random() < 0.5
    ]


def _apply(files: dict[str, bytearray], step: Step) -> None:
    data = files.setdefault(step.file, bytearray())
    if step.kind == "truncate":
        del data[step.offset :]
        return
    end = step.offset + len(step.data)
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    data[step.offset : end] = step.data


def find_damage(folder: Path, files: dict[str, bytes], acknowledged: set[str]) -> str:
    """What is wrong with a house that comes back on these files; nothing where it is empty."""
    for old in folder.glob("house.db*"):
        old.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    connection = sqlite3.connect(folder / "house.db", isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = off")  # only speed: this one is never cut
        return _faults(connection, acknowledged)
    except (sqlite3.DatabaseError, ChainBroken) as fault:
        return f"{type(fault).__name__}: {fault}"
    finally:
        connection.close()


def _faults(connection: sqlite3.Connection, acknowledged: set[str]) -> str:
    (verdict,) = connection.execute("PRAGMA quick_check").fetchone()
    if verdict != "ok":
        return str(verdict)
    if lost := acknowledged - {key for (key,) in connection.execute("SELECT key FROM keys")}:
        return f"acknowledged and lost: {sorted(lost)[:3]}"
    sums = dict(connection.execute("SELECT account, SUM(amount) FROM postings GROUP BY account"))
    if sum(sums.values()) or sums != dict(connection.execute("SELECT account, balance FROM accounts")):
        return "money does not sum"
    streams: dict[str, list[Record]] = {}
    for row in connection.execute("SELECT * FROM log ORDER BY stream, seq"):
        streams.setdefault(row[0], []).append(Record(*row)._replace(body=unpack(row[4])))
    heads = {stream: Head(seq, end) for stream, seq, end in connection.execute("SELECT * FROM heads")}
    return (
        ""
        if heads == {stream: check_chain(records) for stream, records in streams.items()}
        else "a stream was cut short"
    )
