"""Rounds of a public beacon: published signatures hold, nothing else does, and a chain is what its hash says (X-01)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.beacon_server import CHAIN, PUBLISHED, TOLD_CHAIN, sign_round
from tests.support.sample_shoes import cut_by, fixed_source, specimen
from ventuno.cli.errors import Fault
from ventuno.cli.main import main
from ventuno.cli.serve import make_config
from ventuno.house.shoes.beacon import QUICKNET, hash_chain, read_chain
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import load
from ventuno.web.operations.settings import Settings, SettingsUnfit
from ventuno.web.operations.settings import read as read_settings

VENTUNO = load("ventuno")


@pytest.mark.parametrize(("number", "signature"), PUBLISHED.items())
def test_published_rounds_hold_and_no_other(number: int, signature: bytes) -> None:
    assert QUICKNET.is_signed(number, signature)
    assert not QUICKNET.is_signed(number + 1, signature)
    assert not CHAIN.is_signed(number, signature)
    assert not QUICKNET.is_signed(number, sign_round(number))
    for at in (0, 20, 47):
        changed = bytes([*signature[:at], signature[at] ^ 1, *signature[at + 1 :]])
        assert not QUICKNET.is_signed(number, changed)


@pytest.mark.parametrize(
    "written", [b"", bytes(48), b"\xff" * 48, b"\xc0" + bytes(47), b"\xc0" + b"\x01" * 47, bytes(96)]
)
def test_a_signature_has_one_way_to_be_written(written: bytes) -> None:
    """A second way would be a choice between two orders."""
    assert not QUICKNET.is_signed(1000, written)


def test_rounds_are_due_every_three_seconds_from_the_first() -> None:
    assert QUICKNET.compute_due(1) == 1692803367_000
    for at in range(1692803367_000 - 9_000, 1692803367_000 + 20_000, 500):
        number = QUICKNET.find_round_after(at)
        assert QUICKNET.compute_due(number) >= at
        assert number == 1 or QUICKNET.compute_due(number - 1) < at


def test_the_name_of_a_chain_covers_its_key() -> None:
    """Quicknet's hash comes out of its key, its times and its group, as drand computes it."""
    group = bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e")
    assert hash_chain(QUICKNET.key, QUICKNET.genesis, QUICKNET.period, group, "quicknet") == QUICKNET.hash
    assert read_chain(TOLD_CHAIN) == CHAIN
    changes: list[dict[str, Any]] = [
        {"public_key": QUICKNET.key.hex()},
        {"period": 30},
        {"period": 0},
        {"genesis_time": 1},
        {"metadata": {"beaconID": "default"}},
        {"schemeID": "pedersen-bls-chained"},
        {"hash": "00"},
    ]
    for change in changes:
        with pytest.raises(Unreadable):
            read_chain({**TOLD_CHAIN, **change})


def test_a_beacon_is_named_in_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds by a chain that is trusted; with it even a cut that no player took part in can be verified."""
    chain, file = tmp_path / "chain.json", tmp_path / "shoe.json"
    chain.write_text(json.dumps(TOLD_CHAIN))
    for beacon, told in (("signed", "signed"), ("missing", "missing"), ("", "")):
        file.write_bytes(specimen("ventuno", 1, beacon=beacon).raw)
        assert main(["verify", str(file), "--chain", str(chain), "--json"]) == 0
        verdict = json.loads(capsys.readouterr().out)
        assert verdict["beacon"] == told
        assert any("is missing" in note for note in verdict["notes"]) is (beacon == "missing")
    file.write_bytes(specimen("ventuno", 1, beacon="quicknet").raw)
    assert main(["verify", str(file)]) == 0
    assert "beacon      round 32285086: signed" in capsys.readouterr().out
    file.write_bytes(specimen("ventuno", 1, beacon="signed").raw)
    assert main(["verify", str(file)]) == 1
    assert "no chain that is trusted" in capsys.readouterr().err


def test_nothing_that_players_send_changes_an_order_that_a_beacon_decides() -> None:
    """A house would write the bytes of seven puppets after the beacon, and choose as it likes."""
    made = specimen("ventuno", 1, beacon="signed").dossier.commitment
    source, signature = fixed_source("puppets"), sign_round(7)
    cuts = [
        cut_by(made, VENTUNO, ("anna", "bruno"), source, absent=absent, beacon=signature) for absent in ("", "anna")
    ]
    assert len({closed.entropy.contributions for closed in cuts}) == len(cuts)
    assert len({(closed.order, closed.entropy.cut_card) for closed in cuts}) == 1
    without = [cut_by(made, VENTUNO, ("anna", "bruno"), source) for _ in range(2)]
    assert len({closed.order for closed in (*without, cuts[0])}) == 3


def test_without_the_extra_an_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chain, file = tmp_path / "chain.json", tmp_path / "shoe.json"
    chain.write_text(json.dumps(TOLD_CHAIN))
    file.write_bytes(specimen("ventuno", 1, beacon="signed").raw)
    monkeypatch.setitem(sys.modules, "py_arkworks_bls12381", None)
    assert main(["verify", str(file), "--chain", str(chain)]) == 2
    assert "ventuno[beacon]" in capsys.readouterr().err
    monkeypatch.setenv("VENTUNO_BEACON", '["http://127.0.0.1:9"]')
    assert main(["serve", "--data", str(tmp_path / "house"), "--port", "0"]) == 2
    assert "ventuno[beacon]" in capsys.readouterr().err


def test_a_house_asks_the_beacon_of_its_settings(tmp_path: Path) -> None:
    """None unless it is named; quicknet unless a file tells another chain, and what it tells must be one."""
    chain = tmp_path / "chain.json"
    chain.write_text(json.dumps(TOLD_CHAIN))
    named: dict[str, Any] = {"data": tmp_path, "beacon": ("https://beacon.test",)}
    clients = [make_config(Settings(**given), {}).beacon for given in (named, {**named, "beacon_chain": chain})]
    assert [client.chain for client in clients if client] == [QUICKNET, CHAIN]
    assert make_config(Settings(data=tmp_path), {}).beacon is None
    chain.write_text(json.dumps({**TOLD_CHAIN, "period": 30}))
    with pytest.raises(Fault, match="not that of key, times and group"):
        make_config(Settings(**named, beacon_chain=chain), {})
    for wrong in ("ftp://beacon.test", "beacon.test", "https://", "https://beacon.test/"):
        with pytest.raises(SettingsUnfit, match="beacon"):
            read_settings(None, {"beacon": [wrong]})


def test_a_chain_of_the_house_is_no_beacon() -> None:
    with pytest.raises(ProofFailed) as found:
        verify(specimen("ventuno", 1, beacon="signed").dossier, VENTUNO)
    assert found.value.at == "commitment.beacon.chain"
