"""Shoes of the pits of a simulation: plain ones, or sealed as a house seals them, without waiting for anybody."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.simulation.opening import shoe
from ventuno.core.rules.sheet import Sheet
from ventuno.house.pits.pit import Outcome, Pit
from ventuno.house.pits.pit_shoes import Seals
from ventuno.house.shoes import cut
from ventuno.house.shoes.commitment import Commitment, SealedShoe, seal
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.store.signing_key import SigningKey

KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
HOUSE = "pits"


def make_seals(read: Callable[[int], bytes]) -> Seals:
    return Seals(KEY, HOUSE, EntropySource(read))


@lru_cache(maxsize=256)
def seal_again(sheet: Sheet, table: str, number: int, previous: bytes) -> tuple[SealedShoe, Commitment]:
    """The same shoe in every world that asks for it: sealing takes longer than a world may."""
    source = EntropySource(random.Random(f"{sheet.hash} {table} {number} {previous.hex()}").randbytes)
    return seal(source, sheet, table, number, previous)


def bring_shoe(
    pit: Pit, name: str, chance: Callable[[], float], at: int, *, is_sealed: bool = False
) -> Iterator[Outcome]:
    """The next shoe of a table: sealed where its first was."""
    table, logs = pit.authority.tables[name].table, pit.shoes.logs
    if not is_sealed and name not in logs.logs:
        yield pit.command(name, shoe(table.sheet, chance, at), "shoe")
        return
    log = logs.get_log(name)
    if log.newest_shoe <= table.shoes:
        sealed, commitment = seal_again(table.sheet, name, table.shoes + 1, log.previous)
        yield Outcome(logs.commit(commitment, sealed, (), table.sheet.game.solo, at))
    assert log.pending is not None
    if log.pending.entropy is None:
        supplied = int(chance() * (1 << 52)).to_bytes(cut.ENTROPY)
        yield Outcome(logs.end_promises(name, at))
        yield Outcome(logs.close(name, table.sheet, supplied, at))
    yield pit.command(name, replace(pit.shoes.proofs.make_load_command(name, table.sheet), at=at), "shoe")
