"""What a player kept of a shoe, and the document against it: then the verdict rests on nobody else's word (X-24).

The page keeps it by itself and hands it out as a file: the commitment that was shown, the bytes that were sent, the key
that signed their promise, the list of all promises from before the reveals, what the house acknowledged, and receipts
from before the bet and after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes import acknowledgements, merkle, promise_lists, receipts
from ventuno.house.shoes.acknowledgements import REVEAL, Acknowledgement
from ventuno.house.shoes.cut import ENTROPY, Contribution, Origin
from ventuno.house.shoes.document_fields import (
    optional,
    read_each,
    read_hex,
    read_part,
    read_word,
)
from ventuno.house.shoes.promise_lists import SignedPromises
from ventuno.house.shoes.receipts import Receipt, hash_head
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.store import canonical_json
from ventuno.house.store.canonical_json import Unreadable
from ventuno.house.store.signing_key import KEY

FORMAT = "ventuno-kept/1"


class KeptDiffers(Exception):
    """The document is not what this player was shown; `at` says which of the kept things tells so."""

    def __init__(self, at: str, detail: str) -> None:
        super().__init__(f"{at}: {detail}")
        self.at, self.detail = at, detail


@dataclass(frozen=True, slots=True)
class Consistency:
    """A proof that the chain of `size` records begins with the one of `old` records."""

    old: int
    size: int
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """All of it may be missing but what is compared; an empty one compares nothing."""

    table: str = optional("")
    shoe: int = optional(0)
    player: PlayerId = optional("")
    commitment: bytes = optional(b"")
    key: bytes = optional(b"")
    promise: bytes = optional(b"")
    entropy: bytes = optional(b"")
    promise_list: SignedPromises | None = optional(None)
    acknowledgements: tuple[Acknowledgement, ...] = optional(())
    receipts: tuple[Receipt, ...] = optional(())
    consistency: tuple[Consistency, ...] = optional(())


NOTHING = Kept()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What of the kept things the document agrees with, and what could not be compared.

    `is_own` says that one's own bytes are in the cut, that a receipt from between the cut and one's first bet leads to
    this document, and so do all others: nothing was chosen after that bet, whatever the house and all others did.
    """

    is_own: bool = False
    matches: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read(raw: bytes) -> Kept:
    """A file of what was kept, or a receipt alone, as the house hands it out."""
    decoded = canonical_json.decode(raw)
    if isinstance(decoded, dict) and "checkpoint" in decoded:
        return Kept(receipts=(receipts.read(decoded),))
    if not isinstance(decoded, dict) or "format" not in decoded:
        raise Unreadable("neither a receipt nor a file of what was kept")
    read_word(decoded["format"], "format", (FORMAT,))
    return read_part(
        Kept,
        {name: value for name, value in decoded.items() if name != "format"},
        "kept",
        key=lambda raw, at: read_hex(raw, at, KEY),
        entropy=lambda raw, at: read_hex(raw, at, ENTROPY),
        promise_list=promise_lists.read,
        acknowledgements=lambda raw, at: read_each(raw, at, acknowledgements.read),
        receipts=lambda raw, at: read_each(raw, at, receipts.read),
        consistency=lambda raw, at: read_each(raw, at, partial(read_part, Consistency)),
    )


def join(kept: Kept, other: Kept) -> Kept:
    """Two files of one shoe; a receipt alone adds to a file."""
    names = ("table", "shoe", "player", "commitment", "key", "promise", "entropy", "promise_list")
    values = {name: getattr(kept, name) or getattr(other, name) for name in names}
    for name, value in values.items():
        if getattr(other, name) not in (value, getattr(NOTHING, name)):
            raise Unreadable(f"kept.{name}: two files that are not of one shoe")
    return replace(
        kept,
        **values,
        acknowledgements=(*kept.acknowledgements, *other.acknowledgements),
        receipts=(*kept.receipts, *other.receipts),
        consistency=(*kept.consistency, *other.consistency),
    )


def compare(document: ShoeDocument, kept: Kept) -> Comparison:
    """The document against what was kept; raises KeptDiffers at the first thing that the house told otherwise."""
    if kept == NOTHING:
        return Comparison()
    matches, notes = list(_compare_commitment(document, kept)), list[str]()
    part = _find_part(document, kept)
    is_mine = part is not None and _compare_part(part, kept)
    if is_mine:
        matches.append("entropy")
        matches += ["key"] if kept.key else []
    elif part is not None and part.origin is Origin.MISSING:
        notes.append("your own reveal is missing, and you hold no acknowledgement of it")
    if kept.promise_list:
        _compare_promises(document, kept, kept.promise_list)
        matches.append("promises")
    elif is_mine and len(_list_promises(document)) > 1 and not document.entropy.beacon:
        notes.append("you kept no list of all promises: those of others could have been written after your reveal")
    heights = []
    for i, receipt in enumerate(kept.receipts):
        height = receipt.checkpoint.height
        if _leads_to(document, receipt, kept.consistency, f"kept.receipts[{i}]"):
            heights.append(height)
            matches.append(f"receipts[{i}]")
        else:
            notes.append(f"receipt {i + 1} was not compared: a consistency proof is needed from height {height}")
    first = _find_first_bet(document, part.player if part else kept.player)
    is_pinned = any(document.included[1].height <= height < first for height in heights)
    if is_mine and not is_pinned:
        notes.append("no receipt of yours stands between the cut and your first bet")
    is_whole = len(heights) == len(kept.receipts)
    return Comparison(is_mine and is_pinned and is_whole, tuple(matches), tuple(notes))


