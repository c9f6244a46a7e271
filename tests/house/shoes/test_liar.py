"""A house that lies and signs: each field of a document changed and chained anew, and shoes that it chose (X-24).

The same cases are run by the verifier of the browser; `python -m tests.support.lying_house` writes them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support.chained_shoes import FILE as SEQUENCE
from tests.support.chained_shoes import chained_shoes, vectors
from tests.support.lying_house import FILE, SEEN, judge, keep, read_kept, write_kept
from tests.support.sample_shoes import Specimen, specimen, toy_key
from tests.support.tampered_documents import applied, stored
from ventuno.cli import main as commands
from ventuno.house.shoes import kept
from ventuno.house.shoes.acknowledgements import Acknowledgement
from ventuno.house.shoes.kept import Kept
from ventuno.house.shoes.receipts import Chain
from ventuno.house.shoes.shoe_sequence import check_sequence
from ventuno.house.shoes.signed_documents import sign
from ventuno.house.shoes.verification import Basis, ProofFailed, verify
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import load

CASES: list[dict[str, Any]] = json.loads(FILE.read_bytes())
LABELS = {
    *("rounds[0].code", "rounds[2].code", "opening.retired", "receipt.checkpoint.house", "receipt.checkpoint.at"),
    *("entropy.contributions[0].player", "entropy.contributions[1].player", "entropy.contributions[2].player"),
    *("rounds[0].scenario.players.anna", "commitment.table", "commitment.previous"),
}
"""What nothing but a receipt can show: names and labels that no card, promise or payout depends on."""
CHOICES = {
    *("foreign bytes under a key of the house", "a reveal that was acknowledged, called missing"),
    *("another shoe in the place of this one", "signatures left out", "a void with all stakes back", "no rounds"),
}
"""Whole stories that hold by themselves: the verdict then rests on others, and says so."""
PROMISES = re.compile("(a|two) (promises? |player |list of promises ).*")
"""Stories of promises that only the list from before the reveals tells: by themselves they hold."""
OWN = keep(specimen("duello"), "anna")
Captured = pytest.CaptureFixture[str]


def read_kept_of(case: dict[str, Any]) -> Kept:
    """What an honest player kept in a case; some say what of it is otherwise."""
    changed = applied(write_kept(read_kept(case["document"])), case.get("kept_changes", []))
    return kept.read(json.dumps(changed).encode())


def test_x24_every_lie_is_named_or_told_as_the_weaker_verdict() -> None:
    assert len(CASES) > 250
    for case in CASES:
        original = stored(case["document"])
        told = applied(original, case["changes"])
        assert judge(told, original) == (case["readable"], case["at"], case["rests_on"]), case["name"]
        if case["document"] in SEEN:
            _, at, rests_on = judge(told, original, read_kept_of(case))
            assert (at, rests_on) == (case["kept_at"], case["kept_rests_on"]), case["name"]


def test_x24_only_labels_and_whole_stories_hold_by_themselves() -> None:
    """None of them is called verified by somebody who kept what he was shown, but for the time of a checkpoint."""
    for case in CASES:
        if case["readable"] and not case["at"]:
            is_story = case["name"].removesuffix(" changed and signed") in LABELS | CHOICES
            assert is_story or PROMISES.fullmatch(case["name"]), case["name"]
            assert case["rests_on"] in ("players", "house", "beacon")
            is_told = case.get("kept_rests_on") != "you" or case["name"].startswith("receipt.checkpoint.at")
            assert is_told, case["name"]


@pytest.mark.parametrize("name", SEEN)
def test_x24_what_was_kept_of_an_honest_shoe_makes_it_verified_by_you(name: str) -> None:
    assert judge(stored(name), stored(name), read_kept(name)) == (True, "", "you")


def test_x24_a_promise_written_after_an_honest_reveal_is_told_by_the_list_alone() -> None:
    """The control: without the list everything that was kept agrees, and a note says what is not known."""
    lies = [case for case in CASES if case["name"].endswith("after an honest reveal")]
    assert len(lies) == 4
    for case in lies:
        original, own = stored(case["document"]), read_kept_of(case)
        told = applied(original, case["changes"])
        assert judge(told, original, own) == (True, "kept.promise_list", ""), case["name"]
        assert judge(told, original, replace(own, promise_list=None)) == (True, "", "you"), case["name"]
    honest = read_kept("ventuno-2")
    verdict = verify(specimen("ventuno").dossier, load("ventuno"), None, honest)
    assert "promises" in verdict.matches
    assert not any("list of all promises" in note for note in verdict.notes)
    unlisted = verify(specimen("ventuno").dossier, load("ventuno"), None, replace(honest, promise_list=None))
    assert any("you kept no list of all promises" in note for note in unlisted.notes)


@pytest.mark.parametrize(
    ("change", "at"),
    [
        ({"commitment": bytes(32)}, "kept.commitment"),
        ({"entropy": bytes(16)}, "kept.entropy"),
        ({"promise": bytes(32)}, "kept.promise"),
        ({"key": bytes(32)}, "kept.key"),
        ({"player": "zoe"}, "kept.player"),
        ({"shoe": 9}, "kept.shoe"),
        ({"table": "T9"}, "kept.table"),
    ],
)
def test_x24_each_kept_thing_is_compared(change: dict[str, Any], at: str) -> None:
    with pytest.raises(ProofFailed) as failed:
        verify(specimen("duello").dossier, load("duello"), None, replace(OWN, **change))
    assert failed.value.at == at


def test_x24_a_receipt_of_another_history_and_one_that_needs_a_proof() -> None:
    """Planted: a chain with one record changed, and one that goes on after the document."""
    one = specimen("duello").dossier
    own, records = OWN, [hashed for _, hashed in one.hash_records()]
    others = [sha256(bytes([i])).digest() for i in range(5)]
    forged = Chain("ventuno.test", "T7", [*others[:-1], bytes(32), *records[:2]]).sign_receipt(toy_key(), 1)
    with pytest.raises(ProofFailed, match="two histories"):
        verify(one, load("duello"), None, replace(own, receipts=(forged,)))
    chain = Chain("ventuno.test", "T7", [*others, *records[:3], sha256(b"the other shoe's commitment").digest()])
    for hashed in records[3:]:
        chain.append(hashed)
    assert chain.sign_receipt(toy_key(), 1).checkpoint.head == one.receipt.checkpoint.head
    chain.append(sha256(b"more").digest())
    later = replace(own, receipts=(own.receipts[0], chain.sign_receipt(toy_key(), 1)))
    verdict = verify(one, load("duello"), None, later)
    assert verdict.rests_on is Basis.PLAYERS
    old, size = one.receipt.checkpoint.height, chain.height
    assert f"receipt 2 was not compared: a consistency proof is needed from height {size}" in verdict.notes
    proof = kept.Consistency(old, size, chain.prove_consistency(old, size))
    assert verify(one, load("duello"), None, replace(later, consistency=(proof,))).rests_on is Basis.YOU
    broken = replace(proof, proof=(bytes(32), *proof.proof[1:]))
    with pytest.raises(ProofFailed, match="does not continue"):
        verify(one, load("duello"), None, replace(later, consistency=(broken,)))


def test_x24_an_acknowledgement_that_the_house_did_not_sign_proves_nothing() -> None:
    one, own = specimen("duello").dossier, OWN
    forged = sign(Acknowledgement, toy_key("zoe"), own.acknowledgements[0].taken)
    wrong = replace(own.acknowledgements[0], signature=forged.signature)
    with pytest.raises(ProofFailed, match="signature"):
        verify(one, load("duello"), None, replace(own, acknowledgements=(wrong,)))


def write(folder: Path, one: Specimen, kept_by: str = "") -> list[str]:
    """A document as a file, and what somebody kept of it."""
    (folder / "shoe.json").write_bytes(one.raw)
    if kept_by:
        (folder / "kept.json").write_text(json.dumps(write_kept(keep(one, kept_by))))
    return [str(folder / "shoe.json"), str(folder / "kept.json")]


def run(*words: str) -> int:
    return commands.main(["verify", *words])


def test_x24_the_command_says_what_a_verdict_rests_on(tmp_path: Path, capsys: Captured) -> None:
    file, own = write(tmp_path, specimen("duello"), "anna")
    assert run(file) == 0
    assert "verified if you trust that 1 player was real; 1 signed" in capsys.readouterr().out
    assert run(file, "--receipt", own) == 0
    assert "rests on    you" in capsys.readouterr().out
    assert run(file, "--receipt", own, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rests_on"], told["signers"], told["is_verifiable"]) == ("you", 1, True)
    assert run(*write(tmp_path, specimen("sisal", server=True))[:1]) == 0
    assert "rests on    the house alone" in capsys.readouterr().out


def test_x24_bytes_and_a_bare_receipt_are_enough(tmp_path: Path, capsys: Captured) -> None:
    (file, _), own = write(tmp_path, specimen("duello")), OWN
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(own.receipts[0].to_dict()))
    assert run(file, "--receipt", str(receipt), "--entropy", own.entropy.hex(), "--json") == 0
    assert json.loads(capsys.readouterr().out)["rests_on"] == "you"
    assert run(file, "--entropy", own.entropy.hex(), "--json") == 0
    assert json.loads(capsys.readouterr().out)["rests_on"] == "players"
    assert run(file, "--entropy", "00" * 16) == 1
    assert "your bytes are not among those of the cut" in capsys.readouterr().err
    assert run(file, "--entropy", "00") == 2
    receipt.write_text("{}")
    assert run(file, "--receipt", str(receipt)) == 2
    assert "neither a receipt nor" in capsys.readouterr().err


def test_x01_shoes_follow_each_other_and_one_left_out_is_named(tmp_path: Path, capsys: Captured) -> None:
    shoes = chained_shoes(4)
    assert check_sequence([shoes[2], shoes[0], shoes[1]]) == []
    assert check_sequence([shoes[0], shoes[3]]) == [2, 3]
    files = []
    for one in (shoes[0], shoes[1], shoes[3]):
        files.append(str(tmp_path / f"{one.commitment.shoe}.json"))
        Path(files[-1]).write_text(json.dumps(one.to_dict()))
    assert run(*files) == 0
    assert "one after the other: 3 shoes; not given: shoes 3" in capsys.readouterr().out
    assert run(*files, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (len(told["shoes"]), told["missing"]) == (3, [3])


def test_x01_what_is_told_of_several_shoes_is_compared() -> None:
    """Planted: a shoe that follows another than the one before it, a number given twice, two signed histories. The same
    cases are run by the verifier of the browser.
    """
    told = json.loads(SEQUENCE.read_bytes())
    assert told == vectors()
    due = {case["name"]: (case["at"], case["missing"]) for case in told["cases"]}
    assert due == {
        "in any order": ("", []),
        "with a gap": ("", [2, 3]),
        "one of them twice": ("", []),
        "of two tables": ("", []),
        "one that follows another than the one before": ("commitment.previous", []),
        "a number given to two shoes": ("commitment.shoe", []),
        "one chained before the one before": ("commitment", []),
        "two histories": ("receipt", []),
    }


def test_x24_of_several_shoes_each_is_compared_with_what_was_kept_of_it(tmp_path: Path, capsys: Captured) -> None:
    """Planted: the file of one of them with other bytes in it."""
    files, receipts, owns = list[str](), list[str](), list[Kept]()
    for one in chained_shoes(2):
        made, (part,) = one.commitment, one.entropy.contributions
        files.append(str(tmp_path / f"{made.shoe}.json"))
        Path(files[-1]).write_text(json.dumps(one.to_dict()))
        owns.append(Kept(table=made.table, shoe=made.shoe, player=part.player, entropy=part.reveal, key=part.key))
        receipts += ["--receipt", str(tmp_path / f"kept-{made.shoe}.json")]
        Path(receipts[-1]).write_text(json.dumps(write_kept(owns[-1])))
    assert run(*files, *receipts, "--json") == 0
    told = json.loads(capsys.readouterr().out)["shoes"]
    assert [shoe["matches"] for shoe in told] == [["entropy", "key"]] * 2
    Path(receipts[-1]).write_text(json.dumps(write_kept(replace(owns[-1], entropy=bytes(16)))))
    assert run(*files, *receipts) == 1
    assert "2.json: does not hold: kept.entropy: these are not the bytes that you sent" in capsys.readouterr().err


def test_x24_files_that_are_not_of_one_shoe_are_refused() -> None:
    with pytest.raises(Unreadable, match="not of one shoe"):
        kept.join(read_kept("duello-2"), replace(read_kept("ventuno-2"), table="T8"))


def test_x24_a_kept_file_of_another_format_is_not_read() -> None:
    content = json.loads((FILE.parent / "kept-duello-2.json").read_bytes())
    assert kept.read(json.dumps(content).encode()) == read_kept("duello-2")
    for other in ("ventuno-kept-9", content["format"] + " ", ""):
        with pytest.raises(Unreadable, match="format"):
            kept.read(json.dumps(content | {"format": other}).encode())
