"""A house of several hosts in a bottle: one seed is one world, with its faults (T-1).

Messages are lost, doubled, late and out of order; hosts stop, wake as zombies, die, drain; any pit is taken over at any
step; players sit away from home, move money, bet, lower limits and exclude themselves meanwhile.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from hashlib import sha256

from tests.support.pit_simulation.clients import Ask, Clients
from tests.support.pit_simulation.disk import Disk
from tests.support.pit_simulation.hosts import Host, Owned
from tests.support.pit_simulation.opening import AT_HOME, HOMES, PITS, VARIANTS, make_opening
from tests.support.pit_simulation.sealed_shoes import bring_shoe, make_seals
from tests.support.simulation.disk import Broken
from tests.support.simulation.opening import BY_HASH, START
from ventuno.core.messages.commands import Tick
from ventuno.core.rules.money import PlayerId
from ventuno.house.pits.leases import MAX_OFFSET
from ventuno.house.pits.messages import Message
from ventuno.house.pits.pit import Outcome, Pit
from ventuno.house.pits.placement import PitNumber
from ventuno.house.tables.authority import Answer, Request

STEPS = 24
HOSTS = ("h1", "h2", "h3")
LOST, DOUBLED, LATE = 0.05, 0.08, 0.14
BETWEEN_HOSTS = 0.6
"""Between hosts more goes wrong than between players and hosts: so much less is the chance that nothing does."""
ROUNDS_TO_END = 40
"""So often everybody may say again what was not answered, once nothing goes wrong any more."""
_PAUSES = (0, 20, 90, 400, 900)
DAY = 86_400_000

Item = Message | Ask | tuple[str, Answer]


class World:
    """One seed: a disk, its hosts, the players, and everything that goes wrong between them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.random = self.chance.random
        self.seals = make_seals(self.chance.randbytes)
        self.now = START
        self.trace: list[str] = []
        self.is_calm = True
        opening = make_opening(int(self.random() * VARIANTS))
        self.solo = opening.solo
        self.disk: Disk = opening.disk.copy()
        self.checks = opening.checks.begin(self.disk)
        self.late: list[Item] = []
        self.soon: deque[Item] = deque()
        self.hosts = [Host(self, name, int((self.random() * 2 - 1) * MAX_OFFSET)) for name in HOSTS]
        self.clients = Clients(self)
        for pit in PITS:
            books = self.disk.read_books(pit, AT_HOME[pit])
            owned = self.pick_host().take(pit, replace(books, tables=()))
            assert owned is not None
            owned.pit.authority.tables.update(opening.rooms[pit])
        if self.random() < 0.6:
            self.settle(2)
        self.is_calm = False

    def pick_host(self) -> Host:
        return self.hosts[int(self.random() * len(self.hosts))]

    def find_owner(self, pit: PitNumber, epoch: int) -> tuple[Host, Owned] | None:
        """Who listens under this epoch of a pit: also one that stands still, or is a zombie."""
        for host in self.hosts:
            owned = host.pits.get(pit)
            if owned and owned.pit.epoch == epoch:
                return host, owned
        return None

    def get_current(self, pit: PitNumber) -> tuple[Host, Owned] | None:
        return self.find_owner(pit, self.disk.leases[pit].epoch)

    def send(self, item: Item) -> None:
        """Into the network."""
        dice = 1.0 if self.is_calm else self.random()
        if isinstance(item, Message):
            dice *= BETWEEN_HOSTS if dice < 1 else 1
        if dice < LOST:
            return
        if dice < LOST + LATE:
            self.late.append(item)
            return
        self.soon.append(item)
        if dice < LOST + LATE + DOUBLED:
            self.late.append(item)

    def answer(self, key: str, answer: Answer) -> None:
        """A host answers a request; what it says must be true even if nobody hears it."""
        ask = self.clients.asks.get(key)
        if ask:
            self.checks.answered(key, answer, ask.player, is_change=ask.change is not None)
            self.send((key, answer))

    def deliver(self, item: Item) -> None:
        if isinstance(item, Message):
            found = self.find_owner(item.receiver, item.receiver_epoch)
            if found and self._listens(found[0], item):
                host, owned = found
                host.do(owned, owned.pit.receive(item, host.read_clock(owned)))
        elif isinstance(item, Ask):
            found = self.find_owner(item.pit, item.epoch)
            if found and self._listens(found[0], item):
                self._ask(*found, item)
        else:
            self.clients.hear(*item)

    def _listens(self, host: Host, item: Item) -> bool:
        """What comes for a host that stands still waits in its buffers until it wakes."""
        if not host.is_running:
            self.late.append(item)
        return host.is_running

    def _ask(self, host: Host, owned: Owned, ask: Ask) -> None:
        at = host.read_clock(owned)
        if ask.change:
            outcome = owned.pit.change_limits(ask.player, ask.key, ask.digest, ask.change(at), at)
        else:
            assert ask.command is not None
            request = Request(ask.table, replace(ask.command, at=at), ask.key, ask.player)
            outcome = owned.pit.ask(request)
        self.trace.append(f"{at} {host.name} {ask.key} {[answer.refused for _, answer in outcome.answers]}")
        host.do(owned, outcome)

    def deliver_soon(self) -> None:
        """What is not late arrives in the order it was sent; what it causes follows, up to a bound."""
        for _ in range(60):
            if not self.soon:
                return
            self.deliver(self.soon.popleft())
        self.late += self.soon
        self.soon.clear()

    def step(self) -> None:
        """One thing happens; then what is not late arrives."""
        dice = self.random()
        self.now += _PAUSES[int(self.random() * 5)]
        if dice < 0.54:
            self.clients.act()
            self.deliver_soon()
            if self.random() < 0.6:
                self.clients.act()
        elif dice < 0.56:
            self.house_acts(PITS[int(self.random() * len(PITS))])
        elif dice < 0.66:
            self.deliver_late()
        elif dice < 0.74:
            self.clients.repeat()
        elif dice < 0.81:
            self.remind()
        elif dice < 0.85:
            host = self.pick_host()
            for owned in [*host.pits.values()] if host.is_running else []:
                host.flush(owned, int(self.random() * (len(owned.waiting) + 1)))
        else:
            self.go_wrong()
        self.deliver_soon()
        if self.random() < 0.5:
            host = self.pick_host()
            if host.is_running:
                host.renew()
        self.look()

    def go_wrong(self) -> None:
        host, dice = self.pick_host(), self.random()
        if dice < 0.2:
            self.stop(host)
        elif dice < 0.4:
            self.wake()
        elif dice < 0.48:
            host.die()
        elif dice < 0.53 and host.is_running:
            host.drain()
        elif dice < 0.6 and host.is_running and host.pits:
            host.lose([*host.pits][int(self.random() * len(host.pits))])
        elif dice < 0.63:
            self.now += DAY - 30_000
        else:
            self.take_over()
        self.trace.append(f"{self.now} {[(one.name, one.is_running, [*one.pits]) for one in self.hosts]}")

    def stop(self, host: Host) -> None:
        """A host stands still; mostly the others take some of its pits meanwhile."""
        host.is_running = False
        running = [other for other in self.hosts if other.is_running]
        if running and self.random() < 0.7:
            self.now += 3_001
            for pit in [*host.pits]:
                if self.random() < 0.7:
                    running[int(self.random() * len(running))].take(pit)

    def wake(self) -> None:
        """Who stood still goes on as if nothing had been: his timers strike, his buffers are read."""
        for host in self.hosts:
            if not host.is_running:
                host.is_running = True
                for pit, owned in [*host.pits.items()]:
                    if self.random() < 0.6:
                        self._remind(host, pit, owned)

    def take_over(self) -> None:
        """A running host takes a pit, if its lease allows it; time passes so that it often does."""
        running = [host for host in self.hosts if host.is_running]
        pit = PITS[int(self.random() * len(PITS))]
        if self.random() < 0.5:
            self.now += 3_001
        if running:
            running[int(self.random() * len(running))].take(pit)

    def deliver_late(self) -> None:
        for _ in range(4):
            if self.late:
                self.deliver(self.late.pop(int(self.random() * len(self.late))))

    def remind(self) -> None:
        """Owners say again what was not answered, and read who owns the other pits by now."""
        for host in self.hosts:
            for pit, owned in [*host.pits.items()] if host.is_running else []:
                if self.is_calm or self.random() < 0.5:
                    self._remind(host, pit, owned)

    def _remind(self, host: Host, pit: PitNumber, owned: Owned) -> None:
        noted = [owned.pit.note_epoch(other, epoch) for other, epoch in self.disk.read_epochs().items() if other != pit]
        answers = tuple(answer for outcome in noted for answer in outcome.answers)
        host.do(owned, Outcome(answers=answers))
        host.do(owned, owned.pit.remind(host.read_clock(owned)))

    def house_acts(self, pit: PitNumber) -> None:
        """Shoes are brought, clocks strike."""
        found = self.get_current(pit)
        if found is None or not found[0].is_running:
            return
        host, owned = found
        for name, live in [*owned.pit.authority.tables.items()]:
            table = live.table
            if table.shoe is None:
                for outcome in bring_shoe(owned.pit, name, self.random, host.read_clock(owned)):
                    host.do(owned, outcome)
            elif table.deadline is not None and not table.pause:
                self.now = max(self.now, table.deadline - host.offset)
                host.do(owned, owned.pit.command(name, Tick(host.read_clock(owned)), "tick"))
            if pit not in host.pits:
                return

    def list_owners(self) -> list[Pit]:
        found = [self.get_current(pit) for pit in PITS]
        return [owner[1].pit for owner in found if owner]

    def look(self) -> None:
        """After every step: what is granted is within the limits."""
        if not self.checks.promised:
            return
        owners = self.list_owners()
        for player in self.checks.promised:
            self.checks.check_grants(player, owners, self.now)

    def settle(self, most: int = ROUNDS_TO_END) -> int:
        """Nothing goes wrong any more: everything that is open comes to its end. Gives how long that took."""
        for turn in range(most):
            for pit in PITS:
                if self.get_current(pit) is None:
                    self.now += 3_001
                    self.pick_host().take(pit)
            for host in self.hosts:
                for owned in [*host.pits.values()]:
                    host.flush(owned, len(owned.waiting))
            self.soon += self.late
            self.late.clear()
            while self.soon:
                self.deliver(self.soon.popleft())
            if not self.find_open():
                return turn
            self.clients.repeat_all()
            self.remind()
            self.now += 500
        return most

    def find_open(self) -> str:
        """What has not come to its end, or nothing."""
        if self.clients.open:
            return f"{[*self.clients.open]} are not answered"
        if moving := [key for key, state in self.checks.moves.seen.items() if state != "ended"]:
            return f"{moving} have not ended"
        owners = self.list_owners()
        lagging = [place for owner in owners for place in owner.granting.list_unknown()]
        return f"{lagging} have not heard of their limits" if lagging else ""

    def run(self, steps: int = STEPS) -> bytes:
        """Live through all steps, then let everything end; gives the digest of the trace."""
        for _ in range(steps):
            self.step()
        self.is_calm = True
        for host in self.hosts:
            host.is_running = True
        self.settle()
        if left := self.find_open():
            raise Broken(f"T-1: faults have stopped, and {left}")
        for pit in PITS:
            found = self.get_current(pit)
            if found is None:
                raise Broken(f"T-1: nobody has pit {pit}")
            self.checks.agrees(found[1].pit)
            if self.random() < 0.34:
                self.checks.recovered(self._fold_again(found[1].pit))
        self.look()
        self.checks.whole()
        for pit in PITS:
            ends = [records[-1].hash.hex() for records in self.disk.pits[pit].streams.values()]
            self.trace.append(f"{pit} {self.disk.leases[pit].epoch} {' '.join(ends)}")
        return sha256("\n".join(self.trace).encode()).digest()

    def _fold_again(self, owner: Pit) -> Pit:
        """A second host that folds the same pit."""
        again = Pit(owner.number, self.disk.read_epochs(), self.seals, BY_HASH)
        again.recover(self.disk.read_books(owner.number, AT_HOME[owner.number]))
        return again

    def end(self) -> None:
        """Hosts know their world: without them nothing is left to be collected."""
        self.hosts.clear()

    def home(self, player: PlayerId) -> PitNumber:
        return HOMES[player]
