"""All sockets of video: who publishes at a table, who watches, and where each chunk goes.

The dealer of a table publishes, one camera at a time; whoever may see the table may watch (V-72). Chunks of a camera at
a door go over the bus once for each other door with viewers, and from there to them. Nothing is kept of them here.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from starlette.types import Receive

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.players import STAFF
from ventuno.house.accounts.sessions import Identity
from ventuno.web.doors.bus import Link
from ventuno.web.doors.packets import Relayed
from ventuno.web.sockets import notifications
from ventuno.web.sockets.hub import CLOSING, FULL, REPLACED, Hub
from ventuno.web.sockets.message_limiter import MessageLimiter, is_too_long
from ventuno.web.sockets.websocket_protocol import TOO_LONG, encode_frame
from ventuno.web.video import messages
from ventuno.web.video.chunks import (
    LARGEST,
    NO_PICTURE,
    NOT_DEALER,
    NOT_SHOWN,
    OTHER_CAMERA,
    SOUND,
    ChunkLimiter,
    read_chunk,
)
from ventuno.web.video.relay import Relay, prepare_viewer

if TYPE_CHECKING:
    from ventuno.web.video.recording import Recorder

MALFORMED = 4000
KEYFRAME_MS = 250
"""Milliseconds between two key frames that are asked of a camera on one track."""
LOOK = 1.0
"""Seconds between two looks at who may still be here."""
_log = logging.getLogger(__name__)


def read_steady() -> int:
    """Milliseconds that pass while frames come, whatever the clock of play says."""
    return int(time.monotonic() * 1000)


class Desks(Protocol):
    """Who deals where."""

    def has_desk(self, player: PlayerId, table: str) -> bool: ...


class VideoConnection:
    """One socket of video."""

    def __init__(self, line: Any, identity: Identity, table: str) -> None:
        self.line, self.table = line, table
        self.player, self.session, self.role = identity.player, identity.session, identity.role
        self.track, self.has_sound = NO_PICTURE, False
        self.is_publishing = False

    @property
    def link(self) -> Link[Any] | None:
        """The door that holds it, where one does."""
        return self.line.link if self.line.is_at_door else None

    def send(self, message: object) -> None:
        self.line.write(encode_frame(messages.encode_message(message)))

    def close(self, code: int) -> None:
        self.line.close_with(code)


class Stream:
    """The video of one table."""

    def __init__(self) -> None:
        self.publisher: VideoConnection | None = None
        self.tracks: tuple[messages.Track, ...] = ()
        self.connections: set[VideoConnection] = set()
        self.wanted: dict[Link[Any], frozenset[int]] = {}
        """The tracks that are watched at each door."""
        self.asked: dict[int, int] = {}
        """When a key frame of a track was last asked for."""
        self.told_viewers = -1

    @property
    def viewers(self) -> list[VideoConnection]:
        return [one for one in self.connections if one.track != NO_PICTURE or one.has_sound]

    def note_wanted(self) -> None:
        wanted: dict[Link[Any], set[int]] = {}
        for connection in self.viewers:
            if (link := connection.link) is not None:
                tracks = wanted.setdefault(link, set())
                tracks.add(connection.track)
                if connection.has_sound:
                    tracks.add(SOUND)
        self.wanted = {link: frozenset(tracks) for link, tracks in wanted.items()}


class VideoHub:
    def __init__(
        self,
        hub: Hub,
        desks: Desks,
        recorder: Recorder | None = None,
        read_clock: Callable[[], float] = time.time,
    ) -> None:
        self.hub, self.app, self.desks = hub, hub.app, desks
        self.relay, self.recorder, self._read_clock = Relay(), recorder, read_clock
        self.streams: dict[str, Stream] = {}
        self.sockets = self.received = self.received_bytes = self.dropped = 0
        self._counts = [0, 0, 0]
        self._is_closing = False
        self._checking = asyncio.create_task(self._check_always(), name="ventuno-video")

    async def close(self) -> None:
        self._is_closing = True
        self._checking.cancel()
        with suppress(asyncio.CancelledError):
            await self._checking
        for stream in list(self.streams.values()):
            for connection in list(stream.connections):
                connection.close(CLOSING)
        if self.recorder:
            await self.recorder.close()

    def count_relayed(self, size: int, frames: int, skipped: int) -> None:
        """What a door has handed to its viewers."""
        for place, number in enumerate((size, frames, skipped)):
            self._counts[place] += number

    def measure(self) -> tuple[int, int, int]:
        """Bytes and frames handed to viewers, here and at doors, and frames left out."""
        self.count_relayed(*self.relay.take_counts())
        size, frames, skipped = self._counts
        return size, frames, skipped + self.dropped

    def count_viewers(self) -> int:
        return sum(len(stream.viewers) for stream in self.streams.values())

    def count_publishers(self) -> int:
        return sum(stream.publisher is not None for stream in self.streams.values())

    async def serve(self, line: Any, receive: Receive, identity: Identity, table: str) -> None:
        """One socket until it ends."""
        connection = VideoConnection(line, identity, table)
        stream = self.streams.setdefault(table, Stream())
        if code := self._find_unwelcome(connection):
            connection.close(code)
            self._forget(table, stream)
            return
        stream.connections.add(connection)
        self.sockets += 1
        connection.send(messages.StreamMessage(stream.tracks))
        limiter = None if line.is_at_door else MessageLimiter(self.hub.limits, read_steady)
        try:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or line.close_sent:
                    return
                code = (limiter.check(message) if limiter else 0) or self._read(connection, stream, message.get("text"))
                if code:
                    connection.close(code)
                    return
        finally:
            self._leave(connection, stream)

    def _find_unwelcome(self, connection: VideoConnection) -> int:
        """The code with which a socket is turned away; one too many of a session takes the place of another."""
        if self._is_closing:
            return CLOSING
        if self.sockets + self.hub.sockets >= self.hub.limits.sockets:
            return FULL
        everybody = [one for stream in self.streams.values() for one in stream.connections]
        same = [one for one in everybody if one.session == connection.session and not one.line.close_sent]
        if len(same) >= self.hub.limits.per_session:
            same[0].close(REPLACED)
        return 0

    def _leave(self, connection: VideoConnection, stream: Stream) -> None:
        self.sockets -= 1
        stream.connections.discard(connection)
        if not connection.line.is_at_door:
            self.relay.leave(connection.line)
        if stream.publisher is connection:
            self._end_publishing(connection.table, stream)
        stream.note_wanted()
        self._forget(connection.table, stream)

    def _forget(self, table: str, stream: Stream) -> None:
        if not stream.connections and self.streams.get(table) is stream:
            del self.streams[table]

    def _read(self, connection: VideoConnection, stream: Stream, text: str | None) -> int:
        """One message; the code to close with, or 0."""
        if text is None:
            return NOT_DEALER  # chunks of a socket that may not publish
        if is_too_long(text, messages.TEXT):
            return TOO_LONG
        try:
            message = messages.read_message(text)
        except (msgspec.MsgspecError, UnicodeEncodeError):
            return MALFORMED
        match message:
            case messages.Clock():
                connection.send(messages.ClockMessage(message.sent, self._read_clock() * 1000))
            case messages.Watch():
                self._watch(connection, stream, message)
            case messages.Keyframe():
                self._ask_keyframe(stream, connection.track)
            case messages.Publish():
                return self._publish(connection, stream, message)
        return 0

    def _watch(self, connection: VideoConnection, stream: Stream, wish: messages.Watch) -> None:
        line, table = connection.line, connection.table
        connection.track, connection.has_sound = wish.track, wish.sound
        if line.is_at_door:
            line.watch_video(table, wish.track, has_sound=wish.sound)
        else:
            prepare_viewer(line)
            self.relay.watch(line, table, wish.track, has_sound=wish.sound)
        stream.note_wanted()
        self._ask_keyframe(stream, wish.track)

    def _ask_keyframe(self, stream: Stream, track: int) -> None:
        now = read_steady()
        if stream.publisher is None or not messages.has_picture(track):
            return
        if now - stream.asked.get(track, -KEYFRAME_MS) >= KEYFRAME_MS:
            stream.asked[track] = now
            stream.publisher.send(messages.KeyframeMessage(track))

    def _publish(self, connection: VideoConnection, stream: Stream, wish: messages.Publish) -> int:
        """This socket is the camera of the table from now on; the one before it is closed."""
        table = connection.table
        if not self.desks.has_desk(connection.player, table):
            _log.warning("somebody without the desk of a table would publish", extra={"table": table})
            connection.send(messages.RefusedMessage("NotYourDesk"))
            return NOT_DEALER
        numbers = tuple(track.track for track in wish.tracks)
        if len(set(numbers)) < len(numbers):
            return MALFORMED
        before = stream.publisher
        stream.publisher, stream.tracks, connection.is_publishing = connection, wish.tracks, True
        stream.told_viewers, stream.asked = -1, {}
        if before is not None and before is not connection:
            before.is_publishing = False
            before.close(OTHER_CAMERA)
        take = partial(self._take, connection, stream)
        if connection.line.is_at_door:
            connection.line.publish_video(table, numbers, take)
        else:
            limiter = ChunkLimiter(numbers, read_steady())
            connection.line.allow_binary(partial(self._take_here, connection, stream, limiter), LARGEST)
        _log.info("a camera is on", extra={"table": table, "tracks": len(numbers)})
        connection.send(messages.PublishingMessage())
        if self.recorder:
            self.recorder.begin(table, wish.tracks)
        self._tell_tracks(stream)
        return 0

    def _end_publishing(self, table: str, stream: Stream) -> None:
        stream.publisher, stream.tracks = None, ()
        _log.info("a camera is off", extra={"table": table})
        if self.recorder:
            self.recorder.end(table)
        self._tell_tracks(stream)

    def _tell_tracks(self, stream: Stream) -> None:
        for connection in stream.connections:
            if connection is not stream.publisher:
                connection.send(messages.StreamMessage(stream.tracks))

    def _take_here(self, connection: VideoConnection, stream: Stream, limiter: ChunkLimiter, data: bytes) -> None:
        """A chunk of a camera whose socket is in this process."""
        if connection.line.close_sent or stream.publisher is not connection:
            return
        if code := limiter.check(data, read_steady()):
            _log.warning("a camera sends too much or no chunks", extra={"table": connection.table, "code": code})
            connection.close(code)
            return
        self.relay.relay(connection.table, data)
        self._take(connection, stream, data)

    def _take(self, connection: VideoConnection, stream: Stream, data: bytes) -> None:
        """A chunk for the viewers at other doors than its own, and for the record."""
        chunk = read_chunk(data)
        if stream.publisher is not connection or chunk is None:
            return
        self.received += 1
        self.received_bytes += len(data)
        if connection.line.is_at_door:
            self.relay.relay(connection.table, data)
        origin, packet = connection.link, None
        for link, tracks in stream.wanted.items():
            if link is not origin and chunk.track in tracks:
                packet = packet or Relayed(connection.table, data)
                self.dropped += not link.send_video(packet)
        if self.recorder:
            self.recorder.take(connection.table, chunk, data)

    async def _check_always(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                self.check()
            except Exception:
                _log.exception("the sockets of video were not looked at")

    def check(self) -> None:
        """Close whoever may not be here any more (R-40), and tell cameras how many watch."""
        at = self.app.now()
        for table, stream in list(self.streams.items()):
            for connection in list(stream.connections):
                if code := self._find_ended(connection, at):
                    connection.close(code)
            if stream.publisher and (number := len(stream.viewers)) != stream.told_viewers:
                stream.told_viewers = number
                stream.publisher.send(messages.ViewersMessage(number))
            del table

    def _find_ended(self, connection: VideoConnection, at: int) -> int:
        if end := notifications.find_closing(self.app, connection.player, connection.session, at):
            return end.code
        if connection.is_publishing and not self.desks.has_desk(connection.player, connection.table):
            return NOT_DEALER
        if connection.table not in self.app.tables.get_all():
            return NOT_SHOWN
        hidden = isinstance(self.app.tables.get(connection.table, connection.player), Refusal)
        return NOT_SHOWN if hidden and connection.role not in STAFF else 0
