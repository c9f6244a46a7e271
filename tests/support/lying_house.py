"""Documents of a house that lies and signs: each field changed and chained anew, and whole shoes that it chose.

`python -m tests.support.lying_house` writes them anew, with what an honest player kept. The file is shared with the
verifier of the browser: both say no at the same place, or state the same weaker verdict (X-24, issue of the liar).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from tests.support.beacon_server import CHAIN
from tests.support.sample_shoes import (
    AT,
    DOCUMENTS,
    VECTORS,
    Specimen,
    accepted,
    rounds_of,
    signed,
    specimen,
    toy_key,
)
from tests.support.tampered_documents import applied, fields_of, kind, other, said, stored
from ventuno.house.shoes import cut, receipts, shoe_document
from ventuno.house.shoes import kept as kept_things
from ventuno.house.shoes.acknowledgements import PROMISE, REVEAL, Acknowledgement, Taken
from ventuno.house.shoes.beacon import QUICKNET
from ventuno.house.shoes.cut import Cut
from ventuno.house.shoes.document_fields import write_fields
from ventuno.house.shoes.kept import NOTHING, Kept
from ventuno.house.shoes.promise_lists import Promise, PromiseList, SignedPromises
from ventuno.house.shoes.receipts import Chain, hash_record
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, make_void_record, scenario_to_dict
from ventuno.house.shoes.signed_documents import sign
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.house.store import canonical_json
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import GAMES, load

FILE = VECTORS / "liar.json"
HOUSE, OWN = "ventuno.test", "anna"
CHANGED = ("ventuno-2", "ventuno-2-in-use", "duello-2", "sisal-2-house", "link-2", "ventuno-2-beacon")
SEEN = {"ventuno-2": "anna", "duello-2": "anna"}
"""Documents of which a player kept what he was shown."""


def resign(document: dict[str, Any]) -> dict[str, Any]:
    """The records of a document as they now are, chained and signed by the house."""
    told = copy.deepcopy(document)
    table, digest = told["commitment"]["table"], canonical_json.digest(told["commitment"])
    bodies = [("commitment", told["commitment"]), ("entropy", told["entropy"])]
    bodies += [("round", body) for body in told["rounds"]]
    bodies += [("opening", told["opening"])] if "opening" in told else []
    chain, heights = Chain(HOUSE, table, (sha256(bytes([i])).digest() for i in range(5))), []
    for number, (of_kind, body) in enumerate(bodies):
        heights.append(chain.append(hash_record(of_kind, digest, body)))
        if number == 2:
            chain.append(sha256(b"the other shoe's commitment").digest())
    told["receipt"] = chain.sign_receipt(toy_key(), AT).to_dict()
    told["included"] = [chain.prove_inclusion(height).to_dict() for height in heights]
    return told


def keep(one: Specimen, player: str) -> Kept:
    """What an honest browser kept of this shoe: a receipt from before the first bet, and one from after the last."""
    dossier = one.dossier
    part = next(part for part in dossier.entropy.contributions if part.player == player)
    made, digest = dossier.commitment, dossier.commitment.digest
    chain = Chain(HOUSE, made.table, (sha256(bytes([i])).digest() for i in range(5)))
    chain.append(hash_record("commitment", digest, made.to_dict()))
    chain.append(hash_record("entropy", digest, dossier.entropy.to_dict()))
    taken = (Taken(HOUSE, made.table, made.shoe, digest, player, way, part.promise, AT) for way in (PROMISE, REVEAL))
    return Kept(
        table=made.table,
        shoe=made.shoe,
        player=player,
        commitment=digest,
        key=part.key,
        promise=part.promise,
        entropy=part.reveal,
        promise_list=list_promises(one),
        acknowledgements=tuple(sign(Acknowledgement, toy_key(), each) for each in taken),
        receipts=(chain.sign_receipt(toy_key(), AT), dossier.receipt),
    )


def list_promises(one: Specimen) -> SignedPromises:
    """What the house signed before the reveals of this shoe; Cläre was the quickest."""
    made, parts = one.dossier.commitment, one.dossier.entropy.contributions
    promises = tuple(Promise(part.player, part.promise) for part in reversed(parts) if part.promise)
    return sign(SignedPromises, toy_key(), PromiseList(HOUSE, made.table, made.shoe, made.digest, promises))


def write_kept(kept: Kept) -> dict[str, Any]:
    return {"format": kept_things.FORMAT, **write_fields(kept)}


def read_kept(name: str) -> Kept:
    return kept_things.read((VECTORS / f"kept-{name}.json").read_bytes())


def judge(document: dict[str, Any], original: dict[str, Any], kept: Kept = NOTHING) -> tuple[bool, str, str]:
    """Whether it can be read, the place of the first thing wrong, and on whose word it rests where nothing is."""
    try:
        read = shoe_document.read(json.dumps(document).encode(), GAMES)
    except Unreadable as unreadable:
        return False, str(unreadable).split(": ")[0], ""
    made = original["commitment"]
    try:
        verdict = verify(read, replace(load(made["game"]), hash=made["sheet"]), None, kept, (QUICKNET, CHAIN))
    except ProofFailed as failed:
        return True, failed.at, ""
    return True, "", str(verdict.rests_on)


def by_field() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """One field of every kind, its first and its last, changed and signed: all but the receipt, which is made anew."""
    for name in CHANGED:
        document = stored(name)
        firsts, lasts = dict[str, tuple[Any, Any]](), dict[str, tuple[Any, Any]]()
        for path, value in fields_of(document, []):
            if path[0] not in ("receipt", "included"):
                firsts.setdefault(kind(path), (path, value))
                lasts[kind(path)] = (path, value)
        for path, value in {said(path): (path, value) for path, value in (*firsts.values(), *lasts.values())}.values():
            yield f"{said(path)} changed and signed", name, resign(applied(document, [[path, other(value)]]))


def by_checkpoint() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each field of the checkpoint changed, and the signature of the house over it."""
    plants = {"head": "00" * 32, "root": "00" * 32, "height": 99, "table": "T8", "house": "x", "at": 1}
    for field, value in plants.items():
        document = stored("ventuno-2")
        checkpoint = document["receipt"]["checkpoint"] | {field: value}
        signature = toy_key().sign(receipts.Checkpoint.context + canonical_json.encode(checkpoint))
        yield (
            f"receipt.checkpoint.{field} changed and signed",
            "ventuno-2",
            document | {"receipt": document["receipt"] | {"checkpoint": checkpoint, "signature": signature.hex()}},
        )
    document = stored("ventuno-2")
    yield "included swapped", "ventuno-2", document | {"included": document["included"][::-1]}


