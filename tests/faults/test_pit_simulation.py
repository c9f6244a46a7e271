"""T-1 for several machines: hosts with epochs on one disk, and every planted fault found.

`python3 dev.py soak pits` runs a million worlds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.pit_simulation import coverage, simulation
from tests.support.pit_simulation.planted import FAULTS, plant
from tests.support.pit_simulation.world import World
from tests.support.simulation.fault import Fault
from tests.support.volume import scale

ROOT = Path(__file__).resolve().parents[2]
WORLDS, PARTS = scale(80_000, 4), 8
"""All worlds of a run, in so many tests that cores share them."""
MOST_SEEDS = 2_000
"""A planted fault must show within as many worlds as hold without one in the daily run."""


@pytest.mark.parametrize("part", range(PARTS))
def test_worlds_of_several_hosts_hold_their_invariants(part: int) -> None:
    """T-1, G-2: after every commit and of all that is told; when faults stop, everything comes to its end."""
    portion = WORLDS // PARTS
    found = simulation.find_failures(part * portion, portion)
    assert not found, "\n".join(found)


def test_worlds_reach_what_they_are_made_for() -> None:
    """Take-overs, zombies, transfers that are refused, limits that bind, lowerings and exclusions that wait."""
    counts = Counter[str]()
    assert not simulation.find_failures(0, 300, lambda seed: coverage.Counted(seed, counts))
    assert not [name for name in coverage.WANTED if counts[name] < coverage.WANTED[name]], counts


def test_a_seed_gives_the_same_bytes_in_every_process() -> None:
    """The order of sets and the address of objects differ between processes; the trace does not."""
    printed = set()
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-m", "tests.support.pit_simulation.simulation", "7"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        printed.add(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout)
    assert len(printed) == 1
    assert printed.pop().splitlines()[-1] == simulation.run(7).hex().encode()


def test_worlds_do_not_depend_on_those_before_them() -> None:
    alone = [simulation.run(seed) for seed in range(30)]
    assert [simulation.run(seed) for seed in reversed(range(30))] == alone[::-1]
    assert len(set(alone)) == 30


def test_a_failing_seed_is_replayed_by_the_command_it_prints() -> None:
    """Byte for byte: the same trace up to the same fault."""
    fault = next(one for one in FAULTS if one.name == "doubled-money-comes-home-again")
    with plant(fault):
        printed = next(found for seed in range(MOST_SEEDS) if (found := simulation.find_failure(seed)))
        seed = int(printed.rsplit(f"{simulation.COMMAND} ", 1)[1])
        ends = []
        for _ in range(2):
            world = World(seed)
            with pytest.raises(AssertionError) as raised:
                world.run()
            ends.append((world.trace, str(raised.value)))
    assert ends[0] == ends[1]
    assert f"seed {seed}: Broken: {ends[0][1]}" == printed.splitlines()[0]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_every_planted_fault_of_several_hosts_is_caught(fault: Fault) -> None:
    """G-6: the checks can fail, each for its own reason."""
    with plant(fault):
        assert any(simulation.find_failure(seed) for seed in range(MOST_SEEDS)), f"{fault.name} was not noticed"


def test_there_are_twenty_faults_with_names_of_their_own() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20
