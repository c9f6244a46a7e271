"""The document that a player downloads and anybody verifies: one shoe, from its commitment to its opening (X-01).

docs/fairness.md defines it field by field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ventuno.core.rules.cards import Card, line
from ventuno.core.scenario.scenario import BehindEntry, BonusEntry, BoxEntry, DecisionEntry, Malformed, Scenario, parse
from ventuno.house.shoes import commitment, cut, opening, receipts
from ventuno.house.shoes.commitment import SALT, CardProof, Commitment
from ventuno.house.shoes.cut import Entropy
from ventuno.house.shoes.opening import Opening
from ventuno.house.shoes.receipts import Inclusion, Receipt
from ventuno.house.store import canonical_json, document_fields
from ventuno.house.store.canonical_json import Unreadable

FORMAT = "ventuno-shoe/1"
_SECTIONS = ("format", "commitment", "entropy", "dealt", "rounds", "receipt", "included")


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card that was shown: its place in the order of play, and its proof."""

    play: int
    proof: CardProof

    def plain(self) -> dict[str, Any]:
        return {"play": self.play, **self.proof.plain()}


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
class Dossier:
    commitment: Commitment
    entropy: Entropy
    dealt: tuple[DealtCard, ...]
    rounds: tuple[RoundRecord, ...]
    opening: Opening | None
    receipt: Receipt
    included: tuple[Inclusion, ...]

    def plain(self) -> dict[str, Any]:
        opened = {"opening": self.opening.plain()} if self.opening else {}
        return {
            "format": FORMAT,
            "commitment": self.commitment.plain(),
            "entropy": self.entropy.plain(),
            "dealt": [one.plain() for one in self.dealt],
            "rounds": [dict(one.body) for one in self.rounds],
            **opened,
            "receipt": self.receipt.plain(),
            "included": [one.plain() for one in self.included],
        }

    def records(self) -> Iterator[tuple[str, bytes]]:
        """The records of this shoe in the order in which they were chained, each with its place in the document."""
        digest = self.commitment.digest
        yield "commitment", receipts.record(receipts.COMMITMENT, digest, self.commitment.plain())
        yield "entropy", receipts.record(receipts.ENTROPY, digest, self.entropy.plain())
        for i, one in enumerate(self.rounds):
            yield f"rounds[{i}]", receipts.record(receipts.ROUND, digest, one.body)
        if self.opening:
            yield "opening", receipts.record(receipts.OPENING, digest, self.opening.plain())


def played(code: str, first: int, scenario: Scenario, bets: Sequence[Mapping[str, Any]]) -> RoundRecord:
    """The record of a settled round; `bets` are the lines of its settlement."""
    lines = [dict(one) for one in bets]
    body = {"code": code, "first": first, "scenario": scenario_plain(scenario), "bets": lines}
    return RoundRecord(code, first, scenario.shoe, tuple(lines), scenario, None, body)


def discreet(scenario: Scenario, bets: Sequence[Mapping[str, Any]]) -> Scenario:
    """The scenario of a shared table without anybody's balance (H-5): each player holds exactly what he staked.

    It settles the same: what was paid can still be paid, and what could not be paid then, cannot be now.
    """
    staked: dict[str, int] = {}
    for bet in bets:
        staked[bet["player"]] = staked.get(bet["player"], 0) + bet["stake"]
    return replace(scenario, players=staked)


def voided(
    code: str, first: int, cards: tuple[Card, ...], bets: Sequence[Mapping[str, Any]], by: str, reason: str
) -> RoundRecord:
    """The record of a void round: the cards it used, the stakes that came back, who ended it and why."""
    lines, void = [dict(one) for one in bets], {"by": by, "reason": reason}
    body = {"code": code, "first": first, "cards": line(cards), "bets": lines, "void": void}
    return RoundRecord(code, first, cards, tuple(lines), None, void, body)


