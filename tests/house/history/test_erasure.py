"""Persons that are forgotten and things that grew old: what goes, what stays, and that the books hold (GDPR 15, 17)."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from sqlalchemy import Column, MetaData, Table, Text

from tests.support.house import PASSWORD, OpenHouse, key, open_application
from tests.support.in_process_house import LIVE, InProcessHouse, opened
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts as account_streams
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.registration import Form
from ventuno.house.history import book_check, erasure, export
from ventuno.house.history.erasure import Erasure, NotErasable, Retention
from ventuno.house.history.person_export import OTHER_COLUMNS, PERSON_COLUMNS, PERSON_FIELDS, collect_person
from ventuno.house.integrity import alerts
from ventuno.house.money import corrections
from ventuno.house.store import audit_log, schema
from ventuno.house.store.records import ERASED
from ventuno.house.tables import chat, concession
from ventuno.sheets import load_games

BY_HASH = {sheet.hash: sheet for sheet in load_games().values()}
MAIL, ADDRESS, SAID = "adelaide@example.org", "203.0.113.77", "what a lovely evening"


async def live_a_little(house: InProcessHouse) -> PlayerId:
    """Adelaide gives her data, talks, logs in, fails to, and is looked for."""
    app = house.application
    ada = await house.joined("Adelaide", 5_000)
    await app.accounts.log_in("Adelaide", PASSWORD, ADDRESS, "Mozilla/5.0 (of Adelaide)")
    await app.accounts.log_in("Adelaide", "wrong", ADDRESS, "Mozilla/5.0 (of Adelaide)")
    assert await app.accounts.set_mail(ada, MAIL, PASSWORD, ADDRESS) is None
    assert not isinstance(await app.chat.say(ada, LIVE, SAID), Refusal)
    await app.cashier.withdraw(ada, 5_000, "all of it")
    return ada


async def erase(house: InProcessHouse, player: PlayerId, eva: PlayerId, leo: PlayerId) -> None:
    app = house.application
    await app.console.find_players(eva, "adelai")
    first = await app.erasure.ask(eva, player, "she asked for it")
    assert isinstance(first, Erasure)
    assert first.until > app.now()
    again = await app.erasure.ask(eva, player, "she asked for it")
    assert isinstance(again, Erasure)
    assert again.until, "one person alone erases nobody"
    assert await app.erasure.ask(leo, player, "saw her letter") == Erasure(player, 0)


async def check_books(house: InProcessHouse) -> list[str]:
    store = house.application.host.commits.store
    checked = await book_check.check_books(store, BY_HASH)
    data = await export.collect(store)
    faults = [*checked.faults, *await house.application.maintenance.chains.check_all()]
    for whole in (True, False):
        faults += export.check_export(export.encode_export(data, house.application.now(), whole=whole), BY_HASH).faults
    return faults


def read_file(folder: Path) -> bytes:
    """All bytes of the books, the log carried over into the file."""
    with closing(sqlite3.connect(folder / "house.db")) as books:
        books.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return (folder / "house.db").read_bytes()


async def test_gdpr_17_a_person_is_forgotten_and_the_books_hold(tmp_path: Path) -> None:
    async with opened(tmp_path) as house:
        app = house.application
        ada, bea, eva, leo = (
            await live_a_little(house),
            await house.joined("Beatrice"),
            await house.supervisor(),
            await house.supervisor("Leo"),
        )
        await app.chat.say(bea, LIVE, "good evening to all")
        before = await app.host.commits.store.read_heads()
        await erase(house, ada, eva, leo)
        account = app.accounts[ada]
        assert (account.player.name, account.player.mail, account.player.password) == (f"#{ada}", "", "")
        assert app.accounts.find_by_name("Adelaide") is None
        assert await check_books(house) == []
        heads = await app.host.commits.store.read_heads()
        for stream, head in before.items():
            (record,) = await app.host.commits.store.read_records(stream, head.seq - 1, head.seq)
            assert record.hash == head.hash, "what was noted down of any chain is still in it"
        assert heads.keys() >= before.keys()
        assert isinstance(await app.erasure.find_hindrance(ada), NotErasable)
        assert await app.accounts.register(Form("Adelaide"), PASSWORD) not in (ada, None), "the name is free again"
        newcomer = app.accounts.find_by_name("Adelaide")
        assert newcomer is not None
        await app.host.commits.flush()
        bodies = [record.body async for page in app.host.commits.store.iterate_streams() for record in page]
    kept, written = read_file(tmp_path), b"".join(bodies)
    for trace in (MAIL, ADDRESS, SAID, "of Adelaide"):
        assert trace.encode() not in kept + written, trace
    assert b"good evening to all" in kept, "nobody else is touched"
    again = await open_application(tmp_path, options={"deep": True})
    assert again.accounts[ada] == account, "a house that comes back knows as little"
    other = again.accounts.find_by_name("Adelaide")
    assert other is not None
    assert other.player.id == newcomer.player.id
    await again.close()


async def test_gdpr_17_planted_a_body_that_somebody_else_took_out_is_found(tmp_path: Path) -> None:
    """A thief who knows how empty places look takes out what tells of him."""
    async with opened(tmp_path) as house:
        ada, eva, leo = await live_a_little(house), await house.supervisor(), await house.supervisor("Leo")
        await erase(house, ada, eva, leo)
        assert await check_books(house) == []
        with closing(sqlite3.connect(tmp_path / "house.db")) as books, books:
            (seq,) = books.execute(
                "SELECT min(seq) FROM log WHERE stream = 'house' AND kind = 'AccountOpened'"
            ).fetchone()
            books.execute("UPDATE log SET body = ? WHERE stream = 'house' AND seq = ?", (ERASED, seq))
        faults = await check_books(house)
        assert len(faults) >= 3, "by the check of the books, the daily look and an export"
        assert all("was taken out, and nothing says why" in fault for fault in faults)


@pytest.mark.parametrize(
    ("reason", "spoil"),
    [("erase-money", "money"), ("erase-excluded", "exclusion"), ("erase-role", "role"), ("erase-done", "twice")],
)
async def test_gdpr_17_what_keeps_a_person(tmp_path: Path, reason: str, spoil: str) -> None:
    async with opened(tmp_path) as house:
        app = house.application
        eva, leo = await house.supervisor(), await house.supervisor("Leo")
        ada = await house.joined("Adelaide", 1_000 if spoil == "money" else 0)
        if spoil == "exclusion":
            assert not isinstance(await app.protection.exclude(ada, 30), Refusal)
        elif spoil == "twice":
            await erase(house, ada, eva, leo)
        subject = leo if spoil == "role" else ada
        assert await app.erasure.ask(eva, subject, "asked") == NotErasable(subject, reason)
        assert await check_books(house) == []


async def test_gdpr_17_nobody_is_erased_in_a_round_that_is_open(tmp_path: Path) -> None:
    """Also where it was begun between the first person's word and the second's. Afterwards, without money, she goes."""
    house = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path)
    house.certify("duello")
    app = await house.open()
    eva, leo, ada = await house.supervisor(), await house.supervisor("Leo"), await house.joined("Adelaide", 0)
    assert isinstance(await app.erasure.ask(eva, ada, "she asked for it"), Erasure)
    await app.cashier.deposit(ada, 20_000, "for a last round")
    table = await app.tables.open_solo(ada, "duello")
    assert isinstance(table, str)
    await app.tables.bring(ada, table, 20_000, key())
    await house.betting(table, ada)
    await house.bet(ada, table, (Spot(1, "main"),))
    assert await app.erasure.ask(leo, ada, "saw her letter") == NotErasable(ada, "erase-money"), "not dealt yet"
    await house.deal(table, ada)
    assert house.view(table, ada).phase == "round"
    for staff in (leo, eva):
        assert await app.erasure.ask(staff, ada, "saw her letter") == NotErasable(ada, "erase-round")
    assert not app.accounts[ada].player.disabled, "a refusal changes nothing"
    await house.finish(table, (ada,))
    assert await app.erasure.ask(leo, ada, "saw her letter") == NotErasable(ada, "erase-money")
    await app.tables.take(ada, table, (await app.cashier.read_balances(ada)).at_tables, key())
    await app.cashier.withdraw(ada, (await app.cashier.read_balances(ada)).free, "all of it")
    assert await app.erasure.ask(leo, ada, "saw her letter") == Erasure(ada, 0)
    assert app.accounts[ada].player.is_erased
    await app.close()


async def test_gdpr_5_what_was_kept_long_enough_goes_once_a_day(tmp_path: Path) -> None:
    """A moved clock: chat after 30 days, logins after 90, closed accounts after 365."""
    async with opened(tmp_path) as house:
        app = house.application
        app.erasure.retention = Retention(30, 90, 365)
        ada, eva = await live_a_little(house), await house.supervisor()
        bea = await house.joined("Beatrice", 0)
        await app.supervision.close_account(eva, bea, "she moved away")
        store = app.host.commits.store

        async def count_kept(prefix: str, *kinds: str) -> int:
            streams = [await store.read_records(stream) for stream in await store.read_heads(prefix)]
            return sum(record.body != ERASED and record.kind in kinds for records in streams for record in records)

        async def pass_days(days: int) -> tuple[int, int, str]:
            house.clock.move(days * DAY)
            await app.erasure.apply_retention(app.now())
            await app.host.commits.flush()
            logins = await count_kept("house", *erasure.SIGN_INS)
            return await count_kept("chat:", "MessageSent"), logins, app.accounts[bea].player.name

        talk, logins, name = await pass_days(1)
        assert (talk, name) == (1, "Beatrice")
        assert logins >= 2
        assert (await pass_days(30))[::2] == (0, "Beatrice")
        assert (await pass_days(1))[1] >= 2
        assert (await pass_days(90))[1] == 0
        assert (await pass_days(365))[2] == f"#{bea}"
        assert app.accounts[ada].player.name == "Adelaide", "who has not left stays"
        assert await check_books(house) == []
    assert SAID.encode() not in read_file(tmp_path)


def test_gdpr_5_nothing_goes_where_no_days_are_set() -> None:
    assert not any(Retention())


VOCABULARIES: Mapping[str, Any] = {
    "public": account_streams.PublicEvent,
    "private": account_streams.PrivateEvent,
    "chat": chat.ChatEvent,
    "house": audit_log.AuditEvent,
    "alerts": alerts.Alert,
    "concession": concession.ConcessionEvent,
    "corrections": corrections.CorrectionEvent,
}


def find_unknown_fields(kinds: tuple[type[Any], ...]) -> Iterator[str]:
    """Fields that name a person and that the export of his data does not look at."""
    for kind in kinds:
        for name, hint in get_type_hints(kind).items():
            is_named = hint is PlayerId and "Id" in str(kind.__annotations__.get(name, ""))
            if is_named and name not in PERSON_FIELDS:
                yield f"{kind.__name__}.{name}"


@dataclasses.dataclass(frozen=True)
class Befriended:
    player: PlayerId
    friend: PlayerId


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_gdpr_15_every_event_that_names_a_person_is_handed_out(vocabulary: str) -> None:
    kinds = get_args(VOCABULARIES[vocabulary])
    assert list(find_unknown_fields(kinds)) == []
    assert list(find_unknown_fields((*kinds, Befriended))) == ["Befriended.friend"], "the planted fault"


def find_unknown_columns(tables: MetaData) -> set[str]:
    named = {f"{table}.{name}" for table, names in PERSON_COLUMNS.items() for name in names}
    other = {f"{table}.{name}" for table, names in OTHER_COLUMNS.items() for name in names}
    texts = {
        f"{table.name}.{column.name}"
        for table in tables.sorted_tables
        for column in table.columns
        if isinstance(column.type, Text)
    }
    return texts - named - other


def test_gdpr_15_every_column_that_may_name_a_person_is_looked_at() -> None:
    assert find_unknown_columns(schema.metadata) == set()
    planted = MetaData()
    for table in schema.metadata.sorted_tables:
        table.to_metadata(planted)
    Table("friends", planted, Column("player", Text, primary_key=True))
    planted.tables["rounds"].append_column(Column("winner", Text))
    assert find_unknown_columns(planted) == {"friends.player", "rounds.winner"}


async def test_gdpr_15_the_data_of_a_person_are_whole_and_of_nobody_else(tmp_path: Path) -> None:
    async with opened(tmp_path) as house:
        app = house.application
        ada, bea, eva = await live_a_little(house), await house.joined("Beatrice"), await house.supervisor()
        await app.chat.say(bea, LIVE, "good evening to all")
        assert not isinstance(await app.integrity.link(eva, ada, bea, "one roof"), Refusal)
        await app.console.read_player(eva, ada)
        data = await collect_person(app.host.commits.store, ada)
        kinds = {record.kind for record in data.records}
        assert kinds >= {
            *("PlayerJoined", "MailSet", "SessionOpened", "MessageSent", "LoggedIn", "LoginFailed", "Deposited"),
            *("Withdrawn", "AccountsLinked", "SupervisorViewed", "AccountOpened"),
        }
        text = str(data)
        assert MAIL in text
        assert ADDRESS in text
        assert SAID in text
        assert "good evening to all" not in text
        linked = next(record.fields for record in data.records if record.kind == "AccountsLinked")
        assert bea not in (linked["first"], linked["second"])
        assert data.balances[f"player:{ada}"] == 0
