"""Recordings: written as they come, found by round, whole after a crash, gone when their time is over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.busy_house import World
from tests.support.house import LIVE
from tests.support.in_process_house import opened
from tests.support.video_clients import TRACKS, open_studio
from ventuno.web.video import recording, webm
from ventuno.web.video.chunks import SOUND, Chunk, write_chunk
from ventuno.web.video.messages import Track
from ventuno.web.video.recording import DAY, Recorder
from ventuno.web.video.webm import Chapter

PICTURE = Track(0, "vp8", 30, 2_500_000, 1280, 720)
TONE = Track(16, "opus", 48_000, 32_000, channels=1)
START = 1_790_000_000_000


class Film:
    """A recorder with a clock that is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        self.recorder = Recorder(folder, 30, lambda: self.now)
        self._number = 0

    async def shoot(self, seconds: int) -> None:
        for _ in range(seconds):
            self.shoot_at_once(1)
            await self.recorder.flush()

    def shoot_at_once(self, seconds: int, table: str = "T") -> None:
        """Ten pictures and five pieces of sound a second; the first picture of each second is a key frame."""
        for _ in range(seconds * 10):
            for track in (0, *([SOUND] if self._number % 2 else [])):
                chunk = Chunk(track, track == SOUND or self._number % 10 == 0, self._number, self.now * 1000)
                self.recorder.take(table, chunk, write_chunk(chunk, b"%08d" % self._number * 10))
            self._number += 1
            self.now += 100


@pytest_asyncio.fixture
async def film(tmp_path: Path) -> AsyncIterator[Film]:
    made = Film(tmp_path)
    yield made
    await made.recorder.close()


async def test_x10_a_part_is_found_by_time_with_its_rounds_as_chapters(film: Film) -> None:
    film.recorder.begin("T", (PICTURE, TONE))
    await film.shoot(20)
    film.recorder.mark("T", "T-1", START + 20_000)
    await film.shoot(20)
    film.recorder.end("T")
    await film.recorder.flush()
    part = film.recorder.find_part("T", START + 15_000, START + 24_500)
    assert part is not None
    assert (part.started, part.ended) == (START + 15_000, START + 25_000)
    data = b"".join(part.read())
    assert len(data) == part.size
    assert webm.write_chapters([Chapter("T-1", 5_000)]) in data
    frames = [int(data[at : at + 8]) for at in find_all(data, b"\xa3", 12)]
    assert frames == [number for second in range(15, 25) for number in expected(second)]
    assert film.recorder.find_part("T", START + 60_000, START + 70_000) is None
    assert film.recorder.find_part("U", START, START + 10_000) is None


def expected(second: int) -> list[int]:
    """The frames of one second in their order: a picture each, and with each odd one a piece of sound."""
    return [number for tenth in range(10) for number in [second * 10 + tenth] * (2 if tenth % 2 else 1)]


def find_all(data: bytes, id: bytes, head: int) -> list[int]:
    """Where the frames of all blocks begin: id, eight bytes of length, four of their own, and the number as digits."""
    places = [at for at in range(len(data) - 20) if data[at : at + 1] == id and data[at + 1] == 1]
    return [at + 1 + head for at in places if data[at + 1 + head : at + 9 + head].isdigit()]


