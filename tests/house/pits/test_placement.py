"""Pits are found by names alone, and nodes share them evenly."""

from __future__ import annotations

from collections import Counter

from ventuno.house.pits.placement import PITS, choose_node, choose_pits, find_player_pit, find_table_pit

NODES = ("h1", "h2", "h3", "h4")


def test_a_table_for_one_is_at_home_with_its_owner() -> None:
    for number in range(50):
        assert find_table_pit(f"sisal-{number}", str(number)) == find_player_pit(str(number))
    assert any(find_table_pit(f"T{number}") != find_player_pit(str(number)) for number in range(5))


def test_players_and_tables_fill_all_pits() -> None:
    players = Counter(find_player_pit(str(number)) for number in range(20_000))
    assert set(players) == set(range(PITS))
    assert max(players.values()) < 2 * 20_000 / PITS


def test_every_pit_has_one_node_and_nodes_share_them() -> None:
    shares = {node: choose_pits(node, NODES) for node in NODES}
    assert sorted(pit for pits in shares.values() for pit in pits) == list(range(PITS))
    assert all(PITS / 8 < len(pits) < PITS / 2 for pits in shares.values())


def test_a_node_that_goes_moves_only_its_own_pits() -> None:
    for pit in range(PITS):
        before, after = choose_node(pit, NODES), choose_node(pit, NODES[:-1])
        assert after == before or before == NODES[-1]
