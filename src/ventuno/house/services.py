"""Everybody who works in a house, called in the order in which they can stand after a crash.

`staffed` reads the store once, checks every chain against what was written last, and refuses with the whole list where
anything is not whole; only then do tables go on (R-06, G-11).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ventuno import __version__
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.accounts import accounts as books
from ventuno.house.accounts import player_limits, registration
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.login import Login
from ventuno.house.accounts.passwords import Argon2, Hasher
from ventuno.house.accounts.registration import PLAY_MONEY, HouseRules
from ventuno.house.accounts.second_factor import SecondFactorCommands
from ventuno.house.accounts.tokens import Tokens
from ventuno.house.history import program_check
from ventuno.house.history.program_check import ProgramChecker
from ventuno.house.integrity import alerts as noted
from ventuno.house.integrity.account_links import AccountLinks
from ventuno.house.integrity.alerts import Alerts
from ventuno.house.integrity.void_review import VoidReview
from ventuno.house.money import corrections
from ventuno.house.money.cashier import Cashier, PlayMoney, Provider
from ventuno.house.money.corrections import Corrections
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.protection.limit_commands import LimitCommands
from ventuno.house.shoes import shoe_log
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store import audit_log, codec
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.durability import StoreInconsistent, open_store
from ventuno.house.store.records import Batch, ChainBroken, Head, Journal, Record, Snapshot, check_chain, check_tail
from ventuno.house.store.signing_key import SigningKey, load_or_create
from ventuno.house.store.store import Store
from ventuno.house.tables import concession, snapshots
from ventuno.house.tables.chat import Chat
from ventuno.house.tables.clock import Clock, RealClock
from ventuno.house.tables.command_desk import CommandDesk
from ventuno.house.tables.concession import Concession, Issuer
from ventuno.house.tables.concession_log import restore_state
from ventuno.house.tables.issuer import LocalIssuer
from ventuno.house.tables.live_proofs import LiveProofs
from ventuno.house.tables.recovery import rebuild_table_before
from ventuno.house.tables.shoe_supply import CUT_SECONDS, FreshDraws, ShoeSupply
from ventuno.house.tables.snapshots import Snapshots
from ventuno.house.tables.table_host import TableHost
from ventuno.sheets import load_games

KEY, CERTIFICATES = "house.key", "certificates"
CHAT, TABLES = "chat:", "table:"


@dataclass(frozen=True, slots=True)
class Config:
    """What a house is furnished with; everything has a sound default, tests bring their own."""

    name: str = "ventuno"
    helpline: str = ""
    """Who helps with gambling, in this house's words; empty: the client's own (V-74)."""
    rules: HouseRules = PLAY_MONEY
    games: Mapping[str, Sheet] = field(default_factory=load_games)
    older: tuple[Sheet, ...] = ()
    """Sheets of earlier versions on which tables are still open (T-11)."""
    clock: Clock = field(default_factory=RealClock)
    hasher: Hasher = field(default_factory=Argon2)
    source: EntropySource = field(default_factory=EntropySource)
    issuer: Issuer = field(default_factory=LocalIssuer)
    provider: Provider = field(default_factory=PlayMoney)
    tokens: Callable[[int], bytes] = os.urandom
    cut_seconds: int = CUT_SECONDS
    version: str = __version__
    program: Path = program_check.PROGRAM
    accepted: str = ""
    """Why an operator takes the program that lies there now, though its version was another (R-19)."""
    apart: bool = False
    """Whether a process of its own writes the books: play then has this one for itself."""

    @property
    def sheets(self) -> dict[str, Sheet]:
        return {sheet.hash: sheet for sheet in (*self.games.values(), *self.older)}


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one running house, on one journal and one authority."""

    config: Config
    host: TableHost
    desk: CommandDesk
    key: SigningKey
    guard: LimitCheck
    accounts: Accounts
    audit: AuditLog
    tokens: Tokens
    reception: Login
    protection: LimitCommands
    concerns: Alerts
    cashier: Cashier
    redress: Corrections
    inspector: ProgramChecker
    concession: Concession
    chat: Chat
    provenance: ShoeLogs
    live: LiveProofs
    voids: VoidReview
    shoemaker: ShoeSupply
    snapshots: Snapshots
    hashers: ThreadPoolExecutor