def read(raw: bytes, games: tuple[str, ...]) -> Dossier:
    """A document as bytes; Unreadable where its form is wrong, whatever it says."""
    top = document_fields.mapping(canonical_json.decode(raw), "the document", _SECTIONS, ("opening",))
    document_fields.word(top["format"], "format", (FORMAT,))
    dealt, rounds = document_fields.listed(top["dealt"], "dealt"), document_fields.listed(top["rounds"], "rounds")
    included = document_fields.listed(top["included"], "included")
    return Dossier(
        commitment.read(top["commitment"]),
        cut.read(top["entropy"]),
        tuple(_dealt(one, f"dealt[{i}]") for i, one in enumerate(dealt)),
        tuple(read_round(one, f"rounds[{i}]", games) for i, one in enumerate(rounds)),
        opening.read(top["opening"]) if "opening" in top else None,
        receipts.read(top["receipt"]),
        tuple(receipts.read_inclusion(one, f"included[{i}]") for i, one in enumerate(included)),
    )


def _dealt(raw: object, at: str) -> DealtCard:
    one = document_fields.mapping(raw, at, ("play", "leaf", "card", "salt", "path"))
    proof = CardProof(
        document_fields.whole(one["leaf"], f"{at}.leaf"),
        document_fields.one_card(one["card"], f"{at}.card"),
        document_fields.octets(one["salt"], f"{at}.salt", SALT),
        document_fields.hashes(one["path"], f"{at}.path"),
    )
    return DealtCard(document_fields.whole(one["play"], f"{at}.play"), proof)


def read_round(raw: object, at: str, games: tuple[str, ...]) -> RoundRecord:
    void = isinstance(raw, dict) and "void" in raw
    own = ("cards", "void") if void else ("scenario",)
    one = document_fields.mapping(raw, at, ("code", "first", "bets", *own))
    code, first = document_fields.text(one["code"], f"{at}.code"), document_fields.whole(one["first"], f"{at}.first")
    bets = tuple(
        _bet(bet, f"{at}.bets[{i}]") for i, bet in enumerate(document_fields.listed(one["bets"], f"{at}.bets"))
    )
    if void:
        why = document_fields.mapping(one["void"], f"{at}.void", ("by", "reason"))
        who = {key: document_fields.text(why[key], f"{at}.void.{key}") for key in ("by", "reason")}
        return RoundRecord(code, first, document_fields.some_cards(one["cards"], f"{at}.cards"), bets, None, who, one)
    try:
        scenario = parse(one["scenario"], games)
    except Malformed as fault:
        raise Unreadable(f"{at}.scenario: {fault}") from None
    return RoundRecord(code, first, scenario.shoe, bets, scenario, None, one)


def _bet(raw: object, at: str) -> Mapping[str, Any]:
    one = document_fields.mapping(raw, at, ("player", "bet", "stake", "returned"), ("box", "hand", "criterion"))
    for key, value in one.items():
        if not isinstance(value, str if key in ("player", "bet", "criterion") else int) or isinstance(value, bool):
            raise Unreadable(f"{at}.{key}: the wrong type")
    return one


def scenario_plain(scenario: Scenario) -> dict[str, Any]:
    """A scenario in the form of the contract; what is empty is left out."""
    found: dict[str, Any] = {
        "game": scenario.game,
        "shoe": line(scenario.shoe),
        "boxes": [_box(box) for box in scenario.boxes],
        "players": dict(scenario.players),
        "table": dict(scenario.table),
        "decisions": [_decision(one) for one in scenario.decisions],
        "bonus": [_bonus(one) for one in scenario.bonus],
    }
    return {key: value for key, value in found.items() if value or key in ("game", "shoe", "boxes")}


def _box(box: BoxEntry) -> dict[str, Any]:
    main = {} if box.main is None else {"main": box.main}
    more = {"sides": dict(box.sides), "behind": [_behind(one) for one in box.behind]}
    return {"box": box.box, "player": box.player, **main, **{key: value for key, value in more.items() if value}}


def _behind(one: BehindEntry) -> dict[str, Any]:
    follows = {"follow_double": one.follow_double, "follow_split": one.follow_split}
    return {"player": one.player, "stake": one.stake, **follows}


def _decision(one: DecisionEntry) -> dict[str, Any]:
    who = {} if one.player is None else {"player": one.player}
    return {"box": one.box, "do": str(one.do), **who}


def _bonus(one: BonusEntry) -> dict[str, Any]:
    more = {
        "boxes": list(one.boxes),
        "start": _cells(one.start),
        "spins": [_cells(spin) for spin in one.spins],
        "diamonds": list(one.diamonds),
    }
    return {"wheel": one.wheel, **{key: value for key, value in more.items() if value}}


def _cells(cells: Mapping[int, int]) -> dict[str, int]:
    return {str(cell): value for cell, value in cells.items()}
