"""Grants as the pit of a table holds them: what players away from home may stake here, without asking (R-36).

A new owner holds none: whoever plays here has to be granted anew before his next stake.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.pits.granting import RoomPending
from ventuno.house.pits.messages import Grant, GrantNumber, Report
from ventuno.house.protection.limit_check import Allowance, ProtectionLimit
from ventuno.house.store.records import ShareRow


@dataclass(slots=True)
class Holding:
    """The grant of one player in this pit, and the rounds that his home may not have counted yet."""

    grant: Grant | None = None
    oldest: GrantNumber = GrantNumber()
    """Grants before this one are void."""
    shares: list[ShareRow] = field(default_factory=list)
    first: int = 1
    """The number of the first of these shares."""
    reports: int = 0
    wanted: Cents = 0
    is_asked: bool = False

    @property
    def number(self) -> GrantNumber:
        return self.grant.number if self.grant else GrantNumber()


class Holdings:
    """All grants of one pit; `in_play` tells the open stakes of a player here."""

    def __init__(self, in_play: Callable[[PlayerId], Cents]) -> None:
        self._in_play = in_play
        self._holdings: dict[PlayerId, Holding] = {}

    def refuses(self, player: PlayerId, added: Cents, at: int, *, raises: bool) -> Refusal | None:
        """Why this stake may not be taken now. What may come with more room is pending, and that room is asked for."""
        holding = self._holdings.setdefault(player, Holding())
        grant = holding.grant
        if grant is None or at >= grant.until:
            holding.wanted = added
            return RoomPending()
        if grant.room is None:
            return Allowance(grant.never, grant.check, ()).refuses(added, raises=raises)
        name, limit = grant.limit
        used = limit - grant.room + self._in_play(player) + sum(share.staked for share in holding.shares)
        refusal = Allowance(grant.never, grant.check, ((name, limit, used),)).refuses(added, raises=raises)
        if isinstance(refusal, ProtectionLimit) and refusal is not grant.never and not grant.last:
            holding.wanted = added
            return RoomPending()
        return refusal

    def add_share(self, share: ShareRow) -> None:
        """A round is over: its stakes stay in the room of the grant until the home has counted them."""
        self._holdings.setdefault(share.player, Holding()).shares.append(share)

    def take_grant(self, grant: Grant) -> bool:
        """Replace the grant of before; an older one that comes late is not taken."""
        holding = self._holdings.setdefault(grant.player, Holding())
        if grant.number <= holding.number or grant.number < holding.oldest:
            return False
        holding.grant, holding.wanted, holding.is_asked = grant, 0, False
        if (counted := grant.counted - holding.first + 1) > 0:
            del holding.shares[:counted]
            holding.first += counted
        return True

    def void_grants(self, player: PlayerId, oldest: GrantNumber) -> None:
        """Money came with a grant that may be late: until it is here, nothing is granted by those before it."""
        holding = self._holdings.setdefault(player, Holding())
        holding.oldest = max(holding.oldest, oldest)
        if holding.grant and holding.grant.number < oldest:
            holding.grant = None

    def report(self, player: PlayerId) -> Report:
        """What the home of a player is told; it is repeated while something is wanted, or not counted."""
        holding = self._holdings.setdefault(player, Holding())
        holding.reports += 1
        version = holding.grant.version if holding.grant else 0
        place = holding.reports, holding.number, version
        return Report(player, *place, self._in_play(player), holding.first, tuple(holding.shares), holding.wanted)

    def find_waiting(self) -> list[PlayerId]:
        """Players whose home has something to hear."""
        return [player for player, holding in self._holdings.items() if holding.wanted or holding.shares]

    def find_wanting(self) -> list[PlayerId]:
        """Players for whom more room is wanted and was not asked for yet."""
        wanting = [player for player, holding in self._holdings.items() if holding.wanted and not holding.is_asked]
        for player in wanting:
            self._holdings[player].is_asked = True
        return wanting

    def get_shares(self, player: PlayerId) -> list[ShareRow]:
        """Rounds that the home of a player may not have counted yet."""
        holding = self._holdings.get(player)
        return holding.shares if holding else []

    def get_unused(self, player: PlayerId) -> Cents:
        """What a player could still stake here without asking."""
        holding = self._holdings.get(player)
        if holding is None or holding.grant is None or not holding.grant.room:
            return 0
        used = self._in_play(player) + sum(share.staked for share in holding.shares)
        return max(holding.grant.room - used, 0)
