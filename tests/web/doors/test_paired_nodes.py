"""Hidden cards change nothing that passes between the nodes of a house, nor what a door sends (H-1, H-2, G-15, T-7).

Two houses on PostgreSQL, host and doors as nodes over NATS, whose broker somebody hears. `python3 dev.py soak pairs
--nodes` runs thousands of rounds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.databases import create_database
from tests.support.paired_node_houses import open_paired_nodes
from tests.support.paired_node_runs import NODE_LEAKS, list_modes, run_pair
from tests.support.postgres import Cluster
from tests.support.volume import VOLUME
from ventuno.house.store.migrations import migrate
from ventuno.sheets import GAMES, load

SEEDS = range(20)
"""In so many rounds a leak has to be found: some end with the deal."""


@pytest.fixture
def databases(postgres: Cluster) -> tuple[str, str]:
    urls = create_database(postgres), create_database(postgres)
    for url in urls:
        migrate(url)
    return urls


@pytest.mark.timeout(600)
async def test_h1_nothing_between_nodes_tells_of_what_is_hidden(tmp_path: Path, databases: tuple[str, str]) -> None:
    """By no byte to a client, by no packet to a door, by no figure of a node; and no secret passes in the clear."""
    async with open_paired_nodes(tmp_path, databases) as sides:
        for place, game in enumerate(GAMES):
            modes = list_modes(load(game))
            for mode in modes if VOLUME else (modes[0], modes[1 + place % 3]):
                compared = 0
                for seed in SEEDS:
                    times, found = await run_pair(sides, game, mode, seed, reads=VOLUME > 0 or not place)
                    assert not found, (game, mode, seed)
                    compared += times
                    if compared > 1 and not VOLUME:
                        break
                assert compared > 1, (game, mode)


@pytest.mark.timeout(600)
async def test_every_leak_between_nodes_is_found_on_its_way(tmp_path: Path, databases: tuple[str, str]) -> None:
    """The check itself: each leak on the ways that it takes, and on no other."""
    found = dict[str, set[str]]()
    async with open_paired_nodes(tmp_path, databases) as sides:
        for name, leak in NODE_LEAKS.items():
            with pytest.MonkeyPatch.context() as patched:
                leak.plant(patched, sides)
                for seed in SEEDS:
                    _, ways = await run_pair(sides, "ventuno", "hole", seed, reads=False)
                    if ways:
                        break
            found[name] = set(ways)
    assert found == {name: set(leak.ways) for name, leak in NODE_LEAKS.items()}
