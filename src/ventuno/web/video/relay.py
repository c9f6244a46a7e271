"""Hands chunks on to who watches, in the process that holds their sockets: bytes in, the same bytes out to each.

Nobody waits for a viewer. What he has not taken is counted; beyond a bound he is sent nothing until the next key frame
that finds him caught up. So a slow viewer sees fewer pictures, holds up nobody, and costs a bounded piece of memory.
"""

from __future__ import annotations

from typing import Protocol

from ventuno.web.video.chunks import NO_PICTURE, SOUND, encode_binary_frame

QUEUE = 256 << 10
"""Bytes that may wait for one viewer; the system holds 128 KiB more for him."""
CAUGHT_UP = 32 << 10
"""Bytes that may still wait when a viewer who fell behind is shown pictures again."""


ROOM_FOR_WORDS = 32 << 10


class VideoLine(Protocol):
    """The way to a viewer whose socket this process holds."""

    close_sent: bool

    def count_unsent(self) -> int: ...

    def write_raw(self, frame: bytes, /) -> None: ...

    def allow_unsent(self, most: int, /) -> None: ...


def prepare_viewer(line: VideoLine) -> None:
    """What he has not taken of chunks closes no socket; what is said to him beside them has some room more."""
    line.allow_unsent(QUEUE + ROOM_FOR_WORDS)


class Viewer:
    __slots__ = ("has_sound", "is_behind", "line", "track", "wanted")

    def __init__(self, line: VideoLine) -> None:
        self.line = line
        self.track = self.wanted = NO_PICTURE
        self.has_sound = False
        self.is_behind = False
        """Whether pictures are left out until a key frame."""


class Relay:
    """All viewers of this process, by table."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[VideoLine, Viewer]] = {}
        self.bytes = self.frames = self.skipped = 0

    def take_counts(self) -> tuple[int, int, int]:
        """Bytes and frames handed to viewers since this was last asked, and frames left out."""
        counts = self.bytes, self.frames, self.skipped
        self.bytes = self.frames = self.skipped = 0
        return counts

    def count_viewers(self) -> int:
        return sum(map(len, self._tables.values()))

    def watch(self, line: VideoLine, table: str, track: int, *, has_sound: bool) -> None:
        """From now on this much; the picture changes with the next key frame of the new quality."""
        viewers = self._tables.setdefault(table, {})
        viewer = viewers.get(line)
        if viewer is None:
            viewer = viewers[line] = Viewer(line)
        viewer.wanted, viewer.has_sound = track, has_sound
        if track == NO_PICTURE:
            viewer.track = track

    def leave(self, line: VideoLine) -> None:
        for table, viewers in list(self._tables.items()):
            if viewers.pop(line, None) and not viewers:
                del self._tables[table]

    def relay(self, table: str, data: bytes) -> None:
        """One chunk to everybody who watches its track."""
        viewers = self._tables.get(table)
        if not viewers:
            return
        track, is_key, frame = data[1], data[2], encode_binary_frame(data)
        size, sent = len(frame), 0
        for viewer in viewers.values():
            if track == SOUND:
                if not viewer.has_sound:
                    continue
            elif viewer.track != track:
                if viewer.wanted != track or not is_key:
                    continue
                viewer.track, viewer.is_behind = track, False
            line = viewer.line
            unsent = line.count_unsent()
            if viewer.is_behind and track != SOUND:
                if not is_key or unsent > CAUGHT_UP:
                    self.skipped += 1
                    continue
                viewer.is_behind = False
            if unsent + size > QUEUE:
                viewer.is_behind = True
                self.skipped += 1
                continue
            line.write_raw(frame)
            sent += 1
        self.frames += sent
        self.bytes += sent * size
