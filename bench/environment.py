"""Decisions a second of CPU: our vectorised environment beside Gymnasium's Blackjack-v1, in one run.

A step in which a finished box is only dealt anew is not counted for us; Blackjack-v1 pays for its resets the same way.
Exits 1 below the goal.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import gymnasium
import numpy as np

from ventuno.environments.blackjack import BlackjackEnv, BlackjackVectorEnv
from ventuno.odds.simulator.round_machine import STAND

GOAL = 300.0
BOXES = 4096
TURNS = 5


def main() -> int:
    ours, single, theirs, bare = 0.0, 0.0, 0.0, 0.0
    vector, one = BlackjackVectorEnv(BOXES), BlackjackEnv()
    vector.reset(seed=1)
    vector.step(np.full(BOXES, STAND))
    for _ in range(TURNS):
        ours = max(ours, many(vector, 500))
        single = max(single, alone(one, 20_000))
        theirs = max(theirs, alone(gymnasium.make("Blackjack-v1"), 20_000))
        bare = max(bare, alone(gymnasium.make("Blackjack-v1").unwrapped, 20_000))
    print(f"vectorised, {BOXES} boxes: {ours / 1e6:.1f} M decisions/s")
    print(f"single: {single:,.0f} decisions/s")
    print(f"Gymnasium Blackjack-v1: {theirs:,.0f} steps/s as made, {bare:,.0f} without its wrappers")
    print(f"ratio: {ours / theirs:,.0f} as made, {ours / bare:,.0f} without wrappers (at least {GOAL:.0f})")
    return int(ours / bare < GOAL)


def many(env: BlackjackVectorEnv, steps: int) -> float:
    """Random actions, drawn before."""
    actions = np.random.default_rng(1).integers(0, 8, (16, env.num_envs))
    decisions, spent, fresh = 0, 0.0, 0
    for k in range(steps):
        begun = time.process_time()
        _, _, over, _, _ = env.step(actions[k % 16])
        spent += time.process_time() - begun
        decisions += env.num_envs - fresh
        fresh = int(over.sum())
    return decisions / spent


def alone(env: Any, steps: int) -> float:
    """Hit or stand at random."""
    actions = np.random.default_rng(1).integers(0, 2, steps).tolist()
    env.reset(seed=1)
    begun = time.process_time()
    for action in actions:
        if env.step(action)[2]:
            env.reset()
    return steps / (time.process_time() - begun)


if __name__ == "__main__":
    sys.exit(main())
