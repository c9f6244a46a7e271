"""T-1: worlds without a fault, the same trace every time, and every planted fault found.

`python3 dev.py soak simulation` runs a million worlds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.simulation import coverage, simulation
from tests.support.simulation.planted import FAULTS, Fault, planted
from tests.support.simulation.world import World

ROOT = Path(__file__).resolve().parents[2]
MOST_SEEDS = 2_000
"""A planted fault must show within as many worlds as hold without one."""


def test_worlds_hold_their_invariants_and_reach_every_event_and_every_refusal() -> None:
    """T-1, G-2: I-1…I-8 after every step; what fails is named with the command that shows it again.

    What the five games cannot reach is listed with its reason, and nothing else is missing.
    """
    counts = Counter[str]()
    found = simulation.failures(0, MOST_SEEDS, lambda seed: coverage.Counted(seed, counts))
    assert not found, "\n".join(found)
    assert set(coverage.missing(counts)) == set(coverage.UNREACHABLE)
    assert counts["rounds"] >= 1.5 * MOST_SEEDS
    assert counts["steps"] >= 40 * MOST_SEEDS


def test_a_seed_gives_the_same_bytes_in_every_process() -> None:
    """The order of sets and the address of objects differ between processes; the trace does not."""
    printed = set()
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-m", "tests.support.simulation.simulation", "7"]
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
    fault = next(one for one in FAULTS if one.name == "push-loses")
    with planted(fault):
        printed = next(found for seed in range(MOST_SEEDS) if (found := simulation.failure(seed)))
        seed = int(printed.rsplit("python -m tests.support.simulation.simulation ", 1)[1])
        ends = []
        for _ in range(2):
            world = World(seed)
            with pytest.raises(AssertionError) as raised:
                world.run()
            ends.append((world.trace, str(raised.value)))
    assert ends[0] == ends[1]
    assert f"seed {seed}: Broken: {ends[0][1]}" == printed.splitlines()[0]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_every_planted_fault_is_caught(fault: Fault) -> None:
    """G-6: the checks can fail, each for its own reason."""
    with planted(fault):
        assert any(simulation.failure(seed) for seed in range(MOST_SEEDS)), f"{fault.name} was not noticed"


def test_there_are_thirty_faults_with_names_of_their_own() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
