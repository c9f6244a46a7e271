"""A whole house from the address of a store and a folder: the composition root.

`Application.open` reads the store once, checks every chain against what was written last, and refuses with the whole
list where anything is not whole; only then do tables go on (R-06, G-11). Doors call the verbs of its parts,
`app.part.verb(...)`: each decides in memory, in order with all others, and answers when what it changed is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from sqlalchemy.engine import make_url

from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.accounts import accounts as account_streams
from ventuno.house.accounts import player_limits, registration
from ventuno.house.accounts.access_tokens import AccessTokenCommands
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.login import Login
from ventuno.house.accounts.password_reset import PasswordResets
from ventuno.house.accounts.second_factor import SecondFactorCommands
from ventuno.house.accounts.sessions import Tokens
from ventuno.house.config import BOOKS, CERTIFICATES, KEY, Config
from ventuno.house.console import Console
from ventuno.house.history import program_check
from ventuno.house.history.erasure import ErasureService
from ventuno.house.history.export import Exporter
from ventuno.house.history.history_service import HistoryService
from ventuno.house.history.program_check import ProgramChecker
from ventuno.house.history.void_review import VoidReview
from ventuno.house.integrity import alerts as alert_stream
from ventuno.house.integrity.account_links import AccountLinks
from ventuno.house.integrity.alerts import Alerts
from ventuno.house.integrity.integrity_service import IntegrityService
from ventuno.house.maintenance import Maintenance, ProgramInspection
from ventuno.house.money import corrections as correction_stream
from ventuno.house.money.cashier import CashierService
from ventuno.house.money.corrections import Corrections
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.protection.protection_service import LimitCommands, ProtectionService
from ventuno.house.shoes import shoe_chain, shoe_log
from ventuno.house.shoes.face_up_cards import MARKS
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.committer import CommitMeter, Tracer
from ventuno.house.store.durability import BooksMissing, StoreInconsistent, open_store
from ventuno.house.store.records import (
    Batch,
    ChainBroken,
    Journal,
    Record,
    Snapshot,
    Unreadable,
    check_tail,
    describe_fault,
    read_table_event,
)
from ventuno.house.store.signing_key import SigningKey, load_or_create
from ventuno.house.store.store import Store
from ventuno.house.studio import StudioService
from ventuno.house.supervision import Supervision
from ventuno.house.tables import concession as concession_stream
from ventuno.house.tables import snapshots
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.bonus_draws import SealedDraws
from ventuno.house.tables.chat import Chat, ChatService
from ventuno.house.tables.concession import Concession, restore_state
from ventuno.house.tables.departures import Departures
from ventuno.house.tables.fairness import Fairness
from ventuno.house.tables.live_proofs import LiveProofs
from ventuno.house.tables.pipeline import Pipeline
from ventuno.house.tables.recovery import TABLE_PREFIX, rebuild_table_before
from ventuno.house.tables.shoe_supply import ShoeSupply
from ventuno.house.tables.snapshots import Snapshots
from ventuno.house.tables.table_host import TableHost
from ventuno.house.tables.table_service import TableService

CHAT = "chat:"


class Application:
    """Open with `Application.open`; after StoreFailed or PipelineBroken leave it and open another.

    `host` and `pipeline` are for the parts, and for who inspects a house; doors use the parts.
    """

    now: Callable[[], int]
    """The house's time, in milliseconds since 1970."""
    host: TableHost
    pipeline: Pipeline
    accounts: AccountService
    cashier: CashierService
    protection: ProtectionService
    tables: TableService
    fairness: Fairness
    chat: ChatService
    erasure: ErasureService
    history: HistoryService
    integrity: IntegrityService
    supervision: Supervision
    studio: StudioService
    console: Console
    maintenance: Maintenance
    _shoe_supply: ShoeSupply

    def __init__(self, config: Config, url: str, folder: Path, key: bytes, unsafe: str) -> None:
        self.config, self.folder = config, folder
        self._url = url
        self.key, self.unsafe = key, unsafe
        """The public half of the key that signs for the house; what is not safe in the settings of its store."""
        self.steady = config.clock.steady
        """Milliseconds since some moment, by the clock that nobody sets."""

    @classmethod
    async def open(
        cls,
        url: str,
        folder: Path,
        config: Config | None = None,
        *,
        unsafe: bool = False,
        deep: bool = False,
        owned: Store | None = None,
    ) -> Application:
        """Everything in its order, or StoreInconsistent with the whole list; a store that is refused is closed.

        `owned` is the store of a node that has taken this house; else the store is opened for this process alone.
        """
        config = config or Config()
        expected = not config.new_house and expects_books(url, folder)
        try:
            store = owned or await open_store(url, unsafe=unsafe, writer_process=config.apart, expected=expected)
        except BooksMissing as fault:
            raise BooksMissing(
                f"{fault}, but {folder / KEY} is the key of an older house: put its books back from a backup, "
                "or begin a new house under this key with --new-house"
            ) from None
        try:
            key = load_or_create(folder / KEY)
            app = cls(config, url, folder, key.public, store.unsafe)
            await app._build(store, key, deep=deep)
        except (Unreadable, ChainBroken, LookupError) as fault:
            await store.close()
            raise StoreInconsistent([f"{type(fault).__name__}: {fault}"]) from fault
        except BaseException:
            await store.close()
            raise
        return app

    async def close(self) -> None:
        await self._shoe_supply.stop()
        await self.maintenance.stop()
        await self.host.stop()
        self.accounts.close()

    async def flush(self) -> None:
        """Wait until all that was decided so far is durable."""
        await self.host.commits.flush()

    def find_failure(self) -> str:
        """Why this process has to end and another to recover; empty in a sound house."""
        failed = self.host.commits.failed
        return str(failed.result()) if failed.done() else self.pipeline.broken

    @property
    def halted(self) -> str:
        """Why no round begins; empty where the program is the one that was accepted."""
        return self.pipeline.halted

    @property
    def disk_full(self) -> str:
        return self.host.commits.store.full

    def trace(self, tracer: Tracer) -> None:
        """Measure commands and durable writes from now on."""
        self.host.commits.tracer = tracer

    def measure_commits(self, meter: CommitMeter) -> None:
        self.host.commits.meter = meter

    async def _build(self, store: Store, key: SigningKey, *, deep: bool) -> None:
        """Every part, in the order in which they can stand after a crash."""
        config, sheets, now = self.config, self.config.sheets, self.config.clock.now
        taken = await _read_snapshots(store)
        streams = await _read_streams(store)
        if deep and (faults := await snapshots.find_differing(store)):
            raise StoreInconsistent(faults)
        journal = Journal()
        audit = AuditLog(journal)
        journal.resume(audit_records := streams.get(audit_log.STREAM, []))

        # Limits are asked inside the authority's decisions, and read the stakes that lie at its tables.
        limits = LimitCheck(
            lambda player: authority.wallet.balance(f"player:{player}:in-play"),
            lambda player: authority.is_in_round(player),
        )
        shoe_logs = ShoeLogs(journal, key, config.name)
        proofs = LiveProofs(shoe_logs)
        authority = Authority(limits, SealedDraws(proofs, config.source), sheets)
        accounts = Accounts(journal, limits)
        accounts.recover(_select(streams, account_streams.PUBLIC, account_streams.PRIVATE))
        await _claim_names(store, accounts)
        limits.recover(await store.list_counted_shares(now() - player_limits.PERIODS["month"]))
        tokens = Tokens(accounts, audit, config.tokens)
        factors = SecondFactorCommands(accounts, audit, config.tokens, now, config.name)
        login = Login(accounts, audit, tokens, config.hasher, config.rules, factors)
        resets = PasswordResets(accounts, audit, tokens, login, config.hasher, config.tokens)
        access = AccessTokenCommands(accounts, audit, tokens, config.tokens)
        alerts = Alerts(journal, audit)
        alerts.recover(streams.get(alert_stream.STREAM, []))
        links = AccountLinks(tokens, alerts)
        corrections = Corrections(journal, audit, authority, key, config.name)
        corrections.recover(streams.get(correction_stream.STREAM, []))
        concession = Concession(journal, config.issuer)
        reports = streams.get(concession_stream.STREAM, [])
        concession.recover(reports, restore_state(reports, taken.get(concession_stream.STREAM)))
        chat = Chat(journal, audit)
        chat.recover(_select(streams, CHAT))
        await _recover_shoe_logs(store, shoe_logs, proofs, streams, taken, sheets)

        self.pipeline = Pipeline(authority, accounts, concession, audit, shoe_logs, links)
        self.host = host = await TableHost.open(
            store, authority, sheets, config.clock, decider=self.pipeline, deep=deep, resume=False
        )
        commits = host.commits
        self.now = commits.now
        commits.clock.begin(max((records[-1].at for records in streams.values() if records), default=0))
        await _recover_open_rounds(store, shoe_logs, proofs, host, sheets)
        certificates = self.folder / CERTIFICATES
        checker = ProgramChecker(
            audit,
            partial(program_check.take_manifest, config.version, config.program, sheets, certificates),
            config.accepted,
        )
        checker.recover(audit_records)
        inspection = ProgramInspection(host, self.pipeline, checker)
        await inspection.check("start")
        voids = VoidReview(host, audit, audit_records)
        await host.resume_all()

        departures = Departures(host, accounts)
        supply = ShoeSupply(
            host,
            shoe_logs,
            proofs,
            audit,
            config.source,
            accounts.is_house_run,
            config.cut_seconds,
            config.beacon,
        )
        limit_commands = LimitCommands(accounts, audit, config.rules.profile)
        self._shoe_supply = supply
        self.accounts = AccountService(commits, accounts, audit, tokens, access, login, factors, resets, config.hasher)
        self.cashier = CashierService(commits, accounts, authority, limits, config.provider)
        self.protection = ProtectionService(
            commits, accounts, tokens, limits, limit_commands, departures.leave_all_tables
        )
        self.tables = TableService(
            host, accounts, limits, links, concession, shoe_logs, supply, config.games, certificates
        )
        self.fairness = Fairness(commits, self.tables, proofs, shoe_logs, supply)
        self.chat = ChatService(commits, chat, self.tables.may_see)
        self.erasure = ErasureService(
            commits,
            accounts,
            self.accounts,
            login,
            audit,
            self.cashier,
            self.protection,
            authority.is_in_round,
        )
        self.history = HistoryService(
            commits, accounts, audit, corrections, voids, sheets, Exporter(self._url, self.folder)
        )
        shared = [game for game, sheet in config.games.items() if not sheet.game.solo]
        self.integrity = IntegrityService(commits, self.accounts, audit, alerts, shared)
        self.supervision = Supervision(
            commits,
            self.accounts,
            self.tables,
            self.protection,
            login,
            audit,
            chat,
            corrections,
            inspection,
            config.tokens,
            audit_records,
        )
        self.studio = StudioService(commits, self.accounts, self.tables, alerts)
        self.console = Console(
            commits, self.accounts, self.cashier, self.history, self.integrity, self.supervision, chat
        )
        self.maintenance = Maintenance(
            host,
            config.clock,
            audit,
            inspection,
            concession,
            Snapshots(commits, shoe_logs, concession, taken),
            tokens,
            departures,
            self.integrity.start_due_check,
            self.erasure.start_due_retention,
        )
        for table in list(authority.tables):
            supply.serve(table)
        commits.start_task(voids.judge_missed(sheets))
        await inspection.enforce()


