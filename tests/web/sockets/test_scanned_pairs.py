"""The face-down card of a scanned table changes nothing that leaves the house before it is turned (H-1, X-27)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.scanned_pairs import ScannedPairs, open_scanned_pairs
from ventuno.core.messages.commands import ScanCard
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import CardNotWanted, CardReadTwice, Refusal
from ventuno.core.rules.cards import text
from ventuno.core.table import scanning
from ventuno.core.table.round import Round
from ventuno.core.table.state import Studio, Table
from ventuno.core.views import public_view

PAIRS = 24
ENOUGH = 6
"""Pairs in which a planted leak has to be found."""
show_studio, scan = public_view._show_studio, scanning._scan


async def test_h1_nothing_is_told_of_a_scanned_card_that_lies_face_down(tmp_path: Path) -> None:
    async with open_scanned_pairs(tmp_path) as pairs:
        for seed in range(PAIRS):
            await pairs.pair(seed)
    least = {"face down": PAIRS * 3 // 4, "hit": 10, "stand": 10, "double": 5, "read": 20, "taken back": 5}
    assert {what: pairs.seen[what] for what, count in least.items() if pairs.seen[what] < count} == {}


async def find_leak(pairs: ScannedPairs) -> bool:
    for seed in range(ENOUGH):
        try:
            await pairs.pair(seed)
        except AssertionError as difference:
            return f"seed {seed}" in str(difference)
    return False


def show_hole(_table: Table, play: Round) -> Round:
    """A felt on which a face-down card lies open."""
    return play._replace(dealer=(*play.dealer, *play.hidden), hidden=()) if play.hidden else play


def tell_last(table: Table, studio: Studio, find_person: public_view.FindPerson) -> public_view.Studio:
    """A desk that repeats what was scanned last."""
    last = text(studio.scans[-1].card) if studio.scans else ""
    return replace(show_studio(table, studio, find_person), misdeal=last)


def refuse_with_card(table: Table, studio: Studio, command: ScanCard) -> list[Event] | Refusal:
    """A card out of turn that is refused with the one that was scanned last."""
    outcome = scan(table, studio, command)
    return CardReadTwice(text(studio.scans[-1].card)) if isinstance(outcome, CardNotWanted) else outcome


LEAKS = (
    (scanning, "lay_out", show_hole),
    (public_view, "_show_studio", tell_last),
    (scanning, "_scan", refuse_with_card),
)


async def test_every_planted_leak_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_scanned_pairs(tmp_path) as pairs:
        for room, name, leak in LEAKS:
            with monkeypatch.context() as planted:
                planted.setattr(room, name, leak)
                assert await find_leak(pairs), name
        assert not await find_leak(pairs)
