"""Hidden cards and hidden choices change nothing that leaves the house before they are shown (H-1…H-6, H-9, G-15).

The bytes are those of the real channels and of the real calls over HTTP; the clock is moved by hand. `python3 dev.py
soak pairs` runs a hundred thousand pairs of each game.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from tests.support.doors_in_tests import DOORS
from tests.support.hidden_shoes import Choice, Watch
from tests.support.http_house import Seen
from tests.support.paired_runs import ENOUGH, Pairs, found, paired
from tests.support.planted_leaks import LEAKS, holed
from tests.support.raw_client import split_frames
from ventuno.core.messages.events import HandHit, HandsDealt, HandStood, HoleTurned, InsuranceClosed, Peeked
from ventuno.core.rules.cards import cards
from ventuno.core.table.round import Origin
from ventuno.sheets import GAMES, load
from ventuno.web.doors.bus import Link
from ventuno.web.sockets.table_broadcast import TableBroadcast

PAIRS = ENOUGH
"""As many as a planted leak has to be found in."""
ROUNDS = 10
"""Whole rounds of each game through which somebody comes late at every step."""
COMMON = {"revealed": PAIRS // 3, "never revealed": PAIRS // 10, "late": PAIRS // 20, "read": PAIRS}
COVERED: dict[str, dict[str, int]] = {
    "ventuno": {"hole": 20, "rest": 20, "later": 20, "both": 20, "early": 10, "follow": 6, "insurance": 100},
    "first-person": {"hole": 20, "rest": 20, "later": 20, "offer": 100, "insurance": 100},
    "sisal": {"hole": 20, "rest": 20, "later": 20, "insurance": 100},
    "duello": {"own": 20, "first": 20, "second": 20, "all": 20, "chips": 10},
    "link": {"hole": 20, "rest": 20, "draws": 20, "bonus": 40, "even money": 20, "insurance": 100},
}
"""What must have come up at least so often in 400 pairs, or the run has shown nothing."""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.timeout(900)
async def test_h1_nothing_is_told_of_what_is_hidden(tmp_path: Path, game: str) -> None:
    """H-1, H-2, H-4, H-5, H-9: to nobody, by no byte, no size, no time, no log line and no counter."""
    async with paired(tmp_path, game, Pairs) as pairs:
        for seed in range(PAIRS):
            await pairs.pair(seed)
    wanted = COMMON | {what: max(least * PAIRS // 400, 1) for what, least in COVERED[game].items()}
    missing = {what: (pairs.seen[what], least) for what, least in wanted.items() if pairs.seen[what] < least}
    assert not missing


@pytest.mark.parametrize("game", sorted({one.game for one in LEAKS.values()}))
@pytest.mark.timeout(600)
async def test_every_planted_leak_is_found(tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: the same run over a house that tells too much, in one way after the other."""
    unnoticed = []
    async with paired(tmp_path, game, Pairs) as pairs:
        for name, planted in LEAKS.items():
            if planted.game == game:
                await pairs.pair(1, planted.mode)
                with monkeypatch.context() as patched:
                    planted.plant(patched)
                    if not await found(pairs, planted.mode):
                        unnoticed.append(name)
                await pairs.pair(1, planted.mode)
    assert unnoticed == []


