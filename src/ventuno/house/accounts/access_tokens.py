"""Access tokens: how a program comes in without a password, for accounts that are declared a bot's (ASVS 7, X-09).

Whoever declares his account a bot's is called one wherever he is seen, and stays one. His tokens are 256 random bits of
which only a hash is kept. A token is a credential, not a session: whoever shows it acts in a session that is opened for
it and ends as all sessions do, so that what protects a player counts for his programs too (R-37). Who he is, his
password, his second factor and his tokens are nothing that a token changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.players import BotDeclared, Player, Role
from ventuno.house.accounts.sessions import TOKEN_SIZE, Identity, Tokens, hash_token
from ventuno.house.store.audit_log import AuditLog, LoggedIn, RightsChanged
from ventuno.house.store.records import Batch, merge

if TYPE_CHECKING:
    from ventuno.house.accounts.accounts import Accounts

DAY = 24 * 60 * MINUTE
MOST_TOKENS = 10
PREFIX = "ventuno_"
"""How a token begins: whoever finds one in a log or a repository knows what it is."""


@dataclass(frozen=True, slots=True)
class AccessTokenGiven:
    """`hashed` is the hash of what the program holds."""

    id: str
    hashed: str
    label: str
    expires: int


@dataclass(frozen=True, slots=True)
class AccessTokenEnded:
    id: str
    reason: str


AccessEvent: TypeAlias = AccessTokenGiven | AccessTokenEnded


class NotDeclared(Refusal):
    """Tokens are for accounts that are declared a bot's."""

    name: str


class NotDeclarable(Refusal):
    """Guests, and whoever works here, are no bots."""

    name: str


class TooManyTokens(Refusal):
    most: int = MOST_TOKENS


class NoSuchToken(Refusal):
    id: str


class TokenUnfit(Refusal):
    """Whatever is wrong with it: unknown, ended, too old, or its account is closed."""


class PersonNeeded(Refusal):
    """What a token does not open: it takes a password."""


class AccessToken(NamedTuple):
    id: str
    hashed: str
    label: str
    given: int
    expires: int


_NONE: Mapping[str, AccessToken] = MappingProxyType({})


class AccessTokens(NamedTuple):
    """The tokens of one player, the oldest first."""

    by_id: Mapping[str, AccessToken] = _NONE

    def list_live(self, at: int) -> list[AccessToken]:
        return [token for token in self.by_id.values() if at < token.expires]


def evolve(tokens: AccessTokens, event: AccessEvent, at: int) -> AccessTokens:
    match event:
        case AccessTokenGiven(id, hashed, label, expires):
            live = {token.id: token for token in tokens.list_live(at)}
            return AccessTokens({**live, id: AccessToken(id, hashed, label, at, expires)})
        case AccessTokenEnded(id):
            return AccessTokens({key: token for key, token in tokens.by_id.items() if key != id})
        case _:
            assert_never(event)


@dataclass(frozen=True, slots=True)
class GivenToken:
    """Shown once, when its batch is durable."""

    id: str
    token: str
    expires: int
    batch: Batch


def may_hold_token(player: Player) -> bool:
    """Programs of declared bots, and the shoe of a dealer that reads its cards by itself (X-27)."""
    return player.declared_bot or player.effective_role is Role.DEALER


class AccessTokenCommands:
    """Tokens by their hash, and the sessions in which they act."""

    def __init__(self, accounts: Accounts, audit: AuditLog, sessions: Tokens, draw: Callable[[int], bytes]) -> None:
        self._accounts, self._audit, self._sessions, self._draw = accounts, audit, sessions, draw
        self._holders = {
            token.hashed: (player, token.id)
            for player in list(accounts)
            for token in accounts[player].access.by_id.values()
        }

    def declare(self, player: PlayerId, at: int) -> Batch | NotDeclarable:
        """From now on, and for good, the account is a bot's."""
        account = self._accounts[player].player
        if account.declared_bot:
            return Batch()
        if account.guest or account.role is not Role.PLAYER:
            return NotDeclarable(account.name)
        records = self._accounts.write(player, at, [BotDeclared()])
        return Batch(records=(*records, *self._audit.write(at, RightsChanged(player, player, "declared a bot"))))

    def give(self, player: PlayerId, label: str, days: int, at: int) -> GivenToken | NotDeclared | TooManyTokens:
        account = self._accounts[player]
        if not may_hold_token(account.player):
            return NotDeclared(account.player.name)
        if len(account.access.list_live(at)) >= MOST_TOKENS:
            return TooManyTokens()
        token = PREFIX + self._draw(TOKEN_SIZE).hex()
        hashed = hash_token(token)
        given = AccessTokenGiven(hashed[:16], hashed, label, at + days * DAY)
        self._holders[hashed] = player, given.id
        noted = self._audit.write(at, RightsChanged(player, player, f"access token {given.id} given"))
        batch = Batch(records=(*self._accounts.write(player, at, [given]), *noted))
        return GivenToken(given.id, token, given.expires, batch)

    def end(self, player: PlayerId, id: str, at: int, reason: str = "ended by its owner") -> Batch | NoSuchToken:
        """The token opens nothing more, and the session in which it acts is over."""
        token = self._accounts[player].access.by_id.get(id)
        if token is None:
            return NoSuchToken(id)
        self._holders.pop(token.hashed, None)
        records = self._accounts.write(player, at, [AccessTokenEnded(id, reason)])
        noted = self._audit.write(at, RightsChanged(player, player, f"access token {id} ended: {reason}"))
        acting = [session for session in self._sessions.list_sessions(player, at) if session.access == id]
        closed = [self._sessions.close(player, session.id, at, "token ended") for session in acting]
        return merge(Batch(records=(*records, *noted)), *(batch for batch in closed if not isinstance(batch, Refusal)))

    def end_all(self, player: PlayerId, at: int, reason: str) -> Batch:
        ended = [self.end(player, id, at, reason) for id in list(self._accounts[player].access.by_id)]
        return merge(*(batch for batch in ended if isinstance(batch, Batch)))

    def identify(self, token: str, address: str, agent: str, at: int) -> Identity | TokenUnfit:
        """Whom a token speaks for now: in the session that it has, or a new one."""
        player, id = self._holders.get(hash_token(token), ("", ""))
        account = self._accounts.get(player)
        held = account.access.by_id.get(id) if account else None
        if account is None or held is None or at >= held.expires or account.player.disabled:
            return TokenUnfit()
        if not may_hold_token(account.player):
            return TokenUnfit()
        role = account.player.effective_role
        for session in self._sessions.list_sessions(player, at):
            if session.access == id:
                noted = self._sessions.note_activity(player, session.id, at)
                return Identity(player, session.id, role, noted if isinstance(noted, Batch) else None, access=id)
        _, opened, records = self._sessions.open(player, address, agent, at, access=id)
        batch = Batch(records=(*records, *self._audit.write(at, LoggedIn(player, opened, address))))
        return Identity(player, opened, role, batch, access=id)
