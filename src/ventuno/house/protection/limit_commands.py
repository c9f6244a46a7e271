"""The player's own desk for limits, pauses and exclusion: each act in force with the very event (R-33…R-40).

Every act goes to the account's stream and to the audit log in one batch; the guard knows it before the batch is
written, so that the next bet of any session on any table meets it (R-40).
"""

from __future__ import annotations

from typing import assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.history.audit import Audit, ProtectionChanged
from ventuno.house.protection import player_limits
from ventuno.house.protection.player_limits import (
    CoolOffTaken,
    Excluded,
    ExclusionRevoked,
    LimitSet,
    Profile,
    RaiseAsked,
    RaiseConfirmed,
    RealityCheckChosen,
    Shield,
    ShieldEvent,
)
from ventuno.house.store.records import Batch


class Protection:
    def __init__(self, accounts: Accounts, audit: Audit, profile: Profile) -> None:
        self._accounts, self._audit, self._profile = accounts, audit, profile

    def set_limit(self, player: PlayerId, name: str, amount: Cents | None, at: int) -> Batch | Refusal:
        """Lower at once; higher, or none, after the wait and `confirm` (R-35)."""
        return self._done(player, player_limits.set_limit(self._held(player), name, amount, at, self._profile), at)

    def confirm(self, player: PlayerId, name: str, at: int) -> Batch | Refusal:
        return self._done(player, player_limits.confirm(self._held(player), name, at), at)

    def cool_off(self, player: PlayerId, until: int, at: int) -> Batch | Refusal:
        return self._done(player, player_limits.cool_off(self._held(player), until, at, self._profile), at)

    def exclude(self, player: PlayerId, days: int, at: int) -> Batch | Refusal:
        """For so many days, or without end (0). Sessions stay: the money may still be withdrawn (R-38)."""
        return self._done(player, player_limits.exclude(self._held(player), days, at, self._profile), at)

    def revoke(self, player: PlayerId, at: int) -> Batch | Refusal:
        return self._done(player, player_limits.revoke(self._held(player), at, self._profile), at)

    def choose_reality(self, player: PlayerId, minutes: int, at: int) -> Batch | Refusal:
        return self._done(player, player_limits.choose_reality(minutes), at)

    def _held(self, player: PlayerId) -> Shield:
        return self._accounts[player].shield

    def _done(self, player: PlayerId, outcome: list[ShieldEvent] | Refusal, at: int) -> Batch | Refusal:
        if isinstance(outcome, Refusal):
            return outcome
        records = self._accounts.write(player, at, outcome)
        noted = [ProtectionChanged(player, type(event).__name__, told(event)) for event in outcome]
        return Batch(records=(*records, *self._audit.note(at, *noted)))


def told(event: ShieldEvent) -> str:
    """The numbers of a change, for the log."""
    match event:
        case LimitSet(name, amount):
            return f"{name} {amount}"
        case RaiseAsked(name, amount, removed, ready):
            return f"{name} {'none' if removed else amount} from {ready}"
        case RaiseConfirmed(name):
            return name
        case CoolOffTaken(until):
            return f"until {until}"
        case Excluded(_, until):
            return f"until {until}" if until else "without end"
        case ExclusionRevoked(effective):
            return f"from {effective}"
        case RealityCheckChosen(minutes):
            return f"every {minutes} minutes"
        case _:
            assert_never(event)
