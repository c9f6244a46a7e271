"""A house on a system that lacks what Linux has: macOS has no call to take room on a disk, and a cache of its own.

Nothing here runs on macOS: what it lacks is taken away.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ventuno.house.store import sqlite, writer_process
from ventuno.house.store.durability import find_sqlite_faults, open_store
from ventuno.house.store.file_lock import FULL, RESERVE_SIZE, DiskReserve

SAFE = {"journal_mode": "wal", "synchronous": "2", "fullfsync": "1"}


def test_t5_room_is_set_aside_where_no_call_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are really on the disk: a file with holes in it would keep nothing free."""
    monkeypatch.delattr(os, "posix_fallocate")
    assert DiskReserve(str(tmp_path / "house.db")).find_shortage() == ""
    reserve = (tmp_path / "house.db.reserve").stat()
    assert (reserve.st_size, reserve.st_blocks * 512 >= RESERVE_SIZE) == (RESERVE_SIZE, True)


def test_t5_a_disk_that_fills_meanwhile_gives_the_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last bytes are taken in part, as a disk that is almost full does it, then refused."""
    answers = iter([1 << 20, 1 << 19])
    real = os.write

    def write(file: int, data: bytes) -> int:
        if (size := next(answers, 0)) == 0:
            raise OSError(errno.ENOSPC, "no space left")
        return real(file, data[:size])

    monkeypatch.delattr(os, "posix_fallocate")
    monkeypatch.setattr(os, "write", write)
    assert DiskReserve(str(tmp_path / "house.db")).find_shortage() == FULL
    assert not (tmp_path / "house.db.reserve").exists()


def test_g23_what_is_synced_leaves_the_cache_of_the_drive(tmp_path: Path) -> None:
    with closing(sqlite.connect(str(tmp_path / "house.db"))) as connection:
        assert sqlite.read_settings(connection) == SAFE
        assert next(iter(connection.execute("PRAGMA checkpoint_fullfsync")))[0] == 1


@pytest.mark.parametrize(("platform", "faults"), [("darwin", 1), ("linux", 0)])
def test_g23_macos_without_a_full_sync_is_unsafe(monkeypatch: pytest.MonkeyPatch, platform: str, faults: int) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert find_sqlite_faults(SAFE) == []
    assert len(find_sqlite_faults(SAFE | {"fullfsync": "0"})) == faults


def test_a_writer_hears_that_its_house_has_gone_by_the_word_of_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_process, "GONE", select.POLLHUP)
    near, far = socket.socketpair()
    with near:
        assert not writer_process._has_gone(near, 0)
        far.close()
        assert writer_process._has_gone(near, 10)


async def test_g23_a_house_opens_without_what_macos_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "posix_fallocate")
    store = await open_store(f"sqlite:///{tmp_path}/house.db")
    try:
        assert (store.unsafe, store.full) == ("", "")
    finally:
        await store.close()
