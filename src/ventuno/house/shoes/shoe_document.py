"""The document that a player downloads and anybody verifies: one shoe, from its commitment to its opening (X-01).

docs/fairness.md defines it field by field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ventuno.core.rules.cards import Card, line
from ventuno.core.scenario.scenario import Malformed, Scenario, parse
from ventuno.house.shoes import commitment, cut, receipts
from ventuno.house.shoes.commitment import NEWEST, VERSIONS, CardProof, Commitment, Opening
from ventuno.house.shoes.cut import Entropy
from ventuno.house.shoes.document_fields import (
    read_card,
    read_cards,
    read_each,
    read_mapping,
    read_part,
    read_text,
    read_whole,
    read_word,
    write_fields,
)
from ventuno.house.shoes.receipts import Inclusion, Receipt
from ventuno.house.store import canonical_json
from ventuno.house.store.canonical_json import Unreadable

FORMATS = {version: f"ventuno-shoe/{version}" for version in VERSIONS}
FORMAT = FORMATS[NEWEST]
_SECTIONS = ("format", "commitment", "entropy", "dealt", "rounds", "receipt", "included")


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card that was shown: its place in the order of play, and its proof."""

    play: int
    proof: CardProof

    def to_dict(self) -> dict[str, Any]:
        return {"play": self.play, **self.proof.to_dict()}


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round by its code: where in the shoe it began, its cards, and what was paid.

    A round that was played has its scenario; a void one has none, and every stake came back.
    """

    code: str
    first: int
    cards: tuple[Card, ...]
    bets: tuple[Mapping[str, Any], ...]
    scenario: Scenario | None
    void: Mapping[str, str] | None
    body: Mapping[str, Any]

    @property
    def end(self) -> int:
        """The place in the shoe after its last card."""
        return self.first + len(self.cards)


@dataclass(frozen=True, slots=True)
class ShoeDocument:
    commitment: Commitment
    entropy: Entropy
    dealt: tuple[DealtCard, ...]
    rounds: tuple[RoundRecord, ...]
    opening: Opening | None
    receipt: Receipt
    included: tuple[Inclusion, ...]

    def to_dict(self) -> dict[str, Any]:
        opened = {"opening": self.opening.to_dict()} if self.opening else {}
        return {
            "format": FORMATS[self.commitment.version],
            "commitment": self.commitment.to_dict(),
            "entropy": self.entropy.to_dict(),
            "dealt": [part.to_dict() for part in self.dealt],
            "rounds": [dict(part.body) for part in self.rounds],
            **opened,
            "receipt": self.receipt.to_dict(),
            "included": [part.to_dict() for part in self.included],
        }

    def hash_records(self) -> Iterator[tuple[str, bytes]]:
        """The records of this shoe in the order in which they were chained, each with its place in the document."""
        digest = self.commitment.digest
        yield "commitment", receipts.hash_record(receipts.COMMITMENT, digest, self.commitment.to_dict())
        yield "entropy", receipts.hash_record(receipts.ENTROPY, digest, self.entropy.to_dict())
        for i, record in enumerate(self.rounds):
            yield f"rounds[{i}]", receipts.hash_record(receipts.ROUND, digest, record.body)
        if self.opening:
            yield "opening", receipts.hash_record(receipts.OPENING, digest, self.opening.to_dict())


def make_played_record(code: str, first: int, scenario: Scenario, bets: Sequence[Mapping[str, Any]]) -> RoundRecord:
    """The record of a settled round; `bets` are the lines of its settlement."""
    lines = [dict(bet) for bet in bets]
    body = {"code": code, "first": first, "scenario": scenario_to_dict(scenario), "bets": lines}
    return RoundRecord(code, first, scenario.shoe, tuple(lines), scenario, None, body)


def hide_balances(scenario: Scenario, bets: Sequence[Mapping[str, Any]]) -> Scenario:
    """The scenario of a shared table without anybody's balance (H-5): each player holds exactly what he staked.

    It settles the same: what was paid can still be paid, and what could not be paid then, cannot be now.
    """
    staked: dict[str, int] = {}
    for bet in bets:
        staked[bet["player"]] = staked.get(bet["player"], 0) + bet["stake"]
    return replace(scenario, players=staked)


def make_void_record(
    code: str, first: int, cards: tuple[Card, ...], bets: Sequence[Mapping[str, Any]], by: str, reason: str
) -> RoundRecord:
    """The record of a void round: the cards it used, the stakes that came back, who ended it and why."""
    lines, void = [dict(bet) for bet in bets], {"by": by, "reason": reason}
    body = {"code": code, "first": first, "cards": line(cards), "bets": lines, "void": void}
    return RoundRecord(code, first, cards, tuple(lines), None, void, body)


def read(raw: bytes, games: tuple[str, ...]) -> ShoeDocument:
    """A document as bytes; Unreadable where its form is wrong, whatever it says."""
    top = read_mapping(canonical_json.decode(raw), "the document", _SECTIONS, ("opening",))
    read_word(top["format"], "format", tuple(FORMATS.values()))
    committed, entropy = commitment.read(top["commitment"]), cut.read(top["entropy"])
    if top["format"] != FORMATS[committed.version]:
        raise Unreadable("format: not that of the commitment")
    return ShoeDocument(
        committed,
        entropy,
        read_each(top["dealt"], "dealt", _read_dealt_card),
        read_each(top["rounds"], "rounds", lambda raw, at: read_round(raw, at, games)),
        commitment.read_opening(top["opening"]) if "opening" in top else None,
        receipts.read(top["receipt"]),
        read_each(top["included"], "included", receipts.read_inclusion),
    )


def _read_dealt_card(raw: object, at: str) -> DealtCard:
    mapping = read_mapping(raw, at, ("play", "leaf", "card", "salt", "path"))
    proof = {name: value for name, value in mapping.items() if name != "play"}
    return DealtCard(
        read_whole(mapping["play"], f"{at}.play"),
        read_part(CardProof, proof, at, card=read_card, salt=commitment.read_salt),
    )


def read_round(raw: object, at: str, games: tuple[str, ...]) -> RoundRecord:
    is_void = isinstance(raw, dict) and "void" in raw
    mapping = read_mapping(raw, at, ("code", "first", "bets", *(("cards", "void") if is_void else ("scenario",))))
    code, first = read_text(mapping["code"], f"{at}.code"), read_whole(mapping["first"], f"{at}.first")
    bets = read_each(mapping["bets"], f"{at}.bets", _read_bet)
    if is_void:
        why = read_mapping(mapping["void"], f"{at}.void", ("by", "reason"))
        who = {key: read_text(why[key], f"{at}.void.{key}") for key in ("by", "reason")}
        return RoundRecord(code, first, read_cards(mapping["cards"], f"{at}.cards"), bets, None, who, mapping)
    try:
        scenario = parse(mapping["scenario"], games)
    except Malformed as fault:
        raise Unreadable(f"{at}.scenario: {fault}") from None
    return RoundRecord(code, first, scenario.shoe, bets, scenario, None, mapping)


def _read_bet(raw: object, at: str) -> Mapping[str, Any]:
    mapping = read_mapping(raw, at, ("player", "bet", "stake", "returned"), ("box", "hand", "criterion"))
    for key, value in mapping.items():
        if not isinstance(value, str if key in ("player", "bet", "criterion") else int) or isinstance(value, bool):
            raise Unreadable(f"{at}.{key}: the wrong type")
    return mapping


def scenario_to_dict(scenario: Scenario) -> dict[str, Any]:
    """A scenario in the form of the contract; what is empty is left out."""
    return {"boxes": [], **write_fields(scenario, sparse=True), "shoe": line(scenario.shoe)}
