"""Rounds of a public beacon as one more contributor to a cut: which round, when it is due, whether its signature holds.

A drand chain signs the number of a round when its time has come, and nobody knows the signature before. What is
committed to names the round, so neither a house nor its players can choose it (docs/fairness.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ventuno.house.shoes.document_fields import (
    HASH,
    read_hash,
    read_hex,
    read_mapping,
    read_text,
    read_whole,
    write_fields,
)
from ventuno.house.store.canonical_json import Unreadable

SCHEME = "bls-unchained-g1-rfc9380"
DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
SIGNATURE, PUBLIC_KEY = 48, 96
EXTRA = "beacon"


class BeaconUnsupported(ImportError):
    """The library that checks signatures of beacons is not installed: `pip install 'ventuno[beacon]'`."""

    def __init__(self) -> None:
        super().__init__(f"signatures of beacons need the extra: pip install 'ventuno[{EXTRA}]'")


@dataclass(frozen=True, slots=True)
class BeaconRound:
    """The round of a chain whose signature will take part in a cut, named before it is due."""

    chain: bytes
    round: int

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)


@dataclass(frozen=True, slots=True)
class BeaconChain:
    """A drand chain: the hash that names it, its public key, when its first round was due and how often one is."""

    hash: bytes
    key: bytes
    genesis: int
    period: int

    def compute_due(self, number: int) -> int:
        """When a round is published, in milliseconds."""
        return (self.genesis + (number - 1) * self.period) * 1000

    def find_round_after(self, at: int) -> int:
        """The first round that is due at this time, in milliseconds, or later."""
        return max(1, -(-(at - self.genesis * 1000) // (self.period * 1000)) + 1)

    def is_signed(self, number: int, signature: bytes) -> bool:
        """Whether this is the one signature of the round, in the one way to write it."""
        try:
            from py_arkworks_bls12381 import GT, G1Point, G2Point
        except ImportError:
            raise BeaconUnsupported from None
        try:
            point, key = G1Point.from_compressed_bytes(signature), G2Point.from_compressed_bytes(self.key)
        except ValueError:
            return False
        if point.to_compressed_bytes() != signature or key == G2Point.identity():
            return False
        hashed = G1Point.hash_to_curve(sha256(number.to_bytes(8, "big")).digest(), DOMAIN)
        return GT.pairing_check([point, -hashed], [G2Point(), key])


QUICKNET = BeaconChain(
    bytes.fromhex("52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"),
    bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    1692803367,
    3,
)
"""The chain of the League of Entropy that verifiers know by themselves."""


def hash_chain(key: bytes, genesis: int, period: int, group: bytes, name: str) -> bytes:
    """The hash by which drand names a chain; it covers the key."""
    named = b"" if name == "default" else name.encode()
    return sha256(period.to_bytes(4, "big") + genesis.to_bytes(8, "big") + key + group + named).digest()


def read_chain(raw: object, at: str = "the chain") -> BeaconChain:
    """A chain as drand tells it at `/info`; Unreadable where it is of another scheme or not what its hash says."""
    keys = ("public_key", "period", "genesis_time", "hash", "groupHash", "schemeID", "metadata")
    fields = read_mapping(raw, at, keys)
    if fields["schemeID"] != SCHEME:
        raise Unreadable(f"{at}.schemeID: only {SCHEME} is taken")
    name = read_text(read_mapping(fields["metadata"], f"{at}.metadata", ("beaconID",))["beaconID"], f"{at}.beaconID")
    key, group = (
        read_hex(fields["public_key"], f"{at}.public_key", PUBLIC_KEY),
        read_hash(fields["groupHash"], f"{at}.groupHash"),
    )
    period, genesis = (
        read_whole(fields["period"], f"{at}.period"),
        read_whole(fields["genesis_time"], f"{at}.genesis_time"),
    )
    if not 1 <= period < 2**31 or genesis >= 2**40:
        raise Unreadable(f"{at}.period: at least a second")
    hashed = hash_chain(key, genesis, period, group, name)
    if read_hex(fields["hash"], f"{at}.hash", HASH) != hashed:
        raise Unreadable(f"{at}.hash: not that of key, times and group")
    return BeaconChain(hashed, key, genesis, period)
