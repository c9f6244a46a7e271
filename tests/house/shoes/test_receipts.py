"""Receipts: the chain of a table, signed checkpoints, equivocation, and the key that stays in its file."""

from __future__ import annotations

import logging
import os
import random
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.sample_shoes import AT, specimen, toy_key
from ventuno.house.shoes import receipts
from ventuno.house.shoes.receipts import Chain, Receipt, find_equivocation, hash_head, hash_record, is_continuation
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.signing_key import KeyUnfit, SigningKey, load, load_or_create

HASHES = [sha256(bytes([number])).digest() for number in range(60)]
KEY = toy_key()


def chained(count: int, changed: int = -1) -> Chain:
    return Chain("house", "T1", (bytes(32) if i == changed else one for i, one in enumerate(HASHES[:count])))


def test_heads_are_chained() -> None:
    found = bytes(32)
    for one in HASHES[:7]:
        found = sha256(b"\x02" + found + one).digest()
    assert chained(7).make_checkpoint(AT).head == found
    assert hash_head(bytes(32), HASHES[0]) == chained(1).make_checkpoint(AT).head


def test_every_record_is_included_and_no_other() -> None:
    chain = chained(30)
    checkpoint = chain.make_checkpoint(AT)
    for height in range(1, 31):
        proof = chain.prove_inclusion(height)
        assert proof.is_valid(HASHES[height - 1], checkpoint)
        assert not proof.is_valid(HASHES[height], checkpoint)
        assert not replace(proof, height=height % 30 + 1).is_valid(HASHES[height - 1], checkpoint)
        assert not replace(proof, before=bytes(31) + b"\x01").is_valid(HASHES[height - 1], checkpoint)
    assert not chain.prove_inclusion(30).is_valid(HASHES[29], replace(checkpoint, head=bytes(32)))


def test_a_restart_makes_the_same_chain() -> None:
    grown = chained(10)
    for one in HASHES[10:30]:
        grown.append(one)
    assert grown.make_checkpoint(AT) == chained(30).make_checkpoint(AT)


def test_any_changed_record_changes_head_and_root() -> None:
    rng = random.Random(1)
    whole = chained(40).make_checkpoint(AT)
    for _ in range(100):
        other = chained(40, rng.randrange(40)).make_checkpoint(AT)
        assert other.head != whole.head
        assert other.root != whole.root


def test_signatures() -> None:
    receipt = chained(5).sign_receipt(KEY, AT)
    assert receipt.is_valid
    assert receipts.read(receipt.to_dict()) == receipt
    checkpoint = receipt.checkpoint
    for changed in (
        replace(checkpoint, house="other"),
        replace(checkpoint, table="T2"),
        replace(checkpoint, height=6),
        replace(checkpoint, head=bytes(32)),
        replace(checkpoint, root=bytes(32)),
        replace(checkpoint, at=AT + 1),
    ):
        assert not replace(receipt, checkpoint=changed).is_valid
    assert not replace(receipt, key=SigningKey.generate().public).is_valid
    assert not replace(receipt, key=b"\xff" * 32).is_valid
    assert not replace(receipt, signature=bytes(64)).is_valid


def test_published_ed25519_vector() -> None:
    """RFC 8032, 7.1, test 2."""
    public = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signed = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert signing_key.is_valid(public, signed, b"\x72")
    assert not signing_key.is_valid(public, signed, b"\x73")


def test_two_heads_for_one_height_prove_equivocation() -> None:
    one, other = chained(12).sign_receipt(KEY, AT), chained(12, 4).sign_receipt(KEY, AT + 5)
    proof = find_equivocation(one, other)
    assert proof is not None
    assert "height 12" in proof.detail
    assert find_equivocation(one, one) is None
    assert find_equivocation(one, chained(12).sign_receipt(KEY, AT + 60_000)) is None
    assert find_equivocation(one, chained(13, 4).sign_receipt(KEY, AT)) is None
    assert find_equivocation(one, chained(12, 4).sign_receipt(SigningKey.generate(), AT)) is None
    assert find_equivocation(one, Chain("house", "T2", HASHES[20:32]).sign_receipt(KEY, AT)) is None
    forged = replace(other, signature=one.signature)
    assert find_equivocation(one, forged) is None


def test_any_two_receipts_can_be_compared() -> None:
    chain, twin = chained(50), chained(50, 10)
    newest = chain.sign_receipt(KEY, AT)
    for height in range(1, 51):
        old = chained(height).sign_receipt(KEY, AT)
        assert is_continuation(old, newest, chain.prove_consistency(height))
        assert is_continuation(old, twin.sign_receipt(KEY, AT), twin.prove_consistency(height)) is (height <= 10)
    assert not is_continuation(chained(9).sign_receipt(SigningKey.generate(), AT), newest, chain.prove_consistency(9))
    assert not is_continuation(
        replace(chained(9).sign_receipt(KEY, AT), signature=bytes(64)), newest, chain.prove_consistency(9)
    )


def test_records_of_different_kinds_or_shoes_differ() -> None:
    body = {"a": 1}
    found = {hash_record(kind, digest, body) for kind in receipts.KINDS for digest in (bytes(32), b"\x01" * 32)}
    assert len(found) == 8
    with pytest.raises(ValueError, match="none of"):
        hash_record("gossip", bytes(32), body)


def test_the_commitment_is_chained_before_entropy_and_rounds() -> None:
    one = specimen("ventuno")
    places = [place for place, _ in one.dossier.hash_records()]
    assert places == ["commitment", "entropy", "rounds[0]", "rounds[1]", "rounds[2]", "opening"]
    heights = [proof.height for proof in one.dossier.included]
    assert heights == sorted(set(heights))


def test_the_key_lives_in_a_file_of_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "signing.pem"
    made = load_or_create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_or_create(path).public == load(path).public == made.public
    assert Receipt(
        chained(1).make_checkpoint(AT), made.public, made.sign(chained(1).make_checkpoint(AT).message)
    ).is_valid


def test_unfit_key_files(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    with pytest.raises(KeyUnfit, match="cannot be read"):
        load(path)
    path.write_bytes(b"nothing")
    path.chmod(0o600)
    with pytest.raises(KeyUnfit, match="PEM"):
        load(path)
    path.write_bytes(X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(KeyUnfit, match="Ed25519"):
        load(path)
    if os.name == "posix":
        path.chmod(0o644)
        with pytest.raises(KeyUnfit, match="chmod 600"):
            load(path)


def test_the_key_is_never_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    key = SigningKey.generate()
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("house").debug("%s %r %s", key, key, [key])
    secret = b"".join(key.to_pem().splitlines()[1:-1]).decode()
    assert secret not in caplog.text
    assert caplog.text.count("sealed") == 3


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": [True, None, ""]}, b'{"a":[true,null,""],"b":1}'),
        ({"è": "€\x7f\U0001f0a1"}, b'{"\\u00e8":"\\u20ac\\u007f\\ud83c\\udca1"}'),
    ],
)
def test_canonical_form(value: object, written: bytes) -> None:
    assert canonical_json.encode(value) == written
    assert canonical_json.decode(written) == value


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"{", b'{"a":1,"a":2}', b"1.5", b"1e3", b"NaN", b"-0", b"9007199254740992", b"\xff\xfe", b"[" * 100_000),
        b"1" * 5000,
    ],
)
def test_what_is_not_read(raw: bytes) -> None:
    with pytest.raises(canonical_json.Unreadable):
        canonical_json.decode(raw)