def expects_books(url: str, folder: Path) -> bool:
    """Whether a house was kept here before: its key lies in the folder, and its books can only be at this address.

    A file somewhere else may be another house's, and so may a server where the key has a file beside it.
    """
    if not (folder / KEY).exists():
        return False
    file = Path(make_url(url).database or "") if url.startswith("sqlite") else None
    books = folder / BOOKS
    return file.resolve().parent == folder.resolve() if file else not (books.exists() and books.stat().st_size)


async def _read_snapshots(store: Store) -> dict[str, Snapshot]:
    """The newest snapshot of each stream that has some, but those of tables."""
    pages = [await store.read_snapshots(prefix) for prefix in snapshots.STREAMS]
    return {stream: snapshot for page in pages for stream, snapshot in page.items()}


async def _read_streams(store: Store) -> dict[str, list[Record]]:
    """Every stream but those of tables and sealed shoes, up to its written end: whole, or from its snapshot on."""
    streams: dict[str, list[Record]] = {}
    faults: list[str] = []
    pages = [await store.read_tails(prefix) for prefix in snapshots.STREAMS]
    tails = {stream: records for page in pages for stream, records in page.items()}
    for stream, head in (await store.read_heads()).items():
        if stream.startswith((TABLE_PREFIX, shoe_log.SECRET)):
            continue
        records = tails[stream] if stream in tails else await store.read_records(stream)
        try:
            if (check_tail(records) if records else None) != head:
                raise ChainBroken(f"{stream}: ends at {len(records)}, was written up to {head.seq}")
        except Exception as fault:  # whatever cannot be read is a fault to be listed with the others
            faults.append(describe_fault(stream, fault))
        streams[stream] = records
    if faults:
        raise StoreInconsistent(faults)
    return streams


