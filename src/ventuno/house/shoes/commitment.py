"""The house shuffles: a sealed shoe, and the commitment to it that is published before bets open (X-01).

Leaf i is `H(0x00 ‖ salt_i ‖ card_i)`, the leaf after the cards is `H(0x00 ‖ rules)`, C is the Merkle root over all. So
the root holds the cards, their order and the rules they are played by, and shows none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ventuno.core.rules.cards import Card, pack, text
from ventuno.core.rules.sheet import Sheet
from ventuno.house.shoes import document_fields, merkle
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shuffle import Stream, shuffle
from ventuno.house.store import canonical_json
from ventuno.house.store.secrets import Secret

SALT = 16
FIRST = bytes(32)
"""What stands for the commitment before the first of a table."""
_FIELDS = ("table", "shoe", "game", "sheet", "decks", "root", "previous")


@dataclass(frozen=True, slots=True)
class Commitment:
    """What everybody sees before bets open. `previous` is the digest of the table's last one."""

    table: str
    shoe: int
    game: str
    sheet: str
    decks: int
    root: bytes
    previous: bytes = FIRST

    @property
    def size(self) -> int:
        """Cards in the shoe; the tree has one leaf more, the rules."""
        return 52 * self.decks

    @property
    def rules_hash(self) -> bytes:
        return hash_rules(self.sheet, self.decks)

    def to_dict(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "shoe": self.shoe,
            "game": self.game,
            "sheet": self.sheet,
            "decks": self.decks,
            "root": self.root.hex(),
            "previous": self.previous.hex(),
        }

    @property
    def digest(self) -> bytes:
        return canonical_json.digest(self.to_dict())


def read(raw: object, at: str = "commitment") -> Commitment:
    mapping = document_fields.read_mapping(raw, at, _FIELDS)
    decks = document_fields.read_whole(mapping["decks"], f"{at}.decks")
    if not 1 <= decks <= 8:
        raise canonical_json.Unreadable(f"{at}.decks: from 1 to 8")
    return Commitment(
        table=document_fields.read_text(mapping["table"], f"{at}.table"),
        shoe=document_fields.read_whole(mapping["shoe"], f"{at}.shoe"),
        game=document_fields.read_text(mapping["game"], f"{at}.game"),
        sheet=document_fields.read_hex(mapping["sheet"], f"{at}.sheet", document_fields.HASH).hex(),
        decks=decks,
        root=document_fields.read_hex(mapping["root"], f"{at}.root", document_fields.HASH),
        previous=document_fields.read_hex(mapping["previous"], f"{at}.previous", document_fields.HASH),
    )


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
    """Cards and salts by leaf, known to the house alone until they are shown."""

    __slots__ = ("_cards", "_rules", "_salts", "_tree")

    def __init__(self, cards: Sequence[Card], salts: Sequence[bytes], bound: bytes) -> None:
        self._cards, self._salts, self._rules = tuple(cards), tuple(salts), bound
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
        """All cards and salts, for the opening and for the store, from which `restored` makes the same shoe (R-23)."""
        return self._cards, self._salts

    def to_bytes(self) -> bytes:
        """The whole secret as bytes for the store: rules, then card and salt of each leaf."""
        return self._rules + b"".join(bytes([card]) + salt for card, salt in zip(self._cards, self._salts, strict=True))


def restore_shoe(stored: bytes) -> SealedShoe:
    """The shoe of `SealedShoe.kept`, with the same cards, salts and root."""
    bound, rest = stored[: document_fields.HASH], stored[document_fields.HASH :]
    leaves = [rest[at : at + SALT + 1] for at in range(0, len(rest), SALT + 1)]
    return SealedShoe([leaf[0] for leaf in leaves], [leaf[1:] for leaf in leaves], bound)


def seal(
    source: EntropySource, sheet: Sheet, table: str, number: int, previous: bytes = FIRST
) -> tuple[SealedShoe, Commitment]:
    """A new shoe for a table, shuffled from fresh entropy of its own, and what is to be published about it.

    The salts are drawn after the order: not even the generator's state after them gives the order back.
    """
    drbg = HmacDrbg.fresh(source, f"ventuno/shoe/1/{table}/{number}".encode())
    cards = shuffle(pack(sheet.shoe.decks), Stream(drbg).below)
    salted = drbg.generate(SALT * len(cards))
    salts = [salted[at : at + SALT] for at in range(0, len(salted), SALT)]
    shoe = SealedShoe(cards, salts, hash_rules(sheet.hash, sheet.shoe.decks))
    return shoe, Commitment(table, number, sheet.game.id, sheet.hash, sheet.shoe.decks, shoe.root, previous)


def hash_rules(sheet: str, decks: int) -> bytes:
    """What binds the rules: the hash of the sheet, which holds rules and paytable, and the number of decks."""
    return sha256(bytes.fromhex(sheet) + bytes([decks])).digest()


def hash_card(salt: bytes, card: Card) -> bytes:
    return merkle.hash_leaf(salt + bytes([card]))


def build_tree(cards: Sequence[Card], salts: Sequence[bytes], bound: bytes) -> merkle.Tree:
    data = [salt + bytes([card]) for salt, card in zip(salts, cards, strict=True)]
    return merkle.Tree(map(merkle.hash_leaf, [*data, bound]))