def _require(holds: bool, at: str, detail: str) -> None:
    if not holds:
        raise KeptDiffers(at, detail)


def _compare_commitment(document: ShoeDocument, kept: Kept) -> Iterator[str]:
    made = document.commitment
    _require(kept.table in ("", made.table), "kept.table", f"kept at table {kept.table}, not at {made.table}")
    _require(kept.shoe in (0, made.shoe), "kept.shoe", f"kept of shoe {kept.shoe}, not of {made.shoe}")
    if kept.commitment:
        shown = "you were shown another commitment for this shoe"
        _require(kept.commitment == made.digest, "kept.commitment", shown)
        yield "commitment"


def _find_part(document: ShoeDocument, kept: Kept) -> Contribution | None:
    """One's own part of the cut: by one's number, or by one's bytes where that is all one has."""
    parts = document.entropy.contributions
    if kept.player:
        own = [part for part in parts if part.player == kept.player]
        took_part = bool(kept.promise or kept.entropy)
        _require(bool(own) or not took_part, "kept.player", "you took part in the cut and do not stand in it")
        return own[0] if own else None
    if not kept.entropy:
        return None
    own = [part for part in parts if part.reveal == kept.entropy and part.origin is Origin.PLAYER]
    _require(bool(own), "kept.entropy", "your bytes are not among those of the cut")
    return own[0]


def _compare_part(part: Contribution, kept: Kept) -> bool:
    """Whether the bytes in the document are one's own; who did not reveal has none there."""
    if part.origin is Origin.PLAYER:
        _require(kept.entropy in (b"", part.reveal), "kept.entropy", "these are not the bytes that you sent")
        _require(kept.promise in (b"", part.promise), "kept.promise", "this is not the promise that you made")
        _require(kept.key in (b"", part.key), "kept.key", "another key than yours signed the promise")
    for i, acknowledgement in enumerate(kept.acknowledgements):
        _check_acknowledged(part, acknowledgement, kept, f"kept.acknowledgements[{i}]")
    return part.origin is Origin.PLAYER and bool(kept.entropy)


def _check_acknowledged(part: Contribution, acknowledgement: Acknowledgement, kept: Kept, at: str) -> None:
    taken = acknowledgement.taken
    _require(acknowledgement.is_valid, at, "the signature does not fit")
    if (taken.commitment, taken.player) != (kept.commitment, part.player):
        return
    promised = "the house acknowledged another promise than it shows"
    _require(not part.promise or taken.promise == part.promise, at, promised)
    missing = part.origin is Origin.MISSING and (taken.kind == REVEAL or not part.promise)
    _require(not missing, at, f"the house acknowledged your {taken.kind} and calls it missing")


def _list_promises(document: ShoeDocument) -> dict[PlayerId, bytes]:
    return {part.player: part.promise for part in document.entropy.contributions if part.promise}


def _compare_promises(document: ShoeDocument, kept: Kept, signed: SignedPromises) -> None:
    """Every promise of the cut is one that was shown before the reveals, and none of those was left out."""
    at, listed = "kept.promise_list", signed.listed
    _require(signed.is_valid, at, "the signature does not fit")
    _require(signed.key == document.receipt.key, at, "another key signed the document")
    of, made = (listed.house, listed.table, listed.shoe, listed.commitment), document.commitment
    own = (document.receipt.checkpoint.house, made.table, made.shoe, made.digest)
    _require(of == own, at, "a list of another shoe")
    shown, told = {entry.player: entry.promise for entry in listed.promises}, _list_promises(document)
    _require(len(shown) == len(listed.promises), at, "a player stands there twice")
    if kept.player and kept.promise:
        _require(shown.get(kept.player) == kept.promise, at, "the promise that you made is not in it")
    for player in {**shown, **told}:
        detail = f"the promise of {player} is not the one that was shown before you revealed"
        _require(shown.get(player) == told.get(player), at, detail)


def _leads_to(document: ShoeDocument, receipt: Receipt, proofs: tuple[Consistency, ...], at: str) -> bool:
    """Whether the chain of a receipt is that of the document; False where nothing given could tell."""
    kept, signed = receipt.checkpoint, document.receipt.checkpoint
    _require(receipt.is_valid, at, "the signature does not fit")
    _require(receipt.key == document.receipt.key, at, "another key signed the document")
    own = (kept.house, kept.table) == (signed.house, signed.table)
    _require(own, at, f"a receipt of table {kept.table} at {kept.house}")
    heads = {signed.height: signed.head}
    for (_, hashed), proof in zip(document.hash_records(), document.included, strict=True):
        heads |= {proof.height - 1: proof.before, proof.height: hash_head(proof.before, hashed)}
    if kept.height in heads:
        _require(heads[kept.height] == kept.head, at, f"the house told two histories up to height {kept.height}")
        return True
    (old, older), (size, newer) = sorted([(kept.height, kept.root), (signed.height, signed.root)])
    for given in proofs:
        if (given.old, given.size) == (old, size):
            is_one = merkle.is_consistent(old, older, size, newer, given.proof)
            _require(is_one, at, f"the chain of height {size} does not continue the one of height {old}")
            return True
    return False


def _find_first_bet(document: ShoeDocument, player: PlayerId) -> int:
    """The height of the first round in which this player has a line; of what would follow where he has none."""
    for i, record in enumerate(document.rounds):
        if any(bet["player"] == player for bet in record.bets):
            return document.included[2 + i].height
    return document.receipt.checkpoint.height + 1
