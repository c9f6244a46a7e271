"""A shoe's document by `ventuno.verify_shoe`: what holds, and what does not (X-01)."""

import gzip
import json
from pathlib import Path

import pytest

import ventuno
from ventuno.house.shoes.verification import ProofFailed

DOCUMENTS = sorted((Path(__file__).parents[1] / "fixtures" / "old_house" / "documents").glob("*.json.gz"))


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_x01_documents_hold_by_file_bytes_or_value(file: Path) -> None:
    result = ventuno.verify_shoe(file)
    assert result.rounds == len(ventuno.read_shoe(file).rounds)
    assert (
        result
        == ventuno.verify_shoe(gzip.decompress(file.read_bytes()))
        == ventuno.verify_shoe(ventuno.read_shoe(file))
    )


def test_x01_a_payout_that_was_changed_is_found() -> None:
    file = next(file for file in DOCUMENTS if file.name.startswith("duello"))
    document = json.loads(gzip.decompress(file.read_bytes()))
    document["rounds"][0]["bets"][0]["returned"] += 10
    with pytest.raises(ProofFailed, match=r"rounds\[0\]"):
        ventuno.verify_shoe(json.dumps(document).encode())
    with pytest.raises(ProofFailed, match="key"):
        ventuno.verify_shoe(file, key=bytes(32))
