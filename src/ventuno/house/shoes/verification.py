"""Checks a downloaded shoe from the commitment to the payouts, and names the first thing that does not hold (G-14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import Refused, enact, settlement
from ventuno.house.shoes import cut
from ventuno.house.shoes.commitment import Commitment
from ventuno.house.shoes.cut import Entropy, Origin
from ventuno.house.shoes.opening import CUT_CARD
from ventuno.house.shoes.shoe_document import DealtCard, Dossier, RoundRecord


class Unproven(Exception):
    """Something in the document does not hold; `at` says where."""

    def __init__(self, at: str, detail: str) -> None:
        super().__init__(f"{at}: {detail}")
        self.at, self.detail = at, detail


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that was claimed holds. `notes` tell what was not claimed: a missing reveal, a shoe not open yet, a void."""

    cards: int
    rounds: int
    contributors: int
    is_verifiable: bool
    is_open: bool
    notes: tuple[str, ...]


def verify(dossier: Dossier, sheet: Sheet, key: bytes | None = None) -> Verdict:
    """Go through the document in the order in which things happened; raises Unproven at the first false one."""
    check_cards(dossier.commitment, dossier.entropy, dossier.dealt, sheet)
    _check_rounds(dossier, sheet)
    _check_opening(dossier)
    _check_receipt(dossier, key)
    entropy = dossier.entropy
    return Verdict(
        cards=len(dossier.dealt),
        rounds=len(dossier.rounds),
        contributors=sum(one.origin is Origin.PLAYER for one in entropy.contributions),
        is_verifiable=entropy.is_verifiable,
        is_open=dossier.opening is not None,
        notes=tuple(_notes(dossier)),
    )


def check_cards(made: Commitment, entropy: Entropy, dealt: Sequence[DealtCard], sheet: Sheet) -> None:
    """From the rules to the cards that were shown: all that can be checked while a round is being played."""
    _check_rules(made, sheet)
    _check_contributions(entropy, sheet)
    order, cut_card = cut.arrangement(made, [one.reveal for one in entropy.contributions], sheet)
    if entropy.cut_card != cut_card:
        raise Unproven("entropy.cut_card", f"the cut card lies at {cut_card}, not at {entropy.cut_card}")
    _check_dealt(made, dealt, order)


def _check_rules(made: Commitment, sheet: Sheet) -> None:
    if made.game != sheet.game.id:
        raise Unproven("commitment.game", f"{made.game} was committed, the sheet is of {sheet.game.id}")
    if made.sheet != sheet.hash:
        raise Unproven("commitment.sheet", f"the rules {made.sheet[:16]}… were committed, the sheet is {sheet.hash}")
    if made.decks != sheet.shoe.decks:
        raise Unproven("commitment.decks", f"{made.decks} decks were committed, the sheet has {sheet.shoe.decks}")


def _check_contributions(entropy: Entropy, sheet: Sheet) -> None:
    parts = entropy.contributions
    players = [one.player for one in parts if one.origin is not Origin.SERVER]
    if len(set(players)) < len(players):
        raise Unproven("entropy.contributions", "a player stands there twice")
    if sheet.game.solo and len(players) != 1:
        raise Unproven("entropy.contributions", f"{len(players)} players at a table for one")
    if entropy.is_verifiable and len(players) < len(parts):
        raise Unproven("entropy.contributions", "the house added to what players sent")
    promises = [one.promise for one in parts if one.promise]
    if len(set(promises)) < len(promises):
        raise Unproven("entropy.contributions", "two players sent the same promise")
    for i, one in enumerate(parts):
        at = f"entropy.contributions[{i}]"
        bound = one.origin is Origin.PLAYER and not sheet.game.solo
        if bound and sha256(one.reveal).digest() != one.promise:
            raise Unproven(at, f"what {one.player} revealed is not what was promised")
        if not bound and one.promise and (sheet.game.solo or one.origin is Origin.SERVER):
            raise Unproven(at, "a promise where none is made")


def _check_dealt(made: Commitment, dealt: Sequence[DealtCard], order: tuple[int, ...]) -> None:
    last = -1
    for i, one in enumerate(dealt):
        at = f"dealt[{i}]"
        if not last < one.play < made.size:
            raise Unproven(at, f"card {one.play} of play after card {last}, in a shoe of {made.size}")
        if order[one.play] != one.proof.leaf:
            raise Unproven(at, f"card {one.play} of play is leaf {order[one.play]}, not {one.proof.leaf}")
        if not one.proof.holds(made.root, made.size):
            raise Unproven(at, f"card, salt and path of leaf {one.proof.leaf} do not lead to the committed root")
        last = one.play


