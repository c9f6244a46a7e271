"""The writer in a process of its own: what is durable is told over a pair of sockets, in the order it was handed in.

A writer beside the loop asks for the interpreter at every statement, and takes it from play. Here the loop only packs
its batches. The writer holds the house's lock too: whoever comes after a house that was killed waits until the writer
has written what it was handed, and has gone.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from subprocess import DEVNULL
from threading import Thread
from time import monotonic

import msgspec

from ventuno.house.store.file_lock import DiskReserve, FileLock
from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.sqlite import GROUP_LIMIT, GROUP_SECONDS, Connection, Writer, connect, run_checkpoint
from ventuno.house.store.store import StoreFailed, WriteRequest, make_failure, notify, take_group

READ_SIZE = 1 << 20
"""Bytes that are read at once."""
LENGTH_SIZE = 4
"""Bytes that say how long a packet is."""
CHECKPOINT_PASSES, SHORT_CHECKPOINT = 4, 0.02
"""How often what was written meanwhile is carried over at most, and seconds that are little."""
FAULT_MARK = "!"
"""Begins the last line of a writer that could not write."""
PackedBatches = list[tuple[Batch, Snapshot | None]]
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(PackedBatches).decode


class WriterProcess(asyncio.Protocol):
    """The process as the house sees it. Open it with `WriterProcess.start`; it ends with `end`, or with the house."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._waiting: deque[WriteRequest] = deque()
        self._buffer = b""
        self._failure: StoreFailed | None = None
        self._transport: asyncio.Transport
        self._ended = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, path: str, pragmas: Mapping[str, str], lock: FileLock) -> WriterProcess:
        own_end, other_end = socket.socketpair()
        with other_end:
            arguments = json.dumps([path, dict(pragmas), other_end.fileno()])
            command = [sys.executable, "-P", "-m", __name__, arguments]
            descriptors = other_end.fileno(), lock.file
            process = subprocess.Popen(
                command, pass_fds=descriptors, stdin=DEVNULL, stdout=DEVNULL, start_new_session=True
            )
        writer = cls(process)
        loop = asyncio.get_running_loop()
        writer._transport, _ = await loop.create_unix_connection(lambda: writer, sock=own_end)
        return writer

    def put(self, *entries: WriteRequest) -> None:
        """Hand over batches; each is told when it is durable, or that it may not be."""
        if self._failure:
            asyncio.get_running_loop().call_soon(notify, entries, self._failure)
            return
        self._waiting.extend(entries)
        self._transport.write(encode_packet(entries))

    async def end(self) -> None:
        """Have written what waits, then let it go."""
        if self._transport.can_write_eof() and not self._ended.done():
            self._transport.write_eof()
        await self._ended
        await asyncio.get_running_loop().run_in_executor(None, self.process.wait)

    def data_received(self, data: bytes) -> None:
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if line.startswith(FAULT_MARK.encode()):
                self._fail(line[len(FAULT_MARK) :].decode(errors="replace"))
                return
            for _ in range(int(line)):
                self._waiting.popleft().done(None)

    def connection_lost(self, _fault: Exception | None) -> None:
        """It has ended. Where something waits, or comes later, that is a failure as any other."""
        self._fail("the process that writes has ended")
        self._ended.set_result(None)

    def _fail(self, why: str) -> None:
        self._failure = self._failure or make_failure(why)
        entries, self._waiting = self._waiting, deque()
        notify(entries, self._failure)


def encode_packet(entries: Sequence[WriteRequest]) -> bytes:
    packed = _pack([(entry.batch, entry.snapshot) for entry in entries])
    return len(packed).to_bytes(LENGTH_SIZE, "big") + packed


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
        except BlockingIOError:
            return False
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
        if self._fault:
            raise self._fault
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


def run_writer(path: str, pragmas: Mapping[str, str], line: socket.socket) -> int:
    """Write until the house has gone, or until it cannot be done: that is said, and nothing is tried again (T-5)."""
    writer, inbox = Writer(connect(path, pragmas), lambda *_: None), Inbox(line)
    checkpoint = BackgroundCheckpoint(connect(path, pragmas))
    writer.when_full = DiskReserve(path).release
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
