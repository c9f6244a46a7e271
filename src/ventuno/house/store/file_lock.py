"""The lock of a house on its file, and disk space kept in reserve beside it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from ventuno.house.store.store import HouseOpen, LockLost

RESERVE_SIZE = 16 << 20
"""Bytes kept for the day the disk is full (T-5)."""
FULL = f"the disk is full: less than {2 * RESERVE_SIZE >> 20} MB are left"
_ZEROS = bytes(1 << 20)
WAIT, PAUSE = 5.0, 0.02
"""Seconds that are waited for the last of a house that was killed, and between two looks."""


def name_lock(path: str) -> str:
    return f"{os.path.realpath(path)}.lock"


class FileLock:
    """The lock of a house on its file, while the process lives: the kernel lets go of it, even after SIGKILL."""

    def __init__(self, path: str) -> None:
        self.file = os.open(name_lock(path), os.O_CREAT | os.O_RDWR, 0o644)
        until = monotonic() + WAIT
        while not self._try_lock():
            holder = os.pread(self.file, 32, 0).decode(errors="replace").strip()
            if _is_alive(holder) or monotonic() > until:
                os.close(self.file)
                raise HouseOpen(f"{path}: a house is open on it, in process {holder or 'unknown'}")
            sleep(PAUSE)
        with suppress(OSError):  # only for the message: a full disk does not keep a house from opening
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, f"{os.getpid()}\n".encode(), 0)

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def release(self) -> None:
        """The file stays: whoever waits for it must find the same one."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def _is_alive(holder: str) -> bool:
    """Whether the process that wrote its number is still there. Its writer may outlive it by one last group."""
    try:
        with suppress(PermissionError):  # it is there, and somebody else's
            os.kill(int(holder), 0)
    except (ValueError, ProcessLookupError):
        return False
    return True


class HeldFiles:
    """The files that a writer opened, by what the disk calls them: the database, its log and the lock beside it.

    A file that was taken away or put in its place is another one, though the name is the same: what is written then
    goes where nobody will ever look, and another house may have the lock (T-7).
    """

    def __init__(self, path: str) -> None:
        self._names = [name for name in (path, f"{path}-wal", name_lock(path)) if os.path.exists(name)]
        self._identities = [*map(_identify, self._names)]

    def check(self) -> None:
        """LockLost where a name no longer means the file that is open here."""
        for name, identity in zip(self._names, self._identities, strict=True):
            if _identify(name) != identity:
                raise LockLost(f"{name} is not the file that this house has open: it was moved, removed or replaced")


def _identify(name: str) -> tuple[int, int]:
    try:
        found = os.stat(name)
    except FileNotFoundError:
        return -1, -1
    return found.st_dev, found.st_ino


def _take_room(file: int, size: int) -> None:
    """So many bytes of the disk for an empty file. macOS has no call for it: they are written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        while size > 0:
            size -= os.write(file, _ZEROS)
        os.fsync(file)


class DiskReserve:
    """Room set aside beside the database. Once the disk is full it is given back, so that rounds can end (T-5)."""

    def __init__(self, path: str) -> None:
        self._file = Path(f"{path}.reserve")

    def find_shortage(self, before: str = "") -> str:
        """Why there is no room but for the end of open rounds; empty where there is. `before` is what was said last.

        With the reserve in place so much again has to be free, and twice that after a shortage. Without it room is
        taken, not asked for: a quota does not show in what a disk says of itself.
        """
        if self._is_whole():
            room = os.statvfs(self._file.parent)
            return FULL if room.f_bavail * room.f_frsize < RESERVE_SIZE * (2 if before else 1) else ""
        try:
            with self._file.open("wb") as file:
                _take_room(file.fileno(), 2 * RESERVE_SIZE)
                os.ftruncate(file.fileno(), RESERVE_SIZE)
        except OSError:
            self.release()
            return FULL
        return ""

    def _is_whole(self) -> bool:
        return self._file.exists() and self._file.stat().st_size >= RESERVE_SIZE

    def release(self) -> bool:
        """Whether there was something to give back."""
        was_there = self._file.exists()
        self._file.unlink(missing_ok=True)
        return was_there
