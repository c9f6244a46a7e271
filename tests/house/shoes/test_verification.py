"""`ventuno verify`: whole shoes hold, any bit changed does not, and a house that cheats is named (G-14, X-01)."""

from __future__ import annotations

import copy
import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.beacon_server import CHAIN
from tests.support.sample_shoes import VECTORS, accepted, cut_by, fixed_source, rounds_of, signed, specimen
from tests.support.volume import scale
from ventuno.cli import main as commands
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.runner import Refused, play_scenario, write_settlement
from ventuno.core.scenario.scenario import parse
from ventuno.house.shoes import cut, shoe_document, verification
from ventuno.house.shoes.beacon import QUICKNET
from ventuno.house.shoes.commitment import CUT_CARD, OLDEST, seal
from ventuno.house.shoes.cut import Contribution, Cut, Entropy, Origin
from ventuno.house.shoes.shoe_document import (
    DealtCard,
    RoundRecord,
    ShoeDocument,
    hide_balances,
    make_played_record,
    make_void_record,
    scenario_to_dict,
)
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.house.store import canonical_json
from ventuno.house.store.canonical_json import Unreadable
from ventuno.sheets import GAMES, load

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.json"))
Captured = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
Place = tuple[str | int, ...]


@pytest.fixture(autouse=True)
def command(monkeypatch: Patch) -> None:
    monkeypatch.setitem(commands.COMMANDS, "verify", "check a shoe")


