"""The players cut: what they send decides the order in which the committed leaves are played, and the cut card's place.

A small state machine over plain values. The commitment is published first; only then does it take promises `H(e_k)`,
and only when those are closed reveals `e_k`. A promise may be signed with a key of the player's own. At a table for one
a player who has no key may send his bytes at once; in the first version of the construction everybody did so there.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.house.shoes.beacon import SIGNATURE as BEACON_SIGNATURE
from ventuno.house.shoes.commitment import OLDEST, Commitment
from ventuno.house.shoes.document_fields import HASH, optional, read_each, read_hex, read_part, read_word, write_fields
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.shuffle import Stream, shuffle
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.canonical_json import Unreadable
from ventuno.house.store.signing_key import SIGNATURE

ENTROPY = 16
PERSONALIZATION = b"ventuno/cut/1"
PROMISE_CONTEXT = b"ventuno/promise/1\n"
SERVER: PlayerId = "server"


class Origin(StrEnum):
    PLAYER = "player"
    MISSING = "missing"
    SERVER = "server"


class Phase(StrEnum):
    SEALED = "sealed"
    PROMISES = "promises"
    REVEALS = "reveals"
    CLOSED = "closed"


class CutNotOpen(Refusal):
    """Nothing is taken before the commitment is out; promises end when the first reveal may come."""

    asked: str
    phase: str


class NotAtTheTable(Refusal):
    player: PlayerId


class EntropyUnfit(Refusal):
    size: int
    needed: int


class PromisedTwice(Refusal):
    player: PlayerId


class PromiseCopied(Refusal):
    player: PlayerId


class SignatureUnfit(Refusal):
    """The signature of a promise is not that of its key over this shoe, this player and this promise."""

    player: PlayerId


class PromiseMissing(Refusal):
    player: PlayerId


class RevealedTwice(Refusal):
    player: PlayerId


class RevealMismatch(Refusal):
    player: PlayerId


class PlayersHaveCut(Refusal):
    """The house never replaces what a player sent."""

    count: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """One player's part: empty and flagged where the reveal is missing; made by the house: not verifiable.

    `key` is the player's own, and `signature` its signature of the promise; a player may have none.
    """

    player: PlayerId
    origin: Origin
    promise: bytes = b""
    reveal: bytes = b""
    key: bytes = optional(b"")
    signature: bytes = optional(b"")

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    def is_signed(self, commitment: Commitment) -> bool:
        """Whether the signature is that of its key over this promise for this shoe."""
        message = make_promise_message(commitment, self.player, self.promise)
        return signing_key.is_valid(self.key, self.signature, message)


def make_promise_message(commitment: Commitment, player: PlayerId, promise: bytes) -> bytes:
    """What a player signs: his promise, for one shoe of one table and the very commitment that he was shown."""
    statement = {
        "table": commitment.table,
        "shoe": commitment.shoe,
        "commitment": commitment.digest.hex(),
        "player": player,
        "promise": promise.hex(),
    }
    return PROMISE_CONTEXT + canonical_json.encode(statement)


@dataclass(frozen=True, slots=True)
class Entropy:
    """What was sent, in the order of the seats, and where that put the cut card.

    `beacon` is the signature of the round that the commitment names; empty where it named none, or none came in time.
    """

    contributions: tuple[Contribution, ...]
    cut_card: int
    beacon: bytes = optional(b"")

    @property
    def is_verifiable(self) -> bool:
        """Whether somebody other than the house had a part in the order."""
        return bool(self.beacon) or any(contribution.origin is Origin.PLAYER for contribution in self.contributions)

    @property
    def parts(self) -> list[bytes]:
        """What decides the order beside the root: what was revealed; with a beacon that alone. Whatever else went in
        could be written by a house after the beacon is known, in the name of players of its own.
        """
        return [self.beacon] if self.beacon else [contribution.reveal for contribution in self.contributions]

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)


@dataclass(frozen=True, slots=True)
class Cut:
    """The state of one shoe's cut; `players` are those at the table, in the order of their seats."""

    commitment: Commitment
    players: tuple[PlayerId, ...]
    solo: bool
    phase: Phase = Phase.SEALED
    promises: Mapping[PlayerId, bytes] = field(default_factory=dict)
    reveals: Mapping[PlayerId, bytes] = field(default_factory=dict)
    signatures: Mapping[PlayerId, tuple[bytes, bytes]] = field(default_factory=dict)
    supplied: bytes = b""

    @property
    def is_answered(self) -> bool:
        """Whether nobody's promise is awaited: all have promised, or sent their bytes at a table for one."""
        return set(self.players) <= {*self.promises, *self.reveals}


def publish(cut: Cut) -> Cut | Refusal:
    """The commitment is out and durable: from now on entropy may exist."""
    if cut.phase is not Phase.SEALED:
        return CutNotOpen("publish", cut.phase)
    at_once = cut.solo and cut.commitment.version == OLDEST
    return replace(cut, phase=Phase.REVEALS if at_once else Phase.PROMISES)


