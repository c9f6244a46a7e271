"""The chain of a beacon from a file, as drand tells it at `/info`."""

from __future__ import annotations

from ventuno.cli import input_file
from ventuno.cli.errors import Fault
from ventuno.house.shoes.beacon import BeaconChain, read_chain
from ventuno.house.store import canonical_json
from ventuno.house.store.canonical_json import Unreadable


def read_chain_file(name: str) -> BeaconChain:
    try:
        return read_chain(canonical_json.decode(input_file.read_document(name)))
    except Unreadable as fault:
        raise Fault(f"{name}: {fault}") from None
