"""Accounts: each the fold of `player:N` and `private:N`, with their names kept unique (R-38, R-42).

The observer hears of each event when it is written, and again when the house comes back: the limits are in force with
the very event.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, get_args

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import access_tokens, cash_entries, player_limits, players, sessions, text_rules
from ventuno.house.accounts.access_tokens import AccessEvent, AccessTokens
from ventuno.house.accounts.cash_entries import Cash, CashEvent
from ventuno.house.accounts.player_limits import LimitEvent, PlayerLimits
from ventuno.house.accounts.players import (
    FactorEvent,
    GuestUpgraded,
    PasswordSet,
    PersonErased,
    PersonKnown,
    Player,
    PlayerEvent,
    PlayerJoined,
    ResetCode,
    ResetEvent,
    Role,
    SecondFactor,
    SecretEvent,
)
from ventuno.house.accounts.sessions import SessionEvent, Sessions
from ventuno.house.accounts.settings import Settings, SettingsChanged, SettingUnfit, change
from ventuno.house.store.records import Batch, Erased, Journal, Record, make_reader

PUBLIC, PRIVATE = "player:", "private:"

PublicEvent: TypeAlias = PlayerEvent | LimitEvent | SettingsChanged | CashEvent
"""What stands in `player:N`."""
PrivateEvent: TypeAlias = SecretEvent | FactorEvent | ResetEvent | SessionEvent | AccessEvent
"""What stands in `private:N`."""
AccountEvent: TypeAlias = PublicEvent | PrivateEvent

read_public: Callable[[str, bytes], PublicEvent] = make_reader(get_args(PublicEvent))
read_private: Callable[[str, bytes], PrivateEvent] = make_reader(get_args(PrivateEvent))


class Account(NamedTuple):
    """All that is known of one player between two events."""

    player: Player
    player_limits: PlayerLimits = PlayerLimits()
    settings: Settings = Settings()
    cash: Cash = Cash()
    sessions: Sessions = Sessions()
    factor: SecondFactor = SecondFactor()
    reset: ResetCode = ResetCode()
    access: AccessTokens = AccessTokens()


def evolve(account: Account, event: AccountEvent, at: int) -> Account:
    """An account after an event: each part of it folds its own. A new password ends reset code and access tokens."""
    if isinstance(event, PasswordSet):
        account = account._replace(reset=ResetCode(), access=AccessTokens())
    if isinstance(event, PersonErased):
        account = Account(account.player, account.player_limits, cash=account.cash)
    if isinstance(event, PlayerEvent | SecretEvent):
        return account._replace(player=players.evolve(account.player, event, at))
    if isinstance(event, FactorEvent):
        return account._replace(factor=players.evolve_factor(account.factor, event))
    if isinstance(event, ResetEvent):
        return account._replace(reset=players.evolve_reset(account.reset, event))
    if isinstance(event, AccessEvent):
        return account._replace(access=access_tokens.evolve(account.access, event, at))
    if isinstance(event, LimitEvent):
        return account._replace(player_limits=player_limits.evolve(account.player_limits, event))
    if isinstance(event, SettingsChanged):
        return account._replace(settings=event.settings)
    if isinstance(event, CashEvent):
        return account._replace(cash=cash_entries.evolve(account.cash, event, at))
    return account._replace(sessions=sessions.evolve(account.sessions, event, at))


class AccountObserver(Protocol):
    def on_account_event(self, player: PlayerId, event: AccountEvent, account: Account, at: int) -> None:
        """An event was applied, and the account is as given."""


class Accounts:
    """Every account, by number, by name and by tax code."""

    def __init__(self, journal: Journal, observer: AccountObserver | None = None) -> None:
        self._journal, self._observer = journal, observer
        self._accounts: dict[PlayerId, Account] = {}
        self.get = self._accounts.get
        self._names: dict[str, PlayerId] = {}
        self._taxes: dict[str, PlayerId] = {}
        self._numbers = 0

    def __getitem__(self, player: PlayerId) -> Account:
        return self._accounts[player]

    def __contains__(self, player: PlayerId) -> bool:
        return player in self._accounts

    def __iter__(self) -> Iterator[PlayerId]:
        return iter(self._accounts)

    def find_by_name(self, name: str) -> Account | None:
        player = self._names.get(text_rules.fold_name(text_rules.normalize(name)))
        return self._accounts[player] if player is not None else None

    def is_house_run(self, player: PlayerId) -> bool:
        """Whether the house plays by this account: its bots and its staff, whose bytes would be the house's own."""
        account = self._accounts.get(player)
        return account is None or account.player.role is not Role.PLAYER

    def search(self, text: str, limit: int) -> list[Account]:
        """Accounts that have this number, or this text in their name; names that begin with it first."""
        part = text_rules.fold_name(text_rules.normalize(text))
        number = part.removeprefix("#")
        names = heapq.nsmallest(
            limit, (name for name in self._names if part in name), lambda name: (name.find(part), name)
        )
        players = dict.fromkeys(
            [*([number] if number in self._accounts else []), *(self._names[name] for name in names)]
        )
        return [self._accounts[player] for player in players][:limit]

    def find_by_tax_code(self, tax: str) -> PlayerId | None:
        return self._taxes.get(tax)

    def next_number(self) -> PlayerId:
        """A number that nobody has had."""
        self._numbers += 1
        return str(self._numbers)

    def write(self, player: PlayerId, at: int, events: Iterable[AccountEvent]) -> tuple[Record, ...]:
        """Apply events to an account, and their records: each in the stream it belongs to."""
        listed = list(events)
        public = [event for event in listed if isinstance(event, PublicEvent)]
        private = [event for event in listed if not isinstance(event, PublicEvent)]
        for event in listed:
            self._apply(player, event, at)
        return (
            *self._journal.write(f"{PUBLIC}{player}", at, public),
            *self._journal.write(f"{PRIVATE}{player}", at, private),
        )

    def change_settings(
        self, player: PlayerId, changes: Mapping[str, Mapping[str, object]], at: int
    ) -> Batch | SettingUnfit:
        """All changes of the five tabs together, or none (V-71)."""
        outcome = change(self._accounts[player].settings, changes)
        return outcome if isinstance(outcome, SettingUnfit) else Batch(records=self.write(player, at, outcome))

    def recover(self, streams: Iterable[Sequence[Record]]) -> None:
        """Come back from what was committed. The two streams of a player touch different fields: any order will do."""
        for records in streams:
            if not records:
                continue
            stream = records[0].stream
            read = read_public if stream.startswith(PUBLIC) else read_private
            self._journal.resume(records)
            for record in records:
                event = read(record.kind, record.body)
                if not isinstance(event, Erased):
                    self._apply(stream.partition(":")[2], event, record.at)

    def _apply(self, player: PlayerId, event: AccountEvent, at: int) -> None:
        before = self._accounts.get(player, Account(Player(player)))
        account = self._accounts[player] = evolve(before, event, at)
        if player.isdigit():
            self._numbers = max(self._numbers, int(player))
        match event:
            case PlayerJoined(name) | GuestUpgraded(name):
                self._names.pop(text_rules.fold_name(before.player.name), None)
                self._names[text_rules.fold_name(name)] = player
            case PersonErased():
                self._names.pop(text_rules.fold_name(before.player.name), None)
                self._taxes.pop(before.player.tax, None)
            case PersonKnown(_, tax) if tax:
                self._taxes[tax] = player
            case _:
                pass
        if self._observer:
            self._observer.on_account_event(player, event, account, at)
