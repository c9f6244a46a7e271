"""Limits and exclusions are checked inside the decision that takes a stake (R-36, X-13)."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.legal import Options, Verdict
from ventuno.house.accounts.accounts import Account, AccountEvent
from ventuno.house.accounts.cash_entries import Deposited
from ventuno.house.accounts.player_limits import MINUTE, PERIODS, LimitKind, PlayerLimits
from ventuno.house.accounts.sessions import RealityAcknowledged, SessionClosed, SessionOpened
from ventuno.house.store.records import ShareRow

NO_LIMITS = PlayerLimits()
NEVER = 2**53
"""Later than any moment."""


class ProtectionLimit(Refusal):
    """A limit the player set himself: which one, how much of it is used, what was asked (X-13)."""

    name: str
    limit: int
    used: int
    asked: int


class RealityCheckDue(Refusal):
    """Read and confirm it, then play on (R-37). Only a new round waits for it, never a decision in an open one."""

    minutes: int
    net: Cents


class Allowance(NamedTuple):
    """What a player's own protection says to every stake now: why none at all, and each limit with what is used of it.

    One answer for who is asked and for what is shown (X-19). Open stakes count as lost until the round says otherwise.
    """

    never: Refusal | None
    check: Refusal | None
    limits: tuple[tuple[str, int, int], ...]

    def refuses(self, asked: Cents, *, raises: bool) -> Refusal | None:
        """A raise belongs to the round he is in, and no check holds it up; a bet always waits for it (R-37)."""
        if refusal := self.never or (None if raises else self.check):
            return refusal
        for name, limit, used in self.limits:
            if used + asked > limit:
                return ProtectionLimit(name, limit, used, asked)
        return None

    def restrict(self, options: Options, unit: Cents) -> Options:
        """The options with what this leaves of them: the lowest of several limits binds by itself (X-19)."""
        no_bet = self.refuses(unit, raises=False)
        room = min([limit - used for _, limit, used in self.limits], default=None)

        def restrict_price(price: Verdict, *, raises: bool) -> Verdict:
            refusal = self.refuses(price, raises=raises) if isinstance(price, int) and price else None
            return (refusal,) if refusal else price

        def restrict_spot(price: Verdict) -> Verdict:
            if isinstance(price, tuple) or not price:
                return price
            if no_bet:
                return (no_bet,)
            return price if room is None or price <= room else room - room % unit

        return options._replace(
            decisions={place: restrict_price(price, raises=True) for place, price in options.decisions.items()},
            early={place: restrict_price(price, raises=True) for place, price in options.early.items()},
            betting={act: restrict_price(price, raises=False) for act, price in options.betting.items()},
            spots={spot: restrict_spot(price) for spot, price in options.spots.items()},
        )


class FlowHistory:
    """What a player has moved in the last month, as running totals: 32 bytes a flow, and a sum is one difference."""

    __slots__ = ("_times", "_totals")

    def __init__(self) -> None:
        self._times = array("q")
        self._totals = {kind: array("q", [0]) for kind in (LimitKind.DEPOSIT, LimitKind.STAKE, LimitKind.LOSS)}
        """One more each than there are times: the total before the first flow, then after each."""

    def add(self, at: int, deposited: Cents = 0, staked: Cents = 0, lost: Cents = 0) -> None:
        """In the order of time; recovery may bring an older one later."""
        place = bisect_right(self._times, at)
        self._times.insert(place, at)
        for totals, amount in zip(self._totals.values(), (deposited, staked, lost), strict=True):
            totals.insert(place + 1, totals[place])
            for later in range(place + 1, len(totals)):
                totals[later] += amount
        self._forget(at - PERIODS["month"])

    def sum_since(self, kind: LimitKind, at: int) -> Cents:
        """The sum of what moved at this moment or later, at most a month back."""
        totals = self._totals[kind]
        return totals[-1] - totals[bisect_left(self._times, at)]

    def find_largest_sum(self, kind: LimitKind, first: int, last: int) -> Cents:
        """The largest of the sums since each moment from the first to the last: an old win may be out of the later."""
        totals = self._totals[kind]
        start, end = bisect_left(self._times, first), bisect_left(self._times, last)
        return totals[-1] - min(totals[start : end + 1])

    def _forget(self, at: int) -> None:
        """Drop what no window reaches, once it is half of all: each flow is moved at most twice."""
        old = bisect_right(self._times, at)
        if 2 * old > len(self._times):
            del self._times[:old]
            for totals in self._totals.values():
                del totals[:old]


def never_in_round(_player: PlayerId) -> bool:
    return False


class LimitCheck:
    """Limits and flows of all players; `in_play` tells a player's open stakes, `in_round` whether cards are dealt for
    him now: chips that lie on a felt are a stake and no round.
    """

    def __init__(
        self, in_play: Callable[[PlayerId], Cents], in_round: Callable[[PlayerId], bool] = never_in_round
    ) -> None:
        self._in_play, self._in_round = in_play, in_round
        self._player_limits: dict[PlayerId, PlayerLimits] = {}
        self._flows: dict[PlayerId, FlowHistory] = {}
        self._sessions: dict[PlayerId, int] = {}
        self._checked: dict[PlayerId, int] = {}

    def on_account_event(self, player: PlayerId, event: AccountEvent, account: Account, at: int) -> None:
        match event:
            case Deposited(amount):
                self.add_deposit(player, amount, at)
            case SessionOpened() | SessionClosed():
                self.set_session_start(player, account.sessions.sitting if account.sessions.by_id else None)
            case RealityAcknowledged():
                self._checked[player] = at
            case _:
                self.set_player_limits(player, account.player_limits)

    def set_player_limits(self, player: PlayerId, limits: PlayerLimits) -> None:
        """These limits are in force from now on."""
        self._player_limits[player] = limits

    def get_player_limits(self, player: PlayerId) -> PlayerLimits:
        return self._player_limits.get(player, NO_LIMITS)

    def set_session_start(self, player: PlayerId, started: int | None) -> None:
        """A session begins, or ends with None; its time is limited from its start."""
        if started is None:
            self._sessions.pop(player, None)
        else:
            self._sessions[player] = started

    def sum_result(self, player: PlayerId, since: int) -> Cents:
        """The result of the rounds that ended since then, at most a month back (R-37)."""
        flows = self._flows.get(player)
        return -flows.sum_since(LimitKind.LOSS, since) if flows else 0

    def refuses(self, player: PlayerId, added: Cents, at: int, raises: bool = False) -> Refusal | None:
        """Why this stake may not be taken; `raises`: it belongs to the round he is in."""
        allowance = self.allowance(player, at)
        return allowance.refuses(added, raises=raises) if allowance else None

    def allowance(self, player: PlayerId, at: int) -> Allowance | None:
        """What a player's protection says to his stakes; None where it says nothing, as to most."""
        own = self._player_limits.get(player, NO_LIMITS)
        never, check = own.check_play(at), self._check_reality(player, own, at)
        limits: tuple[tuple[str, int, int], ...] = ()
        if own.limits:
            never = never or self._check_session(player, own, at)
            limits = self._measure_limits(player, own, at, (LimitKind.STAKE, LimitKind.LOSS), self._in_play(player))
        return Allowance(never, check, limits) if never or check or limits else None

    def find_due(self, player: PlayerId, at: int) -> Refusal | None:
        """What a player is to hear by now: his time is up, or a check is due; never inside a round (R-37)."""
        if self._in_play(player) and self._in_round(player):
            return None
        own = self.get_player_limits(player)
        return self._check_session(player, own, at) or self._check_reality(player, own, at)

    def get_next_due(self, player: PlayerId) -> int:
        """Before this moment nothing is due to a player, as long as his account stays as it is."""
        started = self._sessions.get(player)
        if started is None:
            return NEVER
        own = self.get_player_limits(player)
        check = max(started, self._checked.get(player, 0)) + own.reality_minutes * MINUTE
        minutes = own.limits.get("session:minutes")
        return check if minutes is None else min(check, started + minutes * MINUTE)

    def refuses_deposit(self, player: PlayerId, amount: Cents, at: int) -> Refusal | None:
        """Gross deposits, whatever was withdrawn since (R-33)."""
        own = self.get_player_limits(player)
        limits = self._measure_limits(player, own, at, (LimitKind.DEPOSIT,)) if own.limits else ()
        return Allowance(own.check_play(at), None, limits).refuses(amount, raises=False)

    def add_round(self, player: PlayerId, staked: Cents, returned: Cents, at: int) -> None:
        """A round is over: its stakes and its loss enter the windows."""
        self._get_flows(player).add(at, staked=staked, lost=staked - returned)

    def add_deposit(self, player: PlayerId, amount: Cents, at: int) -> None:
        self._get_flows(player).add(at, deposited=amount)

    def recover(self, shares: Iterable[ShareRow]) -> None:
        """The windows again, from the rounds of the last month that were written; deposits come with the accounts."""
        for row in sorted(shares, key=lambda share: share.ended):
            self.add_round(row.player, row.staked, row.returned, row.ended)

    def find_room(self, player: PlayerId, first: int, last: int, more: Cents) -> tuple[str, int, Cents] | None:
        """The limit that leaves least for stakes from the first moment to the last, and what it leaves besides `more`.

        None where no limit counts stakes. A loss grows by itself when a win gets too old for its window.
        """
        limits, flows = self._player_limits.get(player, NO_LIMITS).limits, self._flows.get(player)
        found: tuple[str, int, Cents] | None = None
        for kind in (LimitKind.STAKE, LimitKind.LOSS) if limits else ():
            for period, length in PERIODS.items():
                name = f"{kind}:{period}"
                if (limit := limits.get(name)) is not None:
                    used = flows.find_largest_sum(kind, first - length + 1, last - length + 1) if flows else 0
                    room = limit - max(used, 0) - more
                    if found is None or room < found[2]:
                        found = name, limit, room
        return found

    def _get_flows(self, player: PlayerId) -> FlowHistory:
        if player not in self._flows:
            self._flows[player] = FlowHistory()
        return self._flows[player]

    def _check_session(self, player: PlayerId, own: PlayerLimits, at: int) -> Refusal | None:
        minutes, started = own.limits.get("session:minutes"), self._sessions.get(player)
        if minutes is None or started is None or at < started + minutes * MINUTE:
            return None
        return ProtectionLimit("session:minutes", minutes, (at - started) // MINUTE, 0)

    def _check_reality(self, player: PlayerId, own: PlayerLimits, at: int) -> RealityCheckDue | None:
        started = self._sessions.get(player)
        if started is None or at < max(started, self._checked.get(player, 0)) + own.reality_minutes * MINUTE:
            return None
        return RealityCheckDue((at - started) // MINUTE, self.sum_result(player, started))

    def _measure_limits(
        self, player: PlayerId, own: PlayerLimits, at: int, kinds: tuple[LimitKind, ...], more: Cents = 0
    ) -> tuple[tuple[str, int, int], ...]:
        """Each limit of these kinds, with what is used of it in its window and what counts besides."""
        flows = self._flows.get(player)
        measured = []
        for kind in kinds:
            for period, length in PERIODS.items():
                name = f"{kind}:{period}"
                if (limit := own.limits.get(name)) is not None:
                    used = max(flows.sum_since(kind, at - length + 1), 0) if flows else 0
                    measured.append((name, limit, used + more))
        return tuple(measured)
