"""The log of significant events (R-17, R-18, H-8, ASVS 16)."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from tests.support.house import NOON
from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.commands import ChangeLimits, Pause, Resume, Void
from ventuno.house.accounts.players import Role
from ventuno.house.history import account_history
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import (
    ChanceFailed,
    ClockStepped,
    ClockWatch,
    Corrected,
    LoginFailed,
    RulesChanged,
    SupervisorViewed,
    TableActed,
    read_entries,
)
from ventuno.house.store.records import Batch, ChainBroken, Record, Unreadable, encode_event, hash_record


def busy() -> HouseInMemory:
    """A house where all kinds of things were noted."""
    foyer = HouseInMemory(17)
    ada = foyer.joined("Ada", 50_000)
    foyer.keep(foyer.reception.give_role(ada, Role.SUPERVISOR, "house", foyer.now))
    for password in ("wrong password", "correct horse battery"):
        found = foyer.reception.login("Ada", password, "10.0.0.1", "t", foyer.now)
        foyer.keep(found[1] if isinstance(found, tuple) else found.batch)
    foyer.keep(foyer.protection.set_limit(ada, "stake:day", 10_000, foyer.now))
    foyer.keep(foyer.protection.exclude(ada, 30, foyer.now))
    foyer.keep(foyer.chat.mute("T1", ada, "sup", "shouting", 5, foyer.now))
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout"))
    foyer.keep(
        Batch(
            records=foyer.audit.write(
                foyer.now,
                ClockStepped(-4_000),
                RulesChanged("sheet ventuno", "a", "b"),
                ChanceFailed("stuck"),
                Corrected("T1-1", "1", "2", "typed wrong"),
                SupervisorViewed(ada, "round", "T1-1"),
            )
        )
    )
    return foyer


def test_r17_everything_significant_is_there() -> None:
    kinds = {type(one.event).__name__ for one in read_entries(busy().disk.streams["house"])}
    assert kinds >= {
        *("AccountOpened", "LoggedIn", "LoginFailed", "SessionEnded", "ProtectionChanged", "RightsChanged"),
        *("ChatMuted", "SupervisorViewed", "ClockStepped", "RulesChanged", "ChanceFailed", "Corrected"),
    }


def test_r17_acts_of_supervisors_at_tables() -> None:
    """X-10: pause, resume, void, limits: each with its author, in the table's stream and here."""
    foyer = HouseInMemory(3)
    ada = foyer.joined("Ada", 50_000)
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    foyer.bet(table, ada, 1, 1_000)
    foyer.say(table, Pause("sup", "camera", foyer.now), "")
    foyer.say(table, Resume("sup", foyer.now), "")
    foyer.say(table, ChangeLimits({"main": (200, 1_000)}, "sup", foyer.now), "")
    foyer.say(table, Void("sup", "wrong card", foyer.now), "")
    acts = [one.event for one in read_entries(foyer.disk.streams["house"]) if isinstance(one.event, TableActed)]
    assert [(one.act, one.by, one.reason) for one in acts] == [
        ("pause", "sup", "camera"),
        ("resume", "sup", ""),
        ("limits", "sup", "main 200-1000"),
        ("void", "sup", "wrong card"),
    ]


def test_r17_any_edit_gap_or_insertion_is_found() -> None:
    """500 random edits, each found; the log as it is holds."""
    records = busy().disk.streams["house"]
    read_entries(records)
    rng = Random(17)
    for _ in range(500):
        with pytest.raises((ChainBroken, Unreadable)):
            read_entries(_edited(list(records), rng))


def _edited(records: list[Record], rng: Random) -> list[Record]:
    """One record changed, removed (not the last: its head is noted elsewhere), put in or moved."""
    place = rng.randrange(len(records) - 1)
    one = records[place]
    match rng.randrange(4):
        case 0:
            body = bytearray(one.body)
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(7)
            records[place] = one._replace(body=bytes(body))
        case 1:
            del records[place]
        case 2:
            forged = hash_record(one.hash, one.stream, one.seq + 1, one.at, one.kind, one.body)
            records.insert(place + 1, one._replace(seq=one.seq + 1, hash=forged))
        case _:
            records[place] = one._replace(at=one.at + rng.choice((-1, 1, 1000)))
    return records


def test_no_log_injection_and_no_typed_names() -> None:
    """ASVS 16: what is typed into the name field may be a password: only a digest is kept; nothing breaks the line."""
    foyer = HouseInMemory()
    typed = 'hunter2\n{"kind":"LoggedIn"}\x1b[31m'
    found = foyer.reception.login(typed, "x", "10.0.0.1\nforged", "t", foyer.now)
    assert isinstance(found, tuple)
    foyer.keep(found[1])
    record = foyer.disk.streams["house"][0]
    assert b"hunter2" not in record.body
    assert b"\n" not in record.body
    event = read_entries([record])[0].event
    assert isinstance(event, LoginFailed)
    assert event.player == ""


def test_h8_a_supervisors_look_is_written_first() -> None:
    foyer = HouseInMemory(4)
    ada, bea = foyer.joined("Ada", 50_000), foyer.joined("Bea")
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1)
    code = foyer.round(table, {ada: (1, 1_000)})
    shares = foyer.disk.shares
    assert account_history.check_access(foyer.audit, code, ada, Role.PLAYER, shares, foyer.now) is None
    assert account_history.check_access(
        foyer.audit, code, bea, Role.PLAYER, shares, foyer.now
    ) == account_history.NoSuchRound(code)
    before = foyer.journal.head("house").seq
    seen = account_history.check_access(foyer.audit, code, bea, Role.SUPERVISOR, shares, foyer.now)
    assert isinstance(seen, Batch)
    assert foyer.journal.head("house").seq == before + 1
    assert read_entries([*foyer.disk.streams["house"], *seen.records])[-1].event == SupervisorViewed(bea, "round", code)


def test_r18_a_step_of_the_clock_is_told_once() -> None:
    watch = ClockWatch(NOON, 0)
    assert watch.check(NOON + 60_000, 60_000) is None
    assert watch.check(NOON + 60_900, 60_000) is None
    assert watch.check(NOON + 65_000, 61_000) == ClockStepped(4_000)
    assert watch.check(NOON + 66_000, 62_000) is None
    assert watch.check(NOON + 60_000, 63_000) == ClockStepped(-7_000)


def test_the_vocabulary_is_closed_and_reads_back() -> None:
    for one in read_entries(busy().disk.streams["house"]):
        kind, body = encode_event(one.event)
        assert audit_log.read(kind, body) == one.event
    with pytest.raises(Unreadable):
        audit_log.read("Gossip", b"{}")
    with pytest.raises(Unreadable):
        audit_log.read("ChanceFailed", msgspec.json.encode({"reason": 5}))
