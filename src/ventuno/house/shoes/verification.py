"""Checks a downloaded shoe from the commitment to the payouts, and names the first thing that does not hold (G-14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import Refused, play_scenario, write_settlement
from ventuno.house.shoes import cut
from ventuno.house.shoes.beacon import QUICKNET, BeaconChain
from ventuno.house.shoes.commitment import CUT_CARD, OLDEST, Commitment
from ventuno.house.shoes.cut import Entropy, Origin
from ventuno.house.shoes.draws import DrawSeed, list_differences
from ventuno.house.shoes.kept import NOTHING, Kept, KeptDiffers, compare
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, ShoeDocument, hide_balances


class Basis(StrEnum):
    """On whose word it rests that the order was not chosen (X-24)."""

    YOU = "you"
    BEACON = "beacon"
    PLAYERS = "players"
    HOUSE = "house"


class ProofFailed(Exception):
    """Something in the document does not hold; `at` says where."""

    def __init__(self, at: str, detail: str) -> None:
        super().__init__(f"{at}: {detail}")
        self.at, self.detail = at, detail


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """All that was claimed holds. `notes` tell what was not claimed: a missing reveal, a shoe not open yet, a void.

    `rests_on` says on whose word the order of play rests, `signers` how many players signed with a key of their own,
    `matches` what of the things that were kept the document agrees with.
    """

    cards: int
    rounds: int
    contributors: int
    beacon: str
    is_verifiable: bool
    is_open: bool
    notes: tuple[str, ...]
    rests_on: Basis
    signers: int
    matches: tuple[str, ...]


def verify(
    document: ShoeDocument,
    sheet: Sheet,
    key: bytes | None = None,
    kept: Kept = NOTHING,
    chains: Sequence[BeaconChain] = (QUICKNET,),
) -> VerificationResult:
    """Go through the document in the order in which things happened; raises ProofFailed at the first false one.

    What somebody kept of the shoe comes last: a document that holds may still not be the one that he was shown.
    `chains` are the beacons that are trusted: one that the house runs itself would prove nothing.
    """
    check_cards(document.commitment, document.entropy, document.dealt, sheet, chains)
    _check_rounds(document, sheet)
    _check_opening(document)
    _check_draws(document, sheet)
    _check_receipt(document, key)
    try:
        own = compare(document, kept)
    except KeptDiffers as difference:
        raise ProofFailed(difference.at, difference.detail) from None
    entropy = document.entropy
    return VerificationResult(
        cards=len(document.dealt),
        rounds=len(document.rounds),
        contributors=sum(contribution.origin is Origin.PLAYER for contribution in entropy.contributions),
        beacon=_name_beacon(document),
        is_verifiable=entropy.is_verifiable,
        is_open=document.opening is not None,
        notes=(*_list_notes(document, sheet), *own.notes),
        rests_on=Basis.YOU if own.is_own else _find_basis(entropy),
        signers=sum(bool(part.key) and part.origin is Origin.PLAYER for part in entropy.contributions),
        matches=own.matches,
    )


def _find_basis(entropy: Entropy) -> Basis:
    if entropy.beacon:
        return Basis.BEACON
    return Basis.PLAYERS if entropy.is_verifiable else Basis.HOUSE


def _name_beacon(document: ShoeDocument) -> str:
    """Whether a public beacon had a part in the cut: `signed`, `missing`, or empty where none was named."""
    if document.commitment.beacon is None:
        return ""
    return "signed" if document.entropy.beacon else "missing"


def check_cards(
    commitment: Commitment,
    entropy: Entropy,
    dealt: Sequence[DealtCard],
    sheet: Sheet,
    chains: Sequence[BeaconChain] = (QUICKNET,),
) -> None:
    """From the rules to the cards that were shown: all that can be checked while a round is being played."""
    _check_rules(commitment, sheet)
    _check_contributions(commitment, entropy, sheet)
    _check_beacon(commitment, entropy, chains)
    order, cut_card = cut.compute_order(commitment, entropy.parts, sheet)
    lies = f"the cut card lies at {cut_card}, not at {entropy.cut_card}"
    _require(entropy.cut_card == cut_card, "entropy.cut_card", lies)
    _check_dealt(commitment, dealt, order)


def _require(holds: bool, at: str, detail: str) -> None:
    if not holds:
        raise ProofFailed(at, detail)


def _check_rules(commitment: Commitment, sheet: Sheet) -> None:
    game, decks = sheet.game.id, sheet.shoe.decks
    _require(commitment.game == game, "commitment.game", f"{commitment.game} was committed, the sheet is of {game}")
    rules = f"the rules {commitment.sheet[:16]}… were committed, the sheet is {sheet.hash}"
    _require(commitment.sheet == sheet.hash, "commitment.sheet", rules)
    counts = f"{commitment.decks} decks were committed, the sheet has {decks}"
    _require(commitment.decks == decks, "commitment.decks", counts)
    is_sealed = bool(commitment.draws) is (bool(sheet.bonus.wheel) and commitment.version > OLDEST)
    _require(is_sealed, "commitment.draws", "a seed of draws is sealed where the game has a wheel, and only there")


def _check_contributions(commitment: Commitment, entropy: Entropy, sheet: Sheet) -> None:
    at, parts, solo = "entropy.contributions", entropy.contributions, sheet.game.solo
    players = [contribution.player for contribution in parts if contribution.origin is not Origin.SERVER]
    promises = [contribution.promise for contribution in parts if contribution.promise]
    _require(len(set(players)) == len(players), at, "a player stands there twice")
    counts = (1,) if commitment.version == OLDEST else (0, 1)  # staff at a table of their own cut nothing since then
    _require(not solo or len(players) in counts, at, f"{len(players)} players at a table for one")
    added = entropy.is_verifiable and len(players) < len(parts)
    _require(not added, at, "the house added to what others sent")
    _require(len(set(promises)) == len(promises), at, "two players sent the same promise")
    at_once = solo and commitment.version == OLDEST
    for i, part in enumerate(parts):
        bound = part.origin is Origin.PLAYER and (bool(part.promise) or not solo)
        is_kept = not bound or at_once or sha256(part.reveal).digest() == part.promise
        _require(is_kept, f"{at}[{i}]", f"what {part.player} revealed is not what was promised")
        may_promise = not at_once and part.origin is not Origin.SERVER
        _require(may_promise or not part.promise, f"{at}[{i}]", "a promise where none is made")
        may_sign = part.promise and commitment.version > OLDEST
        _require(bool(may_sign) or not part.key, f"{at}[{i}]", "a signature where nothing is signed")
        is_signed = not part.key or part.is_signed(commitment)
        _require(is_signed, f"{at}[{i}].signature", f"the signature of {part.player} does not fit promise and key")


def _check_beacon(commitment: Commitment, entropy: Entropy, chains: Sequence[BeaconChain]) -> None:
    """The signature of the round that was named before it was due, by a chain that is trusted."""
    named, at = commitment.beacon, "commitment.beacon"
    if named is None:
        _require(not entropy.beacon, "entropy.beacon", "a beacon that the commitment does not name")
        return
    _require(commitment.version > OLDEST, at, "no beacon took part in the first version")
    chain = next((known for known in chains if known.hash == named.chain), None)
    if chain is None:
        raise ProofFailed(f"{at}.chain", f"{named.chain.hex()} is no chain that is trusted here")
    if entropy.beacon:
        is_signed = chain.is_signed(named.round, entropy.beacon)
        _require(is_signed, "entropy.beacon", f"is not the signature of round {named.round} of the chain")


def _check_dealt(commitment: Commitment, dealt: Sequence[DealtCard], order: tuple[int, ...]) -> None:
    last, size = -1, commitment.size
    for i, card in enumerate(dealt):
        at, play, leaf = f"dealt[{i}]", card.play, card.proof.leaf
        _require(last < play < size, at, f"card {play} of play after card {last}, in a shoe of {size}")
        _require(order[play] == leaf, at, f"card {play} of play is leaf {order[play]}, not {leaf}")
        is_valid = card.proof.is_valid(commitment.root, size)
        _require(is_valid, at, f"card, salt and path of leaf {leaf} do not lead to the committed root")
        last = play


def _check_rounds(document: ShoeDocument, sheet: Sheet) -> None:
    shown = {entry.play: entry.proof.card for entry in document.dealt}
    burn, cut_card = sheet.shoe.burn, document.entropy.cut_card
    position, codes = burn, set[str]()
    for i, entry in enumerate(document.rounds):
        at, first = f"rounds[{i}]", entry.first
        _require(entry.code not in codes, f"{at}.code", f"{entry.code} stands there twice")
        begins = f"the round begins at card {first}, the one before ended at {position}"
        _require(first == position, f"{at}.first", begins)
        _require(first < cut_card, at, f"the round begins at card {first}, the cut card came at {cut_card}")
        for place, card in enumerate(entry.cards, start=first):
            _require(shown.get(place) == card, at, f"card {place} of play is not the one that was shown")
        _check_payouts(entry, sheet, at)
        if document.commitment.version > OLDEST and entry.scenario and not sheet.game.solo:
            told = hide_balances(entry.scenario, entry.bets).players
            _require(entry.scenario.players == told, f"{at}.scenario.players", "not what the players staked")
        codes.add(entry.code)
        position = entry.end
    _require(not any(play < burn for play in shown), "dealt", "a burnt card stands among those that were dealt")
    late = document.opening is not None and any(play >= position for play in shown)
    _require(not late, "dealt", f"the shoe is open, yet cards after {position} belong to no round")


def _check_payouts(record: RoundRecord, sheet: Sheet, at: str) -> None:
    """Play the round again; a void one gives every stake back (R-07, R-16)."""
    bets, scenario = record.bets, record.scenario
    if scenario is None:
        for i, bet in enumerate(bets):
            is_back = bet["returned"] == bet["stake"] >= 0
            _require(is_back, f"{at}.bets[{i}]", f"void, yet {bet['returned']} of {bet['stake']} came back")
        return
    game = sheet.game.id
    _require(scenario.game == game, f"{at}.scenario.game", f"a round of {scenario.game} from a shoe of {game}")
    try:
        settled = write_settlement(play_scenario(sheet, scenario, ignore_limits=True))
    except Refused as refusal:
        raise ProofFailed(f"{at}.scenario", f"the rules refuse it at {refusal}") from None
    due_bets, unused = settled["bets"], settled["unused_cards"]
    _require(not unused, f"{at}.scenario.shoe", f"{unused} cards were not needed")
    _require(len(due_bets) == len(bets), f"{at}.bets", f"{len(due_bets)} lines are due, {len(bets)} are there")
    for i, (due, paid) in enumerate(zip(due_bets, bets, strict=True)):
        for key in {**due, **paid}:
            is_paid = due.get(key) == paid.get(key)
            _require(is_paid, f"{at}.bets[{i}].{key}", f"{due.get(key)} is due, {paid.get(key)} is there")


def _check_opening(document: ShoeDocument) -> None:
    opened, cut_card = document.opening, document.entropy.cut_card
    if opened is None:
        return
    fault = opened.find_fault(document.commitment)
    _require(not fault, "opening", fault)
    for i, card in enumerate(document.dealt):
        _require(opened.matches(card.proof), f"dealt[{i}]", "the opened shoe has another card or salt there")
    end = document.rounds[-1].end if document.rounds else 0
    is_out = opened.retired != CUT_CARD or end >= cut_card
    _require(is_out, "opening.retired", f"the cut card lies at {cut_card}, play ended at {end}")


def _check_draws(document: ShoeDocument, sheet: Sheet) -> None:
    """Wheel and boards again, from the seed that the opening shows (L-22…L-28)."""
    opened, commitment = document.opening, document.commitment
    if opened is None:
        return
    hashed = sha256(opened.draws).digest() if opened.draws else b""
    _require(hashed == commitment.draws, "opening.draws", "the seed of the draws is not the one committed to")
    if not opened.draws:
        return
    seed = DrawSeed(opened.draws, commitment, document.entropy.parts)
    for i, record in enumerate(document.rounds):
        for place in list_differences(
            sheet.bonus, seed, record.first, record.scenario.bonus if record.scenario else ()
        ):
            raise ProofFailed(f"rounds[{i}].scenario.{place}", "is not what follows from the sealed seed")


def _check_receipt(document: ShoeDocument, key: bytes | None) -> None:
    """The signature, and that everything was chained in the order in which it must have happened."""
    receipt, records, included = document.receipt, list(document.hash_records()), document.included
    checkpoint = receipt.checkpoint
    is_named = key is None or key == receipt.key
    _require(is_named, "receipt.key", f"signed by {receipt.key.hex()}, not by the key you named")
    _require(receipt.is_valid, "receipt.signature", "the signature does not fit checkpoint and key")
    is_own = checkpoint.table == document.commitment.table
    _require(is_own, "receipt.checkpoint.table", f"a receipt of table {checkpoint.table}")
    _require(len(records) == len(included), "included", f"{len(records)} records, {len(included)} proofs")
    last = 0
    for (place, hashed), proof in zip(records, included, strict=True):
        _require(proof.height > last, place, f"chained at height {proof.height}, after what follows it")
        _require(proof.is_valid(hashed, checkpoint), place, "is not the record that was chained and signed")
        last = proof.height


def _list_notes(document: ShoeDocument, sheet: Sheet) -> Iterator[str]:
    parts = document.entropy.contributions
    if not document.entropy.is_verifiable:
        by = "the house made the entropy" if any(part.origin is Origin.SERVER for part in parts) else "nobody sent any"
        yield f"the cut is not verifiable: {by}"
    for part in parts:
        if part.origin is Origin.MISSING:
            yield f"the reveal of {part.player} is missing"
    if document.commitment.beacon and not document.entropy.beacon:
        yield f"the beacon did not come in time: round {document.commitment.beacon.round} is missing"
    for record in document.rounds:
        if record.void is not None:
            yield f"round {record.code} is void: {record.void['reason']} ({record.void['by']})"
    end = document.rounds[-1].end if document.rounds else 0
    if late := sum(part.play >= end for part in document.dealt):
        yield f"{late} cards belong to a round that is not over"
    if sheet.bonus.wheel and not document.commitment.draws:
        yield "wheel and boards were not sealed with this shoe: their draws are not checked"
    if document.opening is None:
        yield "the shoe is not open yet: cards that were not dealt are not checked"
        if any(record.scenario and record.scenario.bonus for record in document.rounds) and document.commitment.draws:
            yield "draws of the bonus are checked when the shoe is open"
    elif document.opening.retired != CUT_CARD:
        yield f"the shoe retired before its cut card: {document.opening.retired}"