def _select(streams: Mapping[str, list[Record]], *prefixes: str) -> list[list[Record]]:
    return [records for stream, records in streams.items() if stream.startswith(prefixes)]


async def _claim_names(store: Store, accounts: Accounts) -> None:
    """Names and persons of an older house enter the store that keeps them once (R-42)."""
    rows = [row for kind in registration.KINDS for row in await store.list_names(kind)]
    if missing := registration.find_missing_claims(accounts, rows):
        await store.commit(Batch(names=missing))


async def _recover_shoe_logs(
    store: Store,
    shoe_logs: ShoeLogs,
    proofs: LiveProofs,
    streams: Mapping[str, list[Record]],
    taken: Mapping[str, Snapshot],
    sheets: Mapping[str, Sheet],
) -> None:
    """The shoe logs of all tables, with the sealed shoes that are in use or in the making."""
    heads = shoe_logs.sealed_heads = await store.read_heads(shoe_log.SECRET)
    for records in _select(streams, shoe_log.PUBLIC):
        log = shoe_logs.recover(records, taken.get(records[0].stream))
        table = records[0].stream.removeprefix(shoe_log.PUBLIC)
        log.counts = log.counts or await shoe_chain.count_cuts(store, table)
        stream = f"{shoe_log.SECRET}{table}"
        first = min(log.digests, default=heads[stream].seq + 1)
        proofs.restore(table, await store.read_records(stream, first - 1), heads[stream], sheets)


async def _recover_open_rounds(
    store: Store, shoe_logs: ShoeLogs, proofs: LiveProofs, host: TableHost, sheets: Mapping[str, Sheet]
) -> None:
    """The open rounds from their beginning, so that their record is complete when they end."""
    taken = await store.read_snapshots(TABLE_PREFIX)
    for name, live in host.authority.tables.items():
        if live.practice or live.table.studio:
            continue
        log = shoe_logs.get_log(name)
        if live.table.phase is Phase.ROUND:
            before = await rebuild_table_before(store, live.stream, live.first, sheets, taken.get(live.stream))
            records = await store.read_records(live.stream, live.first - 1, live.version)
            log.opening = before.table
            log.log = [read_table_event(record.kind, record.body) for record in records]
        if log.opening:
            proofs.fold(log.opening, log.log)
    host.watch("", proofs.follow, MARKS)
