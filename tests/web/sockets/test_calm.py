"""A socket that is left alone because nothing can be due to it has indeed nothing to hear (R-37, R-40)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.support.house import LIVE, NOON
from tests.support.http_house import ServedHouse, opened
from tests.support.patience import PATIENCE
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.player_limits import DAY, MINUTE
from ventuno.house.store.clock import JumpingClock
from ventuno.web.sockets import notifications
from ventuno.web.sockets.channel import Connection

Act = Callable[[ServedHouse, JumpingClock, PlayerId, PlayerId], Awaitable[object]]


async def waits(_doors: ServedHouse, clock: JumpingClock, _player: PlayerId, _eva: PlayerId) -> None:
    clock.move(31 * MINUTE)


async def checked(doors: ServedHouse, clock: JumpingClock, player: PlayerId, _eva: PlayerId) -> None:
    await doors.application.protection.choose_reality(player, 15)
    clock.move(16 * MINUTE)


async def limited(doors: ServedHouse, clock: JumpingClock, player: PlayerId, _eva: PlayerId) -> None:
    await doors.application.protection.set_limit(player, "session:minutes", 10)
    clock.move(11 * MINUTE)


ACTS: dict[str, Act] = {
    "half an hour passes": waits,
    "a check is due": checked,
    "the time is up": limited,
    "he excludes himself": lambda doors, _clock, player, _eva: doors.application.protection.exclude(player, 30),
    "he pauses": lambda doors, _clock, player, _eva: doors.application.protection.cool_off(player, NOON + 2 * DAY),
    "his account is closed": lambda doors, _clock, player, eva: doors.application.supervision.close_account(
        eva, player, "two"
    ),
    "he is muted": lambda doors, _clock, player, eva: doors.application.supervision.mute(
        eva, LIVE, player, "insults", 10
    ),
    "a code for his password is created": lambda doors, _clock, player, eva: (
        doors.application.accounts.create_reset_code(eva, player, "asked by telephone")
    ),
}


async def calmed(doors: ServedHouse, player: PlayerId) -> Connection:
    """His socket, once the house knows that it can be left alone."""
    await doors.enter(player)
    channel = doors.hub.connections[player][0]
    async with asyncio.timeout(PATIENCE):
        while channel.quiet is None:
            await asyncio.sleep(0.02)
    assert channel.is_quiet(doors.hub.now())
    doors.hub._checking.cancel()  # from here on nobody looks but this test
    return channel


async def is_left_alone(folder: Path, act: Act, calm: Callable[[Connection, int], bool] = Connection.is_quiet) -> bool:
    """Whether a socket is still taken for calm when there is something to hear."""
    clock = JumpingClock(NOON)
    async with opened(folder, clock=clock) as doors:
        eva, player = await doors.supervisor(), await doors.joined("Ada")
        channel = await calmed(doors, player)
        told = channel.notified
        await act(doors, clock, player, eva)
        at, app = doors.hub.now(), doors.application
        ended = notifications.find_closing(app, player, channel.session, at)
        assert ended or notifications.find_news(app, player, told, at)[1], "there must be something to hear"
        channel.notified = told
        return calm(channel, at)


@pytest.mark.parametrize("what", ACTS)
async def test_who_has_something_to_hear_is_not_left_alone(tmp_path: Path, what: str) -> None:
    assert not await is_left_alone(tmp_path, ACTS[what])


def without_time(channel: Connection, at: int) -> bool:
    return channel.is_quiet(min(at, channel.quiet.until - 1)) if channel.quiet else False


def without_account(channel: Connection, at: int) -> bool:
    app = channel._hub.app
    return channel.quiet is not None and at < channel.quiet.until and app.chat.find_mute(channel.player) is None


def without_mute(channel: Connection, at: int) -> bool:
    same = channel.quiet is not None and channel._hub.app.accounts.get(channel.player) is channel.quiet.account
    return same and channel.quiet is not None and at < channel.quiet.until


@pytest.mark.parametrize(
    ("what", "forgetful"),
    [
        ("half an hour passes", without_time),
        ("he excludes himself", without_account),
        ("his account is closed", without_account),
        ("he is muted", without_mute),
    ],
)
async def test_a_socket_that_is_forgotten_is_found(
    tmp_path: Path, what: str, forgetful: Callable[[Connection, int], bool]
) -> None:
    """The check itself: whatever a socket's calm depends on, without it there is somebody who does not hear."""
    assert await is_left_alone(tmp_path, ACTS[what], forgetful)