def promise(cut: Cut, player: PlayerId, digest: bytes, key: bytes = b"", signature: bytes = b"") -> Cut | Refusal:
    if cut.phase is not Phase.PROMISES:
        return CutNotOpen("promise", cut.phase)
    if player not in cut.players:
        return NotAtTheTable(player)
    if len(digest) != HASH:
        return EntropyUnfit(len(digest), HASH)
    if player in cut.promises:
        return PromisedTwice(player)
    if digest in cut.promises.values():
        return PromiseCopied(player)
    phase = Phase.REVEALS if cut.solo else cut.phase  # nobody else is waited for
    promised = replace(cut, phase=phase, promises={**cut.promises, player: digest})
    if not key and not signature:
        return promised
    if not Contribution(player, Origin.PLAYER, digest, b"", key, signature).is_signed(cut.commitment):
        return SignatureUnfit(player)
    return replace(promised, signatures={**cut.signatures, player: (key, signature)})


def end_promises(cut: Cut) -> Cut | Refusal:
    """All have promised or their time is up; a later promise is refused."""
    if cut.phase is not Phase.PROMISES:
        return CutNotOpen("end-of-promises", cut.phase)
    return replace(cut, phase=Phase.REVEALS)


def reveal(cut: Cut, player: PlayerId, entropy: bytes) -> Cut | Refusal:
    unpromised = cut.solo and player not in cut.promises
    if cut.phase is not Phase.REVEALS and not (unpromised and cut.phase is Phase.PROMISES):
        return CutNotOpen("reveal", cut.phase)
    if player not in cut.players:
        return NotAtTheTable(player)
    if len(entropy) != ENTROPY:
        return EntropyUnfit(len(entropy), ENTROPY)
    if player in cut.reveals:
        return RevealedTwice(player)
    if not unpromised:
        if player not in cut.promises:
            return PromiseMissing(player)
        if not hmac.compare_digest(sha256(entropy).digest(), cut.promises[player]):
            return RevealMismatch(player)
    return replace(cut, reveals={**cut.reveals, player: entropy})


def supply(cut: Cut, entropy: bytes) -> Cut | Refusal:
    """Bytes of the house, where no player sent any: the record says that this cut is not verifiable."""
    if cut.phase is not Phase.REVEALS:
        return CutNotOpen("supply", cut.phase)
    if cut.reveals:
        return PlayersHaveCut(len(cut.reveals))
    if len(entropy) != ENTROPY:
        return EntropyUnfit(len(entropy), ENTROPY)
    return replace(cut, supplied=entropy)


class Closed(NamedTuple):
    """A cut that is done: its last state, its record, and the order of play, in which card k is leaf `order[k]`."""

    cut: Cut
    entropy: Entropy
    order: tuple[int, ...]


def close(cut: Cut, sheet: Sheet, beacon: bytes = b"") -> Closed | Refusal:
    """All have revealed or their time is up: who did not is flagged, and nothing more is taken. The house adds nothing
    to a beacon, which it would know by then.
    """
    if cut.phase is not Phase.REVEALS:
        return CutNotOpen("close", cut.phase)
    parts = [
        Contribution(
            player,
            Origin.PLAYER if player in cut.reveals else Origin.MISSING,
            cut.promises.get(player, b""),
            cut.reveals.get(player, b""),
            *cut.signatures.get(player, (b"", b"")),
        )
        for player in cut.players
    ]
    if cut.supplied and not cut.reveals and not beacon:
        parts.append(Contribution(SERVER, Origin.SERVER, reveal=cut.supplied))
    entropy = Entropy(tuple(parts), 0, beacon)
    order, cut_card = compute_order(cut.commitment, entropy.parts, sheet)
    return Closed(replace(cut, phase=Phase.CLOSED), replace(entropy, cut_card=cut_card), order)


def compute_order(commitment: Commitment, parts: Sequence[bytes], sheet: Sheet) -> tuple[tuple[int, ...], int]:
    """π, Fisher-Yates over the leaves from HMAC_DRBG(C ‖ e_1 ‖ … ‖ shoe number), then the place of the cut card."""
    seed, number = commitment.root + b"".join(parts), commitment.shoe.to_bytes(16, "big")
    stream = Stream(HmacDrbg(seed, number, PERSONALIZATION))
    order = shuffle(range(commitment.size), stream.below)
    least, most = cut_window(sheet)
    return order, least + stream.below(most - least + 1)


def read(raw: object, at: str = "entropy") -> Entropy:
    return read_part(
        Entropy,
        raw,
        at,
        contributions=lambda raw, at: read_each(raw, at, _read_contribution),
        beacon=lambda raw, at: read_hex(raw, at, BEACON_SIGNATURE),
    )


def _read_contribution(raw: object, at: str) -> Contribution:
    contribution = read_part(
        Contribution,
        raw,
        at,
        origin=lambda raw, at: Origin(read_word(raw, at, tuple(Origin))),
        promise=lambda raw, at: read_hex(raw, at, HASH, empty=True),
        reveal=lambda raw, at: read_hex(raw, at, ENTROPY, empty=True),
        signature=lambda raw, at: read_hex(raw, at, SIGNATURE),
    )
    if bool(contribution.reveal) is (contribution.origin is Origin.MISSING):
        raise Unreadable(f"{at}.reveal: empty where it is missing, and only there")
    if bool(contribution.key) is not bool(contribution.signature):
        raise Unreadable(f"{at}.signature: it stands beside the key that made it, and only there")
    return contribution
