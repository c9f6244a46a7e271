"""Keeps the pits of a node: takes those that placement gives it, hands over what a node that joins should have (T-7).

It does for many units what `LeaseKeeper` does for one, by the same rules, with as many questions for 256 as for one:
one look at all leases, one call that takes, one that renews, one that gives up, and one session that commits for all.
A pit is moved while its owner lives only in order, a few at a time, once the nodes have been the same for a moment.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from ventuno.house.pits import leases
from ventuno.house.pits.keeper import (
    COOL,
    END_SECONDS,
    GIVEN_UP,
    GRACE,
    LAPSED,
    LOOK,
    LOOK_SECONDS,
    OWN,
    SESSION_GONE,
    list_live,
)
from ventuno.house.pits.leases import LEASE, MAX_OFFSET, NOBODY, Lease
from ventuno.house.pits.pit_commits import PitCommits
from ventuno.house.pits.placement import PITS, PitNumber, choose_node, find_pit, number_unit
from ventuno.house.pits.renewal import Renewal, read_clock
from ventuno.house.store import postgres
from ventuno.house.store.durability import Unsafe
from ventuno.house.store.fenced_commit import give_up_pits
from ventuno.house.store.node_sessions import (
    CHANNEL,
    LOST,
    ClusterView,
    FencedWriter,
    Holding,
    NodeTaken,
    UnconfirmedCommit,
    check_divided,
    end_silent_sessions,
    lapse_pits,
    note_gone,
    notify_units,
    open_keeper,
    read_view,
    register,
    set_draining,
)
from ventuno.house.store.store import StaleEpoch

MOST_TAKEN = 64
"""Pits that are taken in one look: the first of them decide while the rest are read."""
MOST_MOVING = 16
"""Pits that are handed over at the same moment."""
SETTLED = 1.0
"""Seconds for which the nodes must have been the same before a pit is moved from an owner that lives."""
STAYS = COOL + 1.0
"""Seconds for which a pit stays where it was taken: who should have it may just have lost it, and take nothing yet."""
BROKEN = 30.0
"""Seconds for which a node leaves a pit alone whose books it could not read."""
_log = logging.getLogger(__name__)


class PitTenure:
    """A node's time as the owner of a pit. `epochs` are those of all pits, read when this one was taken."""

    def __init__(self, unit: int, epochs: Mapping[PitNumber, int], commits: PitCommits, readers: Any) -> None:
        self.unit, self.pit, self.epochs = unit, find_pit(unit), epochs
        self.epoch = epochs[self.pit]
        self.commits, self.readers = commits, readers
        self.began = time.monotonic()
        self.ending = asyncio.Event()
        """Set when the pit is to be handed over, or is lost."""
        self.is_lost = self.is_left = False

    def lose(self) -> None:
        """Another has it, or nobody knows: nothing that it decided and that is not durable was ever decided."""
        self.is_lost = True
        self.commits.end(self.unit)
        self.ending.set()


HoldPit = Callable[[PitTenure], Awaitable[None]]
"""Owns a pit until its tenure ends. A fault of one pit, books that are not whole, ends that pit and no other."""


