"""What a door and its host say to each other: packets, many of them in one write.

A door hands on what clients send, as they sent it; the host alone reads it. What the host sends to a client is a frame
that is ready to be written: the same bytes for all who see the same, named once with the sockets they go to.
"""

from __future__ import annotations

from typing import Any

import msgspec

Headers = list[tuple[bytes, bytes]]
SCOPE = ("http_version", "scheme", "path", "raw_path", "query_string", "headers", "client", "server")
"""What of a request's scope goes to the host, with its method."""


class Packet(msgspec.Struct, array_like=True, gc=False):
    """`id` is a call or a socket, numbered by its door from 1 on."""


class Hello(Packet, tag=1):
    """A door is there. What it knew of an earlier connection follows."""

    process: int


class Call(Packet, tag=2):
    """A request over HTTP; its body follows in parts where it has one."""

    id: int
    scope: dict[str, Any]
    has_body: bool


class Body(Packet, tag=3):
    """A part of a body, of the request or of the answer."""

    id: int
    data: bytes
    more: bool


class Gone(Packet, tag=4):
    """The client has gone away, with this code where it was a socket."""

    id: int
    code: int = 0


class Drained(Packet, tag=5):
    """The client has taken the last part of an answer; the next may come."""

    id: int


class Open(Packet, tag=6):
    """Somebody wants a socket."""

    id: int
    scope: dict[str, Any]


class Said(Packet, tag=7):
    """A message on a socket, and when it came by the door's `time.monotonic`; no text where it was not text.
    `again`: an earlier host was asked it too, and did not answer.
    """

    id: int
    text: str | None
    arrived: float
    again: bool = False


class Return(Packet, tag=8):
    """A socket that outlived the host: by what it was let in, and the tables that it shows."""

    id: int
    admission: bytes
    tables: tuple[str, ...]


class Usage(Packet, tag=9):
    """What a door has cost so far: milliseconds of CPU, and bytes of memory now. `files`: its own answers since it last
    said so, by class of status. `video`: bytes and frames that it handed to viewers since then, and frames left out.
    """

    cpu: int
    memory: int
    files: dict[str, int] = {}
    video: tuple[int, int, int] = (0, 0, 0)


class Published(Packet, tag=10):
    """A chunk of video on the socket of a publisher; the door's own viewers have it."""

    id: int
    data: bytes


class Start(Packet, tag=11):
    """An answer begins; its body follows."""

    id: int
    status: int
    headers: Headers


class Accepted(Packet, tag=12):
    """A socket is let in; the door keeps what proves it."""

    id: int
    admission: bytes


class Frame(Packet, tag=13):
    """Bytes for these sockets."""

    frame: bytes
    ids: list[int]


class Close(Packet, tag=14):
    id: int
    code: int


class Taken(Packet, tag=15):
    """One message of each of these sockets is done with: the door need not keep it."""

    ids: list[int]


class Showing(Packet, tag=16):
    """The tables that a socket shows now."""

    id: int
    tables: tuple[str, ...]


class Publishing(Packet, tag=17):
    """This socket may send chunks of video, on these tracks, for the viewers of this table."""

    id: int
    table: str
    tracks: tuple[int, ...]


class Watching(Packet, tag=18):
    """What a socket is sent of a table's video from now on."""

    id: int
    table: str
    track: int
    has_sound: bool


class Relayed(Packet, tag=19):
    """A chunk of video that was published elsewhere."""

    table: str
    data: bytes


FromDoor = Hello | Call | Body | Gone | Drained | Open | Said | Return | Usage | Published
FromHost = Start | Body | Accepted | Frame | Close | Taken | Showing | Publishing | Watching | Relayed