async def staffed(url: str, folder: Path, fittings: Config, *, unsafe: bool = False, deep: bool = False) -> Services:
    """A running house from its store and its folder; the store is closed again where it is refused."""
    key = load_or_create(folder / KEY)
    store = await open_store(url, unsafe=unsafe, writer_process=fittings.apart)
    try:
        return await _staffed(store, key, folder / CERTIFICATES, fittings, deep=deep)
    except (codec.Unreadable, ChainBroken, LookupError) as fault:
        await store.close()
        raise StoreInconsistent([f"{type(fault).__name__}: {fault}"]) from fault
    except BaseException:
        await store.close()
        raise


async def _staffed(store: Store, key: SigningKey, certificates: Path, fittings: Config, *, deep: bool) -> Services:
    taken = {stream: one for start in snapshots.STREAMS for stream, one in (await store.read_snapshots(start)).items()}
    streams = await _streams(store)
    if deep and (faults := await snapshots.find_differing(store)):
        raise StoreInconsistent(faults)
    journal, authority = Journal(), list[CommandDesk]()

    def in_play(player: PlayerId) -> Cents:
        return authority[0].wallet.balance(f"player:{player}:in-play")

    def in_round(player: PlayerId) -> bool:
        return authority[0].is_in_round(player)

    guard = LimitCheck(in_play, in_round)
    accounts, audit = Accounts(journal, guard), AuditLog(journal)
    accounts.recover(_of(streams, books.PUBLIC, books.PRIVATE))
    await _claim(store, accounts)
    guard.recover(await store.list_counted_shares(fittings.clock.now() - player_limits.PERIODS["month"]))
    reports, chat = Concession(journal, fittings.issuer), Chat(journal, audit)
    said = streams.get(concession.STREAM, [])
    reports.recover(said, restore_state(said, taken.get(concession.STREAM)))
    chat.recover(_of(streams, CHAT))
    journal.resume(streams.get(audit_log.STREAM, []))
    trails = ShoeLogs(journal, key, fittings.name)
    live = LiveProofs(trails)
    await _trails(store, trails, live, streams, taken, fittings.sheets)
    tokens = Tokens(accounts, audit, fittings.tokens)
    enrolment = SecondFactorCommands(accounts, audit, fittings.tokens, fittings.clock.now, fittings.name)
    concerns = Alerts(journal, audit)
    concerns.recover(streams.get(noted.STREAM, []))
    links = AccountLinks(tokens, concerns)
    desk = CommandDesk(guard, FreshDraws(fittings.source), fittings.sheets, accounts, reports, audit, trails, links)
    authority.append(desk)
    redress = Corrections(journal, audit, desk, key, fittings.name)
    redress.recover(streams.get(corrections.STREAM, []))
    house = await TableHost.open(store, desk, fittings.sheets, fittings.clock, deep=deep, resume=False)
    house.clock.begin(max((records[-1].at for records in streams.values() if records), default=0))
    await _rounds(store, trails, live, house, fittings.sheets)
    take = partial(program_check.take_manifest, fittings.version, fittings.program, fittings.sheets, certificates)
    inspector = ProgramChecker(audit, take, fittings.accepted)
    inspector.recover(streams.get(audit_log.STREAM, []))
    found = await asyncio.to_thread(inspector.take_manifest)
    await house.write(Batch(records=inspector.check(found, house.now(), "start")))
    desk.halted = inspector.result.detail
    voids = VoidReview(house, audit, streams.get(audit_log.STREAM, []))
    await house.resume_all()
    return Services(
        fittings,
        house,
        desk,
        key,
        guard,
        accounts,
        audit,
        tokens,
        Login(accounts, audit, tokens, fittings.hasher, fittings.rules, enrolment),
        LimitCommands(accounts, audit, fittings.rules.profile),
        concerns,
        Cashier(accounts, desk, guard, fittings.provider),
        redress,
        inspector,
        reports,
        chat,
        trails,
        live,
        voids,
        ShoeSupply(house, trails, live, audit, fittings.source, fittings.cut_seconds),
        Snapshots(store, trails, reports, taken),
        ThreadPoolExecutor(2, "ventuno-hasher"),
    )


