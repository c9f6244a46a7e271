"""What is said on a socket of video beside chunks: JSON as text, few and small messages."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ventuno.web.video.chunks import NO_PICTURE, SOUND, TRACKS

TEXT = 4 << 10
"""Bytes of one message."""
Codec = Annotated[str, Meta(pattern=r"^[a-zA-Z0-9.]{2,40}$")]


class Track(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One quality of the picture, or the sound: what a decoder is told. `rate`: frames or samples in a second."""

    track: Literal[0, 1, 2, 16]
    codec: Codec
    rate: Annotated[int, Meta(ge=1, le=192_000)]
    bits: Annotated[int, Meta(ge=1, le=20_000_000)]
    """In a second, as the encoder was told."""
    width: Annotated[int, Meta(ge=0, le=4096)] = 0
    height: Annotated[int, Meta(ge=0, le=4096)] = 0
    channels: Annotated[int, Meta(ge=0, le=2)] = 0


class FromClient(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="type"):
    pass


class Publish(FromClient, tag="publish", frozen=True):
    """This socket sends the picture of the table from now on; said again, the tracks have changed."""

    tracks: Annotated[tuple[Track, ...], Meta(min_length=1, max_length=len(TRACKS))]


class Watch(FromClient, tag="watch", frozen=True):
    """What this socket is sent: one quality of the picture, none (-1), and the sound or not."""

    track: Literal[-1, 0, 1, 2]
    sound: bool


class Clock(FromClient, tag="clock", frozen=True):
    """`sent` comes back with the time of the house: half of the way there and back lies between the two clocks."""

    sent: float


class Keyframe(FromClient, tag="keyframe", frozen=True):
    """The picture cannot be decoded without a key frame; asked of the camera four times a second at most."""


ClientMessage = Publish | Watch | Clock | Keyframe
_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)


def read_message(text: str) -> ClientMessage:
    return _decoder.decode(text)


class StreamMessage(msgspec.Struct, tag="stream", tag_field="type"):
    """What is sent at the table now; no tracks: nothing is."""

    tracks: tuple[Track, ...]


class ClockMessage(msgspec.Struct, tag="clock", tag_field="type"):
    sent: float
    now: float
    """Milliseconds since 1970 by the house's clock."""


class KeyframeMessage(msgspec.Struct, tag="keyframe", tag_field="type"):
    """To who publishes: the next frame of this track is to be a key frame."""

    track: int


class PublishingMessage(msgspec.Struct, tag="publishing", tag_field="type"):
    """To who publishes: it is taken."""


class ViewersMessage(msgspec.Struct, tag="viewers", tag_field="type"):
    """To who publishes: how many watch."""

    number: int


class RefusedMessage(msgspec.Struct, tag="refused", tag_field="type"):
    """What was asked is not done, and why; the socket is closed after it."""

    code: str


encode_message = msgspec.json.Encoder().encode


def has_picture(track: int) -> bool:
    return track not in (NO_PICTURE, SOUND)
