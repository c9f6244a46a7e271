"""Checks a downloaded shoe from the commitment to the payouts, and names the first thing that does not hold (G-14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import Refused, play_scenario, write_settlement
from ventuno.house.shoes import cut
from ventuno.house.shoes.commitment import CUT_CARD, Commitment
from ventuno.house.shoes.cut import Entropy, Origin
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, ShoeDocument


class ProofFailed(Exception):
    """Something in the document does not hold; `at` says where."""

    def __init__(self, at: str, detail: str) -> None:
        super().__init__(f"{at}: {detail}")
        self.at, self.detail = at, detail


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """All that was claimed holds. `notes` tell what was not claimed: a missing reveal, a shoe not open yet, a void."""

    cards: int
    rounds: int
    contributors: int
    is_verifiable: bool
    is_open: bool
    notes: tuple[str, ...]


def verify(document: ShoeDocument, sheet: Sheet, key: bytes | None = None) -> VerificationResult:
    """Go through the document in the order in which things happened; raises Unproven at the first false one."""
    check_cards(document.commitment, document.entropy, document.dealt, sheet)
    _check_rounds(document, sheet)
    _check_opening(document)
    _check_receipt(document, key)
    entropy = document.entropy
    return VerificationResult(
        cards=len(document.dealt),
        rounds=len(document.rounds),
        contributors=sum(contribution.origin is Origin.PLAYER for contribution in entropy.contributions),
        is_verifiable=entropy.is_verifiable,
        is_open=document.opening is not None,
        notes=tuple(_list_notes(document)),
    )


def check_cards(commitment: Commitment, entropy: Entropy, dealt: Sequence[DealtCard], sheet: Sheet) -> None:
    """From the rules to the cards that were shown: all that can be checked while a round is being played."""
    _check_rules(commitment, sheet)
    _check_contributions(entropy, sheet)
    order, cut_card = cut.compute_order(commitment, entropy.reveals, sheet)
    if entropy.cut_card != cut_card:
        raise ProofFailed("entropy.cut_card", f"the cut card lies at {cut_card}, not at {entropy.cut_card}")
    _check_dealt(commitment, dealt, order)


def _check_rules(commitment: Commitment, sheet: Sheet) -> None:
    if commitment.game != sheet.game.id:
        raise ProofFailed("commitment.game", f"{commitment.game} was committed, the sheet is of {sheet.game.id}")
    if commitment.sheet != sheet.hash:
        raise ProofFailed(
            "commitment.sheet", f"the rules {commitment.sheet[:16]}… were committed, the sheet is {sheet.hash}"
        )
    if commitment.decks != sheet.shoe.decks:
        raise ProofFailed(
            "commitment.decks", f"{commitment.decks} decks were committed, the sheet has {sheet.shoe.decks}"
        )


def _check_contributions(entropy: Entropy, sheet: Sheet) -> None:
    parts = entropy.contributions
    players = [contribution.player for contribution in parts if contribution.origin is not Origin.SERVER]
    if len(set(players)) < len(players):
        raise ProofFailed("entropy.contributions", "a player stands there twice")
    if sheet.game.solo and len(players) != 1:
        raise ProofFailed("entropy.contributions", f"{len(players)} players at a table for one")
    if entropy.is_verifiable and len(players) < len(parts):
        raise ProofFailed("entropy.contributions", "the house added to what players sent")
    promises = [contribution.promise for contribution in parts if contribution.promise]
    if len(set(promises)) < len(promises):
        raise ProofFailed("entropy.contributions", "two players sent the same promise")
    for i, contribution in enumerate(parts):
        at = f"entropy.contributions[{i}]"
        bound = contribution.origin is Origin.PLAYER and not sheet.game.solo
        if bound and sha256(contribution.reveal).digest() != contribution.promise:
            raise ProofFailed(at, f"what {contribution.player} revealed is not what was promised")
        if not bound and contribution.promise and (sheet.game.solo or contribution.origin is Origin.SERVER):
            raise ProofFailed(at, "a promise where none is made")


def _check_dealt(commitment: Commitment, dealt: Sequence[DealtCard], order: tuple[int, ...]) -> None:
    last = -1
    for i, card in enumerate(dealt):
        at = f"dealt[{i}]"
        if not last < card.play < commitment.size:
            raise ProofFailed(at, f"card {card.play} of play after card {last}, in a shoe of {commitment.size}")
        if order[card.play] != card.proof.leaf:
            raise ProofFailed(at, f"card {card.play} of play is leaf {order[card.play]}, not {card.proof.leaf}")
        if not card.proof.is_valid(commitment.root, commitment.size):
            raise ProofFailed(at, f"card, salt and path of leaf {card.proof.leaf} do not lead to the committed root")
        last = card.play


def _check_rounds(document: ShoeDocument, sheet: Sheet) -> None:
    shown = {entry.play: entry.proof.card for entry in document.dealt}
    position, codes = sheet.shoe.burn, set[str]()
    for i, entry in enumerate(document.rounds):
        at = f"rounds[{i}]"
        if entry.code in codes:
            raise ProofFailed(f"{at}.code", f"{entry.code} stands there twice")
        if entry.first != position:
            raise ProofFailed(
                f"{at}.first", f"the round begins at card {entry.first}, the one before ended at {position}"
            )
        if position >= document.entropy.cut_card:
            raise ProofFailed(
                at, f"the round begins at card {position}, the cut card came at {document.entropy.cut_card}"
            )
        for place, card in enumerate(entry.cards, start=entry.first):
            if shown.get(place) != card:
                raise ProofFailed(at, f"card {place} of play is not the one that was shown")
        _check_payouts(entry, sheet, at)
        codes.add(entry.code)
        position = entry.end
    if any(play < sheet.shoe.burn for play in shown):
        raise ProofFailed("dealt", "a burnt card stands among those that were dealt")
    if document.opening and any(play >= position for play in shown):
        raise ProofFailed("dealt", f"the shoe is open, yet cards after {position} belong to no round")


def _check_payouts(record: RoundRecord, sheet: Sheet, at: str) -> None:
    """Play the round again; a void one gives every stake back (R-07, R-16)."""
    if record.scenario is None:
        for i, bet in enumerate(record.bets):
            if bet["returned"] != bet["stake"] or bet["stake"] < 0:
                raise ProofFailed(f"{at}.bets[{i}]", f"void, yet {bet['returned']} of {bet['stake']} came back")
        return
    if record.scenario.game != sheet.game.id:
        raise ProofFailed(f"{at}.scenario.game", f"a round of {record.scenario.game} from a shoe of {sheet.game.id}")
    try:
        settled = write_settlement(play_scenario(sheet, record.scenario, ignore_limits=True))
    except Refused as refusal:
        raise ProofFailed(f"{at}.scenario", f"the rules refuse it at {refusal}") from None
    if settled["unused_cards"]:
        raise ProofFailed(f"{at}.scenario.shoe", f"{settled['unused_cards']} cards were not needed")
    if len(settled["bets"]) != len(record.bets):
        raise ProofFailed(f"{at}.bets", f"{len(settled['bets'])} lines are due, {len(record.bets)} are there")
    for i, (due, paid) in enumerate(zip(settled["bets"], record.bets, strict=True)):
        if due != paid:
            key = next(key for key in {**due, **paid} if due.get(key) != paid.get(key))
            raise ProofFailed(f"{at}.bets[{i}].{key}", f"{due.get(key)} is due, {paid.get(key)} is there")


def _check_opening(document: ShoeDocument) -> None:
    opened = document.opening
    if opened is None:
        return
    if fault := opened.find_fault(document.commitment):
        raise ProofFailed("opening", fault)
    for i, card in enumerate(document.dealt):
        if not opened.matches(card.proof):
            raise ProofFailed(f"dealt[{i}]", "the opened shoe has another card or salt there")
    end = document.rounds[-1].end if document.rounds else 0
    if opened.retired == CUT_CARD and end < document.entropy.cut_card:
        raise ProofFailed("opening.retired", f"the cut card lies at {document.entropy.cut_card}, play ended at {end}")


def _check_receipt(document: ShoeDocument, key: bytes | None) -> None:
    """The signature, and that everything was chained in the order in which it must have happened."""
    receipt, records = document.receipt, list(document.hash_records())
    checkpoint = receipt.checkpoint
    if key is not None and key != receipt.key:
        raise ProofFailed("receipt.key", f"signed by {receipt.key.hex()}, not by the key you named")
    if not receipt.is_valid:
        raise ProofFailed("receipt.signature", "the signature does not fit checkpoint and key")
    if checkpoint.table != document.commitment.table:
        raise ProofFailed("receipt.checkpoint.table", f"a receipt of table {checkpoint.table}")
    if len(records) != len(document.included):
        raise ProofFailed("included", f"{len(records)} records, {len(document.included)} proofs")
    last = 0
    for (place, hashed), proof in zip(records, document.included, strict=True):
        if proof.height <= last:
            raise ProofFailed(place, f"chained at height {proof.height}, after what follows it")
        if not proof.is_valid(hashed, checkpoint):
            raise ProofFailed(place, "is not the record that was chained and signed")
        last = proof.height


def _list_notes(document: ShoeDocument) -> Iterator[str]:
    parts = document.entropy.contributions
    if not document.entropy.is_verifiable:
        by = "the house made the entropy" if any(part.origin is Origin.SERVER for part in parts) else "nobody sent any"
        yield f"the cut is not verifiable: {by}"
    for part in parts:
        if part.origin is Origin.MISSING:
            yield f"the reveal of {part.player} is missing"
    for record in document.rounds:
        if record.void is not None:
            yield f"round {record.code} is void: {record.void['reason']} ({record.void['by']})"
    end = document.rounds[-1].end if document.rounds else 0
    if late := sum(part.play >= end for part in document.dealt):
        yield f"{late} cards belong to a round that is not over"
    if document.opening is None:
        yield "the shoe is not open yet: cards that were not dealt are not checked"
    elif document.opening.retired != CUT_CARD:
        yield f"the shoe retired before its cut card: {document.opening.retired}"
