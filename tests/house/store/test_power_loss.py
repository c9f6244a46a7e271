"""T-4, R-48: the power fails at every single I/O of a scripted evening; nothing that was acknowledged is lost.

The real schema and the real commit code run on APSW over a disk that writes down each write, sync and truncation.
From that journal the disk after a cut at the n-th I/O is made, with what was not synced lost, kept, or torn: kept in
part, in no order, sectors missing. A stock SQLite opens the remains. The standard library cannot take a disk written in
Python, so the writer takes any connection with `execute`; SQLite without shared memory needs the exclusive lock.

    VENTUNO_CUTS=10000 python dev.py test tests/house/store/test_power_loss.py      more evenings
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.support.journaled_disk import (
    CHECKPOINT,
    EXCLUSIVE,
    KEPT,
    LOST,
    TORN,
    Disk,
    connect_to_disk,
    create_disk,
    cut_power,
    find_damage,
)
from tests.support.scripted_evening import tape
from tests.support.volume import scale
from ventuno.house.store.sqlite import Writer
from ventuno.house.store.store import WriteRequest

CUTS = int(os.environ.get("VENTUNO_CUTS", scale(1_000)))
STEPS = 250


def evening(folder: Path, seed: int, pragmas: dict[str, str], *, early: bool = False) -> Disk:
    """Commit a tape in small groups, as the writer's thread would. `early` acknowledges before the commit."""
    batches = tape(seed, STEPS).batches
    disk, chance = create_disk(folder), random.Random(seed)
    with connect_to_disk(disk, pragmas) as connection:
        writer = Writer(connection, lambda *_: None, CHECKPOINT)
        while batches:
            size = chance.choice((1, 1, 2, 5))
            group, batches = batches[:size], batches[size:]
            if early:
                for batch in group:
                    disk.acknowledge(batch)
            assert writer.write([WriteRequest(batch, lambda _: None) for batch in group]) is None
            if not early:
                for batch in group:
                    disk.acknowledge(batch)
            writer.checkpoint_if_due()
        made = list(disk.steps)
    disk.steps = made  # without what closing in good order does
    return disk


def cut_everywhere(disk: Disk, folder: Path, limit: int, seed: int) -> tuple[int, list[str]]:
    """Every cut up to the limit, each in three ways: how many were tried, and what broke."""
    folder.mkdir(parents=True, exist_ok=True)
    chance, tried, faults = random.Random(seed), 0, []
    for cut in range(min(limit, len(disk.steps) + 1)):
        for how in (LOST, KEPT, TORN):
            tried += 1
            if fault := find_damage(folder, cut_power(disk, cut, how, chance), disk.before(cut)):
                faults.append(f"seed {seed} cut {cut} {how}: {fault}")
    return tried, faults


def test_t4_no_power_cut_loses_what_was_acknowledged(tmp_path: Path) -> None:
    left, seed, tried = CUTS, 0, 0
    while left > 0:
        disk = evening(tmp_path / str(seed), seed, EXCLUSIVE)
        assert {"write", "sync"} <= {step.kind for step in disk.steps}
        assert len([step for step in disk.steps if step.file == "house.db"]) > 20, "no checkpoint was cut"
        done, faults = cut_everywhere(disk, tmp_path / "remains", left, seed)
        assert faults == []
        left, seed, tried = left - done // 3, seed + 1, tried + done
    print(f"{tried} power cuts on {seed} evenings: nothing acknowledged was lost")


@pytest.mark.parametrize("level", ["off", "normal"])
def test_t4_the_control_without_syncs_loses(tmp_path: Path, level: str) -> None:
    """The same cuts on `synchronous=off` must lose in at least half of them, or the disk is too kind."""
    disk = evening(tmp_path, 0, EXCLUSIVE | {"synchronous": level})
    tried, faults = cut_everywhere(disk, tmp_path / "remains", CUTS, 0)
    print(f"synchronous={level}: {len(faults)} of {tried} cuts lost what was acknowledged")
    assert len(faults) >= tried / 2 if level == "off" else faults


def test_t4_a_planted_early_acknowledgement_is_caught(tmp_path: Path) -> None:
    disk = evening(tmp_path, 0, EXCLUSIVE, early=True)
    assert cut_everywhere(disk, tmp_path / "remains", 100, 0)[1]
