"""What each role of the staff may do: one table, asked by every verb of the house that staff call (H-8, R-17).

A second factor comes with every role of the staff. Money is moved by supervisors alone, and by two of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.players import Role


class Right(StrEnum):
    SEE_TABLES = "see-tables"
    """Every table as a spectator sees it, and rounds that are over."""
    RUN_TABLES = "run-tables"
    """Pause, resume, void, limits, opening, closing."""
    SPEAK = "speak"
    """Messages to all; who says nothing in the chat."""
    SEE_PLAYERS = "see-players"
    HELP_PLAYERS = "help-players"
    """End sessions, a code for a new password, close and open accounts."""
    LINK_PLAYERS = "link-players"
    SEE_RECORDS = "see-records"
    """Log, signals, turnover, corrections, the program; the export."""
    CORRECT = "correct"
    """Propose, confirm and withdraw corrections of rounds that are over."""
    DEAL = "deal"
    """Deal real cards at tables that scan them (X-27)."""
    APPOINT = "appoint"
    """Give the roles below a supervisor's, and take them away."""


RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.SUPERVISOR: frozenset(Right),
    Role.SUPPORT: frozenset((Right.SEE_TABLES, Right.SEE_PLAYERS, Right.HELP_PLAYERS, Right.SPEAK)),
    Role.PIT: frozenset((Right.SEE_TABLES, Right.RUN_TABLES, Right.SPEAK)),
    Role.AUDITOR: frozenset((Right.SEE_TABLES, Right.SEE_PLAYERS, Right.SEE_RECORDS)),
    Role.DEALER: frozenset((Right.DEAL,)),
}
BELOW_SUPERVISOR = (Role.SUPPORT, Role.PIT, Role.AUDITOR, Role.DEALER)
"""What a supervisor may make of others: none of them confirms what another proposed."""


class RightMissing(Refusal):
    """A member of the staff whose role does not include this."""

    role: Role
    right: Right


def list_rights(role: Role) -> tuple[Right, ...]:
    return tuple(right for right in Right if has_right(role, right))


def has_right(role: Role, right: Right) -> bool:
    return right in RIGHTS.get(role, ())
