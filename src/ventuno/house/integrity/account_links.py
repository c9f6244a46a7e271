"""Accounts that belong together do not bet behind each other (H-5).

Two accounts are linked while both have a session on one address, or when a supervisor says so. An IPv6 line is counted
by its /64; an address of the house's own machine, or one that is none, tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from ventuno.core.messages.commands import Command, DoubleBets, PlaceBet, RepeatBets
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.legal import Options, Verdict
from ventuno.core.table.state import NO_SLIP, Table
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.sessions import Tokens
from ventuno.house.integrity.alerts import Alerts

BEHIND = "behind"
LOOKUP_INTERVAL = 10 * MINUTE
"""Milliseconds after which it is looked up again."""
CACHE_SIZE = 1 << 15
"""Players at tables of whom it is remembered."""


class LinkedAccounts(Refusal):
    """H-5: who the other is, is not told."""

    box: int


class AccountLinks:
    def __init__(self, tokens: Tokens, concerns: Alerts) -> None:
        self._tokens, self._concerns = tokens, concerns
        self._cache: dict[tuple[str, PlayerId], tuple[object, tuple[int, int, int], tuple[int, ...]]] = {}

    def are_linked(self, first: PlayerId, second: PlayerId, at: int) -> bool:
        return self._are_linked(first, self._list_households(first, at), second, at)

    def _are_linked(self, first: PlayerId, households: frozenset[str], second: PlayerId, at: int) -> bool:
        if self._concerns.are_linked(first, second):
            return True
        return bool(households and households & self._list_households(second, at))

    def refuses(self, table: Table, command: Command, at: int) -> LinkedAccounts | None:
        """Why a bet behind is not taken. Who leaves a box sends those behind it back: nobody sits down before one."""
        for box, bettor, owner in _find_backings(table, command):
            if bettor != owner and self.are_linked(bettor, owner, at):
                return LinkedAccounts(box)
        return None

    def find_barred_boxes(self, table: Table, player: PlayerId, at: int) -> tuple[int, ...]:
        """The boxes behind which this player bets nothing, for what he is shown (X-19); asked again and again.

        Looked up anew when somebody has sat down or left, come in or gone, been linked or not; and now and then, for
        sessions that run out by themselves, not for all at once. What is asked is decided to the moment.
        """
        if not table.sheet.options.behind:
            return ()
        key = table.id, player
        since = ((at + hash(key) % LOOKUP_INTERVAL) // LOOKUP_INTERVAL, self._tokens.changes, self._concerns.changes)
        cached = self._cache.get(key)
        if cached is not None and cached[0] is table.seats and cached[1] == since:
            return cached[2]
        own = self._list_households(player, at)
        boxes = tuple(
            box
            for box, seat in enumerate(table.seats, start=1)
            if seat and seat.player != player and self._are_linked(player, own, seat.player, at)
        )
        if len(self._cache) >= CACHE_SIZE:
            self._cache.clear()
        self._cache[key] = table.seats, since, boxes
        return boxes

    def _list_households(self, player: PlayerId, at: int) -> frozenset[str]:
        return (
            list_households(session.address for session in self._tokens.list_sessions(player, at))
            if player
            else frozenset()
        )


def close_linked_boxes(options: Options, table: Table, player: PlayerId, barred: Iterable[int]) -> Options:
    """The options without what would put a bet behind one of these boxes (X-19)."""
    acts: dict[str, Verdict] = {**options.betting}
    again, more = RepeatBets(player, 0), DoubleBets(player, 0)
    for act, command in (("repeat", again), ("repeat-double", again), ("double", more)):
        boxes = [box for box, _, _ in _find_backings(table, command) if box in barred]
        if boxes:
            acts[act] = (LinkedAccounts(boxes[0]),)
    spots = {spot: (LinkedAccounts(spot.box),) for spot in options.spots if spot.bet == BEHIND and spot.box in barred}
    return options._replace(betting=acts, spots={**options.spots, **spots})


def _find_backings(table: Table, command: Command) -> Iterable[tuple[int, PlayerId, PlayerId]]:
    """Each box that this command would put a bet behind, with bettor and owner."""
    match command:
        case PlaceBet(player, spots):
            boxes = [box for box, bet in spots if bet == BEHIND]
        case RepeatBets(player):
            boxes = [box for box, bet, _ in table.previous.get(player, ()) if bet == BEHIND]
        case DoubleBets(player):
            boxes = [box for box, bet in table.slips.get(player, NO_SLIP).totals() if bet == BEHIND]
        case _:
            return ()
    return [(box, player, owner) for box in boxes if (owner := table.owner(box))]


def list_households(addresses: Iterable[str]) -> frozenset[str]:
    """What these addresses are counted as, without those that tell nothing."""
    return frozenset(household_name for address in addresses if (household_name := get_household(address)))


@lru_cache(maxsize=1 << 14)
def get_household(address: str) -> str:
    """An IPv4 address, or the /64 of one IPv6 line; empty where it tells nothing.

    >>> get_household("2001:db8::17"), get_household("::ffff:192.0.2.1"), get_household("::1")
    ('2001:db8::/64', '192.0.2.1', '')
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback or parsed.is_unspecified:
        return ""
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else str(parsed)
