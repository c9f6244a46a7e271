"""Video over real sockets: who may send and watch, what reaches whom, and what a bad camera or a slow viewer costs.

Each is tried in one process and behind two doors, where camera and viewers are at different ones.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from tests.support.house import LIVE
from tests.support.http_house import wait_until
from tests.support.video_clients import TRACKS, Studio, VideoClient, open_studio, video_url
from ventuno.core.messages.refusals import Refusal
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.video import chunks, relay, video_hub
from ventuno.web.video.chunks import LARGEST, Chunk, write_chunk

EACH = pytest.mark.parametrize("doors", [0, 2])
AMPLE = BucketSize(10**9, 1e6)


@EACH
async def test_v72_chunks_reach_every_viewer_of_their_track_and_nobody_else(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera = await studio.camera()
        high, low = await studio.viewer("Ada", 0), await studio.viewer("Bea", 1)
        mute = await studio.viewer("Cleo", 0, sound=False)
        sent = []
        for place in range(10):
            for track in (0, 1, 16):
                sent.append(camera.make(track, 2000, key=place == 0))
                await camera.line.send(sent[-1])
        for viewer, track in ((high, 0), (low, 1), (mute, 0)):
            await viewer.until(partial(has_frames, viewer, track, 10))
        await high.until(lambda: len(high.numbers(16)) == 10)
        assert [raw for chunk, raw in high.chunks if chunk.track == 0] == sent[0::3]
        assert {chunk.track for chunk, _ in low.chunks} == {1, 16}
        assert {chunk.track for chunk, _ in mute.chunks} == {0}
        assert camera.chunks == []
        assert high.of("stream")[-1]["tracks"][0]["width"] == 1280
        assert camera.of("keyframe"), "a viewer who comes has a key frame asked for"


def has_frames(viewer: VideoClient, track: int, number: int) -> bool:
    return len(viewer.numbers(track)) == number


@EACH
async def test_v72_a_viewer_who_changes_quality_goes_on_with_a_key_frame(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0, sound=False)
        for track in (0, 1):
            await camera.send(track, key=True)
        await ada.until(lambda: ada.numbers(0))
        await ada.say("watch", track=1, sound=False)
        await camera.until(lambda: any(message["track"] == 1 for message in camera.of("keyframe")))
        await asyncio.sleep(0.05)
        await camera.send(1)
        await camera.send(1, key=True)
        await camera.send(1)
        await ada.until(lambda: len(ada.numbers(1)) == 2)
        assert ada.numbers(1) == [2, 3], "it begins with a key frame"
        await ada.say("watch", track=-1, sound=False)
        await asyncio.sleep(0.1)
        await camera.send(1, key=True)
        await camera.send(0, key=True)
        await asyncio.sleep(0.1)
        assert ada.numbers(1) == [2, 3]


@EACH
async def test_v72_who_has_not_the_desk_does_not_publish(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        ada = await studio.viewer("Ada", 0)
        stranger = await studio.open(await studio.house.joined("Eve"))
        await stranger.say("publish", tracks=TRACKS)
        assert await stranger.ended() == chunks.NOT_DEALER
        assert stranger.of("refused") == [{"type": "refused", "code": "NotYourDesk"}]
        bold = await studio.open(await studio.house.joined("Bob"))
        await bold.send(0, key=True)
        assert await bold.ended() == chunks.NOT_DEALER, "chunks of who was not let to publish"
        assert ada.chunks == []
        assert not any(message["tracks"] for message in ada.of("stream"))


async def test_v72_a_planted_house_without_that_check_is_found(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        ada = await studio.viewer("Ada", 0)
        with patch.object(studio.desks, "has_desk", lambda *_: True):
            stranger = await studio.open(await studio.house.joined("Eve"))
            await stranger.say("publish", tracks=TRACKS)
            await stranger.until(lambda: stranger.of("publishing"))
            await stranger.send(0, key=True)
            await ada.until(lambda: ada.chunks)


@EACH
async def test_v72_a_new_camera_takes_the_place_of_the_old_one(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        first, ada = await studio.camera("Dora"), await studio.viewer("Ada", 0)
        second = await studio.camera("Dino")
        assert await first.ended() == chunks.OTHER_CAMERA
        await second.send(0, key=True)
        await ada.until(lambda: ada.numbers(0))
        assert studio.video.count_publishers() == 1


@EACH
async def test_v72_the_end_of_the_desk_ends_the_camera(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        studio.desks.dealers.clear()
        assert await camera.ended() == chunks.NOT_DEALER
        await ada.until(lambda: ada.of("stream")[-1]["tracks"] == [])


@EACH
async def test_v72_a_camera_that_is_gone_is_told_and_comes_back(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        await camera.send(0, key=True)
        await ada.until(lambda: ada.numbers(0))
        camera.line.transport.abort()
        await ada.until(lambda: ada.of("stream")[-1]["tracks"] == [])
        again = await studio.camera("Dino")
        await ada.until(lambda: ada.of("stream")[-1]["tracks"])
        await again.send(0, key=True)
        await ada.until(lambda: len(ada.numbers(0)) == 2)


@EACH
async def test_v44_only_who_may_see_a_table_watches_it(tmp_path: Path, doors: int) -> None:
    """A table for one is its owner's alone, as with `join`; a table that is none is nobody's."""
    async with open_studio(tmp_path, doors_before=doors) as studio:
        ada, eve = await studio.house.joined("Ada"), await studio.house.joined("Eve")
        own = await studio.house.application.tables.open_solo(ada, "first-person")
        assert not isinstance(own, Refusal)
        await studio.open(ada, own)
        for table in (own, "Nowhere"):
            assert await refuse(studio, eve, table) == (404, "NoSuchTable")
        assert studio.video.sockets == 1


async def refuse(studio: Studio, player: str, table: str) -> tuple[int, str]:
    held = await studio.house.session(player)
    ticket = studio.house.app.state.tickets.issue(held.session)
    with pytest.raises(InvalidStatus) as caught:
        await connect(
            video_url(studio.house, table, ticket),
            origin=Origin(studio.house.origin),
            additional_headers=studio.house.headers(held.token),
        )
    return caught.value.response.status_code, json.loads(caught.value.response.body)["error"]["code"]


async def test_v44_sockets_of_video_count_for_their_address(tmp_path: Path) -> None:
    async with open_studio(tmp_path, allowances=RateLimits(AMPLE, AMPLE, AMPLE, 2, AMPLE)) as studio:
        ada = await studio.house.joined("Ada")
        first = await studio.open(ada)
        await studio.open(ada)
        assert (await refuse(studio, ada, LIVE))[1] == "TooManySockets"
        await first.close()
        await wait_until(lambda: studio.video.sockets == 1)
        await studio.open(ada)


@EACH
async def test_r40_who_is_sent_away_sees_nothing_more(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        player = await studio.house.joined("Ada")
        held = await studio.house.session(player)
        ada, bea = await studio.open(player, session=held), await studio.viewer("Bea", 0)
        await studio.house.application.accounts.log_out(player, held.session)
        assert await ada.ended() == 4004
        assert not bea.closed


@EACH
@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"x",
        b"\x02" + write_chunk(Chunk(0, True, 0, 0), b"x")[1:],
        write_chunk(Chunk(0, True, 0, 0), b""),
        write_chunk(Chunk(2, True, 0, 0), b"a track that was not announced"),
        write_chunk(Chunk(7, True, 0, 0), b"a track that is none"),
    ],
)
async def test_t8_garbage_of_a_camera_ends_it_and_reaches_nobody(tmp_path: Path, doors: int, garbage: bytes) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        await camera.line.send(garbage)
        assert await camera.ended() == chunks.NO_CHUNK
        assert ada.chunks == []
        assert not ada.closed


@EACH
async def test_t8_a_camera_that_floods_is_ended(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        with suppress(ConnectionClosed):
            for _ in range(200):
                await camera.send(0, 100_000, key=True)
        assert await camera.ended() == chunks.TOO_MANY
        assert not ada.closed
        assert sum(len(raw) for _, raw in ada.chunks) <= chunks.BYTES[1] + 100_016
        small = await studio.camera("Dino")
        with suppress(ConnectionClosed):
            for _ in range(2000):
                await small.send(0, 10, key=True)
        assert await small.ended() == chunks.TOO_MANY


async def test_t8_a_chunk_beyond_the_bound_ends_the_socket(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        camera = await studio.camera()
        await camera.send(0, LARGEST - 1000, key=True)
        with suppress(ConnectionClosed):
            await camera.send(0, LARGEST + 1)
        assert await camera.ended() == 1009


async def test_t8_words_that_are_none_end_the_socket(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        for said in ('{"type":"watch"}', "[]", '{"type":"watch","track":9,"sound":true}', "x" * 100):
            client = await studio.open(await studio.house.joined(f"Eve{len(said)}"))
            await client.line.send(said)
            assert await client.ended() == 4000


async def test_t8_binary_stays_a_fault_on_the_socket_of_play(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        ada = await studio.house.enter(await studio.house.joined("Ada"))
        await ada.send(write_chunk(Chunk(0, True, 0, 0), b"frame"))
        await ada.until(lambda: ada.of("fault"))
        assert ada.of("fault")[0]["code"] == "NotText"


async def stall(viewer: VideoClient) -> None:
    """Read nothing any more."""
    viewer.line.transport.pause_reading()


@EACH
async def test_v72_a_slow_viewer_skips_to_a_key_frame_and_holds_up_nobody(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        camera = await studio.camera()
        quick, slow = await studio.viewer("Ada", 0), await studio.viewer("Bea", 0)
        await camera.send(0, 1000, key=True)
        await slow.until(lambda: slow.numbers(0))
        await stall(slow)
        for place in range(1, 100):  # 2 MB, within the bounds of a camera
            await camera.send(0, 20_000, key=place % 30 == 0)
            await asyncio.sleep(0.02)
        await quick.until(lambda: quick.numbers(0)[-1] == 99)
        assert quick.numbers(0) == list(range(100)), "the quick one misses nothing"
        protocols = [
            viewer.line
            for held in (studio.video.relay, *(front.relay for front in studio.house.fronts))
            for viewers in held._tables.values()
            for viewer in viewers.values()
        ]
        assert max(line.count_unsent() for line in protocols) <= relay.QUEUE
        slow.line.transport.resume_reading()
        await slow.until(lambda: slow.numbers(0)[-1] > 5)
        await asyncio.sleep(0.3)
        for place in range(100, 152):
            await camera.send(0, 1000, key=place % 30 == 0)
            await asyncio.sleep(0.005)
        await slow.until(lambda: slow.numbers(0)[-1] == 151)
        assert not slow.closed
        check_gaps(slow)
        assert len(slow.numbers(0)) < 152
        assert studio.video.measure()[2] + sum(front.relay.skipped for front in studio.house.fronts) > 0


def check_gaps(viewer: VideoClient) -> None:
    """After a gap comes a key frame."""
    pictures = [chunk for chunk, _ in viewer.chunks if chunk.track == 0]
    gaps = 0
    for before, after in pairwise(pictures):
        if after.number != before.number + 1:
            gaps += 1
            assert after.is_key, (before.number, after.number)
    assert gaps


async def test_v72_a_planted_relay_that_forgets_key_frames_is_found(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        camera, slow = await studio.camera(), await studio.viewer("Bea", 0)
        await camera.send(0, 1000, key=True)
        await slow.until(lambda: slow.numbers(0))
        await stall(slow)
        (viewer,) = studio.video.relay._tables[LIVE].values()
        for _ in range(1, 100):
            await camera.send(0, 20_000)
            viewer.is_behind = False
            await asyncio.sleep(0.02)
        slow.line.transport.resume_reading()
        await asyncio.sleep(0.3)
        viewer.is_behind = False
        await camera.send(0, 1000)
        await slow.until(lambda: slow.numbers(0)[-1] == 100)
        with pytest.raises(AssertionError):
            check_gaps(slow)


@EACH
async def test_v72_the_clock_of_the_house_is_told(tmp_path: Path, doors: int) -> None:
    async with open_studio(tmp_path, doors_before=doors) as studio:
        ada = await studio.viewer("Ada", 0)
        with patch.object(studio.video, "_read_clock", lambda: 1234.5):
            await ada.say("clock", sent=17.25)
            await ada.until(lambda: ada.of("clock"))
        assert ada.of("clock") == [{"type": "clock", "sent": 17.25, "now": 1234500.0}]


async def test_v72_key_frames_are_asked_for_four_times_a_second_at_most(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        await asyncio.sleep(0.3)
        before = len(camera.of("keyframe"))
        for _ in range(10):
            await ada.say("keyframe")
        await asyncio.sleep(0.2)
        assert 1 <= len(camera.of("keyframe")) - before <= 2
        assert video_hub.KEYFRAME_MS == 250


async def test_v72_the_door_of_a_camera_that_loses_its_host_ends_its_video(tmp_path: Path) -> None:
    """Who watched comes again; sockets of play stay."""
    async with open_studio(tmp_path, doors_before=2) as studio:
        camera, viewers = await studio.camera(), [await studio.viewer(name, 0) for name in ("Ada", "Bea")]
        play = await studio.house.enter(await studio.house.joined("Cleo"))
        for front in studio.house.fronts:
            assert front._link is not None
            front._link.abort()
        for client in (camera, *viewers):
            assert await client.ended() == 4006
        await wait_until(lambda: studio.video.sockets == 0)
        await play.until(lambda: all(front.is_linked for front in studio.house.fronts))
        assert (await play.join())["refused"] is None
        again, ada = await studio.camera("Dino"), await studio.viewer("Ada2", 0)
        await again.send(0, key=True)
        await ada.until(lambda: ada.numbers(0))


async def test_v72_figures_of_video_are_told(tmp_path: Path) -> None:
    async with open_studio(tmp_path) as studio:
        camera, ada = await studio.camera(), await studio.viewer("Ada", 0)
        await camera.send(0, 1000, key=True)
        await ada.until(lambda: ada.numbers(0))
        figures = studio.house.app.state.meters.text().decode()
        assert "ventuno_video_viewers 1.0" in figures
        assert "ventuno_video_cameras 1.0" in figures
        assert "ventuno_video_sent_frames_total 1.0" in figures
        assert "ventuno_video_received_bytes_total 1016.0" in figures
