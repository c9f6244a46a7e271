"""HMAC_DRBG of SP 800-90A with SHA-256 (R-20): the generator behind shoes and cuts, checked by published vectors."""

from __future__ import annotations

import hmac
from functools import cache

from ventuno.house.shoes.entropy import EntropySource, RandomnessFailed
from ventuno.house.store.secrets import Secret

OUTPUT = 32
ENTROPY_LEAST = 32
"""Bytes: 256 bits of strength; the nonce brings half as many again."""
REQUEST_MOST = 2**16
RESEED_INTERVAL = 2**48

_KNOWN_SEED = bytes.fromhex("06032cd5eed33f39265f49ecb142c511da9aff2af71203bffaf34a9ca5bd9c0d")
_KNOWN_NONCE = bytes.fromhex("0e66f71edc43e42a45ad3c6fc6cdc4df")
_KNOWN_RESEED = bytes.fromhex("01920a4e669ed3a85ae8a33b35a74ad7fb2a6bb4cf395ce00334a9c9a5a5d552")
_KNOWN_OUTPUT = bytes.fromhex("76fc79fe9b50beccc991a11b5635783a83536add03c157fb30645e611c2898bb")


class EntropyTooShort(ValueError):
    """A seed of less than 256 bits: draw it from an EntropySource."""


class RequestTooLarge(ValueError):
    """More than 2^16 bytes were asked at once: ask in parts."""


class ReseedNeeded(Exception):
    """The generator has answered as often as it may: reseed it from an EntropySource."""


class HmacDrbg(Secret):
    """One instance, instantiated when made. The same input always gives the same output."""

    __slots__ = ("_count", "_interval", "_key", "_value")

    def __init__(
        self,
        entropy: bytes,
        nonce: bytes = b"",
        personalization: bytes = b"",
        *,
        interval: int = RESEED_INTERVAL,
    ) -> None:
        _check_length(entropy)
        self._interval = interval
        self._key, self._value = bytes(OUTPUT), b"\x01" * OUTPUT
        self._update(entropy + nonce + personalization)
        self._count = 1

    @classmethod
    def fresh(cls, source: EntropySource, personalization: bytes = b"") -> HmacDrbg:
        """An instance of its own on 384 fresh bits: 256 of entropy and 128 of nonce (R-21)."""
        self_test()
        seed = source.draw()
        return cls(seed[:ENTROPY_LEAST], seed[ENTROPY_LEAST:], personalization)

    def reseed(self, entropy: bytes, additional: bytes = b"") -> None:
        _check_length(entropy)
        self._update(entropy + additional)
        self._count = 1

    def generate(self, size: int, additional: bytes = b"") -> bytes:
        if size > REQUEST_MOST:
            raise RequestTooLarge(f"{size} bytes asked, at most {REQUEST_MOST} at once")
        if self._count > self._interval:
            raise ReseedNeeded(f"{self._interval} requests since the last seed")
        if additional:
            self._update(additional)
        keyed, value, blocks = hmac.new(self._key, digestmod="sha256"), self._value, []
        for _ in range(-(-size // OUTPUT)):
            block_hash = keyed.copy()
            block_hash.update(value)
            last, value = value, block_hash.digest()
            if value == last:
                raise RandomnessFailed("generator-repeated")
            blocks.append(value)
        self._value = value
        self._update(additional)
        self._count += 1
        return b"".join(blocks)[:size]

    def _update(self, provided: bytes) -> None:
        self._key = hmac.digest(self._key, self._value + b"\x00" + provided, "sha256")
        self._value = hmac.digest(self._key, self._value, "sha256")
        if provided:
            self._key = hmac.digest(self._key, self._value + b"\x01" + provided, "sha256")
            self._value = hmac.digest(self._key, self._value, "sha256")


def _check_length(entropy: bytes) -> None:
    if len(entropy) < ENTROPY_LEAST:
        raise EntropyTooShort(f"{len(entropy)} bytes of entropy, at least {ENTROPY_LEAST} are needed")


@cache
def self_test() -> None:
    """Run one published vector before the first use in this process; RandomnessFailed when it does not come out."""
    drbg = HmacDrbg(_KNOWN_SEED, _KNOWN_NONCE)
    drbg.reseed(_KNOWN_RESEED)
    drbg.generate(128)
    if drbg.generate(128)[:OUTPUT] != _KNOWN_OUTPUT:
        raise RandomnessFailed("self-test")
