"""Hosts: each has some pits, commits what they decide in order, and tells only then. It can stop, wake, die, drain.

This is what the shell of a real host does around `Pit`, without waiting: who runs when comes from the world's seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.pit_simulation.opening import AT_HOME
from tests.support.simulation.disk import Broken
from tests.support.simulation.opening import BY_HASH
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.house.pits import leases
from ventuno.house.pits.pit import Books, Outcome, Pit
from ventuno.house.pits.placement import PitNumber
from ventuno.house.store.records import ShareRow
from ventuno.house.store.store import StaleEpoch

if TYPE_CHECKING:
    from tests.support.pit_simulation.world import World


class Owned:
    """A pit of one host: its outcomes wait for their commit, oldest first."""

    def __init__(self, pit: Pit, last: int) -> None:
        self.pit, self.last = pit, last
        self.waiting: list[Outcome] = []
        self.readings: list[tuple[PlayerId, int, list[ShareRow]]] = []
        """Rounds that were read from the disk and have not arrived yet."""


class Host:
    """One process. A stopped one keeps its memory and believes in it when it wakes."""

    def __init__(self, world: World, name: str, offset: int) -> None:
        self.world, self.name, self.offset = world, name, offset
        self.pits: dict[PitNumber, Owned] = {}
        self.is_running = True

    def read_clock(self, owned: Owned) -> int:
        """The time of a pit: its host's clock, and never before its last record (R-18)."""
        owned.last = max(owned.last, self.world.now + self.offset)
        return owned.last

    def take(self, pit: PitNumber, books: Books | None = None) -> Owned | None:
        """Become the owner of a pit: a greater epoch, the fold of what is there, clocks paused and resumed."""
        world = self.world
        epochs = world.disk.take(pit, self.name, world.now)
        if epochs is None:
            return None
        world.checks.took(pit, epochs[pit])
        owned = Owned(Pit(pit, epochs, world.seals, BY_HASH), world.disk.find_last(pit))
        owned.pit.recover(books or world.disk.read_books(pit, AT_HOME[pit]))
        self.pits[pit] = owned
        world.trace.append(f"{world.now} {self.name} takes {pit} at {epochs[pit]}")
        if books is None:
            world.checks.recovered(owned.pit)
            self.resume(owned)
        return owned

    def resume(self, owned: Owned) -> None:
        """Clocks stood still since the last record; nobody loses time by a take-over (R-06)."""
        last = owned.last
        before = {name: live.table for name, live in owned.pit.authority.tables.items()}
        owned.waiting += owned.pit.pause_tables(last)
        at = self.read_clock(owned)
        owned.waiting += owned.pit.resume_tables(at)
        for name, table in before.items():
            check_time_left(table, owned.pit.authority.tables[name].table, last, at)

    def do(self, owned: Owned, outcome: Outcome) -> None:
        """What was decided waits for the disk; mostly not for long. Of a pit that was dropped nothing is told."""
        if self.pits.get(owned.pit.number) is not owned:
            return
        if owned.pit.broken:
            raise Broken(owned.pit.broken)
        if outcome.batch or outcome.answers or outcome.messages:
            owned.waiting.append(outcome)
        if owned.waiting and (self.world.is_calm or self.world.random() < 0.75):
            self.flush(owned, len(owned.waiting))

    def flush(self, owned: Owned, most: int) -> None:
        """Commit what waits, in order, and tell. A pit that was taken by another is dropped with all that waits."""
        world, pit = self.world, owned.pit
        for place in owned.readings:
            pit.granting.count_rounds(*place)
        owned.readings = [
            (player, reading, world.disk.read_rounds(player)) for player, reading in pit.granting.unread.items()
        ]
        for _ in range(most):
            outcome = owned.waiting.pop(0)
            try:
                self.commit(owned, outcome)
            except StaleEpoch:
                world.trace.append(f"{world.now} {self.name} is fenced at {pit.number} {pit.epoch}")
                self.drop(pit.number)
                return
            for message in outcome.messages:
                world.checks.told(message)
                world.send(message)
            for key, answer in outcome.answers:
                world.answer(key, answer)

    def commit(self, owned: Owned, outcome: Outcome) -> None:
        world, pit = self.world, owned.pit
        if outcome.batch:
            world.disk.commit(pit.number, pit.epoch, outcome.batch)
            world.checks.committed(pit.number, pit.epoch, outcome.batch)
        elif outcome.answers:
            leases.check_fence(world.disk.leases[pit.number], pit.epoch)

    def drop(self, pit: PitNumber) -> None:
        self.pits.pop(pit, None)

    def lose(self, pit: PitNumber) -> None:
        """The host does not hear whether its commits were done: some were, and it gives the pit up (T-6)."""
        owned = self.pits[pit]
        try:
            for outcome in owned.waiting[: int(self.world.random() * (len(owned.waiting) + 1))]:
                self.commit(owned, outcome)
        except StaleEpoch:
            pass
        self.drop(pit)

    def die(self) -> None:
        """The process is killed and comes back empty; its name may take its pits again at once."""
        for pit in [*self.pits]:
            self.lose(pit)
        self.is_running = True

    def drain(self) -> None:
        """SIGTERM: all that was decided is committed and told, then pit by pit is given up for the next owner."""
        for pit, owned in [*self.pits.items()]:
            self.flush(owned, len(owned.waiting))
            given = leases.give_up(self.world.disk.leases[pit], self.name, owned.pit.epoch)
            if given:
                self.world.disk.leases[pit] = given
            self.drop(pit)

    def renew(self) -> None:
        """A host whose lease is no more drops the pit before its next commit tells it so."""
        disk = self.world.disk
        for pit, owned in [*self.pits.items()]:
            renewed = leases.renew(disk.leases[pit], self.name, owned.pit.epoch, self.world.now)
            if renewed:
                disk.leases[pit] = renewed
            else:
                self.drop(pit)


def check_time_left(before: Table, after: Table, last: int, at: int) -> None:
    """R-06: a clock has at least the time that was left at the last record."""
    if before.deadline is None or before.pause:
        return
    if after.deadline is None or after.deadline - at < before.deadline - last:
        raise Broken(f"R-06: {after.id} had {before.deadline - last} ms left, ends at {after.deadline} from {at}")
