"""R-20, R-21, R-27: the generator by published vectors (G-13), its limits, its entropy, and its secrets kept."""

from __future__ import annotations

import copy
import hmac
import json
import os
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.sample_shoes import VECTORS, fixed_source, specimen, toy_key
from ventuno.house.shoes import drbg as module
from ventuno.house.shoes.commitment import restore_shoe
from ventuno.house.shoes.drbg import EntropyTooShort, HmacDrbg, RequestTooLarge, ReseedNeeded, self_test
from ventuno.house.shoes.entropy import REMEMBERED_BLOCKS, SEED_SIZE, EntropySource, RandomnessFailed
from ventuno.house.shoes.shuffle import Stream
from ventuno.house.store.secrets import SecretLeak

PUBLISHED = json.loads((VECTORS / "drbg.json").read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("vector", PUBLISHED, ids=lambda vector: vector["name"])
def test_published_vectors(vector: dict[str, Any]) -> None:
    drbg = HmacDrbg(*(bytes.fromhex(vector[key]) for key in ("entropy", "nonce", "personalization")))
    returned = b""
    for call in vector["calls"]:
        if "reseed" in call:
            drbg.reseed(bytes.fromhex(call["reseed"]), bytes.fromhex(call["additional"]))
        else:
            returned = drbg.generate(128, bytes.fromhex(call["generate"]))
    assert returned.hex() == vector["returned"]


def test_seed_needs_256_bits() -> None:
    with pytest.raises(EntropyTooShort):
        HmacDrbg(bytes(31))
    with pytest.raises(EntropyTooShort):
        HmacDrbg(bytes(32)).reseed(bytes(31))


def test_request_is_bounded() -> None:
    drbg = HmacDrbg(bytes(32))
    assert len(drbg.generate(2**16)) == 2**16
    assert drbg.generate(0) == b""
    with pytest.raises(RequestTooLarge):
        drbg.generate(2**16 + 1)


def test_r21_as_many_requests_as_the_standard_allows() -> None:
    """SP 800-90A, table 2: 2 to the 48 requests between two seeds; nobody waits for the last one here."""
    drbg = HmacDrbg(bytes(32))
    assert drbg._interval == 281_474_976_710_656
    for _ in range(200):
        drbg.generate(1)


def test_reseed_counter() -> None:
    drbg = HmacDrbg(bytes(32), interval=3)
    for _ in range(3):
        drbg.generate(1)
    with pytest.raises(ReseedNeeded):
        drbg.generate(1)
    drbg.reseed(b"\x01" * 32)
    for _ in range(3):
        assert len(drbg.generate(1)) == 1
    with pytest.raises(ReseedNeeded):
        drbg.generate(1)


def test_r21_instances_never_share_a_stream() -> None:
    source = EntropySource()
    outputs = {HmacDrbg.fresh(source).generate(32) for _ in range(200)}
    assert len(outputs) == 200
    assert HmacDrbg(bytes(32), personalization=b"a").generate(32) != HmacDrbg(bytes(32)).generate(32)


def test_r21_each_instance_draws_384_bits() -> None:
    asked = []

    def read(size: int) -> bytes:
        asked.append(size)
        return os.urandom(size)

    HmacDrbg.fresh(EntropySource(read))
    assert asked == [SEED_SIZE] == [384 // 8]


def broken() -> list[Callable[[int], bytes]]:
    once = os.urandom(SEED_SIZE)

    def missing(_: int) -> bytes:
        raise OSError(5, "gone")

    return [
        missing,
        lambda _: b"",
        lambda size: os.urandom(size - 1),
        lambda size: os.urandom(size + 1),
        lambda size: bytes(size),
        lambda size: b"\xff" * size,
        lambda size: os.urandom(size - 8) + b"\x07" * 8,
        lambda _: once,
        lambda size: os.urandom(size - 16) + once[:16],
    ]


@pytest.mark.parametrize("read", broken())
def test_r27_a_broken_source_stops_for_good(read: Callable[[int], bytes]) -> None:
    source = EntropySource(read)

    def drawn_twice() -> None:
        source.draw()
        source.draw()

    with pytest.raises(RandomnessFailed):
        drawn_twice()
    assert source.failure
    with pytest.raises(RandomnessFailed):
        source.draw(1)


def test_r27_a_block_is_remembered_for_long() -> None:
    first = os.urandom(SEED_SIZE)
    answers = [first, *(os.urandom(SEED_SIZE) for _ in range(REMEMBERED_BLOCKS // 3 - 1)), first]
    source = EntropySource(lambda _: answers.pop(0))
    for _ in range(REMEMBERED_BLOCKS // 3):
        source.draw()
    with pytest.raises(RandomnessFailed, match="repeated"):
        source.draw()


def test_r27_kernel_serves_many_shoes() -> None:
    source = EntropySource()
    assert len({source.draw() for _ in range(20_000)}) == 20_000


def test_r27_self_test_fails_on_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KNOWN_OUTPUT", bytes(32))
    self_test.cache_clear()
    with pytest.raises(RandomnessFailed, match="self-test"):
        HmacDrbg.fresh(EntropySource())
    monkeypatch.undo()
    self_test()


def test_r27_repeated_block_of_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    drbg = HmacDrbg(bytes(32))

    class Stuck:
        def copy(self) -> Stuck:
            return self

        def update(self, _: bytes) -> None: ...

        def digest(self) -> bytes:
            return b"\x05" * 32

    monkeypatch.setattr(hmac, "new", lambda *_, **__: Stuck())
    with pytest.raises(RandomnessFailed, match="repeated"):
        drbg.generate(64)


def secrets() -> list[object]:
    source = fixed_source("secrets")
    drbg = HmacDrbg.fresh(source)
    shoe = specimen("duello").shoe
    return [source, drbg, Stream(drbg), shoe, restore_shoe(shoe.to_bytes()), toy_key()]


@pytest.mark.parametrize("secret", secrets(), ids=lambda secret: type(secret).__name__)
def test_h10_secrets_are_not_serialised(secret: object) -> None:
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SecretLeak):
            take(secret)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(SecretLeak):
            pickle.dumps({"held": [secret]}, protocol)
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        vars(secret)
    assert repr(secret) == str(secret) == f"{secret}" == f"<{type(secret).__name__}, sealed>"