def _check_rounds(dossier: Dossier, sheet: Sheet) -> None:
    shown = {one.play: one.proof.card for one in dossier.dealt}
    position, codes = sheet.shoe.burn, set[str]()
    for i, one in enumerate(dossier.rounds):
        at = f"rounds[{i}]"
        if one.code in codes:
            raise Unproven(f"{at}.code", f"{one.code} stands there twice")
        if one.first != position:
            raise Unproven(f"{at}.first", f"the round begins at card {one.first}, the one before ended at {position}")
        if position >= dossier.entropy.cut_card:
            raise Unproven(at, f"the round begins at card {position}, the cut card came at {dossier.entropy.cut_card}")
        for place, card in enumerate(one.cards, start=one.first):
            if shown.get(place) != card:
                raise Unproven(at, f"card {place} of play is not the one that was shown")
        _check_payouts(one, sheet, at)
        codes.add(one.code)
        position = one.end
    if any(play < sheet.shoe.burn for play in shown):
        raise Unproven("dealt", "a burnt card stands among those that were dealt")
    if dossier.opening and any(play >= position for play in shown):
        raise Unproven("dealt", f"the shoe is open, yet cards after {position} belong to no round")


def _check_payouts(one: RoundRecord, sheet: Sheet, at: str) -> None:
    """Play the round again; a void one gives every stake back (R-07, R-16)."""
    if one.scenario is None:
        for i, bet in enumerate(one.bets):
            if bet["returned"] != bet["stake"] or bet["stake"] < 0:
                raise Unproven(f"{at}.bets[{i}]", f"void, yet {bet['returned']} of {bet['stake']} came back")
        return
    if one.scenario.game != sheet.game.id:
        raise Unproven(f"{at}.scenario.game", f"a round of {one.scenario.game} from a shoe of {sheet.game.id}")
    try:
        found = settlement(enact(sheet, one.scenario, as_taken=True))
    except Refused as no:
        raise Unproven(f"{at}.scenario", f"the rules refuse it at {no}") from None
    if found["unused_cards"]:
        raise Unproven(f"{at}.scenario.shoe", f"{found['unused_cards']} cards were not needed")
    if len(found["bets"]) != len(one.bets):
        raise Unproven(f"{at}.bets", f"{len(found['bets'])} lines are due, {len(one.bets)} are there")
    for i, (due, paid) in enumerate(zip(found["bets"], one.bets, strict=True)):
        if due != paid:
            key = next(key for key in {**due, **paid} if due.get(key) != paid.get(key))
            raise Unproven(f"{at}.bets[{i}].{key}", f"{due.get(key)} is due, {paid.get(key)} is there")


def _check_opening(dossier: Dossier) -> None:
    opened = dossier.opening
    if opened is None:
        return
    if fault := opened.fault(dossier.commitment):
        raise Unproven("opening", fault)
    for i, one in enumerate(dossier.dealt):
        if not opened.has(one.proof):
            raise Unproven(f"dealt[{i}]", "the opened shoe has another card or salt there")
    end = dossier.rounds[-1].end if dossier.rounds else 0
    if opened.retired == CUT_CARD and end < dossier.entropy.cut_card:
        raise Unproven("opening.retired", f"the cut card lies at {dossier.entropy.cut_card}, play ended at {end}")


def _check_receipt(dossier: Dossier, key: bytes | None) -> None:
    """The signature, and that everything was chained in the order in which it must have happened."""
    receipt, records = dossier.receipt, list(dossier.records())
    checkpoint = receipt.checkpoint
    if key is not None and key != receipt.key:
        raise Unproven("receipt.key", f"signed by {receipt.key.hex()}, not by the key you named")
    if not receipt.holds:
        raise Unproven("receipt.signature", "the signature does not fit checkpoint and key")
    if checkpoint.table != dossier.commitment.table:
        raise Unproven("receipt.checkpoint.table", f"a receipt of table {checkpoint.table}")
    if len(records) != len(dossier.included):
        raise Unproven("included", f"{len(records)} records, {len(dossier.included)} proofs")
    last = 0
    for (place, hashed), proof in zip(records, dossier.included, strict=True):
        if proof.height <= last:
            raise Unproven(place, f"chained at height {proof.height}, after what follows it")
        if not proof.holds(hashed, checkpoint):
            raise Unproven(place, "is not the record that was chained and signed")
        last = proof.height


def _notes(dossier: Dossier) -> Iterator[str]:
    parts = dossier.entropy.contributions
    if not dossier.entropy.is_verifiable:
        by = "the house made the entropy" if any(one.origin is Origin.SERVER for one in parts) else "nobody sent any"
        yield f"the cut is not verifiable: {by}"
    for one in parts:
        if one.origin is Origin.MISSING:
            yield f"the reveal of {one.player} is missing"
    for record in dossier.rounds:
        if record.void is not None:
            yield f"round {record.code} is void: {record.void['reason']} ({record.void['by']})"
    end = dossier.rounds[-1].end if dossier.rounds else 0
    if late := sum(one.play >= end for one in dossier.dealt):
        yield f"{late} cards belong to a round that is not over"
    if dossier.opening is None:
        yield "the shoe is not open yet: cards that were not dealt are not checked"
    elif dossier.opening.retired != CUT_CARD:
        yield f"the shoe retired before its cut card: {dossier.opening.retired}"