def replay(one: Specimen, entropies: dict[str, bytes], keys: dict[str, str], *missing: str) -> dict[str, Any]:
    """The same shoe cut by other bytes and played again: all of it holds, and the house chose it."""
    made, sheet = one.dossier.commitment, one.sheet
    players = tuple(part.player for part in one.dossier.entropy.contributions)
    cutters = tuple(dict.fromkeys((*players, *entropies)))
    state = accepted(cut.publish(Cut(made, cutters, sheet.game.solo)))
    for player, entropy in entropies.items():
        signer, promise = toy_key(keys.get(player, player)), sha256(entropy).digest()
        signature = signer.sign(cut.make_promise_message(made, player, promise))
        state = accepted(cut.promise(state, player, promise, signer.public, signature))
    state = state if state.phase is cut.Phase.REVEALS else accepted(cut.end_promises(state))
    for player, entropy in entropies.items():
        if player not in missing:
            state = accepted(cut.reveal(state, player, entropy))
    closed = cut.close(state, sheet)
    assert isinstance(closed, cut.Closed)
    cards = one.shoe.arrange(closed.order)
    rounds = rounds_of(sheet, players, cards, closed.entropy.cut_card, len(one.dossier.rounds))
    dealt = tuple(DealtCard(play, one.shoe.show(closed.order[play])) for play in range(sheet.shoe.burn, rounds[-1].end))
    return signed(replace(one.dossier, entropy=closed.entropy, rounds=rounds, dealt=dealt)).to_dict()


def by_choice() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What nothing in a document can show, and what was kept does."""
    for name in SEEN:
        one = DOCUMENTS[name]()
        sent = {part.player: part.reveal for part in one.dossier.entropy.contributions if part.reveal}
        foreign = sent | {OWN: sha256(b"chosen after the bet").digest()[:16]}
        yield "foreign bytes under a key of the house", name, replay(one, foreign, {OWN: "the house"})
        if len(sent) > 1:
            yield "a reveal that was acknowledged, called missing", name, replay(one, sent, {}, OWN)
    other_shoe = specimen("ventuno", 2)
    yield "another shoe in the place of this one", "ventuno-2", other_shoe.dossier.to_dict()


def by_promises() -> Iterator[tuple[str, str, dict[str, Any], Kept]]:
    """Promises that were written when an honest reveal was known. All receipts are of the chosen story: only the list
    that was shown before the reveals tells.
    """
    name, document = "ventuno-2", stored("ventuno-2")
    one, honest = DOCUMENTS[name](), read_kept(name)
    sent = {part.player: part.reveal for part in one.dossier.entropy.contributions}
    chosen = sha256(b"chosen after the reveal").digest()[:16]
    for told, entropies in {
        "a promise written after an honest reveal": sent | {"bruno": chosen},
        "a player added after an honest reveal": sent | {"dora": chosen},
        "a promise dropped after an honest reveal": {player: sent[player] for player in sent if player != "bruno"},
        "two promises exchanged after an honest reveal": sent | {"bruno": sent["cläre"], "cläre": sent["bruno"]},
    }.items():
        lie = replay(one, entropies, {})
        read = shoe_document.read(json.dumps(lie).encode(), GAMES)
        yield told, name, lie, replace(keep(replace(one, dossier=read), OWN), promise_list=honest.promise_list)
    for told, signed_list in _lying_lists(list_promises(one)):
        yield f"a list of promises {told}", name, document, replace(honest, promise_list=signed_list)


def _lying_lists(honest: SignedPromises) -> Iterator[tuple[str, SignedPromises]]:
    """Lists that are not of this shoe, or not signed; what is said of each tells what is wrong with it."""
    listed, promises = honest.listed, honest.listed.promises
    without_own = tuple(entry for entry in promises if entry.player != OWN)
    for told, changed in {
        "of another house": replace(listed, house="another"),
        "of another table": replace(listed, table="T8"),
        "of another shoe": replace(listed, shoe=4),
        "of another commitment": replace(listed, commitment=bytes(32)),
        "without one's own": replace(listed, promises=without_own),
        "with another of one's own": replace(listed, promises=(*without_own, Promise(OWN, bytes(32)))),
        "with one more": replace(listed, promises=(*promises, Promise("dora", bytes(32)))),
        "with one twice": replace(listed, promises=(*promises, promises[0])),
    }.items():
        yield told, sign(SignedPromises, toy_key(), changed)
    yield "that another key signed", sign(SignedPromises, toy_key("zoe"), listed)
    yield "that nobody signed", replace(honest, signature=bytes(64))


def by_story() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The lies that the issue names: numbers, voids, late rounds, unused cards, signed as if they were true."""
    name, document = "ventuno-2", stored("ventuno-2")
    made = document["commitment"]
    for told, commitment in {
        "another shoe number": made | {"shoe": 4},
        "the first shoe again": made | {"shoe": 1, "previous": "00" * 32},
        "no previous shoe": made | {"previous": "00" * 32},
        "an older construction": {key: value for key, value in made.items() if key != "version"},
    }.items():
        form = "ventuno-shoe/2" if "version" in commitment else "ventuno-shoe/1"
        yield told, name, resign(document | {"commitment": commitment, "format": form})
    unsigned = copy.deepcopy(document)
    for part in unsigned["entropy"]["contributions"]:
        part.pop("key", None)
        part.pop("signature", None)
    yield "signatures left out", name, resign(unsigned)
    read = shoe_document.read(json.dumps(document).encode(), GAMES)
    yield from _with_rounds(name, document, read.rounds)