async def test_x10_a_recording_goes_on_in_segments(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SEGMENT_MS", 5_000)
    film.recorder.begin("T", (PICTURE, TONE))
    await film.shoot(17)
    film.recorder.end("T")
    await film.recorder.flush()
    assert len(list(film.recorder._list_segments("T"))) == 3
    part = film.recorder.find_part("T", START + 3_000, START + 12_500)
    assert part is not None
    assert (part.started, part.ended, len(part.clusters)) == (START + 3_000, START + 13_000, 10)


async def test_x10_what_a_crash_has_cut_off_is_left_out(film: Film) -> None:
    film.recorder.begin("T", (PICTURE, TONE))
    await film.shoot(5)
    await film.recorder.flush()
    (segment,) = film.recorder._list_segments("T")
    whole = segment.path.read_bytes()
    segment.path.write_bytes(whole[:-100])
    part = film.recorder.find_part("T", START, START + 10_000)
    assert part is not None
    assert len(part.clusters) == 3, "four seconds were written, the last one is cut"
    assert b"".join(part.read())[-100:] != whole[-100:]


async def test_x10_recordings_are_deleted_when_their_time_is_over(film: Film) -> None:
    film.recorder.begin("T", (PICTURE,))
    await film.shoot(3)
    film.recorder.end("T")
    await film.recorder.flush()
    assert film.recorder.delete_old(START + 29 * DAY) == 0
    assert film.recorder.delete_old(START + 31 * DAY) == 1
    assert film.recorder.find_part("T", START, START + 3_000) is None


async def test_x10_a_codec_that_webm_has_not_is_not_recorded(film: Film) -> None:
    film.recorder.begin("T", (Track(0, "avc1.42E01F", 30, 1, 640, 360),))
    await film.shoot(3)
    assert not list(film.recorder._list_segments("T"))


async def test_x10_a_disk_that_stands_still_loses_seconds_and_holds_up_nobody(film: Film) -> None:
    film.recorder.begin("T", (PICTURE, TONE))
    film.shoot_at_once(30)  # nothing is written in between: the loop has no turn
    assert film.recorder.lost > 0
    assert film.recorder._queue.qsize() <= recording.MOST_WAITING


SOLO = "first-person-1"


async def test_x10_h8_a_round_is_found_by_its_code_by_who_may_see_records(tmp_path: Path) -> None:
    settings = {"record_video": tmp_path / "video", "table": [{"name": SOLO, "game": "ventuno", "video": "studio"}]}
    async with opened(tmp_path, settings) as house:
        world = World(house)
        world.ada = await house.joined("Ada", 500_000)
        assert await world.table(world.ada) == SOLO
        recorder = house.app.state.video.recorder
        recorder._now = house.application.now
        recorder.begin(SOLO, (PICTURE, TONE))

        async def shoot(seconds: int) -> None:
            for place in range(seconds * 2):
                chunk = Chunk(0, place % 2 == 0, place, house.application.now() * 1000)
                recorder.take(SOLO, chunk, write_chunk(chunk, bytes(100)))
                house.clock.move(500)
                await recorder.flush()

        await shoot(2)
        code = await world.round(world.ada, SOLO)
        await shoot(3)
        eva = await house.supervisor()
        async with house.client(await house.token(eva)) as staff, house.client(await house.token(world.ada)) as player:
            address = f"/api/supervisor/rounds/{code}/video"
            assert (await player.get(address)).status_code == 403
            assert (await player.get(f"{address}.webm")).status_code == 403
            told = (await staff.get(address)).json()
            assert (told["table"], told["code"]) == (SOLO, code)
            whole = await staff.get(f"{address}.webm")
            assert (whole.status_code, whole.headers["content-type"]) == (200, "video/webm")
            assert len(whole.content) == told["bytes"]
            assert code.encode() in whole.content, "the round is a chapter"
            part = await staff.get(f"{address}.webm", headers={"Range": "bytes=100-199"})
            assert (part.status_code, part.content) == (206, whole.content[100:200])
            assert part.headers["content-range"] == f"bytes 100-199/{told['bytes']}"
            missing = await staff.get("/api/supervisor/rounds/T-1/video")
            assert (missing.status_code, missing.json()["error"]["code"]) == (404, "NoSuchRound")
            log = (await staff.get("/api/supervisor/audit")).text
            assert "recording" in log


async def test_x10_what_a_camera_sends_is_recorded(tmp_path: Path) -> None:
    async with open_studio(tmp_path, settings={"record_video": tmp_path / "video"}) as studio:
        camera = await studio.camera()
        began = int(time.time() * 1000)
        for place in range(6):
            await camera.send(0, 500, key=place % 3 == 0)
            await camera.send(1, 500, key=True)
        await camera.until(lambda: studio.video.received == 12)
        await camera.close()
        await camera.until(lambda: not studio.video.count_publishers())
        recorder = studio.video.recorder
        assert recorder is not None
        await recorder.flush()
        part = await asyncio.to_thread(recorder.find_part, LIVE, began - 1_000, began + 10_000)
        assert part is not None
        assert len(part.clusters) == 2, "the best quality alone"
        assert TRACKS[0]["codec"] == "vp8"
