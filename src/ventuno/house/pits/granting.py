"""Grants as a player's home gives them: room that his limits leave, divided between pits (R-33…R-38).

Room that was given counts as used until its pit has confirmed a smaller grant, or has a newer owner who has none. A
pit of which this owner knows nothing yet may hold any room: until it has reported, nobody gets more. The time of a
grant bounds its pit only; home takes nothing back by the clock, because an owner that stands still does not see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.pits.leases import MAX_OFFSET
from ventuno.house.pits.messages import Grant, GrantNumber, Report
from ventuno.house.pits.placement import PitNumber
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.store.records import ShareRow

GRANT_TIME = 60_000
"""Milliseconds for which a pit may use a grant; it asks again before."""
HOLD_TIME = 2_000
"""Milliseconds for which room that was asked for is not recalled: two tables could take it from each other for ever."""


class RoomPending(Refusal):
    """The room for this stake is being asked for: the same request may come again in a moment."""


@dataclass(slots=True)
class Holder:
    """A pit that may hold a grant, as the home knows it."""

    epoch: int
    is_known: bool
    """Whether what is in force there is known, and all its rounds are counted."""
    is_confirmed: bool = False
    """Whether its owner has taken a grant of this home: from then on he reports his rounds here."""
    rooms: dict[int, Cents | None] = field(default_factory=dict)
    """Grants by number that may be in force: the last one confirmed and all later ones. None has no bound."""
    open_stakes: Cents = 0
    version: int = 0
    counted: int = 0
    report: int = 0
    is_leaving: bool = False
    held_until: int = 0

    def count_unused(self) -> Cents | None:
        """What may be recalled from this pit."""
        room = self.count_room()
        return None if room is None else room - self.open_stakes

    def count_room(self) -> Cents | None:
        """What counts as used by this pit; None where that has no bound, or is not known."""
        if not self.is_known or None in self.rooms.values():
            return None
        return max(max([room for room in self.rooms.values() if room is not None], default=0), self.open_stakes)


class Granting:
    """The grants of all players who are at home in one pit. `in_play` tells their open stakes at home."""

    def __init__(self, epoch: int, check: LimitCheck, in_play: Callable[[PlayerId], Cents]) -> None:
        self._epoch, self._check, self._in_play = epoch, check, in_play
        self._number = 0
        self._holders: dict[PlayerId, dict[PitNumber, Holder]] = {}
        self._versions: dict[PlayerId, int] = {}
        self._counted: dict[PlayerId, set[str]] = {}
        self.unread: dict[PlayerId, int] = {}
        """Whose rounds are to be read from the store: `count_rounds` takes them, with the number of the reading."""
        self._readings = 0

    def add_holder(self, player: PlayerId, pit: PitNumber, epoch: int, *, is_new: bool) -> None:
        """Money goes to a pit. Where it was before, a grant of then may still be in force or on its way."""
        self._holders.setdefault(player, {}).setdefault(pit, Holder(epoch, is_new)).is_leaving = False

    def drop_holder(self, player: PlayerId, pit: PitNumber) -> None:
        """Nothing of a player is left in a pit. Its room counts until the rounds he played there are read."""
        if holder := self._holders.get(player, {}).get(pit):
            holder.is_leaving = True
            self._ask_for_rounds(player)

    def set_version(self, player: PlayerId, version: int) -> None:
        """His protection changed: grants of before are out of date."""
        self._versions[player] = version

    def get_version(self, player: PlayerId) -> int:
        return self._versions.get(player, 0)

    def get_holders(self, player: PlayerId) -> Iterable[PitNumber]:
        return [pit for pit, holder in self._holders.get(player, {}).items() if not holder.is_leaving]

    def is_obeyed(self, player: PlayerId, version: int) -> bool:
        """Whether every table away from home plays by this version of his protection, or by none."""
        holders = self._holders.get(player, {}).values()
        return all(holder.version >= version for holder in holders if not holder.is_leaving)

    def find_lagging(self, player: PlayerId) -> list[PitNumber]:
        """Pits that must be told: those that are not known, or play by an older version."""
        holders, version = self._holders.get(player, {}), self.get_version(player)
        return [
            pit
            for pit, holder in holders.items()
            if not holder.is_leaving and (not holder.is_known or holder.version < version)
        ]

    def find_unused(self, player: PlayerId, besides: PitNumber, at: int) -> list[PitNumber]:
        """Pits from which room may be recalled now."""
        holders = self._holders.get(player, {})
        return [
            pit
            for pit, holder in holders.items()
            if pit != besides and not holder.is_leaving and at >= holder.held_until and holder.count_unused() != 0
        ]

    def sum_unused(self, player: PlayerId, besides: PitNumber = -1) -> Cents | None:
        """The room that other pits could give back; None where it is not known."""
        unused = [holder.count_unused() for pit, holder in self._holders.get(player, {}).items() if pit != besides]
        return None if None in unused else sum([room for room in unused if room])

    def sum_rooms(self, player: PlayerId, besides: PitNumber = -1) -> Cents | None:
        """The room that was given away and counts as used; None where it is not known."""
        total = 0
        for pit, holder in self._holders.get(player, {}).items():
            if pit == besides:
                continue
            room = holder.count_room()
            if room is None:
                return None
            total += room
        return total

    def grant(self, player: PlayerId, pit: PitNumber, at: int, wanted: Cents = 0) -> Grant:
        """The next grant for a pit: what is wanted and at least half of what is left; nothing where it is not known.

        Who wants more than there is gets nothing more: what is left is somebody else's, who may want just that.
        """
        holder = self._holders[player][pit]
        until = at + GRANT_TIME
        due = self._check.get_next_due(player)
        if at < due < until:
            until = due
        allowance, elsewhere = self._check.allowance(player, at), self.sum_rooms(player, pit)
        never, check = (allowance.never, allowance.check) if allowance else (None, None)
        self._number += 1
        number, version = GrantNumber(self._epoch, self._number), self.get_version(player)
        used = self._in_play(player) + (elsewhere or 0)
        found = self._check.find_room(player, at, until + 2 * MAX_OFFSET, used)
        if found is None:
            holder.rooms[number.number] = None
            return Grant(player, number, version, until, None, holder.counted, never=never, check=check)
        name, limit, left = found
        room, is_last = 0, False
        if elsewhere is not None and holder.is_known and never is None:
            free, unused = left - holder.open_stakes, self.sum_unused(player, pit)
            more = max(wanted, free // 2) if wanted <= free else 0
            room = max(min(left, holder.open_stakes + more), 0)
            is_last = unused is not None and wanted > free + unused
            holder.held_until = at + HOLD_TIME if 0 < wanted <= free else 0
        holder.rooms[number.number] = room
        return Grant(player, number, version, until, room, holder.counted, (name, limit), is_last, never, check)

    def recall(self, player: PlayerId, pit: PitNumber, at: int) -> Grant:
        """A grant that leaves nothing but what lies on the tables: the pit asks again when it needs more."""
        grant = self.grant(player, pit, at)
        if grant.room is None:
            return grant
        self._holders[player][pit].rooms[grant.number.number] = 0
        return replace(grant, room=0, last=False)

    def take_report(self, pit: PitNumber, epoch: int, report: Report) -> None:
        """A pit says what is in force there. Reports come in any order; only a later one tells anything new."""
        holder = self._holders.get(report.player, {}).get(pit)
        if holder is None or epoch != holder.epoch or report.number <= holder.report:
            return
        holder.report = report.number
        for number, share in enumerate(report.shares, report.first):
            if number > holder.counted:
                self.count_share(share)
                holder.counted = number
        holder.open_stakes = report.open_stakes
        if report.grant.epoch == self._epoch:
            if not holder.is_confirmed and not holder.is_known:
                self._ask_for_rounds(report.player)
            holder.is_confirmed = True
            holder.version = max(holder.version, report.version)
            holder.rooms = {number: room for number, room in holder.rooms.items() if number >= report.grant.number}

    def note_epoch(self, pit: PitNumber, epoch: int) -> None:
        """A pit has a newer owner. The one before is fenced: its grants are worth nothing, its rounds are stored."""
        for player, holders in self._holders.items():
            holder = holders.get(pit)
            if holder and epoch > holder.epoch:
                version = self.get_version(player)
                holders[pit] = Holder(epoch, False, version=version, is_leaving=holder.is_leaving)

    def _ask_for_rounds(self, player: PlayerId) -> None:
        self._readings += 1
        self.unread[player] = self._readings

    def count_rounds(self, player: PlayerId, reading: int, shares: Iterable[ShareRow]) -> None:
        """The rounds of a player as the store has them, whoever wrote them; what was counted is not counted again.

        They are read after a pit has taken a grant of this home: what it told to a home of before is in the store by
        then, and all later rounds come here. A reading that began before the last reason for one does not count.
        """
        for share in shares:
            self.count_share(share)
        if self.unread.get(player) != reading:
            return
        del self.unread[player]
        holders = self._holders.get(player, {})
        for pit, holder in [*holders.items()]:
            holder.is_known = holder.is_known or holder.is_confirmed
            if holder.is_leaving:
                del holders[pit]

    def count_share(self, share: ShareRow) -> None:
        codes = self._counted.setdefault(share.player, set())
        if share.code not in codes:
            codes.add(share.code)
            self._check.add_round(share.player, share.staked, share.returned, share.ended)

    def needs_room(self, player: PlayerId) -> bool:
        """Whether a limit of his counts stakes at all."""
        limits = self._check.get_player_limits(player).limits
        return any(name.startswith(("stake:", "loss:")) for name in limits)

    def list_unknown(self) -> Iterator[tuple[PlayerId, PitNumber]]:
        """Every pit that has to be told something before all is known."""
        for player in self._holders:
            for pit in self.find_lagging(player):
                yield player, pit
