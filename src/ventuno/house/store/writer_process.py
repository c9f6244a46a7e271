"""The process that writes for a house: what is durable is told over a pair of sockets, in the order it was handed in.

The house's end of it is `sqlite.WriterProcess`. The process holds the house's lock too: whoever comes after a house
that was killed waits until the writer has written what it was handed, and has gone.
"""

from __future__ import annotations

import json
import select
import signal
import socket
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic

import msgspec

from ventuno.house.store.file_lock import HeldFiles
from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.sqlite import (
    FAULT_MARK,
    FULL_MARK,
    GROUP_LIMIT,
    GROUP_SECONDS,
    LENGTH_SIZE,
    Connection,
    RoomMaker,
    Writer,
    connect,
    measure_log,
    run_checkpoint,
)
from ventuno.house.store.store import WriteRequest, take_group

READ_SIZE = 1 << 20
"""Bytes that are read at once."""
GONE = getattr(select, "POLLRDHUP", select.POLLHUP)
"""That nothing more will come; macOS has no word for it of its own."""
CHECKPOINT_PASSES, SHORT_CHECKPOINT = 4, 0.02
"""How often what was written meanwhile is carried over at most, and seconds that are little."""
PackedBatches = list[tuple[Batch, Snapshot | None]]
_unpack = msgspec.msgpack.Decoder(PackedBatches).decode


class Inbox:
    """What has come from the house, packet by packet."""

    def __init__(self, line: socket.socket) -> None:
        self._socket = line
        self._buffer = bytearray()
        self._entries: deque[WriteRequest] = deque()

    def take_group(self) -> list[WriteRequest]:
        """What is there, waiting for the first of it; nothing once the house has gone."""
        while not self._entries:
            if not self._read(wait=True):
                return []
        until = monotonic() + GROUP_SECONDS
        while len(self._entries) < GROUP_LIMIT and monotonic() < until and self._read(wait=False):
            pass
        return take_group(self._entries, GROUP_LIMIT)

    def _read(self, *, wait: bool) -> bool:
        try:
            piece = self._socket.recv(READ_SIZE, 0 if wait else socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionResetError):
            return False  # nothing yet, or the house was killed while we spoke to it
        self._buffer += piece
        for packed in self._take_packets():
            self._entries.extend([WriteRequest(batch, _ignore, snapshot) for batch, snapshot in _unpack(packed)])
        return bool(piece)

    def _take_packets(self) -> Iterator[bytes]:
        while len(self._buffer) >= LENGTH_SIZE:
            end = LENGTH_SIZE + int.from_bytes(self._buffer[:LENGTH_SIZE], "big")
            if len(self._buffer) < end:
                return
            yield bytes(self._buffer[LENGTH_SIZE:end])
            del self._buffer[:end]


def _ignore(_fault: BaseException | None) -> None:
    """The house tells them."""


class BackgroundCheckpoint:
    """Carries SQLite's log over into the file beside the writer, who then has little left to carry while all wait."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._thread: Thread | None = None
        self._fault: Exception | None = None

    def is_done(self) -> bool:
        """Begin, where nothing has begun; whether it is done. What went wrong in it is raised here."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="ventuno-checkpoint", daemon=True)
            self._thread.start()
        if self._thread.is_alive():
            return False
        self._thread = None
        fault, self._fault = self._fault, None
        if fault:
            raise fault
        return True

    def _run(self) -> None:
        """Again, for what was written meanwhile, until that is little."""
        try:
            for _ in range(CHECKPOINT_PASSES):
                began = monotonic()
                run_checkpoint(self._connection)
                if monotonic() - began < SHORT_CHECKPOINT:
                    break
        except Exception as fault:
            self._fault = fault


def _tell_full(line: socket.socket) -> None:
    with suppress(OSError):
        line.sendall(f"{FULL_MARK}\n".encode())


def _has_gone(line: socket.socket, seconds: float) -> bool:
    """Wait so long; whether the house has gone or closes meanwhile."""
    ends = select.poll()
    ends.register(line, GONE)
    return bool(ends.poll(seconds * 1000))


def run_writer(path: str, pragmas: Mapping[str, str], line: socket.socket) -> int:
    """Write until the house has gone, or until it cannot be done: that is said, and nothing is tried again (T-5)."""
    writer, inbox = Writer(connect(path, pragmas), lambda *_: None), Inbox(line)
    checkpoint = BackgroundCheckpoint(connect(path, pragmas))
    writer.check_files, writer.measure_log = HeldFiles(path).check, partial(measure_log, path)
    writer.make_room = RoomMaker(path, partial(_tell_full, line), partial(_has_gone, line))
    while group := inbox.take_group():
        fault = writer.write(group)
        try:
            line.sendall(f"{FAULT_MARK}{fault}\n".encode() if fault else b"%d\n" % len(group))
        except OSError:
            return 0  # nobody hears it any more: what is durable stays so
        if fault:
            return 1
        writer.checkpoint_if_due(checkpoint.is_done)
    return 0


def main(words: Sequence[str]) -> int:
    """Signals are the house's: the writer ends when the house lets it."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.SIG_IGN)
    path, pragmas, file = json.loads(words[0])
    with socket.socket(fileno=file) as line:
        return run_writer(path, pragmas, line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