def run(raw: bytes, monkeypatch: Patch, *options: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    return commands.main(["verify", "-", *options])


def reason(document: ShoeDocument, sheet: Sheet | None = None) -> str:
    """Where a document that was properly chained and signed does not hold."""
    again = shoe_document.read(canonical_json.encode(document.to_dict()), GAMES)
    with pytest.raises(ProofFailed) as found:
        verify(again, sheet or load(document.commitment.game))
    return found.value.at


@pytest.mark.parametrize("game", GAMES)
def test_shoes_of_all_games_hold(game: str, monkeypatch: Patch, capsys: Captured) -> None:
    one = specimen(game)
    assert shoe_document.read(one.raw, GAMES) == one.dossier
    assert run(one.raw, monkeypatch, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["holds"] is True
    assert told["is_verifiable"] is True
    assert told["is_open"] is True
    assert told["rounds"] == len(one.dossier.rounds) >= 1
    assert told["cards"] == sum(len(record.cards) for record in one.dossier.rounds)
    assert run(one.raw, monkeypatch) == 0
    assert capsys.readouterr().out.startswith("holds: shoe 3 of table T7")


def test_a_whole_shoe_to_its_cut_card(monkeypatch: Patch, capsys: Captured) -> None:
    one = specimen("ventuno", 100)
    assert one.dossier.opening is not None
    assert one.dossier.opening.retired == CUT_CARD
    assert run(one.raw, monkeypatch, "--json") == 0
    assert json.loads(capsys.readouterr().out)["notes"] == []


@pytest.mark.parametrize("path", sorted(VECTORS.glob("document-*.json")), ids=lambda path: path.stem)
def test_stored_documents_hold(path: Path) -> None:
    """They keep the hash of the sheet they were made under; all else is checked by today's code."""
    read = shoe_document.read(path.read_bytes(), GAMES)
    verify(read, replace(load(read.commitment.game), hash=read.commitment.sheet), chains=(QUICKNET, CHAIN))
    assert json.loads(path.read_bytes()) == read.to_dict()


def test_notes(monkeypatch: Patch, capsys: Captured) -> None:
    assert run(specimen("ventuno", 1, is_open=False, absent="bruno").raw, monkeypatch) == 0
    told = capsys.readouterr().out
    assert "the reveal of bruno is missing" in told
    assert "not open yet" in told
    assert run(specimen("sisal", server=True).raw, monkeypatch, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["is_verifiable"] is False
    assert "not verifiable: the house made the entropy" in found["notes"][0]


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Every value of a document that is no list or object, and every key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, "key", key)
            yield from places(inner, (*at, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*at, i))
    else:
        yield at


def flipped(document: dict[str, Any], place: Place, rng: random.Random) -> bytes:
    """The document with one bit of one value, or of one key, the other way round."""
    changed = copy.deepcopy(document)
    holder: Any = changed
    is_key = len(place) > 1 and place[-2] == "key"
    for word in place[: -2 if is_key else -1]:
        holder = holder[word]
    last = place[-1]
    if is_key:
        holder[_flip(last, rng)] = holder.pop(last)
    else:
        holder[last] = _flip(holder[last], rng)
    return json.dumps(changed).encode()


def _flip(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value ^ 1 << rng.randrange(16)
    if not value:
        return "\x00"
    at = rng.randrange(len(value))
    return value[:at] + chr(ord(value[at]) ^ 1 << rng.randrange(7)) + value[at + 1 :]


def test_g14_one_bit_changed_in_any_field_is_found(monkeypatch: Patch, capsys: Captured) -> None:
    """Every field of an opened document, one bit each; the answer is always one line and 1 or 2."""
    document = specimen("ventuno", 1).dossier.to_dict()
    rng = random.Random(14)
    everywhere = list(places(document))
    assert len(everywhere) > 700
    for place in everywhere:
        raw = flipped(document, place, rng)
        assert run(raw, monkeypatch) in (1, 2), place
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("\n") == 1


@pytest.mark.parametrize("name", ["duello", "link", "in use"])
def test_g14_any_bit_of_other_documents(name: str) -> None:
    one = specimen("ventuno", 1, is_open=False, absent="bruno") if name == "in use" else specimen(name)
    document, sheet = one.dossier.to_dict(), one.sheet
    everywhere = list(places(document))

    @given(st.sampled_from(everywhere), st.integers(0, 2**32))
    @settings(max_examples=scale(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def check(place: Place, seed: int) -> None:
        raw = flipped(document, place, random.Random(seed))
        with pytest.raises((Unreadable, ProofFailed)):
            verify(shoe_document.read(raw, GAMES), sheet)

    check()


@given(st.integers(0, 10**6), st.integers(0, 7))
@settings(max_examples=scale(150), deadline=None)
def test_g14_any_bit_of_the_file(at: int, bit: int) -> None:
    """Bits of the bytes themselves: unreadable, or false, unless blanks between values changed into others."""
    one = specimen("duello")
    raw = bytearray(canonical_json.encode(one.dossier.to_dict()))
    raw[at % len(raw)] ^= 1 << bit
    with pytest.raises((Unreadable, ProofFailed)):
        verify(shoe_document.read(bytes(raw), GAMES), one.sheet)


def test_fields_left_out_are_found() -> None:
    document = specimen("ventuno", 1).dossier.to_dict()
    for key in document:
        less = {name: value for name, value in document.items() if name != key}
        with pytest.raises((Unreadable, ProofFailed)):
            verify(shoe_document.read(canonical_json.encode(less), GAMES), load("ventuno"))
    for key in ("dealt", "rounds", "included"):
        with pytest.raises(ProofFailed):
            verify(
                shoe_document.read(canonical_json.encode({**document, key: document[key][:-1]}), GAMES), load("ventuno")
            )


# A house that cheats holds the key: it signs what it likes, and is found all the same.


def test_another_card_than_committed() -> None:
    one = specimen("ventuno").dossier
    first = one.dealt[0]
    other = replace(first.proof, card=(first.proof.card + 4) % 52)
    assert reason(signed(replace(one, dealt=(DealtCard(first.play, other), *one.dealt[1:])))) == "dealt[0]"


def test_another_order_than_cut() -> None:
    one = specimen("ventuno")
    a, b, *rest = one.dossier.dealt
    swapped = (DealtCard(a.play, b.proof), DealtCard(b.play, a.proof), *rest)
    assert reason(signed(replace(one.dossier, dealt=swapped))) == "dealt[0]"


def test_a_card_that_was_shown_but_not_played() -> None:
    one = specimen("ventuno").dossier
    record = one.rounds[0]
    assert record.scenario is not None
    cards = record.scenario.shoe
    other = replace(record.scenario, shoe=(cards[1], cards[0], *cards[2:]))
    wrong = make_played_record(record.code, record.first, other, record.bets)
    assert reason(signed(replace(one, rounds=(wrong, *one.rounds[1:])))) == "rounds[0]"


@pytest.mark.parametrize(
    ("change", "at"),
    [
        (lambda line: {**line, "returned": line["returned"] + 1}, "rounds[1].bets[0].returned"),
        (lambda line: {**line, "stake": line["stake"] - 10}, "rounds[1].bets[0].stake"),
        (lambda line: {**line, "player": "mallory"}, "rounds[1].bets[0].player"),
        (lambda line: {**line, "criterion": "V-99"}, "rounds[1].bets[0].criterion"),
    ],
)
def test_payouts_that_the_rules_do_not_give(change: Callable[[Any], Any], at: str) -> None:
    one = specimen("ventuno").dossier
    record = one.rounds[1]
    assert record.scenario is not None
    wrong = make_played_record(
        record.code, record.first, record.scenario, [change(dict(record.bets[0])), *record.bets[1:]]
    )
    assert reason(signed(replace(one, rounds=(one.rounds[0], wrong, *one.rounds[2:])))) == at


def test_a_payout_line_left_out_and_a_decision_left_out() -> None:
    one = specimen("ventuno").dossier
    record = one.rounds[0]
    assert record.scenario is not None
    less = make_played_record(record.code, record.first, record.scenario, record.bets[1:])
    assert reason(signed(replace(one, rounds=(less, *one.rounds[1:])))) == "rounds[0].bets"
    cut_short = replace(record.scenario, decisions=record.scenario.decisions[:-1])
    refused = make_played_record(record.code, record.first, cut_short, record.bets)
    assert reason(signed(replace(one, rounds=(refused, *one.rounds[1:])))) == "rounds[0].scenario"


def test_a_round_left_out_is_a_gap() -> None:
    one = specimen("ventuno").dossier
    assert reason(signed(replace(one, rounds=(one.rounds[0], one.rounds[2])))) == "rounds[1].first"


def test_a_round_told_twice() -> None:
    one = specimen("ventuno").dossier
    again = replace(one.rounds[1], code=one.rounds[0].code, body={**one.rounds[1].body, "code": one.rounds[0].code})
    assert reason(signed(replace(one, rounds=(one.rounds[0], again, one.rounds[2])))) == "rounds[1].code"


def test_a_shoe_that_retires_when_the_house_likes() -> None:
    one = specimen("ventuno").dossier
    assert one.opening is not None
    early = replace(one, opening=replace(one.opening, retired=CUT_CARD))
    assert reason(signed(early)) == "opening.retired"
    moved = replace(one, entropy=replace(one.entropy, cut_card=one.entropy.cut_card - 1))
    assert reason(signed(moved)) == "entropy.cut_card"


def test_a_round_after_the_cut_card() -> None:
    """Played on with a cut card of the house's choice: the record shows a round that should not have begun."""
    one = specimen("ventuno", 100)
    cards = one.shoe.arrange(one.order)
    records = rounds_of(one.sheet, ("anna", "bruno", "cläre"), cards, 274, 100)
    assert records[-1].first >= one.dossier.entropy.cut_card
    dealt = tuple(DealtCard(play, one.shoe.show(one.order[play])) for play in range(1, records[-1].end))
    assert reason(signed(replace(one.dossier, rounds=records, dealt=dealt))).startswith("rounds[")


def test_v81_the_round_that_begins_at_the_cut_card_should_not_have_begun() -> None:
    """V-81: the round in which the cut card comes out is the last; where the entropy puts it is not looked at here."""
    one = specimen("ventuno")
    last = one.dossier.rounds[-1].first
    at_last, behind_last = (
        replace(one.dossier, entropy=replace(one.dossier.entropy, cut_card=cut_card)) for cut_card in (last, last + 1)
    )
    verification._check_rounds(behind_last, one.sheet)
    with pytest.raises(ProofFailed, match=f"begins at card {last}, the cut card came at {last}"):
        verification._check_rounds(at_last, one.sheet)


def entropy_with(part: Contribution, one: ShoeDocument, at: int = 0) -> ShoeDocument:
    parts = list(one.entropy.contributions)
    parts[at] = part
    return signed(replace(one, entropy=Entropy(tuple(parts), one.entropy.cut_card)))


def test_entropy_that_players_did_not_send() -> None:
    one = specimen("ventuno").dossier
    first, second = one.entropy.contributions[:2]
    assert reason(entropy_with(replace(first, reveal=bytes(16)), one)) == "entropy.contributions[0]"
    assert reason(entropy_with(replace(first, promise=b""), one)) == "entropy.contributions[0]"
    assert reason(entropy_with(second, one)) == "entropy.contributions"
    assert reason(entropy_with(replace(second, player="anna2"), one)) == "entropy.contributions"
    assert reason(entropy_with(Contribution("server", Origin.SERVER, b"", bytes(16)), one)) == "entropy.contributions"
    lost = Contribution(first.player, Origin.MISSING, first.promise)
    assert reason(entropy_with(lost, one)) == "entropy.cut_card" or reason(entropy_with(lost, one)) == "dealt[0]"
    solo = specimen("duello", version=OLDEST).dossier
    promised = replace(solo.entropy.contributions[0], promise=bytes(32))
    assert reason(entropy_with(promised, solo)) == "entropy.contributions[0]"


def test_entropy_before_the_commitment() -> None:
    """Chained the wrong way round, which is how seeds are ground: refused whatever the signature says."""
    one = specimen("ventuno").dossier
    a, b, *rest = one.included
    assert (
        reason(replace(one, included=(replace(a, height=b.height), replace(b, height=a.height), *rest))) == "commitment"
    )
    assert reason(replace(one, included=(b, a, *rest))) == "commitment"


def test_a_receipt_of_another_table_or_key(monkeypatch: Patch, capsys: Captured) -> None:
    one = specimen("ventuno", version=OLDEST).dossier
    moved = replace(one, commitment=replace(one.commitment, table="T8"))
    assert reason(replace(moved, receipt=one.receipt)) == "receipt.checkpoint.table"
    raw, key = specimen("ventuno").raw, one.receipt.key.hex()
    assert run(raw, monkeypatch, "--key", key) == 0
    assert run(raw, monkeypatch, "--key", "00" * 32) == 1
    assert "not by the key you named" in capsys.readouterr().err
    assert run(raw, monkeypatch, "--key", "AA") == 2


def test_other_rules_than_committed(monkeypatch: Patch, tmp_path: Path, capsys: Captured) -> None:
    one = specimen("ventuno").dossier
    assert reason(one, load("ventuno", {"blackjack.pays": "6/5"})) == "commitment.sheet"
    assert reason(one, load("first-person")) == "commitment.game"
    sheet = tmp_path / "house.toml"
    sheet.write_text("[game]", encoding="utf-8")
    assert run(specimen("ventuno").raw, monkeypatch, "--sheet", str(sheet)) == 2
    assert str(sheet) in capsys.readouterr().err


def voided_round(one: ShoeDocument, returned: int) -> RoundRecord:
    last = one.rounds[-1]
    lines = [{"player": "anna", "box": 1, "bet": "main", "stake": 1000, "returned": returned}]
    return make_void_record(last.code, last.first, last.cards, lines, "supervisor", "camera fault")


def test_r07_a_void_round_gives_every_stake_back() -> None:
    one = specimen("ventuno").dossier
    good = signed(replace(one, rounds=(*one.rounds[:-1], voided_round(one, 1000))))
    read = shoe_document.read(canonical_json.encode(good.to_dict()), GAMES)
    assert any("void: camera fault (supervisor)" in note for note in verify(read, load("ventuno")).notes)
    assert reason(signed(replace(one, rounds=(*one.rounds[:-1], voided_round(one, 900))))) == "rounds[2].bets[0]"


@pytest.mark.parametrize(
    "raw",
    [b"", b"no", b"[]", b"{}", b'{"format": "ventuno-shoe/3"}', b"\xff\xff", b"[" * 50_000, b'{"a":1,"a":1}', b"1e999"],
)
def test_unreadable(raw: bytes, monkeypatch: Patch, capsys: Captured) -> None:
    assert run(raw, monkeypatch, "--json") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


def test_files_that_are_not_there(tmp_path: Path, capsys: Captured) -> None:
    assert commands.main(["verify", str(tmp_path / "none.json")]) == 2
    assert commands.main(["verify", str(tmp_path)]) == 2
    assert commands.main(["verify"]) == 2
    assert capsys.readouterr().err.count("\n") == 3


def test_the_answer_no_in_json(monkeypatch: Patch, capsys: Captured) -> None:
    document = specimen("ventuno").dossier.to_dict()
    document["dealt"][2]["salt"] = "00" * 16
    assert run(canonical_json.encode(document), monkeypatch, "--json") == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["at"] == "dealt[2]"
    assert json.loads(told.out)["holds"] is False
    assert told.err == ""


def test_scenarios_are_written_as_the_contract_has_them() -> None:
    """All scenarios of the project that are well formed, bonus draws among them."""
    checked = 0
    for path in SCENARIOS:
        raw = json.loads(path.read_text(encoding="utf-8")).get("scenario")
        try:
            read = parse(raw, GAMES)
        except ValueError:
            continue
        assert parse(scenario_to_dict(read), GAMES) == read, path
        checked += 1
    assert checked > 300


def test_h5_balances_stay_out_of_shared_rounds() -> None:
    """All rounds of the live table that the scenarios hold, those without funds among them, settle the same."""
    checked, sheet = 0, load("ventuno")
    for path in SCENARIOS:
        raw = json.loads(path.read_text(encoding="utf-8")).get("scenario")
        try:
            read = parse(raw, ("ventuno",))
            found = write_settlement(play_scenario(sheet, read))
        except (ValueError, Refused):
            continue
        again = hide_balances(read, found["bets"])
        assert write_settlement(play_scenario(sheet, again))["bets"] == found["bets"], path
        checked += 1
    assert checked > 60


def test_g14_many_shoes_hold() -> None:
    """Fresh shoes of all games, each played and verified; the nightly run does many more."""
    source = fixed_source("many")
    for number, game in enumerate(GAMES * 6):
        sheet = load(game)
        players = ("anna",) if sheet.game.solo else ("anna", "bruno")
        shoe, made = seal(source, sheet, "T1", number)
        closed = cut_by(made, sheet, players, source)
        records = rounds_of(sheet, players, shoe.arrange(closed.order), closed.entropy.cut_card, 2)
        dealt = tuple(
            DealtCard(play, shoe.show(closed.order[play])) for play in range(sheet.shoe.burn, records[-1].end)
        )
        one = specimen(game).dossier
        document = signed(ShoeDocument(made, closed.entropy, dealt, records, None, one.receipt, ()))
        assert verify(shoe_document.read(canonical_json.encode(document.to_dict()), GAMES), sheet).cards == len(dealt)


def test_a_refused_reveal_leaves_the_cut_as_it_was() -> None:
    made = specimen("duello").dossier.commitment
    state = accepted(cut.publish(Cut(made, ("anna",), solo=True)))
    before = copy.deepcopy(state)
    cut.reveal(state, "anna", b"short")
    cut.reveal(state, "zoe", sha256(b"").digest()[:16])
    assert state == before
