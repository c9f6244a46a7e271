"""The export: every balance and every table made anew, every edit found (X-14, G-11, R-17, H-1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.house import NOON
from tests.support.house_in_memory import BY_HASH, HouseInMemory
from ventuno.core.messages.events import ShoeLoaded
from ventuno.core.rules.cards import cards
from ventuno.house.accounts.login import Joined
from ventuno.house.accounts.registration import Form
from ventuno.house.history import export
from ventuno.house.history.export import CheckedExport, check_export, encode_export
from ventuno.house.history.in_memory import HouseData, derive_rows, select_public
from ventuno.house.money.cashier import CashMovement
from ventuno.house.store.records import Record, Unreadable, decode_body, hash_record
from ventuno.house.tables.chat import ChatMessage


@cache
def house() -> HouseInMemory:
    """People, money, rounds of all five games, practice, chat, a mute, limits."""
    foyer = HouseInMemory(14)
    ada, bea = foyer.joined("Ada", 300_000), foyer.joined("Bea", 100_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 20_000)
    foyer.sit(bea, "T1", 3, 20_000)
    for _ in range(4):
        foyer.round("T1", {ada: (1, 1_000), bea: (3, 500)})
    for game in ("first-person", "sisal", "duello", "link"):
        foyer.open(game, game, ada)
        foyer.sit(ada, game, 1, 20_000)
        for _ in range(2):
            foyer.round(game, {ada: (1, 500)})
    foyer.practise(bea, BY_HASH[next(iter(BY_HASH))], cards("TS 7D TC TH"))
    said = foyer.chat.say("T1", ada, "buona fortuna", foyer.now)
    assert isinstance(said, ChatMessage)
    foyer.keep(said.batch)
    foyer.keep(foyer.chat.mute("T1", bea, "sup", "shouting", 5, foyer.now))
    foyer.keep(foyer.protection.set_limit(ada, "loss:week", 50_000, foyer.now))
    withdrawn = foyer.cashier.withdraw(ada, 1_234, "w", foyer.now)
    assert isinstance(withdrawn, CashMovement)
    foyer.keep(withdrawn.batch)
    foyer.disk.add(foyer.concession.send_reports(foyer.now))
    return foyer


@cache
def lines() -> tuple[bytes, ...]:
    return tuple(encode_export(house().disk, house().now, whole=True))


def seen(raw: tuple[bytes, ...] | list[bytes]) -> CheckedExport:
    return check_export(raw, BY_HASH)


def test_x14_every_balance_and_every_table_from_scratch() -> None:
    found = seen(lines())
    assert found.is_valid, found.faults
    assert found.balances == house().authority.wallet.balances()
    for stream, room in ((room.stream, room) for room in house().authority.tables.values()):
        assert found.heads[stream] == (room.head.seq, room.head.hash.hex())
    assert sum(found.balances.values()) == 0
    assert len(found.data.rounds) == len(house().disk.rounds)


def test_the_file_is_the_same_each_time_and_plain_json() -> None:
    assert tuple(encode_export(house().disk, house().now, whole=True)) == lines()
    kinds = {json.loads(line)["line"] for line in lines()}
    assert kinds == {"ventuno-export", "record", "posting", "round", "share", "end"}


def test_g11_a_thousand_random_edits_are_all_found() -> None:
    """One line changed, removed, put in or moved: 1 000 of 1 000, with a digest that the forger made to fit."""
    rng = Random(11)
    missed = [number for number in range(1000) if _found(_edited(list(lines()), rng)) is None]
    assert missed == []


def test_g11_the_control_without_an_edit_is_not_found() -> None:
    """The same way through, nothing changed: the measure itself raises no alarm."""
    assert _found(_closed(list(lines()))) is None


def _found(raw: list[bytes]) -> str | None:
    try:
        faults = seen(raw).faults
    except Unreadable as fault:
        return str(fault)
    return faults[0] if faults else None


def _edited(raw: list[bytes], rng: Random) -> list[bytes]:
    place = rng.randrange(1, len(raw) - 1)
    match rng.randrange(5):
        case 0:
            del raw[place]
        case 1:
            raw.insert(rng.randrange(1, len(raw) - 1), raw[place])
        case 2:
            body = json.loads(raw[place])
            _nudge(body, rng)
            raw[place] = json.dumps(body, separators=(",", ":")).encode() + b"\n"
        case 3:
            others = [line for line in range(1, len(raw) - 1) if raw[line] != raw[place]]
            raw[place] = raw[rng.choice(others)]
        case _:
            raw[place] = _rechained(raw[place], rng)
    return _closed(raw)


def _nudge(body: dict[str, Any], rng: Random) -> None:
    """Change one value somewhere inside."""
    spots = list(_spots(body))
    holder, key = rng.choice(spots)
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + rng.choice((-1, 1, 1000))
    else:
        holder[key] = f"{value}x" if value is not None else 1


def _spots(held: Any) -> Iterator[tuple[Any, Any]]:
    items = held.items() if isinstance(held, dict) else enumerate(held)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from _spots(value)
        elif key != "line":
            yield held, key


def _rechained(line: bytes, rng: Random) -> bytes:
    """A record that was changed and given the hash of its own new body; any other line loses a cent."""
    body = json.loads(line)
    if body["line"] != "record":
        _nudge(body, rng)
        return json.dumps(body, separators=(",", ":")).encode() + b"\n"
    body["at"] += 1
    raw = json.dumps(body["body"], separators=(",", ":")).encode()
    body["hash"] = hash_record(bytes(32), body["stream"], body["seq"], body["at"], body["kind"], raw).hex()
    return json.dumps(body, separators=(",", ":")).encode() + b"\n"


def _closed(raw: list[bytes]) -> list[bytes]:
    """The last line made to fit the lines before it: a forger can do that much."""
    end = json.loads(raw[-1])
    end["lines"], end["digest"] = len(raw) - 1, sha256(b"".join(raw[:-1])).hexdigest()
    return [*raw[:-1], json.dumps(end, separators=(",", ":")).encode() + b"\n"]


def test_without_a_forger_any_flipped_bit_is_found() -> None:
    rng = Random(12)
    whole = b"".join(lines())
    for _ in range(300):
        flipped = bytearray(whole)
        place = rng.randrange(len(whole))
        flipped[place] ^= 1 << rng.randrange(8)
        assert _found(bytes(flipped).splitlines(keepends=True)) is not None, place
    assert _found(whole[: len(whole) // 2].splitlines(keepends=True)) is not None


def _forged(held: HouseData, stream: str, kind: str, change: tuple[bytes, bytes]) -> HouseData:
    """A stream written anew from a changed record on, with sound hashes to its end."""
    made, previous, done = list[Record](), bytes(32), False
    for one in held.streams[stream]:
        body = one.body
        if not done and one.kind == kind and change[0] in body:
            body, done = body.replace(*change, 1), True
        previous = hash_record(previous, stream, one.seq, one.at, one.kind, body)
        made.append(one._replace(body=body, hash=previous))
    assert done
    return HouseData({**held.streams, stream: made}, held.postings, held.rounds, held.shares)


def test_a_whole_chain_forged_anew_is_found_by_the_money_and_by_noted_heads() -> None:
    """Whoever can write every hash anew still cannot make the postings follow; silent forgeries meet noted heads."""
    held = house().disk
    rich = _forged(held, "player:1", "Deposited", (b'"amount":300000', b'"amount":900000'))
    assert any("posting" in fault for fault in seen(list(encode_export(rich, 0, whole=True))).faults)
    renamed = _forged(held, "player:1", "PlayerJoined", (b'"Ada"', b'"Eva"'))
    raw = list(encode_export(renamed, 0, whole=True))
    assert seen(raw).is_valid, "a name moves no money"
    noted = {stream: (head.seq, head.hash.hex()) for stream, head in held.heads().items()}
    assert not check_export(raw, BY_HASH, noted).is_valid
    assert check_export(lines(), BY_HASH, noted).is_valid


def test_money_out_of_nothing_is_found() -> None:
    """A posting for which there is no event, balanced or not; and a balance that was only written."""
    held = house().disk
    row = held.postings[0]
    extra = [row._replace(account="player:2", amount=5), row._replace(account="cashier", amount=-5)]
    forged = HouseData(held.streams, [*held.postings, *extra], held.rounds, held.shares)
    assert len([one for one in seen(list(encode_export(forged, 0, whole=True))).faults if "posting" in one]) == 2
    end = json.loads(lines()[-1])
    end["balances"]["player:2"] += 1
    assert "player:2" in seen([*lines()[:-1], json.dumps(end).encode()]).faults[0]


def test_h1_a_public_export_holds_no_undealt_card_and_no_private_stream() -> None:
    """Cut before the first shoe in use; what is left still holds by itself, and says what it lacks."""
    foyer = HouseInMemory(21)
    made = foyer.reception.register(Form("Ada"), "correct horse battery", foyer.now)
    assert isinstance(made, Joined)
    foyer.keep(made.batch)
    foyer.deposit(made.player, 100_000)
    foyer.open("first-person", "F1", made.player)
    foyer.sit(made.player, "F1", 1)
    for _ in range(3):
        foyer.round("F1", {made.player: (1, 500)})
    foyer.shoe("F1")
    raw = list(encode_export(foyer.disk, foyer.now))
    found = seen(raw)
    assert found.is_valid, found.faults
    opening = json.loads(raw[0])
    assert list(opening["withheld"]) == ["table:F1"]
    assert not any(stream.startswith("private:") for stream in found.data.streams)
    live = decode_body(
        next(one for one in reversed(foyer.disk.streams["table:F1"]) if one.kind == "ShoeLoaded").body, ShoeLoaded
    )
    shown = [
        decode_body(one.body, ShoeLoaded) for one in found.data.streams["table:F1"] if one.kind == ShoeLoaded.__name__
    ]
    assert shown
    assert live not in shown
    assert len(found.data.rounds) == 3
    whole = derive_rows(select_public(foyer.disk)[0].streams, BY_HASH)
    assert whole.balances() == found.balances


def test_h1_planted_fault_a_whole_export_does_hold_the_live_shoe() -> None:
    """The control of the test above: without withholding the live shoe is in the file."""
    text = b"".join(encode_export(house().disk, 0, whole=True))
    last = next(one for one in reversed(house().disk.streams["table:T1"]) if one.kind == "ShoeLoaded")
    assert last.body in text
    assert last.body not in b"".join(encode_export(house().disk, 0))


@pytest.mark.parametrize("raw", [[], [b"{}"], [b"\xff\xfe"], [b'{"line":"record"}'], [b'{"line":"gossip"}'], [b"[]"]])
def test_what_is_no_export_is_unreadable(raw: list[bytes]) -> None:
    with pytest.raises(Unreadable):
        seen(raw)


def test_an_unknown_sheet_is_a_fault_not_a_crash() -> None:
    found = check_export(lines(), {})
    assert not found.is_valid
    assert "cannot be played" in found.faults[0]


DAY = 86_400_000


@cache
def days() -> HouseInMemory:
    """Three days of play at one table, some of it over midnight, with money that comes and goes."""
    foyer = HouseInMemory(15)
    ada = foyer.joined("Ada", 300_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 50_000)
    for day in range(3):
        foyer.now = (NOON // DAY + day) * DAY + DAY // 2
        foyer.tick("T1")
        for _ in range(3):
            foyer.round("T1", {ada: (1, 1_000)})
        foyer.deposit(ada, 500)
        foyer.now = (NOON // DAY + day + 1) * DAY - 16_000
        foyer.tick("T1")
        foyer.bet("T1", ada, 1, 700)
        foyer.tick("T1")
        foyer.now += 5_000
        foyer.finish("T1")
    return foyer


def part(first: int, last: int) -> list[bytes]:
    """From one of the days to another, both whole; the first is 0."""
    begin, end = (NOON // DAY + first) * DAY, (NOON // DAY + last + 1) * DAY - 1
    return list(encode_export(days().disk, days().now, whole=True, days=(begin, end)))


def test_x14_some_days_hold_by_themselves_and_follow_each_other() -> None:
    """Each part begins where the one before ended: heads, balances and rounds together are those of the whole."""
    parts = [part(day, day) for day in range(4)]
    assert [seen(raw).faults for raw in parts] == [(), (), (), ()]
    assert all(seen(raw).is_part for raw in parts)
    codes = [row.code for raw in parts for row in seen(raw).data.rounds]
    assert sorted(codes) == sorted(row.code for row in days().disk.rounds)
    assert len(codes) == 12
    openings, closings = [json.loads(raw[0]) for raw in parts], [json.loads(raw[-1]) for raw in parts]
    assert openings[0].get("before", {}) == {}
    for before, after in zip(closings[:-1], openings[1:], strict=True):
        assert after["balances"] == before["balances"]
        for stream, head in after["before"].items():
            overlaps = stream.startswith("table:") and head[0] < before["heads"][stream][0]
            assert overlaps or head == before["heads"].get(stream, head)
    assert closings[-1]["balances"] == days().disk.balances()
    assert len(part(1, 1)) < len(part(0, 2)) / 2


def test_x14_a_round_over_midnight_is_whole_on_the_day_it_ended() -> None:
    over = [row for row in days().disk.rounds if row.started // DAY != row.ended // DAY]
    assert over
    for row in over:
        data = seen(part(row.ended // DAY - NOON // DAY, row.ended // DAY - NOON // DAY)).data
        seqs = [record.seq for record in data.streams[row.stream]]
        assert row in data.rounds
        assert {row.first, row.last} <= set(seqs)
        assert seqs == list(range(seqs[0], seqs[-1] + 1))


def test_g11_what_is_changed_in_some_days_is_found() -> None:
    """A record, a posting, a balance or a head before; each with a digest made anew, as a forger would."""
    raw = part(1, 1)
    changes: list[tuple[str, Any]] = [("record", "at"), ("posting", "amount"), ("ventuno-export", "before")]
    changes += [("ventuno-export", "balances"), ("end", "balances"), ("end", "heads")]
    for kind, field in changes:
        rows = [json.loads(line) for line in raw]
        row = next(one for one in rows if one["line"] == kind)
        if isinstance(row[field], int):
            row[field] += 1
        else:
            name = next(iter(row[field]))
            old = row[field][name]
            row[field][name] = old + 1 if isinstance(old, int) else [old[0], "00" * 32]
        body = [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in rows[:-1]]
        rows[-1]["digest"] = sha256(b"".join(body)).hexdigest()
        assert seen([*body, json.dumps(rows[-1]).encode() + b"\n"]).faults, (kind, field)


def test_some_days_without_play_are_an_empty_part() -> None:
    checked = seen(part(40, 41))
    assert checked.faults == ()
    assert checked.data.streams == {}
    assert checked.balances == days().disk.balances()


def test_x14_the_manual_names_every_line_and_field_of_the_format() -> None:
    manual = (Path(__file__).resolve().parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    kinds = [export.Opening, export.RecordLine, *export._ROW_LINES.values(), export.Closing]
    for kind in kinds:
        row = re.search(rf"^\| `{kind.__struct_config__.tag}` \| (.*) \|$", manual, re.MULTILINE)
        assert row is not None, kind
        assert set(kind.__struct_fields__) == set(re.findall(r"`(\w+)`", row[1])), kind
