"""Recordings of studio tables: the best quality as it was received, in segments of WebM, kept for a set time.

Each segment has a file beside it with the codes of the rounds and when they began. A part of a recording is found by
table and time, and given as one file with the rounds as chapters. Writing is done in a thread: nobody waits for it,
and what the disk does not take in time is left out and logged.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from ventuno.core.messages.events import BettingEnded
from ventuno.house.application import Application
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.operations.settings import Settings
from ventuno.web.video import webm
from ventuno.web.video.chunks import HEAD, SOUND, Chunk
from ventuno.web.video.messages import Track

SEGMENT_MS = 5 * 60_000
DAY = 86_400_000
STRAY_MS = 10_000
"""A capture that is further from now than this is not believed."""
MOST_CLUSTER = 8 << 20
MOST_WAITING = 16
"""Writes that may wait for the disk."""
LONGEST_MS = 60 * 60_000
"""Of one part that is handed out."""
_log = logging.getLogger(__name__)


class Segment(NamedTuple):
    path: Path
    started: int
    """Milliseconds since 1970."""


class Part(NamedTuple):
    """A piece of a recording in one file: its bytes come cluster by cluster."""

    started: int
    ended: int
    size: int
    head: bytes
    clusters: tuple[tuple[Path, webm.Cluster, int], ...]

    def read(self) -> Iterator[bytes]:
        yield self.head
        for path, cluster, milliseconds in self.clusters:
            with path.open("rb") as file:
                file.seek(cluster.offset)
                yield webm.move_cluster(file.read(cluster.size), milliseconds)


class SegmentHead(msgspec.Struct):
    """The first line of the file beside a segment."""

    table: str
    started: int
    head: int
    tracks: tuple[Track, ...]


class Writer:
    """One segment that is being written."""

    def __init__(self, folder: Path, table: str, started: int, picture: Track, sound: Track | None) -> None:
        self.started, self.sound = started, sound
        self.path = folder / f"{started}.webm"
        self._marks = folder / f"{started}.json"
        self._blocks: list[bytes] = []
        self._size = 0
        self._cluster = -1
        folder.mkdir(parents=True, exist_ok=True)
        head = webm.write_head(picture, sound)
        self.path.write_bytes(head)
        tracks = (picture, sound) if sound else (picture,)
        self._write_mark(msgspec.json.encode(SegmentHead(table, started, len(head), tracks)))

    def add(self, chunk: Chunk, frame: bytes, at: int) -> bytes:
        """One frame; the cluster before it, where it begins a new one."""
        done = b""
        if (chunk.track != SOUND and chunk.is_key) or self._size > MOST_CLUSTER:
            done = self.finish()
            self._cluster = max(at - self.started, 0)
        if self._cluster < 0 or (chunk.track == SOUND and self.sound is None):
            return done
        offset = min(max(at - self.started - self._cluster, 0), 32_000)
        number = webm.SOUND if chunk.track == SOUND else webm.PICTURE
        self._blocks.append(webm.write_block(number, offset, frame, is_key=chunk.is_key))
        self._size += len(frame)
        return done

    def finish(self) -> bytes:
        """The cluster that is open, whole."""
        blocks, self._blocks, self._size = self._blocks, [], 0
        return webm.write_cluster(self._cluster, blocks) if blocks else b""

    def append(self, cluster: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(cluster)

    def mark(self, code: str, at: int) -> None:
        self._write_mark(json.dumps({"code": code, "at": at}).encode())

    def _write_mark(self, line: bytes) -> None:
        with self._marks.open("ab") as file:
            file.write(line + b"\n")


class Recorder:
    """All recordings of a house."""

    def __init__(self, folder: Path, days: int, now: Callable[[], int] = lambda: int(time.time() * 1000)) -> None:
        self._folder, self._days, self._now = folder, days, now
        self._writers: dict[str, Writer] = {}
        self._tracks: dict[str, tuple[Track, Track | None]] = {}
        self._queue: asyncio.Queue[Callable[[], object]] = asyncio.Queue(MOST_WAITING)
        self._writing = asyncio.create_task(self._write_always(), name="ventuno-recording")
        self._swept = 0
        self.lost = 0

    def begin(self, table: str, tracks: Sequence[Track]) -> None:
        """A camera is on."""
        self.end(table)
        pictures = sorted((track for track in tracks if track.track != SOUND), key=lambda track: track.track)
        if not pictures or not webm.find_codec(pictures[0].codec):
            _log.warning("a camera is not recorded: its codec has no place in WebM", extra={"table": table})
            return
        self._tracks[table] = pictures[0], next((track for track in tracks if track.track == SOUND), None)

    def end(self, table: str) -> None:
        """The camera is off: what is open is written."""
        self._tracks.pop(table, None)
        if (writer := self._writers.pop(table, None)) and (cluster := writer.finish()):
            self._write(lambda: writer.append(cluster))

    def take(self, table: str, chunk: Chunk, data: bytes) -> None:
        tracks = self._tracks.get(table)
        if tracks is None or chunk.track not in (tracks[0].track, SOUND):
            return
        now, at = self._now(), chunk.captured // 1000
        at = at if abs(at - now) < STRAY_MS else now
        writer = self._writers.get(table)
        is_first = chunk.track != SOUND and chunk.is_key
        if is_first and (writer is None or at - writer.started > SEGMENT_MS):
            if writer and (rest := writer.finish()):
                self._append(writer, rest)
            try:
                writer = self._writers[table] = Writer(self._find_folder(table), table, at, *tracks)
            except OSError:
                _log.exception("a recording could not begin", extra={"table": table})
                self._tracks.pop(table)
                return
            self._sweep(now)
        if writer and (done := writer.add(chunk, data[HEAD:], at)):
            self._append(writer, done)

    def mark(self, table: str, code: str, at: int) -> None:
        """A round begins."""
        if writer := self._writers.get(table):
            self._write(lambda: writer.mark(code, at))

    def _append(self, writer: Writer, cluster: bytes) -> None:
        self._write(lambda: writer.append(cluster))

    def _write(self, what: Callable[[], object]) -> None:
        try:
            self._queue.put_nowait(what)
        except asyncio.QueueFull:
            self.lost += 1
            _log.warning("the disk is too slow for a recording: a second is left out")

    async def _write_always(self) -> None:
        while True:
            what = await self._queue.get()
            try:
                await asyncio.to_thread(what)
            except OSError:
                self.lost += 1
                _log.exception("a recording was not written")
            finally:
                self._queue.task_done()

    async def flush(self) -> None:
        await self._queue.join()

    async def close(self) -> None:
        for table in list(self._writers):
            self.end(table)
        await self.flush()
        self._writing.cancel()
        await asyncio.gather(self._writing, return_exceptions=True)

    def _find_folder(self, table: str) -> Path:
        """By a hash: a name of a table is no name of a file."""
        return self._folder / sha256(table.encode()).hexdigest()[:24]

    def _sweep(self, now: int) -> None:
        if now - self._swept > 60 * 60_000:
            self._swept = now
            self._write(lambda: self.delete_old(now))

    def delete_old(self, now: int) -> int:
        """Delete segments that are older than they are kept; how many."""
        before, number = now - self._days * DAY - SEGMENT_MS, 0
        for path in self._folder.glob("*/*.webm"):
            if path.stem.isdecimal() and int(path.stem) < before:
                path.with_suffix(".json").unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                number += 1
        return number

    def find_part(self, table: str, first: int, last: int) -> Part | None:
        """What was recorded of a table between these moments, from the key frame before the first; None: nothing.

        It reads the disk: to be called in a thread.
        """
        last = min(last, first + LONGEST_MS)
        found: list[tuple[Path, webm.Cluster, int]] = []
        chapters: list[tuple[str, int]] = []
        tracks: tuple[Track, ...] = ()
        for segment in sorted(self._list_segments(table), key=lambda segment: segment.started):
            if segment.started > last or segment.started < first - SEGMENT_MS - STRAY_MS * 2:
                continue
            head, marks = _read_marks(segment.path.with_suffix(".json"))
            if head is None or (tracks and head.tracks != tracks):
                continue
            with segment.path.open("rb") as file:
                clusters = list(webm.find_clusters(file, head.head))
            times = [segment.started + cluster.milliseconds for cluster in clusters]
            for place, cluster in enumerate(clusters):
                ends = times[place + 1] if place + 1 < len(times) else times[place] + 1000
                if ends > first and times[place] <= last:
                    found.append((segment.path, cluster, times[place]))
                    tracks = head.tracks
            chapters += [mark for mark in marks if first <= mark[1] <= last]
        return _build_part(found, chapters, tracks) if found else None

    def _list_segments(self, table: str) -> Iterator[Segment]:
        for path in self._find_folder(table).glob("*.webm"):
            if path.stem.isdecimal():
                yield Segment(path, int(path.stem))


def _read_marks(path: Path) -> tuple[SegmentHead | None, list[tuple[str, int]]]:
    try:
        first, *rest = path.read_bytes().splitlines()
        head = msgspec.json.decode(first, type=SegmentHead)
        return head, [(mark["code"], mark["at"]) for mark in map(json.loads, rest)]
    except (OSError, ValueError, KeyError, msgspec.MsgspecError):
        return None, []


def _build_part(
    found: list[tuple[Path, webm.Cluster, int]], chapters: list[tuple[str, int]], tracks: tuple[Track, ...]
) -> Part:
    started, ended = found[0][2], found[-1][2] + 1000
    picture, sound = tracks[0], tracks[1] if len(tracks) > 1 else None
    moved = tuple((path, cluster, at - started) for path, cluster, at in found)
    marks = webm.write_chapters([webm.Chapter(code, max(at - started, 0)) for code, at in chapters])
    head = webm.write_head(picture, sound, ended - started) + marks
    before = len(head) - (head.index(webm.UNKNOWN) + len(webm.UNKNOWN))
    head += webm.write_cues([(at, cluster.size) for _, cluster, at in moved], before)
    return Part(started, ended, len(head) + sum(cluster.size for _, cluster, _ in moved), head, moved)


def open_recorder(settings: Settings, app: Application) -> Recorder | None:
    """The recorder of a house that wishes one, with the rounds of its studio tables as marks."""
    if settings.record_video is None:
        return None
    recorder = Recorder(settings.record_video, settings.record_video_days)

    def note(news: TableCommitted) -> None:
        for event in news.events:
            if isinstance(event, BettingEnded):
                recorder.mark(news.table, event.code, event.at)

    for block in settings.table:
        if block.video == "studio":
            app.tables.watch_commits(block.name, note, (BettingEnded,))
    return recorder
