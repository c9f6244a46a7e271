"""A player's own commands for limits, pauses and exclusion: each in force with the very event (R-33…R-40).

Each goes to the account's stream and to the audit log in one batch; `LimitCheck` knows it before the batch is written,
so that the next bet of any session on any table meets it (R-40).
"""

from __future__ import annotations

from typing import assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.player_limits import LimitEvent, PlayerLimits, Profile
from ventuno.house.store.audit_log import AuditLog, ProtectionChanged
from ventuno.house.store.records import Batch


class LimitCommands:
    def __init__(self, accounts: Accounts, audit: AuditLog, profile: Profile) -> None:
        self._accounts, self._audit, self._profile = accounts, audit, profile

    def set_limit(self, player: PlayerId, name: str, amount: Cents | None, at: int) -> Batch | Refusal:
        """Lower at once; higher, or none, after the wait and `confirm` (R-35)."""
        return self._record(
            player, player_limits.set_limit(self._get_limits(player), name, amount, at, self._profile), at
        )

    def confirm(self, player: PlayerId, name: str, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.confirm(self._get_limits(player), name, at), at)

    def cool_off(self, player: PlayerId, until: int, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.cool_off(self._get_limits(player), until, at, self._profile), at)

    def exclude(self, player: PlayerId, days: int, at: int) -> Batch | Refusal:
        """For so many days, or without end (0). Sessions stay: the money may still be withdrawn (R-38)."""
        return self._record(player, player_limits.exclude(self._get_limits(player), days, at, self._profile), at)

    def revoke(self, player: PlayerId, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.revoke(self._get_limits(player), at, self._profile), at)

    def choose_reality(self, player: PlayerId, minutes: int, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.choose_reality(minutes), at)

    def _get_limits(self, player: PlayerId) -> PlayerLimits:
        return self._accounts[player].player_limits

    def _record(self, player: PlayerId, outcome: list[LimitEvent] | Refusal, at: int) -> Batch | Refusal:
        if isinstance(outcome, Refusal):
            return outcome
        records = self._accounts.write(player, at, outcome)
        noted = [ProtectionChanged(player, type(event).__name__, describe_change(event)) for event in outcome]
        return Batch(records=(*records, *self._audit.write(at, *noted)))


def describe_change(event: LimitEvent) -> str:
    """The numbers of a change, for the log."""
    match event:
        case player_limits.LimitSet(name, amount):
            return f"{name} {amount}"
        case player_limits.RaiseAsked(name, amount, removed, ready):
            return f"{name} {'none' if removed else amount} from {ready}"
        case player_limits.RaiseConfirmed(name):
            return name
        case player_limits.CoolOffTaken(until):
            return f"until {until}"
        case player_limits.Excluded(_, until):
            return f"until {until}" if until else "without end"
        case player_limits.ExclusionRevoked(effective):
            return f"from {effective}"
        case player_limits.RealityCheckChosen(minutes):
            return f"every {minutes} minutes"
        case _:
            assert_never(event)