class PitKeeper:
    """Run it with `run`, which returns after `stop`, or raises what keeps this node from being one."""

    def __init__(
        self,
        url: str,
        node: str,
        key: bytes,
        version: str,
        hold: HoldPit,
        *,
        pits: Iterable[PitNumber] = range(PITS),
        unsafe: bool = False,
        clock: Callable[[], int] = read_clock,
        is_fit: Callable[[], bool] = lambda: True,
    ) -> None:
        self._url, self.node, self._key, self._version, self._hold = url, node, key, version, hold
        self._units, self._unsafe, self._clock = tuple(map(number_unit, pits)), unsafe, clock
        self._is_fit = is_fit
        """Whether this node could serve a pit now: without a broker it takes none."""
        self._instance = secrets.token_hex(4)
        self.tenures: dict[int, PitTenure] = {}
        self.epochs: dict[PitNumber, int] = {}
        """Of all pits, as the last look saw them."""
        self.looked: Callable[[], object] = lambda: None
        """Called after each look."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._given_up: list[PitTenure] = []
        self._woken = asyncio.Event()
        self._is_stopping = False
        self.broken: dict[PitNumber, float] = {}
        """Pits whose books could not be read here, and when."""
        self._is_marked = False
        """Whether this node has told the others to leave it out: it is not fit."""
        self._session: Any = None
        self._readers: Any = None
        self._commits: PitCommits | None = None
        self._present: set[tuple[int, int]] = set()
        self._free_since: dict[tuple[int, int], float] = {}
        self._cooling: dict[int, float] = {}
        self._live: list[str] = []
        self._settled_at = 0.0
        self._chosen: dict[int, str] = {}
        self._renewal: Renewal | None = None
        self.takeovers: Counter[str] = Counter()
        """Pits taken, by cause."""
        self.losses = self.moved = 0
        """Pits lost, and handed over because placement gives them to another node."""

    @property
    def clock_offset(self) -> int | None:
        """Milliseconds that the database's clock is before this machine's; None where that is not known."""
        return self._renewal.offset.milliseconds if self._renewal and self._renewal.offset.is_known else None

    async def run(self) -> None:
        """Until it is stopped and has handed over everything."""
        await self._open_sessions()
        try:
            await check_divided(self._session)
            await register(self._session, self.node, self._key, self._version)
        except BaseException:
            await self._drop_sessions()
            raise
        renewal = self._renewal = Renewal(self._url, self.node, self._lose, self._clock)
        renewal.start()
        try:
            while not (self._is_stopping and not self.tenures and not self._given_up):
                await self._look_again()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), LOOK)
                self._woken.clear()
                renewal.touch()
            if self._session is not None:
                with suppress(*LOST):
                    await asyncio.wait_for(note_gone(self._session, self.node), END_SECONDS)
        finally:
            renewal.stop()
            for tenure in self.tenures.values():
                tenure.lose()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._drop_sessions()
            await renewal.join()

    def stop(self) -> None:
        """Take nothing more, and hand over what there is, a few pits at a time."""
        self._is_stopping = True
        self._woken.set()

    async def _look_again(self) -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                if self._session is None:
                    await self._open_sessions()
                await self._look(self._session)
                self.looked()
        except (UnconfirmedCommit, Unsafe) as fault:
            _log.warning("no pit was taken: %s", fault)
        except NodeTaken as fault:
            _log.warning("the session of before is still there: %s", fault)
            await self._drop_sessions()
        except LOST as fault:
            _log.warning("the database is not to be had: %s: %s", type(fault).__name__, fault)
            await self._drop_sessions()
            if self._is_stopping:
                self._given_up.clear()

    async def _look(self, session: Any) -> None:
        await self._give_up(session)
        view = await read_view(session)
        self._present |= {(unit, one.epoch) for unit, one in view.holdings.items() if one.has_session}
        self.epochs = {find_pit(unit): holding.epoch for unit, holding in view.holdings.items() if unit}
        others = list_live(view, self.node)
        await self._mark_unfit(session)
        me = view.nodes.get(self.node)
        is_draining = me is not None and me.draining and len(others) > 0
        if self._is_stopping or is_draining:
            self._hand_over(list(self.tenures))
            return
        self._choose(sorted([*others, self.node]))
        if (now := time.monotonic()) - self._settled_at > SETTLED:
            stayed = [unit for unit, tenure in self.tenures.items() if now - tenure.began > STAYS]
            self._hand_over([unit for unit in stayed if self._chosen[unit] != self.node])
        if self._commits and self._commits.is_lost and self.tenures:
            self._lose_all()
        elif self._is_fit():
            holdings = [view.holdings.get(unit, Holding(unit)) for unit in self._units if unit not in self.tenures]
            if all(_is_held(holding, self.node, view.now) for holding in holdings):
                self._free_since.clear()
            elif wanted := [holding for holding in holdings if self._is_mine_to_take(holding, view)]:
                await self._take(session, wanted[:MOST_TAKEN])

    async def _mark_unfit(self, session: Any) -> None:
        """Others give nothing to a node that would take nothing; what an operator has set stays as it is."""
        if self._is_fit() == self._is_marked:
            self._is_marked = not self._is_marked
            await set_draining(session, self.node, draining=self._is_marked)

    def _choose(self, nodes: list[str]) -> None:
        """Who should have each pit; reckoned again only when a node has come or gone."""
        if nodes != self._live:
            self._live, self._settled_at = nodes, time.monotonic()
            self._chosen = {unit: choose_node(find_pit(unit), nodes) for unit in self._units}

    def _hand_over(self, units: list[int]) -> None:
        """Let some of these end in order; the next follow when they have."""
        room = MOST_MOVING - sum(tenure.ending.is_set() for tenure in self.tenures.values())
        for unit in [unit for unit in units if not self.tenures[unit].ending.is_set()][: max(room, 0)]:
            self.moved += 1
            self.tenures[unit].ending.set()

    async def _give_up(self, session: Any) -> None:
        if self._is_stopping and self.tenures and not self._given_up:
            await set_draining(session, self.node, draining=True)  # nobody leaves them to this node
        if given := self._given_up[:]:
            await give_up_pits(session, self.node, {tenure.unit: tenure.epoch for tenure in given})
            await notify_units(session)
            self._given_up = [tenure for tenure in self._given_up if tenure not in given]

    def _is_free(self, holding: Holding, view: ClusterView) -> bool:
        offset = self.clock_offset
        if offset is None or abs(offset) > MAX_OFFSET:
            return False
        return leases.may_take(Lease(*holding[:4]), self.node, view.now, offset) or self._has_lost_session(holding)

    def _has_lost_session(self, holding: Holding) -> bool:
        return (holding.unit, holding.epoch) in self._present and not holding.has_session

    def _is_mine_to_take(self, holding: Holding, view: ClusterView) -> bool:
        place, now = (holding.unit, holding.epoch), time.monotonic()
        if not self._is_free(holding, view):
            self._free_since.pop(place, None)
            return False
        since = self._free_since.setdefault(place, now)
        is_broken = find_pit(holding.unit) in self.broken
        if (is_broken or len(self._live) > 1) and now < self._cooling.get(holding.unit, 0.0):
            return False
        return self._chosen[holding.unit] == self.node or now - since > GRACE

    async def _take(self, session: Any, wanted: list[Holding]) -> None:
        causes = {holding.unit: self._find_cause(holding) for holding in wanted}
        lost = {one.unit: one.epoch for one in wanted if causes[one.unit] == SESSION_GONE}
        if lost:
            await lapse_pits(session, lost)
        if silent := {one.node for one in wanted if causes[one.unit] == LAPSED}:
            await end_silent_sessions(session, silent, LEASE)
        commits = await self._prepare_commits()
        taken = await commits.take(causes, LEASE)
        epochs = dict.fromkeys(range(PITS), 0) | {find_pit(unit): epoch for unit, epoch in taken.epochs.items()}
        _log.info("took %d pits", len(taken.units))
        for unit in taken.units:
            tenure = self.tenures[unit] = PitTenure(unit, epochs, commits, self._readers)
            self.takeovers[causes[unit]] += 1
            if self._renewal:
                self._renewal.add(unit, tenure.epoch)
            task = asyncio.create_task(self._keep(tenure), name="ventuno-pit")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if len(taken.units) == MOST_TAKEN:
            self._woken.set()

    def _find_cause(self, holding: Holding) -> str:
        if not holding.node:
            return GIVEN_UP
        return OWN if holding.node == self.node else SESSION_GONE if self._has_lost_session(holding) else LAPSED

    async def _keep(self, tenure: PitTenure) -> None:
        """A tenure from its beginning to its end, and what is left of it."""
        try:
            await self._hold(tenure)
        except (*LOST, StaleEpoch) as fault:
            tenure.is_lost = True
            _log.warning("pit %d was lost at epoch %d: %s", tenure.pit, tenure.epoch, fault)
        except Exception:
            tenure.is_lost = True
            self.broken[tenure.pit] = time.monotonic()
            _log.exception("pit %d cannot be served at epoch %d", tenure.pit, tenure.epoch)
        finally:
            tenure.commits.end(tenure.unit)
            if self._renewal:
                self._renewal.remove(tenure.unit)
            self.losses += tenure.is_lost
            if tenure.is_lost or tenure.is_left:
                seconds = BROKEN if tenure.pit in self.broken else COOL
                self._cooling[tenure.unit] = time.monotonic() + seconds
            del self.tenures[tenure.unit]
            self._given_up.append(tenure)
            self._woken.set()

    def _lose(self, unit: int, epoch: int) -> None:
        """The renewal found that another has it, or may have it: the database has not answered for a whole lease."""
        tenure = self.tenures.get(unit)
        if tenure and tenure.epoch == epoch and not tenure.is_lost:
            tenure.lose()

    def _lose_all(self) -> None:
        """The session that commits is gone: nobody knows what it wrote last, so all begin anew (T-6)."""
        for tenure in self.tenures.values():
            tenure.lose()

    async def _open_sessions(self) -> None:
        self._session = await open_keeper(self._url, self.node, self._instance)
        await self._session.add_listener(CHANNEL, lambda *_told: self._woken.set())
        self._present.clear()

    async def _prepare_commits(self) -> PitCommits:
        """The session that commits for all pits; a new one once nothing is left of the one before."""
        if self._commits and self._commits.is_lost and not self.tenures:
            await self._close_commits()
        if self._commits is None:
            writer = await FencedWriter.open(self._url, self.node, unsafe=self._unsafe)
            try:
                await writer.name_shared(self._instance)
                self._readers = await postgres.open_readers(self._url, f"{postgres.NODES}{self.node}/read")
            except BaseException:
                writer.terminate()
                raise
            self._commits = PitCommits(writer)
        return self._commits

    async def _close_commits(self) -> None:
        if self._commits:
            await self._commits.close()
            self._readers.terminate()
            self._commits = self._readers = None

    async def _drop_sessions(self) -> None:
        """Leases and looks begin anew; pits that are owned go on for as long as their leases are renewed."""
        if self._session is not None:
            self._session.terminate()
            self._session = None
        if not self.tenures:
            await self._close_commits()


def _is_held(holding: Holding, node: str, now: int) -> bool:
    """Whether another node has it for certain: most looks see nothing else."""
    return holding.has_session and holding.until > now and holding.node not in (NOBODY, node)
