"""The lock of a house on its file, and disk space kept in reserve beside it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from ventuno.house.store.store import HouseOpen

RESERVE_SIZE = 16 << 20
"""Bytes kept for the day the disk is full (T-5)."""
WAIT, PAUSE = 5.0, 0.02
"""Seconds that are waited for the last of a house that was killed, and between two looks."""


class FileLock:
    """The lock of a house on its file, while the process lives: the kernel lets go of it, even after SIGKILL."""

    def __init__(self, path: str) -> None:
        name = f"{os.path.realpath(path)}.lock"
        self.file = os.open(name, os.O_CREAT | os.O_RDWR, 0o644)
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


class DiskReserve:
    """Room set aside beside the database. Once the disk is full it is given back, so that rounds can end (T-5)."""

    def __init__(self, path: str) -> None:
        self._file = Path(f"{path}.reserve")

    def reserve(self) -> str:
        """Take the room, where twice as much is free; else the words for why this house may only end its rounds."""
        if self._file.exists() and self._file.stat().st_size >= RESERVE_SIZE:
            return ""
        room = os.statvfs(self._file.parent)
        if room.f_bavail * room.f_frsize >= 2 * RESERVE_SIZE:
            with suppress(OSError), self._file.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_SIZE)
                return ""
        self.release()
        return f"the disk is full: less than {2 * RESERVE_SIZE >> 20} MB are left"

    def release(self) -> None:
        self._file.unlink(missing_ok=True)
