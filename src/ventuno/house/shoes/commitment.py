"""A sealed shoe: the commitment to it that is published before bets open, and its opening when it retires (X-01).

Leaf i is `H(0x00 ‖ salt_i ‖ card_i)`, the leaf after the cards is `H(0x00 ‖ rules)`, C is the Merkle root over all. So
the root holds the cards, their order and the rules they are played by, and shows none of them. Where the game has a
wheel, a seed for its draws is committed to by its hash, which stands beside the root and in the leaf of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from ventuno.core.rules.cards import Card, line, pack, text
from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import merkle
from ventuno.house.shoes.beacon import BeaconRound
from ventuno.house.shoes.document_fields import (
    HASH,
    optional,
    read_cards,
    read_each,
    read_hash,
    read_hex,
    read_part,
    read_whole,
    read_word,
    write_fields,
)
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import Stream, shuffle
from ventuno.house.store import canonical_json
from ventuno.house.store.body_packing import measure_cards, pack_cards, unpack_cards
from ventuno.house.store.secrets import Secret

SALT = 16
SEED = 32
_DECK_BYTES = 52 * (SALT + 1)
_SIZES = {measure_cards(52 * decks) + SEED + seed: 52 * decks for decks in range(1, 9) for seed in (0, SEED)}
"""Cards in a stored shoe whose salts come from a key, by the bytes after its rules; with and without a seed."""
VERSIONS = OLDEST, NEWEST = 1, 2
"""Of the construction. Since 2 a player promises his bytes at a table for one too, and signs with a key of his own; and
wheel and boards are drawn from a sealed seed.
"""
FIRST = bytes(32)
"""What stands for the commitment before the first of a table."""
CUT_CARD, CLOSED, FAULT = "cut-card", "closed", "fault"
REASONS = (CUT_CARD, CLOSED, FAULT)
"""The cut card came out (at once, where every round has its own shoe), the table closed, or a fault ended the shoe."""


@dataclass(frozen=True, slots=True)
class Commitment:
    """What everybody sees before bets open. `previous` is the digest of the table's last one.

    `version` is that of the construction: it stands in what is committed to, so nobody chooses an older one later.
    `draws` is the hash of the seed from which wheel and boards are drawn; empty where the game has none. `beacon` is
    the round of a public beacon that will take part in the cut, where the house asks one.
    """

    table: str
    shoe: int
    game: str
    sheet: str
    decks: int
    root: bytes
    previous: bytes = FIRST
    version: int = optional(OLDEST)
    draws: bytes = optional(b"")
    beacon: BeaconRound | None = optional(None)

    @property
    def size(self) -> int:
        """Cards in the shoe; the tree has one leaf more, the rules."""
        return 52 * self.decks

    @property
    def rules_hash(self) -> bytes:
        return hash_rules(self.sheet, self.decks, self.draws)

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def digest(self) -> bytes:
        return canonical_json.digest(self.to_dict())


def read(raw: object, at: str = "commitment") -> Commitment:
    return read_part(
        Commitment,
        raw,
        at,
        sheet=lambda raw, at: read_hash(raw, at).hex(),
        decks=_read_decks,
        version=_read_version,
        beacon=partial(read_part, BeaconRound),
    )


def _read_version(raw: object, at: str) -> int:
    version = read_whole(raw, at)
    if version not in VERSIONS:
        raise canonical_json.Unreadable(f"{at}: none of {', '.join(map(str, VERSIONS))}")
    return version


def _read_decks(raw: object, at: str) -> int:
    decks = read_whole(raw, at)
    if not 1 <= decks <= 8:
        raise canonical_json.Unreadable(f"{at}: from 1 to 8")
    return decks


@dataclass(frozen=True, slots=True)
class CardProof:
    """A card that was shown, with the salt and the path that lead to the root."""

    leaf: int
    card: Card
    salt: bytes
    path: tuple[bytes, ...]

    def to_dict(self) -> dict[str, Any]:
        path = [digest.hex() for digest in self.path]
        return {"leaf": self.leaf, "card": text(self.card), "salt": self.salt.hex(), "path": path}

    def is_valid(self, root: bytes, size: int) -> bool:
        """Whether the card is that leaf of the shoe of so many cards."""
        return merkle.compute_root(hash_card(self.salt, self.card), self.leaf, size + 1, self.path) == root


class SealedShoe(Secret):
    """Cards and salts by leaf and the seed of the draws, known to the house alone until they are shown."""

    __slots__ = ("_cards", "_rules", "_salt_key", "_salts", "_seed", "_tree")

    def __init__(
        self, cards: Sequence[Card], salts: Sequence[bytes], bound: bytes, seed: bytes = b"", salt_key: bytes = b""
    ) -> None:
        self._cards, self._salts, self._rules, self._seed = tuple(cards), tuple(salts), bound, seed
        self._salt_key = salt_key
        self._tree = build_tree(self._cards, self._salts, bound)

    @property
    def root(self) -> bytes:
        return self._tree.root()

    def show(self, leaf: int) -> CardProof:
        """The proof of one card: to be asked for when the card is turned, not before."""
        return CardProof(leaf, self._cards[leaf], self._salts[leaf], self._tree.path(leaf))

    def arrange(self, order: Sequence[int]) -> tuple[Card, ...]:
        """The cards in the order of play, for the table that deals them."""
        return tuple(self._cards[leaf] for leaf in order)

    def unseal(self) -> tuple[tuple[Card, ...], tuple[bytes, ...]]:
        """All cards and salts, for the opening; `restore_shoe` makes the same shoe of what is stored (R-23)."""
        return self._cards, self._salts

    def unseal_seed(self) -> bytes:
        """The seed of the draws, for the house that draws and for the opening; empty where none was sealed."""
        return self._seed

    def to_bytes(self) -> bytes:
        """The whole secret as bytes for the store: rules, cards, the key of the salts, the seed of the draws.

        Where salts were not drawn from a key, card and salt of each leaf stand there instead.
        """
        if self._salt_key:
            return self._rules + pack_cards(self._cards) + self._salt_key + self._seed
        leaves = b"".join(bytes([card]) + salt for card, salt in zip(self._cards, self._salts, strict=True))
        return self._rules + leaves + self._seed


def restore_shoe(stored: bytes) -> SealedShoe:
    """The shoe of `SealedShoe.to_bytes`, with the same cards, salts and root.

    The length tells what it is: eight decks with a key are shorter than one with its salts.
    """
    bound, rest = stored[:HASH], stored[HASH:]
    if size := _SIZES.get(len(rest)):
        end = measure_cards(size)
        cards, salt_key = unpack_cards(rest[:end], size), rest[end : end + SEED]
        return SealedShoe(cards, draw_salts(salt_key, size), bound, rest[end + SEED :], salt_key)
    end = len(rest) // _DECK_BYTES * _DECK_BYTES
    leaves = [rest[at : at + SALT + 1] for at in range(0, end, SALT + 1)]
    return SealedShoe([leaf[0] for leaf in leaves], [leaf[1:] for leaf in leaves], bound, rest[end:])


def seal(
    source: EntropySource, sheet: Sheet, table: str, number: int, previous: bytes = FIRST, version: int = NEWEST
) -> tuple[SealedShoe, Commitment]:
    """A new shoe for a table, shuffled from fresh entropy of its own, and what is to be published about it.

    The key of the salts is drawn after the order: not even the generator's state then gives the order back. Last comes
    the seed of the draws, where the game has a wheel.
    """
    drbg = HmacDrbg.fresh(source, f"ventuno/shoe/1/{table}/{number}".encode())
    cards = shuffle(pack(sheet.shoe.decks), Stream(drbg).below)
    salt_key = drbg.generate(SEED)
    salts = draw_salts(salt_key, len(cards))
    seed = drbg.generate(SEED) if sheet.bonus.wheel and version > OLDEST else b""
    draws = sha256(seed).digest() if seed else b""
    rules = hash_rules(sheet.hash, sheet.shoe.decks, draws)
    shoe = SealedShoe(cards, salts, rules, seed, salt_key)
    game, decks = sheet.game.id, sheet.shoe.decks
    return shoe, Commitment(table, number, game, sheet.hash, decks, shoe.root, previous, version, draws)


def draw_salts(salt_key: bytes, size: int) -> list[bytes]:
    """The salts of all leaves from one key, so that the house keeps the key alone: none tells anything of another."""
    salted = HmacDrbg(salt_key, personalization=b"ventuno/salts/1").generate(SALT * size)
    return [salted[at : at + SALT] for at in range(0, len(salted), SALT)]


def hash_rules(sheet: str, decks: int, draws: bytes = b"") -> bytes:
    """What binds the rules: the hash of the sheet, which holds rules and paytable, the number of decks, and the hash of
    the seed of the draws where there is one.
    """
    return sha256(bytes.fromhex(sheet) + bytes([decks]) + draws).digest()


def hash_card(salt: bytes, card: Card) -> bytes:
    return merkle.hash_leaf(salt + bytes([card]))


def build_tree(cards: Sequence[Card], salts: Sequence[bytes], bound: bytes) -> merkle.Tree:
    data = [salt + bytes([card]) for salt, card in zip(salts, cards, strict=True)]
    return merkle.Tree(map(merkle.hash_leaf, [*data, bound]))


@dataclass(frozen=True, slots=True)
class Opening:
    """The whole shoe, opened when it retires: every card and salt by leaf, and why it retired.

    `draws` is the seed of wheel and boards, where one was committed to.
    """

    cards: tuple[Card, ...]
    salts: tuple[bytes, ...]
    retired: str
    draws: bytes = optional(b"")

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self) | {"cards": line(self.cards)}

    def find_fault(self, commitment: Commitment) -> str:
        """What does not hold against the commitment, or nothing."""
        if len(self.cards) != len(self.salts):
            return f"{len(self.cards)} cards with {len(self.salts)} salts"
        if Counter(self.cards) != Counter(pack(commitment.decks)):
            return f"these are not the cards of {commitment.decks} decks"
        if build_tree(self.cards, self.salts, commitment.rules_hash).root() != commitment.root:
            return "cards, salts and rules do not lead to the committed root"
        return ""

    def matches(self, proof: CardProof) -> bool:
        """Whether a card that was shown is the one that now lies open."""
        if not 0 <= proof.leaf < len(self.cards):
            return False
        return self.cards[proof.leaf] == proof.card and self.salts[proof.leaf] == proof.salt


def open_shoe(shoe: SealedShoe, retired: str) -> Opening:
    """Open a shoe that serves no further round."""
    if retired not in REASONS:
        raise ValueError(f"{retired!r} is none of {', '.join(REASONS)}")
    return Opening(*shoe.unseal(), retired, shoe.unseal_seed())


def read_opening(raw: object, at: str = "opening") -> Opening:
    return read_part(
        Opening,
        raw,
        at,
        cards=read_cards,
        salts=lambda raw, at: read_each(raw, at, read_salt),
        retired=lambda raw, at: read_word(raw, at, REASONS),
    )


def read_salt(raw: object, at: str) -> bytes:
    return read_hex(raw, at, SALT)
