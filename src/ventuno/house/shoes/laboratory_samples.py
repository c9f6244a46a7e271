"""Samples for a laboratory, by the code that deals: raw bytes, shuffled shoes, shoes as they are played (R-25)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes.commitment import FIRST, seal
from ventuno.house.shoes.cut import ENTROPY, compute_order
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import CHUNK

TABLE = "samples"


def generate_bytes(source: EntropySource, size: int) -> Iterator[bytes]:
    """So many bytes of the generator, instantiated anew as often as for shoes."""
    while size > 0:
        drbg = HmacDrbg.fresh(source, b"ventuno/samples/1")
        for _ in range(8):
            if size > 0:
                yield drbg.generate(min(CHUNK, size))
                size -= CHUNK


def generate_shuffles(source: EntropySource, sheet: Sheet, count: int) -> Iterator[bytes]:
    """So many shoes as the house shuffles them, before any cut: one byte for each card."""
    for number in range(1, count + 1):
        yield bytes(seal(source, sheet, TABLE, number)[0].unseal()[0])


def generate_outcomes(source: EntropySource, sheet: Sheet, count: int) -> Iterator[tuple[bytes, bytes]]:
    """So many shoes before the cut and as they are played, one player's entropy drawn for each, commitments chained."""
    previous = FIRST
    for number in range(1, count + 1):
        shoe, commitment = seal(source, sheet, TABLE, number, previous)
        order, _ = compute_order(commitment, [source.draw(ENTROPY)], sheet)
        yield bytes(shoe.unseal()[0]), bytes(shoe.arrange(order))
        previous = commitment.digest


def write_samples(file: BinaryIO, parts: Iterator[bytes]) -> int:
    """Write a sample as bytes and give its length."""
    return sum(file.write(part) for part in parts)
