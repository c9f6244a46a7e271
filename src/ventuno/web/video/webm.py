"""WebM, as far as a recording needs it: one picture, one sound, a cluster for each key frame (RFC 8794, RFC 9559).

Clusters are written whole, with their size and an absolute time of their segment; so a part of a recording is a new
header before some of its clusters, with their times changed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from ventuno.web.video.messages import Track

CODECS = {"vp8": "V_VP8", "vp09": "V_VP9", "av01": "V_AV1"}
PICTURE, SOUND = 1, 2
UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
_EBML, _SEGMENT, _INFO, _TRACKS, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675
_CUES, _CHAPTERS = 0x1C53BB6B, 0x1043A770
_CLUSTER_HEAD = _CLUSTER.to_bytes(4, "big")
_TIME_HEAD = b"\xe7\x88"
CLUSTER_HEAD = 4 + 8 + 2 + 8
"""Bytes of a cluster before its blocks: id, size, and its time."""


def find_codec(codec: str) -> str:
    """The name of a codec in the file; empty where WebM has none for it.

    >>> find_codec("vp09.00.31.08"), find_codec("avc1.42E01F")
    ('V_VP9', '')
    """
    return CODECS.get(codec.partition(".")[0], "")


def element(id: int, content: bytes) -> bytes:
    return id.to_bytes((id.bit_length() + 7) // 8, "big") + size(len(content)) + content


def size(number: int) -> bytes:
    """A length, always in eight bytes: what is known later has its place."""
    return (number | 1 << 56).to_bytes(8, "big")


def unsigned(id: int, number: int) -> bytes:
    return element(id, number.to_bytes(max((number.bit_length() + 7) // 8, 1), "big"))


def text(id: int, value: str) -> bytes:
    return element(id, value.encode())


def write_head(picture: Track, sound: Track | None, milliseconds: float = 0.0) -> bytes:
    """All that stands before the first cluster and the segment's index; the length where it is known."""
    ebml = element(
        _EBML,
        unsigned(0x4286, 1)
        + unsigned(0x42F7, 1)
        + unsigned(0x42F2, 4)
        + unsigned(0x42F3, 8)
        + text(0x4282, "webm")
        + unsigned(0x4287, 4)
        + unsigned(0x4285, 2),
    )
    return ebml + _SEGMENT.to_bytes(4, "big") + UNKNOWN + write_info(milliseconds) + write_tracks(picture, sound)


def write_info(milliseconds: float) -> bytes:
    duration = element(0x4489, struct.pack(">d", milliseconds)) if milliseconds else b""
    return element(_INFO, unsigned(0x2AD7B1, 1_000_000) + text(0x4D80, "ventuno") + text(0x5741, "ventuno") + duration)


def write_tracks(picture: Track, sound: Track | None) -> bytes:
    shape = element(0xE0, unsigned(0xB0, picture.width) + unsigned(0xBA, picture.height))
    entries = element(0xAE, _describe(PICTURE, 1, find_codec(picture.codec)) + shape)
    if sound:
        head = b"OpusHead" + struct.pack("<BBHIhB", 1, sound.channels or 1, 0, sound.rate, 0, 0)
        form = element(0xE1, element(0xB5, struct.pack(">d", sound.rate)) + unsigned(0x9F, sound.channels or 1))
        entries += element(0xAE, _describe(SOUND, 2, "A_OPUS") + element(0x63A2, head) + form)
    return element(_TRACKS, entries)


def _describe(number: int, kind: int, codec: str) -> bytes:
    return unsigned(0xD7, number) + unsigned(0x73C5, number) + unsigned(0x83, kind) + text(0x86, codec)


def write_block(number: int, offset: int, frame: bytes, *, is_key: bool) -> bytes:
    """A frame, so many milliseconds after the time of its cluster."""
    head = bytes((0x80 | number,)) + struct.pack(">hB", offset, 0x80 if is_key else 0)
    return element(0xA3, head + frame)


def write_cluster(milliseconds: int, blocks: Iterable[bytes]) -> bytes:
    content = _TIME_HEAD + milliseconds.to_bytes(8, "big") + b"".join(blocks)
    return _CLUSTER_HEAD + size(len(content)) + content


class Cluster(NamedTuple):
    """Where a cluster lies in its file, and its time from the file's beginning."""

    offset: int
    size: int
    milliseconds: int


def find_clusters(file: IO[bytes], start: int) -> Iterator[Cluster]:
    """All whole clusters of a recording, from the end of its head on; what a crash has cut off is left out."""
    file.seek(0, 2)
    end = file.tell()
    while start + CLUSTER_HEAD <= end:
        file.seek(start)
        head = file.read(CLUSTER_HEAD)
        length = int.from_bytes(head[4:12], "big") & ~(1 << 56)
        whole = 12 + length
        if head[:4] != _CLUSTER_HEAD or head[12:14] != _TIME_HEAD or start + whole > end:
            return
        yield Cluster(start, whole, int.from_bytes(head[14:22], "big"))
        start += whole


def move_cluster(cluster: bytes, milliseconds: int) -> bytes:
    """The same cluster at another time."""
    return cluster[:14] + milliseconds.to_bytes(8, "big") + cluster[22:]


class Chapter(NamedTuple):
    """A round in a recording: its code, and its time from the beginning."""

    code: str
    milliseconds: int


def write_chapters(chapters: Sequence[Chapter]) -> bytes:
    atoms = b"".join(
        element(
            0xB6,
            unsigned(0x73C4, number)
            + unsigned(0x91, max(chapter.milliseconds, 0) * 1_000_000)
            + element(0x80, text(0x85, chapter.code) + text(0x437C, "und")),
        )
        for number, chapter in enumerate(chapters, 1)
    )
    return element(_CHAPTERS, element(0x45B9, atoms)) if atoms else b""


def write_cues(clusters: Sequence[tuple[int, int]], first: int) -> bytes:
    """Where each cluster is, from its time and size, so that players can jump. `first`: bytes of the segment before
    this index; its own length does not depend on what it says.
    """

    def build(start: int) -> bytes:
        points, place = [], start
        for milliseconds, length in clusters:
            position = element(0xF7, bytes((PICTURE,))) + element(0xF1, place.to_bytes(8, "big"))
            points.append(element(0xBB, element(0xB3, milliseconds.to_bytes(8, "big")) + element(0xB7, position)))
            place += length
        return element(_CUES, b"".join(points))

    return build(first + len(build(0)))