async def _streams(store: Store) -> dict[str, list[Record]]:
    """Every stream but those of tables and sealed shoes, up to its written end: whole, or from its photograph on."""
    found: dict[str, list[Record]] = {}
    faults: list[str] = []
    tails = {
        stream: records for start in snapshots.STREAMS for stream, records in (await store.read_tails(start)).items()
    }
    for stream, head in (await store.read_heads()).items():
        if stream.startswith((TABLES, shoe_log.SECRET)):
            continue
        records = tails[stream] if stream in tails else await store.read_records(stream)
        try:
            if (check_tail(records) if records else None) != head:
                raise ChainBroken(f"{stream}: ends at {len(records)}, was written up to {head.seq}")
        except Exception as fault:  # whatever cannot be read is a fault to be listed with the others
            known = isinstance(fault, ChainBroken)
            faults.append(str(fault) if known else f"{stream}: {type(fault).__name__}: {fault}")
        found[stream] = records
    if faults:
        raise StoreInconsistent(faults)
    return found


def _of(streams: Mapping[str, list[Record]], *starts: str) -> list[list[Record]]:
    return [records for stream, records in streams.items() if stream.startswith(starts)]


async def _claim(store: Store, accounts: Accounts) -> None:
    """Names and persons of an older house enter the store that keeps them once (R-42)."""
    held = [row for kind in registration.KINDS for row in await store.list_names(kind)]
    if missing := registration.find_missing_claims(accounts, held):
        await store.commit(Batch(names=missing))


async def _trails(
    store: Store,
    trails: ShoeLogs,
    live: LiveProofs,
    streams: Mapping[str, list[Record]],
    taken: Mapping[str, Snapshot],
    sheets: Mapping[str, Sheet],
) -> None:
    """The trails of the cards, with the sealed shoes that are in use or in the making."""
    heads = trails.sealed_heads = await store.read_heads(shoe_log.SECRET)
    for records in _of(streams, shoe_log.PUBLIC):
        found = trails.recover(records, taken.get(records[0].stream))
        table = records[0].stream.removeprefix(shoe_log.PUBLIC)
        stream = f"{shoe_log.SECRET}{table}"
        first = min(found.digests, default=heads[stream].seq + 1)
        kept = await store.read_records(stream, first - 1)
        if kept and check_chain(kept[1:], Head(first, kept[0].hash)) != heads[stream]:
            raise StoreInconsistent([f"{stream}: was written up to {heads[stream].seq}"])
        opened = [shoe_log.read_sealed(record.kind, record.body) for record in kept]
        secrets = {sealed.shoe: bytes.fromhex(sealed.kept) for sealed in opened}
        for number, secret in secrets.items():
            found.add_sealed(number, secret)
        live.recover(table, found.list_needed_events(), secrets, sheets)
        if missing := [number for number in found.digests if number not in {one.seq for one in kept}]:
            raise StoreInconsistent([f"{stream}: the shoe {number} is missing" for number in missing])


async def _rounds(
    store: Store, trails: ShoeLogs, live: LiveProofs, house: TableHost, sheets: Mapping[str, Sheet]
) -> None:
    """The open rounds from their beginning, so that their record is complete when they end."""
    taken = await store.read_snapshots(TABLES)
    for name, held in house.authority.tables.items():
        if held.practice:
            continue
        found = trails.get_log(name)
        if held.table.phase is Phase.ROUND:
            before = await rebuild_table_before(store, held.stream, held.first, sheets, taken.get(held.stream))
            records = await store.read_records(held.stream, held.first - 1, held.version)
            found.opening = before.table
            found.log = [codec.read_table_event(one.kind, one.body) for one in records]
        live.begin(held, found.opening, found.log)
    house.watch("", live.follow)
