"""Which pit a stream belongs to, and which node should have a pit.

There are 256 pits, and every stream belongs to exactly one. A live table is placed by its name; the account of a
player and his tables for one by the player. Both functions are hashes of names alone: every node computes the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

from ventuno.core.rules.money import PlayerId
from ventuno.house.store.audit_log import STREAM

PITS = 256
PitNumber: TypeAlias = int


@lru_cache(maxsize=1 << 16)
def find_player_pit(player: PlayerId) -> PitNumber:
    """The home of a player: his account, his limits, his tables for one.

    >>> find_player_pit("17")
    121
    """
    return _hash_pit(f"player:{player}")


@lru_cache(maxsize=1 << 16)
def find_table_pit(name: str, owner: PlayerId = "") -> PitNumber:
    """Where a table is decided; a table for one is at home with its owner, so most play never leaves one pit."""
    return find_player_pit(owner) if owner else _hash_pit(f"table:{name}")


def number_unit(pit: PitNumber) -> int:
    """The unit that leases, keys and streams of a pit have in the database; unit 0 is the whole house of one owner.

    >>> number_unit(0), find_pit(256)
    (1, 255)
    """
    return pit + 1


def find_pit(unit: int) -> PitNumber:
    return unit - 1


def name_stream(pit: PitNumber) -> str:
    """The stream of a pit itself: its transfers."""
    return f"pit:{pit}"


def name_audit(pit: PitNumber) -> str:
    """The audit log of a pit: a chain of its own.

    >>> name_audit(17)
    'house#17'
    """
    return f"{STREAM}#{pit}"


def choose_node(pit: PitNumber, nodes: Iterable[str]) -> str:
    """The live node that should have a pit (rendezvous hashing): a node that comes or goes moves only its own share.

    >>> choose_node(17, ["h1", "h2", "h3"]) == choose_node(17, ["h3", "h2", "h1"])
    True
    """
    return max(nodes, key=lambda node: (sha256(f"{pit}\x00{node}".encode()).digest(), node))


def choose_pits(node: str, nodes: Iterable[str]) -> list[PitNumber]:
    """The pits that a node should have among these nodes."""
    listed = sorted({*nodes, node})
    return [pit for pit in range(PITS) if choose_node(pit, listed) == node]


def _hash_pit(name: str) -> PitNumber:
    return sha256(name.encode()).digest()[0]
