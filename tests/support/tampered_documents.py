"""Documents that were tampered with, and where a verifier must say no.

`python -m tests.support.tampered_documents` writes them anew, and the rule sheets of the
browser's verifier.

Two hands are at work: a stranger who changes one field of every kind, and a house that holds the key and signs whatever
it likes. The file is shared with the verifier of the browser: both name the same place (X-01, G-14).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from tests.support.beacon_server import CHAIN, sign_round
from tests.support.sample_shoes import DOCUMENTS, OLD_DOCUMENTS, VECTORS, signed
from ventuno.core.rules.sheet_reader import plain
from ventuno.core.scenario.runner import play_scenario, write_settlement
from ventuno.core.scenario.scenario import BonusEntry
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.beacon import QUICKNET, BeaconRound
from ventuno.house.shoes.commitment import CUT_CARD
from ventuno.house.shoes.cut import Contribution, Entropy, Origin
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, ShoeDocument, make_played_record, make_void_record
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import GAMES, load

FILE = VECTORS / "tampering.json"
SHEETS = VECTORS.parents[2] / "client" / "src" / "verifier" / "sheets.json"
Path = list[str | int]
TOP = "the document"


class Case(NamedTuple):
    """A stored document and what is changed in it: each place with its new value, or none where it is taken out."""

    name: str
    document: str
    changes: list[list[Any]]
    """`[path, value]`, or `[path]` where it is taken out."""

    def plain(self) -> dict[str, Any]:
        original = stored(self.document)
        readable, at = fault(applied(original, self.changes), original)
        return {**self._asdict(), "readable": readable, "at": at}


def stored(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / f"document-{name}.json").read_bytes())
    return found


def applied(document: dict[str, Any], changes: list[list[Any]]) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    for path, *value in changes:
        holder: Any = changed
        for word in path[:-1]:
            holder = holder[word]
        if value:
            holder[path[-1]] = value[0]
        else:
            del holder[path[-1]]
    return changed


def fault(changed: dict[str, Any], original: dict[str, Any]) -> tuple[bool, str]:
    """Whether the document can be read at all, and the place of the first thing wrong; empty where nothing is.

    The sheet is that of the original, under the hash it was made with.
    """
    try:
        read = shoe_document.read(json.dumps(changed).encode(), GAMES)
    except Unreadable as no:
        place = str(no).split(": ")[0]
        return False, "" if place == TOP else place
    made = original["commitment"]
    try:
        verify(read, replace(load(made["game"]), hash=made["sheet"]), chains=(QUICKNET, CHAIN))
    except ProofFailed as no:
        return True, no.at
    return True, ""


def fields_of(value: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    """Every value that is no list or object, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields_of(inner, [*at, key])
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from fields_of(inner, [*at, i])
    else:
        yield at, value


