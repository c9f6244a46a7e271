"""A house of people for the tests: every part of it on one journal, a clock that is set by hand, a disk in memory.

`crash` throws all of it away but what was committed, and builds it again from there.
"""

from __future__ import annotations

from itertools import count
from random import Random
from typing import NamedTuple

from tests.support.automatic_player import list_commands
from tests.support.house import NOON, PASSWORD, QuickHasher
from ventuno.core.messages.commands import (
    BringMoney,
    Command,
    DealNow,
    LoadShoe,
    PlaceBet,
    Spot,
    TakeSeat,
    Tick,
    Void,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card, pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase
from ventuno.house.accounts.accounts import PRIVATE, PUBLIC, Accounts
from ventuno.house.accounts.login import Joined, Login
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.registration import (
    PLAY_MONEY,
    Form,
    HouseRules,
)
from ventuno.house.accounts.second_factor import SecondFactorCommands
from ventuno.house.accounts.sessions import Entered, Tokens
from ventuno.house.history.in_memory import HouseData
from ventuno.house.integrity.account_links import AccountLinks
from ventuno.house.integrity.alerts import Alerts
from ventuno.house.money.cashier import Cashier, CashMovement, PlayMoney
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.protection.protection_service import LimitCommands
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.records import Batch, Journal, RoundRow, ShareRow
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.tables.authority import Authority, Decision, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.house.tables.chat import Chat
from ventuno.house.tables.concession import Admission, Concession, LocalIssuer
from ventuno.house.tables.pipeline import Pipeline
from ventuno.house.tables.practice import compute_credit, is_practice, next_name
from ventuno.sheets import GAMES, load

SHEETS = {game: load(game) for game in GAMES}
BY_HASH = {sheet.hash: sheet for sheet in SHEETS.values()}


class DirectLogin(Login):
    """Hashes passwords in the call itself: there is no play beside it that could wait."""

    def register(self, form: Form, password: str, at: int) -> Joined | Refusal:
        """`check_form` and hashing in one."""
        return self.check_form(form, password, at) or self.join(form, self._hasher.hash(password), at)

    def login(
        self, name: str, password: str, address: str, agent: str, at: int, code: str = ""
    ) -> Entered | tuple[Refusal, Batch]:
        """`challenge`, the check of the password and `admit` in one."""
        asked = self.challenge(name, address, at)
        if isinstance(asked, Refusal):
            return asked, Batch()
        return self.admit(asked, agent, at, opened=self._hasher.verify(asked.stored, password), code=code)


class Disk(HouseData):
    """What was committed, kept in memory."""

    def add(self, batch: Batch | None) -> None:
        """Take in what was committed."""
        if batch is None:
            return
        for record in batch.records:
            self.streams.setdefault(record.stream, []).append(record)
        self.postings += batch.postings
        self.rounds += batch.rounds
        self.shares += batch.shares


class Brought(NamedTuple):
    """Money at a table, and the ids under which it is there."""

    decided: Decision
    admission: Admission | None


class HouseInMemory:
    def __init__(self, seed: int = 1, rules: HouseRules = PLAY_MONEY) -> None:
        self.chance, self.rules = Random(seed), rules
        self.now = NOON
        self.disk, self.issuer = Disk(), LocalIssuer()
        self.keys = count(1)
        self.hasher = QuickHasher()
        self._build()

    def _build(self) -> None:
        self.journal = Journal()
        self.guard = LimitCheck(
            lambda player: self.authority.wallet.balance(f"player:{player}:in-play"),
            lambda player: self.authority.is_in_round(player),
        )
        self.authority = Authority(self.guard, BonusDraws(self.chance.randrange), BY_HASH)
        self.audit = AuditLog(self.journal)
        self.accounts = Accounts(self.journal, self.guard)
        held = self.disk.streams
        self.accounts.recover([held[name] for name in held if name.startswith((PUBLIC, PRIVATE))])
        self.guard.recover(share for share in self.disk.shares if not is_practice(share.code))
        self.authority.recover([held[name] for name in held if name.startswith("table:")], (), self.disk.balances())
        self.concession = Concession(self.journal, self.issuer)
        self.concession.recover(held.get("concession", []))
        self.chat = Chat(self.journal, self.audit)
        self.chat.recover([held[name] for name in held if name.startswith("chat:")])
        self.journal.resume(held.get("house", []))
        self.tokens = Tokens(self.accounts, self.audit, self.chance.randbytes)
        self.enrolment = SecondFactorCommands(
            self.accounts, self.audit, self.chance.randbytes, lambda: self.now, "ventuno"
        )
        self.reception = DirectLogin(self.accounts, self.audit, self.tokens, self.hasher, self.rules, self.enrolment)
        self.protection = LimitCommands(self.accounts, self.audit, self.rules.profile)
        self.cashier = Cashier(self.accounts, self.authority, self.guard, PlayMoney())
        shoe_logs = ShoeLogs(self.journal, SigningKey.generate(), "ventuno")
        links = AccountLinks(self.tokens, Alerts(self.journal, self.audit))
        self.pipeline = Pipeline(self.authority, self.accounts, self.concession, self.audit, shoe_logs, links)

    def crash(self) -> None:
        self._build()

    def key(self) -> str:
        return f"k{next(self.keys)}"

    def keep(self, batch: Batch | Refusal | None) -> None:
        """Commit what must have been accepted."""
        assert not isinstance(batch, Refusal), batch
        self.disk.add(batch)

    def joined(self, name: str, money: Cents = 0) -> PlayerId:
        """A player with an account, and with money if any is named."""
        made = self.reception.register(Form(name), PASSWORD, self.now)
        assert isinstance(made, Joined), made
        self.keep(made.batch)
        if money:
            self.deposit(made.player, money)
        return made.player

    def deposit(self, player: PlayerId, amount: Cents) -> CashMovement | Refusal:
        done = self.cashier.deposit(player, amount, self.key(), self.now)
        if isinstance(done, CashMovement):
            self.keep(done.batch)
        return done

    def open(self, game: str, name: str, owner: PlayerId = "") -> str:
        self.keep(self.authority.open(name, SHEETS[game], self.now, owner))
        self.shoe(name)
        return name

    def practise(self, player: PlayerId, sheet: Sheet, cards: tuple[Card, ...] = ()) -> str:
        """A practice table with full credit, and these cards where there are any."""
        name, solo = next_name(player, self.authority.tables), sheet.game.solo
        self.keep(self.authority.open(name, sheet, self.now, player if solo else "", practice=True))
        self.say(name, BringMoney(player, compute_credit(sheet), self.now), player)
        if not solo:
            self.say(name, TakeSeat(player, 1, self.now), player)
        if cards:
            self.say(name, LoadShoe(cards, 0, self.now, stacked=True), "")
        return name

    def shoe(self, name: str) -> None:
        sheet = self.authority.tables[name].table.sheet
        cards = list(pack(sheet.shoe.decks))
        self.chance.shuffle(cards)
        self.say(name, LoadShoe(tuple(cards), cut_window(sheet)[0], self.now), "")

    def bring(self, player: PlayerId, table: str, amount: Cents) -> Brought:
        command = BringMoney(player, amount, self.now, self.accounts[player].player.vip)
        decided = self.pipeline.handle(Request(table, command, self.key(), player))
        self.disk.add(decided.batch)
        return Brought(decided, self.concession.find_admission(player, table))

    def sit(self, player: PlayerId, table: str, box: int, amount: Cents = 50_000) -> None:
        assert not self.bring(player, table, amount).decided.answer.refused
        if not self.authority.tables[table].table.sheet.game.solo:
            self.say(table, TakeSeat(player, box, self.now), player)

    def ask(self, table: str, command: Command, player: PlayerId) -> Decision:
        """One request; what it decides is committed with the reports that follow from it."""
        decided = self.authority.handle(Request(table, command, self.key(), player))
        if decided.batch:
            self.disk.add(decided.batch)
            self.disk.add(self.concession.report_rounds(decided.batch))
            self.disk.add(self.audit.write_table_acts(table, self.now, decided.events))
        return decided

    def say(self, table: str, command: Command, player: PlayerId) -> Decision:
        decided = self.ask(table, command, player)
        assert not decided.answer.refused, (command, decided.answer)
        return decided

    def bet(self, table: str, player: PlayerId, box: int, amount: Cents) -> Decision:
        if self.authority.tables[table].table.shoe is None:
            self.shoe(table)
        return self.ask(table, PlaceBet(player, (Spot(box, "main"),), amount, self.now), player)

    def finish(self, table: str) -> str:
        """Play the bets on the table to the end of the round, and on to the next betting; the round's code."""
        room = self.authority.tables[table]
        if room.table.phase is Phase.BETTING:
            if room.table.sheet.game.solo:
                owner = room.table.owner(1) or ""
                self.say(table, DealNow(owner, self.now), owner)
            elif room.table.deadline is not None:
                self.tick(table)
        for _ in range(500):
            held = self.authority.tables[table].table
            if held.phase is not Phase.ROUND or held.round is None:
                break
            self.decide(table)
        held = self.authority.tables[table].table
        code = held.round.code if held.round else ""
        if held.phase is Phase.RESULTS and held.deadline is not None:
            self.tick(table)
        return code

    def tick(self, table: str) -> None:
        self.now = max(self.now, self.authority.tables[table].table.deadline or 0)
        self.say(table, Tick(self.now), "")

    def decide(self, table: str) -> None:
        """One decision of whoever is asked: a legal one, or what the clock does for him."""
        for command in list_commands(self.authority.tables[table].table, self.now, chance=self.chance):
            if not self.ask(table, command, command.player).answer.refused:
                return
        self.tick(table)

    def round(self, table: str, bets: dict[PlayerId, tuple[int, Cents]]) -> str:
        for player, (box, amount) in bets.items():
            answer = self.bet(table, player, box, amount).answer
            assert not answer.refused, answer
        return self.finish(table)

    def wait(self, minutes: int) -> None:
        self.now += minutes * MINUTE


def rounds_by_code(foyer: HouseInMemory) -> dict[str, RoundRow]:
    return {row.code: row for row in foyer.disk.rounds}


def list_shares(foyer: HouseInMemory, player: str) -> list[ShareRow]:
    return [share for share in foyer.disk.shares if share.player == player]


def play_all_games(seed: int = 69) -> tuple[HouseInMemory, str, str]:
    """Two players at a live table and one of them at every solo game, with a void."""
    foyer = HouseInMemory(seed)
    ada, bea = foyer.joined("Ada", 900_000), foyer.joined("Bea", 500_000)
    foyer.open("ventuno", "T1")
    foyer.sit(ada, "T1", 1, 100_000)
    foyer.sit(bea, "T1", 2, 100_000)
    for _ in range(4):
        foyer.round("T1", {ada: (1, 1_000), bea: (2, 500)})
    for game in ("first-person", "sisal", "duello", "link"):
        foyer.open(game, game, ada)
        foyer.sit(ada, game, 1, 50_000)
        for _ in range(3):
            foyer.round(game, {ada: (1, 500)})
    while not any(row.voided for row in foyer.disk.rounds):
        foyer.bet("T1", ada, 1, 700)
        foyer.tick("T1")
        if foyer.authority.tables["T1"].table.phase is Phase.ROUND:
            foyer.say("T1", Void("sup", "wrong card", foyer.now), "")
            foyer.tick("T1")
    return foyer, ada, bea


ADA = Form("Ada", "1985-12-10", "RSSMRA85T10A562S")