@pytest.mark.skipif(not DOORS, reason="nothing stands between the hub and its sockets where there is no door")
async def test_a_bus_that_hands_ones_own_frame_to_others_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames that follow each other are taken for one and the same, as they are for many in a broadcast."""
    deliver = Link.deliver

    def mix(link: Link[Any], frame: bytes, id: int) -> None:
        deliver(link, link._frame if link._receivers else frame, id)

    async with paired(tmp_path, "ventuno", Pairs) as pairs:
        await pairs.pair(1, "balance")
        monkeypatch.setattr(Link, "deliver", mix)
        assert await found(pairs, "balance")


class Latecomers(Pairs):
    """One house alone. After each step everybody comes once more on another device, and sees what he has seen (H-6)."""

    def compare(self, kind: str, seed: int) -> None:
        del kind, seed

    @property
    def over(self) -> bool:
        return False

    async def both(self, name: str, kind: str, *others: dict[str, Any], **fields: Any) -> None:
        if "version" in fields:
            fields["version"] = self.mine.stage.version  # what he has; older steps would be told twice
        await self.mine.say(name, kind, **fields, **(others[0] if others else {}))

    async def ask(self, name: str, *others: dict[str, Any] | None, **command: Any) -> None:
        await self.mine.ask(name, **command, **((others[0] if others else None) or {}))

    async def wait(self, milliseconds: int) -> None:
        if milliseconds > 0:
            await self.mine.wait(milliseconds)

    async def read(self, name: str, path: str) -> None:
        del name, path

    async def step(self, rng: Random, kind: str) -> bool:
        going = await super().step(rng, kind)
        for name in self.mine.present():
            await self.look(name)
        return going

    async def look(self, name: str) -> None:
        side, hub = self.mine, self.mine.house.hub
        early = folded(one.what for one in side.told if one.to == name)
        held: list[bytes] = []
        first, second = side.channels[name], await side.house.enter(side.players[name], held.append)
        side.channels[name] = second
        await side.join(name)
        side.channels[name] = first
        assert folded(held) == early, name
        await side.join(name, early.version)
        hub._leave(second)
        self.seen["looked"] += 1


def folded(frames: Iterable[bytes]) -> Seen:
    """A table as somebody has it who was told these; a step that does not follow is an error."""
    seen: Seen | None = None
    for frame in frames:
        for payload in split_frames(frame):
            message = msgspec.json.decode(payload)
            if message["type"] == "table":
                seen = Seen(message["version"], message["public"], message["mine"])
            elif message["type"] == "step":
                assert seen is not None
                seen.step(message)
    assert seen is not None
    return seen


async def rounds(pairs: Latecomers) -> None:
    for seed in range(ROUNDS):
        await pairs.pair(seed)


@pytest.mark.parametrize("game", GAMES)
async def test_h6_who_comes_late_sees_what_was_told_and_no_more(tmp_path: Path, game: str) -> None:
    """The whole table, at every step of whole rounds, is the fold of what was told to who never left."""
    async with paired(tmp_path, game, Latecomers) as pairs:
        await rounds(pairs)
    assert pairs.seen["looked"] > 5 * ROUNDS


async def test_h6_a_snapshot_that_knows_more_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: a table that is told whole with one field more than its steps."""
    real = TableBroadcast._encode_table

    def leaky(self: TableBroadcast) -> bytes:
        return real(self).replace(b'"cards_left":', b'"hole":%d,"cards_left":' % holed(self.live.table))

    async with paired(tmp_path, "ventuno", Latecomers) as pairs:
        monkeypatch.setattr(TableBroadcast, "_encode_table", leaky)
        with pytest.raises(AssertionError):
            await rounds(pairs)


ORDER = cards("2S 3S AH 4S 5S KC 7D 8D 9D TD")
SWAPPED = cards("2S 3S AH 4S 5S 9D 7D 8D KC TD")


def test_the_oracle_knows_what_turns_a_hidden_card() -> None:
    """Two boxes: the hole card lies at place 5. A look under an ace tells of Blackjack and of nothing else."""
    dealt = HandsDealt(((1, (0, 3)), (2, (1, 4))), ORDER[2])
    for events, told in (
        ([], False),
        ([HandHit(1, 1, ORDER[6], Origin.PLAYER), HandStood(1, 1, Origin.PLAYER)], False),
        ([HoleTurned(ORDER[5])], True),
        ([Peeked(blackjack=True)], True),
        ([HandHit(1, 1, ORDER[6], Origin.PLAYER)] * 3, True),
    ):
        watch = Watch(load("ventuno"), ORDER, SWAPPED, 0)
        watch.see([dealt, *events])
        assert watch.revealed is told, events
    under_ten = Watch(load("ventuno"), cards("2S 3S TH 4S 5S AC 7D"), cards("2S 3S TH 4S 5S 9C 7D"), 0)
    under_ten.see([dealt, Peeked(blackjack=True)])
    assert not under_ten.revealed, "a look under a ten is none that may tell anything"


def test_the_oracle_knows_what_carries_out_a_choice() -> None:
    for kind, event, told in (
        ("insurance", InsuranceClosed(), True),
        ("insurance", HandStood(4, 1, Origin.PLAYER), False),
        ("early", HandStood(4, 1, Origin.EARLY), True),
        ("early", HandStood(1, 1, Origin.PLAYER), False),
        ("balance", InsuranceClosed(), False),
    ):
        choice = Choice(kind, 4)
        choice.see([event])
        assert choice.revealed is told, (kind, event)
