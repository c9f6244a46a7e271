"""The whole shoe, opened when it retires: every card and salt by leaf, and why it retired (X-01)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ventuno.core.rules.cards import Card, line, pack
from ventuno.house.shoes import document_fields
from ventuno.house.shoes.commitment import SALT, CardProof, Commitment, SealedShoe, build_tree

CUT_CARD, CLOSED, FAULT = "cut-card", "closed", "fault"
REASONS = (CUT_CARD, CLOSED, FAULT)
"""The cut card came out (at once, where every round has its own shoe), the table closed, or a fault ended the shoe."""


@dataclass(frozen=True, slots=True)
class Opening:
    cards: tuple[Card, ...]
    salts: tuple[bytes, ...]
    retired: str

    def to_dict(self) -> dict[str, Any]:
        return {"cards": line(self.cards), "salts": [salt.hex() for salt in self.salts], "retired": self.retired}

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
    return Opening(*shoe.unseal(), retired)


def read(raw: object, at: str = "opening") -> Opening:
    mapping = document_fields.read_mapping(raw, at, ("cards", "salts", "retired"))
    salts = document_fields.read_list(mapping["salts"], f"{at}.salts")
    return Opening(
        document_fields.read_cards(mapping["cards"], f"{at}.cards"),
        tuple(document_fields.read_hex(salt, f"{at}.salts[{i}]", SALT) for i, salt in enumerate(salts)),
        document_fields.read_word(mapping["retired"], f"{at}.retired", REASONS),
    )