def objects_of(value: Any, at: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(value, dict):
        yield at, value
        for key, inner in value.items():
            yield from objects_of(inner, [*at, key])
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from objects_of(inner, [*at, i])


def kind(path: Path) -> str:
    """What sort of field it is, wherever it stands in its list."""
    return ".".join("#" if isinstance(word, int) else word for word in path)


def said(path: Path) -> str:
    return re.sub(r"\.\[", "[", ".".join(f"[{word}]" if isinstance(word, int) else word for word in path))


def other(value: Any) -> Any:
    """Another value of the same form, so that reading alone does not find it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 10
    if re.fullmatch(r"[0-9a-f]{32,}", value):
        return ("1" if value[0] == "0" else "0") + value[1:]
    if re.fullmatch(r"[2-9TJQKA][SHDC]( .*)?", value):
        return ("7S" if value[:2] == "7H" else "7H") + value[2:]
    swaps = {"hit": "stand", "stand": "hit", "double": "stand", "split": "hit", "left": "right", "closed": "fault"}
    return swaps.get(value, f"{value}x")


def by_a_stranger() -> Iterator[Case]:
    """One field of every kind of every document, its first and its last; a key too many, a key too few."""
    for name in (*OLD_DOCUMENTS, *DOCUMENTS):
        document = stored(name)
        firsts, lasts = dict[str, tuple[Path, Any]](), dict[str, tuple[Path, Any]]()
        for path, value in fields_of(document, []):
            firsts.setdefault(kind(path), (path, value))
            lasts[kind(path)] = (path, value)
        for path, value in {said(path): (path, value) for path, value in (*firsts.values(), *lasts.values())}.values():
            yield Case(f"{said(path)} changed", name, [[path, other(value)]])
        kinds = {kind(path): (path, held) for path, held in objects_of(document, []) if held}
        for path, held in kinds.values():
            yield Case(f"{said(path) or TOP} with a key too many", name, [[[*path, "extra"], 1]])
            yield Case(f"{said(path) or TOP} without {next(iter(held))}", name, [[[*path, next(iter(held))]]])


def resigned(name: str, document: str, changed: ShoeDocument) -> Case:
    """What a house tells that signs anything: the sections that differ, with a receipt over them."""
    before, after = stored(document), json.loads(json.dumps(signed(changed).to_dict()))
    changes = [[[key], after[key]] for key in after if after[key] != before.get(key)]
    return Case(name, document, [*changes, *([[key]] for key in before if key not in after)])


def by_the_house() -> Iterator[Case]:
    name = "ventuno"
    one = shoe_document.read((VECTORS / f"document-{name}.json").read_bytes(), GAMES)
    first, second = one.dealt[:2]
    wrong = replace(first.proof, card=(first.proof.card + 4) % 52)
    yield resigned("another card", name, replace(one, dealt=(DealtCard(first.play, wrong), *one.dealt[1:])))
    swapped = (DealtCard(first.play, second.proof), DealtCard(second.play, first.proof), *one.dealt[2:])
    yield resigned("another order", name, replace(one, dealt=swapped))
    yield resigned("a cut card moved", name, _entropy(one, one.entropy.contributions, one.entropy.cut_card - 1))
    yield from _cheated_cut(name, one)
    yield from _cheated_rounds(name, one)
    assert one.opening is not None
    yield resigned("a shoe retired early", name, replace(one, opening=replace(one.opening, retired=CUT_CARD)))
    turned = (one.opening.cards[1], one.opening.cards[0], *one.opening.cards[2:])
    yield resigned("a shoe opened in another order", name, replace(one, opening=replace(one.opening, cards=turned)))
    yield resigned(
        "another pack opened", name, replace(one, opening=replace(one.opening, cards=one.opening.cards[:-1]))
    )


def _entropy(one: ShoeDocument, parts: tuple[Contribution, ...], cut_card: int) -> ShoeDocument:
    return replace(one, entropy=Entropy(parts, cut_card))


def _cheated_cut(name: str, one: ShoeDocument) -> Iterator[Case]:
    first, *rest = one.entropy.contributions
    plants = {
        "a reveal that was not promised": replace(first, reveal=bytes(16)),
        "a player twice": rest[0],
        "a promise copied": replace(rest[0], player="anna2"),
        "bytes of the house beside players'": Contribution("server", Origin.SERVER, b"", bytes(16)),
        "a reveal kept back": Contribution(first.player, Origin.MISSING, first.promise),
    }
    for told, part in plants.items():
        yield resigned(told, name, _entropy(one, (part, *rest), one.entropy.cut_card))


def _cheated_rounds(name: str, one: ShoeDocument) -> Iterator[Case]:
    def with_round(record: RoundRecord) -> ShoeDocument:
        return replace(one, rounds=(one.rounds[0], record, *one.rounds[2:]))

    record = one.rounds[1]
    scenario, line = record.scenario, dict(record.bets[0])
    assert scenario is not None

    def paid(*bets: Any) -> RoundRecord:
        return make_played_record(record.code, record.first, scenario, bets)

    plants = {"returned": line["returned"] + 10, "stake": line["stake"] - 10, "player": "mallory", "criterion": "V-99"}
    for key, value in {**plants, "box": 2, "bet": "split"}.items():
        yield resigned(f"a line with another {key}", name, with_round(paid({**line, key: value}, *record.bets[1:])))
    yield resigned("a line left out", name, with_round(paid(*record.bets[1:])))
    told = replace(scenario, decisions=scenario.decisions[:-1])
    yield resigned(
        "a decision left out", name, with_round(make_played_record(record.code, record.first, told, record.bets))
    )
    told = replace(scenario, decisions=(*scenario.decisions, scenario.decisions[-1]))
    yield resigned(
        "a decision too many", name, with_round(make_played_record(record.code, record.first, told, record.bets))
    )
    cards = scenario.shoe
    told = replace(scenario, shoe=(cards[1], cards[0], *cards[2:]))
    yield resigned(
        "cards played in another order",
        name,
        with_round(make_played_record(record.code, record.first, told, record.bets)),
    )
    told = replace(scenario, game="first-person")
    yield resigned(
        "a round of another game", name, with_round(make_played_record(record.code, record.first, told, record.bets))
    )
    yield resigned("a round left out", name, replace(one, rounds=(one.rounds[0], *one.rounds[2:])))
    body = {**record.body, "code": one.rounds[0].code}
    yield resigned("a code twice", name, with_round(replace(record, code=one.rounds[0].code, body=body)))
    stakes = [{**bet, "returned": bet["stake"]} for bet in record.bets]
    for kept in (0, 10):
        stakes[0]["returned"] -= kept
        void = make_void_record(record.code, record.first, record.cards, stakes, "eva", "a test")
        yield resigned(f"a void that keeps {kept}", name, with_round(void))


def with_draws() -> Iterator[Case]:
    """A house that tells other draws than those of the sealed seed, and pays by what it tells (L-22…L-28)."""
    name = "link-2"
    one = shoe_document.read((VECTORS / f"document-{name}.json").read_bytes(), GAMES)
    record, opening = one.rounds[0], one.opening
    assert record.scenario is not None
    assert opening is not None
    scenario, entry = record.scenario, record.scenario.bonus[0]
    cell, prize = next(iter(entry.start.items()))
    spin = next(i for i, locks in enumerate(entry.spins) if locks)
    locked = next(iter(entry.spins[spin]))
    other_spins = (*entry.spins[:spin], {locked: 50 - entry.spins[spin][locked] // 50 * 48}, *entry.spins[spin + 1 :])
    segments = list(load("link").bonus.wheel)
    plants = {
        "a wheel moved by one": BonusEntry(segments[segments.index(entry.wheel) - 1]),
        "another box of a board": replace(entry, boxes=("x3" if entry.boxes[0] == "x2" else "x2", *entry.boxes[1:])),
        "another prize at the start": replace(entry, start={**entry.start, cell: 2 if prize == 1 else 1}),
        "another cell at the start": replace(entry, start=_move_cell(entry)),
        "another prize of a spin": replace(entry, spins=other_spins),
        "a spin that came to nothing left out": replace(entry, spins=_leave_out_spin(entry)),
    }
    for told, bonus in plants.items():
        changed = replace(scenario, bonus=(bonus, *scenario.bonus[1:]))
        lines = write_settlement(play_scenario(load("link"), changed, ignore_limits=True))["bets"]
        cheated = make_played_record(record.code, record.first, changed, lines)
        yield resigned(told, name, replace(one, rounds=(cheated, *one.rounds[1:])))
    seed = bytes([opening.draws[0] ^ 1]) + opening.draws[1:]
    reseeded = replace(one, opening=replace(opening, draws=seed))
    rehashed = replace(one.commitment, draws=sha256(seed).digest())
    yield resigned("another seed of the draws", name, reseeded)
    yield resigned("another seed under another hash", name, replace(reseeded, commitment=rehashed))
    yield resigned("a seed kept back", name, replace(one, opening=replace(opening, draws=b"")))
    yield resigned("no seed of the draws", name, replace(one, commitment=replace(one.commitment, draws=b"")))
    other_game = shoe_document.read((VECTORS / "document-ventuno-2.json").read_bytes(), GAMES)
    sealed = replace(other_game.commitment, draws=sha256(seed).digest())
    yield resigned("a seed where there is no wheel", "ventuno-2", replace(other_game, commitment=sealed))


def with_beacon() -> Iterator[Case]:
    """A house that would like another beacon: of another round, of none, of its own, or in other bytes."""
    name = "ventuno-2-beacon"
    one = shoe_document.read((VECTORS / f"document-{name}.json").read_bytes(), GAMES)
    named, signature = one.commitment.beacon, one.entropy.beacon
    assert named is not None

    def tell(beacon: bytes) -> ShoeDocument:
        return replace(one, entropy=replace(one.entropy, beacon=beacon))

    def name_beacon(beacon: BeaconRound | None) -> ShoeDocument:
        return replace(one, commitment=replace(one.commitment, beacon=beacon))

    plain = "ventuno-2"
    without = shoe_document.read((VECTORS / f"document-{plain}.json").read_bytes(), GAMES)
    unsigned = replace(
        one,
        entropy=replace(
            one.entropy,
            contributions=tuple(replace(part, key=b"", signature=b"") for part in one.entropy.contributions),
        ),
    )
    own = replace(unsigned, commitment=replace(one.commitment, beacon=BeaconRound(bytes(32), named.round)))
    other = replace(unsigned, commitment=replace(one.commitment, beacon=BeaconRound(named.chain, named.round + 1)))
    none = replace(unsigned, commitment=replace(one.commitment, beacon=None))
    added = (*one.entropy.contributions, Contribution("server", Origin.SERVER, b"", bytes(16)))
    alone = tuple(replace(part, origin=Origin.MISSING, reveal=b"") for part in one.entropy.contributions)
    supplied = (*alone, Contribution("server", Origin.SERVER, b"", bytes(16)))
    yield resigned("the signature of another round", name, tell(sign_round(named.round + 1)))
    yield resigned("another bit of the signature", name, tell(bytes([signature[0] ^ 0x20]) + signature[1:]))
    yield resigned("bytes that are no point", name, tell(b"\xff" * 48))
    yield resigned("a beacon that came, called missing", name, tell(b""))
    yield resigned("another round named afterwards", name, name_beacon(BeaconRound(named.chain, named.round + 1)))
    yield resigned("another round, by players without keys", name, other)
    yield resigned("a chain that nobody knows", name, own)
    yield resigned("a beacon that nobody named", name, none)
    yield resigned(
        "a beacon where none was named", plain, replace(without, entropy=replace(without.entropy, beacon=signature))
    )
    yield resigned("bytes of the house beside a beacon and players", name, _entropy(one, added, one.entropy.cut_card))
    yield resigned(
        "bytes of the house beside a beacon", name, replace(one, entropy=replace(one.entropy, contributions=supplied))
    )


def _move_cell(entry: BonusEntry) -> dict[int, int]:
    """The first prizes with one of them in another cell, which no spin locks later."""
    taken = {*entry.start, *(cell for locks in entry.spins for cell in locks)}
    (_, prize), *rest = entry.start.items()
    return {**dict(rest), min({*range(18)} - taken): prize}


def _leave_out_spin(entry: BonusEntry) -> tuple[Mapping[int, int], ...]:
    """The spins without one that locked nothing and after which another one did."""
    at = next(i for i, locks in enumerate(entry.spins) if not locks and any(entry.spins[i:]))
    return entry.spins[:at] + entry.spins[at + 1 :]


def cases() -> list[dict[str, Any]]:
    return [case.plain() for case in (*by_a_stranger(), *by_the_house(), *with_draws(), *with_beacon())]


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases())
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    SHEETS.write_text(json.dumps([plain(load(game)) for game in GAMES], indent=1) + "\n", encoding="utf-8")