def _with_rounds(
    name: str, document: dict[str, Any], rounds: tuple[RoundRecord, ...]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    last = rounds[-1]
    assert last.scenario is not None
    bodies = [dict(record.body) for record in rounds]
    stakes = [{**bet, "returned": bet["stake"]} for bet in last.bets]
    kept_back = [{**bet, "returned": bet["stake"] - 10} for bet in last.bets]
    for told, lines in {"a void with all stakes back": stakes, "a void that keeps 10": kept_back}.items():
        void = make_void_record(last.code, last.first, last.cards, lines, "eva", "a test")
        yield told, name, resign(document | {"rounds": [*bodies[:-1], dict(void.body)]})
    longer = scenario_to_dict(replace(last.scenario, shoe=(*last.scenario.shoe, last.scenario.shoe[0])))
    yield (
        "a card that was not needed",
        name,
        resign(document | {"rounds": [*bodies[:-1], bodies[-1] | {"scenario": longer}]}),
    )
    late = bodies[-1] | {"code": "late", "first": document["entropy"]["cut_card"] + 5}
    yield "a round after the cut card", name, resign(document | {"rounds": [*bodies, late]})
    yield "the last round left out", name, resign(document | {"rounds": bodies[:-1]})
    yield "no rounds", name, resign(document | {"rounds": [], "dealt": []})
    early = document["opening"] | {"retired": "cut-card"}
    yield "a shoe discarded and called out", name, resign(document | {"rounds": [], "dealt": [], "opening": early})


def find_changes(before: Any, after: Any, at: list[Any]) -> Iterator[list[Any]]:
    """What is to be changed in one value to make it another, each at its place."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if key not in after:
                yield [[*at, key]]
            elif key not in before:
                yield [[*at, key], after[key]]
            else:
                yield from find_changes(before[key], after[key], [*at, key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from find_changes(old, new, [*at, i])
    elif before != after:
        yield [at, after]


def cases() -> Iterator[dict[str, Any]]:
    for name, of, told in (*by_field(), *by_checkpoint(), *by_choice(), *by_story()):
        yield _judge_case(name, of, told, read_kept(of) if of in SEEN else None)
    for name, of, told, kept in by_promises():
        changes = list(find_changes(write_kept(read_kept(of)), write_kept(kept), []))
        yield _judge_case(name, of, told, kept) | {"kept_changes": changes}


def _judge_case(name: str, of: str, told: dict[str, Any], kept: Kept | None) -> dict[str, Any]:
    original = stored(of)
    changes = list(find_changes(original, json.loads(json.dumps(told)), []))
    readable, at, rests_on = judge(told, original)
    case = {"name": name, "document": of, "changes": changes, "readable": readable, "at": at, "rests_on": rests_on}
    if kept:
        _, case["kept_at"], case["kept_rests_on"] = judge(told, original, kept)
    return case


if __name__ == "__main__":
    for of, player in SEEN.items():
        content = json.dumps(write_kept(keep(DOCUMENTS[of](), player)), indent=1, ensure_ascii=False)
        (VECTORS / f"kept-{of}.json").write_text(content + "\n", encoding="utf-8")
    rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases())
    FILE.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
