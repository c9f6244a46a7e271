"""The account history: every round a player was in, newest first, with its totals (V-69, R-15).

Built from the rows that were written with each round. Practice is no play and is not counted (X-08).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.players import STAFF, Role
from ventuno.house.store.audit_log import AuditLog, SupervisorViewed
from ventuno.house.store.records import AccountRow, Batch, RoundRow, ShareRow
from ventuno.house.store.store import LAST, NO_FILTER, HistoryFilter, Store

DAY = 86_400_000
START = LAST, ""
"""The place before which every round lies."""
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])")


class NoSuchRound(Refusal):
    """Also the answer for a round that is somebody else's: whether it exists is not told (ASVS 8)."""

    round: str


class NotATime(Refusal):
    text: str


class HistoryLine(NamedTuple):
    """Date, game, stake, win: a voided round gave back what was staked.

    `corrected` is what was put right afterwards; it moved on its own and is no part of the round (R-08).
    """

    code: str
    game: str
    ended: int
    staked: Cents
    returned: Cents
    net: Cents
    voided: bool
    corrected: Cents = 0


class HistoryTotals(NamedTuple):
    """Over all rounds that counted; voided ones are apart."""

    rounds: int = 0
    staked: Cents = 0
    returned: Cents = 0
    net: Cents = 0
    voided: int = 0


class Page(NamedTuple):
    """`before` asks for the next page; None where this is the last."""

    lines: tuple[HistoryLine, ...]
    totals: HistoryTotals
    before: tuple[int, str] | None


def _make_line(row: AccountRow) -> HistoryLine:
    return HistoryLine(*row[:5], row.returned - row.staked, row.voided)


async def read_page(
    store: Store,
    player: PlayerId,
    before: tuple[int, str] = START,
    limit: int = 50,
    selection: HistoryFilter = NO_FILTER,
) -> Page:
    """So many rounds that ended before a place, and the totals of all that were chosen: two queries, however many."""
    listed = [_make_line(row) for row in await store.list_account_rows(player, before, limit + 1, selection=selection)]
    shown = tuple(listed[:limit])
    more = shown and len(listed) > limit
    counted = await read_totals(store, player, selection)
    return Page(shown, counted, (shown[-1].ended, shown[-1].code) if more else None)


async def read_totals(store: Store, player: PlayerId, selection: HistoryFilter = NO_FILTER) -> HistoryTotals:
    sums = await store.sum_account_rows(player, selection)
    rounds, staked, returned = sums.get(False, (0, 0, 0))
    return HistoryTotals(rounds, staked, returned, returned - staked, sums.get(True, (0, 0, 0))[0])


def select_by_time(rows: Iterable[RoundRow], text: str, day: int | None = None) -> list[RoundRow] | NotATime:
    """The rounds that show this GMT start time, newest first; `day` is any moment of the day that is meant (V-66)."""
    if not (match := _CLOCK.fullmatch(text)):
        return NotATime(text[:40])
    hours, minutes, seconds = map(int, match.groups())
    wanted = (hours * 60 + minutes) * 60 + seconds
    fitting = [
        row for row in rows if row.started % DAY // 1000 == wanted and (day is None or row.started // DAY == day // DAY)
    ]
    return sorted(fitting, key=lambda row: (row.started, row.code), reverse=True)


def check_access(
    audit: AuditLog, code: str, viewer: PlayerId, role: Role, shares: Iterable[ShareRow], at: int
) -> Batch | Refusal | None:
    """Who may see a round: who was in it, or one of the staff, whose look is written down first (ASVS 8, H-8, R-17)."""
    if any(share.player == viewer and share.code == code for share in shares):
        return None
    if role not in STAFF:
        return NoSuchRound(code)
    return Batch(records=audit.write(at, SupervisorViewed(viewer, "round", code)))
