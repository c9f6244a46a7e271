"""Recordings for who may see the records of the house: of one round by its code, as one file (X-10, H-8)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from starlette.responses import StreamingResponse

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import DEAR, House, Supervisor, charge_account
from ventuno.web.messages.fields import Message
from ventuno.web.video.recording import Part
from ventuno.web.video.video_hub import VideoHub

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
AROUND = 3_000
"""Milliseconds of the recording before a round and after it."""
Code = Annotated[str, Path(max_length=120, description="the code of a round")]
_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{0,15})$")


class NoRecording(Refusal):
    """Nothing was recorded of it, or it is kept no longer."""

    round: str


class RecordingResponse(Message):
    """The recording of a round: when it begins and ends, a little around the round, and its size in bytes; all zero
    where nothing was recorded, or it is kept no longer.
    """

    code: str
    table: str
    started: int
    ended: int
    bytes: int


async def find_part(video: VideoHub, app: Application, by: PlayerId, code: str) -> tuple[str, Part | None]:
    """The table of a round, and the piece of its recording; that it was looked at is written down first."""
    row = unwrap(await app.console.find_round(by, code))
    table, recorder = row.stream.partition(":")[2], video.recorder
    if recorder is None:
        return table, None
    await recorder.flush()
    return table, await asyncio.to_thread(recorder.find_part, table, row.started - AROUND, row.ended + AROUND)


@router.get("/rounds/{code}/video", responses={404: {}})
async def describe_recording(code: Code, request: Request, who: Supervisor, app: House) -> RecordingResponse:
    """Whether there is a recording of a round, and of which time."""
    table, part = await find_part(request.app.state.video, app, who.player, code)
    if part is None:
        return RecordingResponse(code, table, 0, 0, 0)
    return RecordingResponse(code, table, part.started, part.ended, part.size)


@router.get("/rounds/{code}/video.webm", response_class=StreamingResponse, responses={404: {}, 206: {}})
async def read_recording(
    code: Code,
    request: Request,
    who: Supervisor,
    app: House,
    range: Annotated[str, Header(max_length=60, description="a part of it, `bytes=0-`")] = "",
) -> StreamingResponse:
    """The recording of a round as WebM, with the rounds in it as chapters."""
    charge_account(request, who, DEAR)
    _, part = await find_part(request.app.state.video, app, who.player, code)
    if part is None:
        raise RefusalError.by(NoRecording(code))
    first, last = read_range(range, part.size)
    headers = {"Accept-Ranges": "bytes", "Content-Length": str(last - first + 1)}
    if range:
        headers["Content-Range"] = f"bytes {first}-{last}/{part.size}"
    status = 206 if range else 200
    return StreamingResponse(cut(part.read(), first, last), status, headers, media_type="video/webm")


def read_range(text: str, size: int) -> tuple[int, int]:
    """The first byte and the last; all of it where nothing else makes sense.

    >>> read_range("bytes=10-", 100), read_range("bytes=10-19", 100), read_range("bytes=-5", 100)
    ((10, 99), (10, 19), (0, 99))
    """
    match = _RANGE.match(text)
    first = int(match[1]) if match else 0
    last = min(int(match[2]), size - 1) if match and match[2] else size - 1
    return (first, last) if first <= last else (0, size - 1)


def cut(pieces: Iterator[bytes], first: int, last: int) -> Iterator[bytes]:
    """The bytes from one place to another.

    >>> b"".join(cut(iter([b"abc", b"def", b"ghi"]), 2, 6))
    b'cdefg'
    """
    place = 0
    for piece in pieces:
        if place > last:
            return
        if place + len(piece) > first:
            yield piece[max(first - place, 0) : last - place + 1]
        place += len(piece)
