"""A chunk: one encoded frame of picture or sound behind a header of 16 bytes. Nobody here looks further into it.

| bytes | what |
|---|---|
| 0 | version, 1 |
| 1 | track: 0, 1, 2 are qualities of the picture, the best first; 16 is sound |
| 2 | 1 where it can be decoded without those before it, else 0 |
| 3 | 0 |
| 4…7 | number of the chunk on its track, from 0 on |
| 8…15 | when it was captured, in microseconds by the clock of the house |
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from ventuno.web.http.rate_limits import TokenBucket

VERSION = 1
SOUND = 16
PICTURES = (0, 1, 2)
TRACKS = (*PICTURES, SOUND)
NO_PICTURE = -1
LARGEST = 256 << 10
"""Bytes of one chunk with its header: a first frame of 1280 x 720 has a tenth to a half of that."""
BYTES = 1 << 20, 2 << 20
"""Bytes in a second, and at once, that one publisher may send: twice what three qualities need."""
FRAMES = 200, 400
"""Chunks in a second, and at once: 30 + 30 + 15 pictures and 50 pieces of sound."""
_HEAD = struct.Struct(">BBBBIQ")
HEAD = _HEAD.size


class Chunk(NamedTuple):
    """What a header says."""

    track: int
    is_key: bool
    number: int
    captured: int


def read_chunk(data: bytes) -> Chunk | None:
    """None where it is no chunk.

    >>> read_chunk(write_chunk(Chunk(0, True, 7, 1_000_000), b"frame"))
    Chunk(track=0, is_key=True, number=7, captured=1000000)
    >>> read_chunk(b"frame")
    """
    if not HEAD < len(data) <= LARGEST:
        return None
    version, track, key, zero, number, captured = _HEAD.unpack_from(data)
    if version != VERSION or track not in TRACKS or key > 1 or zero:
        return None
    return Chunk(track, key == 1, number, captured)


def write_chunk(chunk: Chunk, frame: bytes) -> bytes:
    return _HEAD.pack(VERSION, chunk.track, chunk.is_key, 0, chunk.number, chunk.captured) + frame


def encode_binary_frame(payload: bytes) -> bytes:
    """One whole binary frame as a server sends it (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x82, size)) + payload
    if size < 1 << 16:
        return b"\x82\x7e" + size.to_bytes(2, "big") + payload
    return b"\x82\x7f" + size.to_bytes(8, "big") + payload


class ChunkLimiter:
    """How much one publisher may send (T-8)."""

    __slots__ = ("_bytes", "_frames", "_tracks")

    def __init__(self, tracks: tuple[int, ...], now: int) -> None:
        self._tracks = frozenset(tracks)
        self._bytes, self._frames = TokenBucket(*BYTES, now), TokenBucket(*FRAMES, now)

    def check(self, data: bytes, now: int) -> int:
        """The code to close with, or 0; the time is in milliseconds."""
        if not self._frames.take(now) or not self._bytes.take(now, len(data)):
            return TOO_MANY
        chunk = read_chunk(data)
        return 0 if chunk and chunk.track in self._tracks else NO_CHUNK


TOO_MANY, NO_CHUNK, NOT_DEALER, OTHER_CAMERA, NOT_SHOWN = 4002, 4009, 4010, 4011, 4012
"""Why a socket of video is closed, beside the reasons that all sockets share."""
