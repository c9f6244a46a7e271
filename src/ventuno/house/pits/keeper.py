"""Keeps the leases of a node: looks who holds what, takes what is free and this node's to take, hands over in order.

It knows units alone, numbers with an owner each: the whole house is one of them, and pits will be many. What an owner
does with a unit is the holder's affair: it is given a `Tenure`, and returns when that has ended. Whether something is
free follows the rules of `leases`, who takes it first those of `placement`; the database's clock says when, and the
fence in each commit sees to it that no mistake about time costs anything (T-7).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from ventuno.house.pits import leases
from ventuno.house.pits.leases import LEASE, MAX_OFFSET, Lease
from ventuno.house.pits.placement import choose_node
from ventuno.house.pits.renewal import Renewal, read_clock
from ventuno.house.store import postgres
from ventuno.house.store.durability import Unsafe
from ventuno.house.store.fenced_commit import give_up_pit
from ventuno.house.store.node_sessions import (
    CHANNEL,
    LOST,
    ClusterView,
    FencedWriter,
    Holding,
    NodeTaken,
    UnconfirmedCommit,
    end_lapsed_session,
    lapse_lost,
    note_gone,
    notify_units,
    open_keeper,
    read_view,
    register,
)

WHOLE_HOUSE = 0
"""The one unit of today: all streams."""
LOOK = 0.2
"""Seconds between two looks at the leases."""
GRACE = 0.6
"""Seconds for which something free is left to the node that placement prefers."""
LOOK_SECONDS = 2 * LEASE / 1000
"""Seconds that one look may take: a line on which nothing comes any more is given up, and made anew."""
END_SECONDS = 1.0
"""Seconds that the last word to the database may take."""
COOL = 3.0
"""Seconds for which a node leaves what it has just lost or could not keep to others, where there are some."""
CAUSES = GIVEN_UP, SESSION_GONE, LAPSED, OWN = "given-up", "session-gone", "lapsed", "own"
"""Why a unit was free: its owner left it, its session is gone, its lease has lapsed, or it was this node's before."""
_log = logging.getLogger(__name__)


class Tenure:
    """A node's time as the owner of a unit, with the sessions that it commits and reads by."""

    def __init__(self, unit: int, epoch: int, writer: FencedWriter, readers: Any) -> None:
        self.unit, self.epoch, self.writer, self.readers = unit, epoch, writer, readers
        self.ending = asyncio.Event()
        """Set when the unit is to be handed over, or is lost."""
        self.is_lost = False
        self.is_left = False
        """Whether the owner leaves it to others by itself: it could not serve it."""

    def lose(self) -> None:
        """Another has it, or nobody knows: whatever waits for a commit hears at once that it failed."""
        self.is_lost = True
        self.writer.terminate()
        self.ending.set()


def list_live(view: ClusterView, *besides: str) -> list[str]:
    """Nodes that could take something now, but for some."""
    return [
        row.node
        for row in view.nodes.values()
        if row.node not in besides
        and row.has_session
        and row.seen > view.now - LEASE
        and not row.draining
        and abs(row.offset) <= MAX_OFFSET
    ]


Hold = Callable[[Tenure], Awaitable[None]]
"""Owns a unit until its tenure ends. LOST and StoreFailed: it was lost; any other fault ends the node."""


class LeaseKeeper:
    """Run it with `run`, which returns after `stop`, or raises what keeps this node from being one."""

    def __init__(
        self,
        url: str,
        node: str,
        key: bytes,
        version: str,
        hold: Hold,
        *,
        units: Iterable[int] = (WHOLE_HOUSE,),
        unsafe: bool = False,
        clock: Callable[[], int] = read_clock,
    ) -> None:
        self._url, self.node, self._key, self._version, self._hold = url, node, key, version, hold
        self._units, self._unsafe, self._clock = tuple(units), unsafe, clock
        self._instance = secrets.token_hex(4)
        self.tenures: dict[int, Tenure] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._given_up: list[Tenure] = []
        self._woken = asyncio.Event()
        self._is_stopping = False
        self._fault: BaseException | None = None
        self._session: Any = None
        self._spare: tuple[FencedWriter, Any] | None = None
        self._present: set[tuple[int, int]] = set()
        """Units and epochs whose owner's session was seen on this server."""
        self._free_since: dict[tuple[int, int], float] = {}
        self._cooling: dict[int, float] = {}
        self._renewal: Renewal | None = None
        self.takeovers: Counter[str] = Counter()
        """Units taken, by cause."""
        self.losses = self._fenced = 0

    @property
    def fenced_commits(self) -> int:
        return self._fenced + sum(tenure.writer.fenced for tenure in self.tenures.values())

    @property
    def failed_renewals(self) -> int:
        return self._renewal.failed if self._renewal else 0

    @property
    def lease_age(self) -> float:
        """Seconds since the oldest of its leases was renewed; 0 where it has none."""
        return self._renewal.age if self._renewal else 0.0

    @property
    def clock_offset(self) -> int | None:
        """Milliseconds that the database's clock is before this machine's; None where that is not known."""
        return self._renewal.offset.milliseconds if self._renewal and self._renewal.offset.is_known else None

    def find_reasons(self) -> list[str]:
        """Why this node could not take a unit now; nothing where it is fit."""
        offset = self.clock_offset
        reasons = [] if self._session is not None and self._spare else ["the database is not to be had"]
        if offset is None or abs(offset) > MAX_OFFSET:
            reasons.append(f"the clock is {'not compared' if offset is None else f'{offset} ms behind'}")
        return reasons

    async def run(self) -> None:
        """Until it is stopped and has handed over everything."""
        await self._open_session()
        try:
            await postgres.check_undivided(self._session)
            await register(self._session, self.node, self._key, self._version)
        except BaseException:
            self._session.terminate()
            raise
        renewal = self._renewal = Renewal(self._url, self.node, self._lose, self._clock)
        renewal.start()
        try:
            await self._prepare_spare()
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
            await self._close()
            await renewal.join()
        if self._fault:
            raise self._fault

    def stop(self) -> None:
        """Take nothing more, and hand over what there is."""
        self._is_stopping = True
        for tenure in self.tenures.values():
            tenure.ending.set()
        self._woken.set()

    async def _look_again(self) -> None:
        """One look; where the database is not to be had it is looked for again."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                if self._session is None:
                    await self._open_session()
                if not self._is_stopping:
                    await self._prepare_spare()
                await self._look(self._session)
        except (UnconfirmedCommit, Unsafe) as fault:
            _log.warning("a unit was not taken: %s", fault)
        except NodeTaken as fault:  # it is this node's own session of before, which has not ended yet
            _log.warning("the session of before is still there: %s", fault)
            await self._drop_sessions()
        except LOST as fault:
            _log.warning("the database is not to be had: %s: %s", type(fault).__name__, fault)
            await self._drop_sessions()
            if self._is_stopping:
                self._given_up.clear()  # nobody can be told; the leases lapse

    async def _look(self, session: Any) -> None:
        while self._given_up:
            tenure = self._given_up[0]
            if self._is_stopping:  # nobody leaves it to this node, though placement would
                await note_gone(session, self.node)
            await give_up_pit(session, tenure.unit, self.node, tenure.epoch)
            await notify_units(session)
            self._given_up.remove(tenure)
        view = await read_view(session)
        self._present |= {(unit, one.epoch) for unit, one in view.holdings.items() if one.has_session}
        me = view.nodes.get(self.node)
        is_draining = me is not None and me.draining and len(self._list_live(view, self.node)) > 0
        for unit in self._units:
            holding = view.holdings.get(unit, Holding(unit))
            if unit in self.tenures:
                if is_draining:
                    self.tenures[unit].ending.set()
            elif not (self._is_stopping or is_draining) and self._is_mine_to_take(holding, view):
                await self._take(session, holding)

    def _is_free(self, holding: Holding, view: ClusterView) -> bool:
        """By the rules of leases; also where the owner's session was there and has gone: it can never commit again."""
        lease = Lease(*holding[:4])
        offset = self.clock_offset
        if offset is None:
            return False
        return leases.may_take(lease, self.node, view.now, offset) or (
            abs(offset) <= MAX_OFFSET and self._has_lost_session(holding)
        )

    def _has_lost_session(self, holding: Holding) -> bool:
        return (holding.unit, holding.epoch) in self._present and not holding.has_session

    def _is_mine_to_take(self, holding: Holding, view: ClusterView) -> bool:
        """Free, and this node the one that should have it, or that one has let some time pass."""
        place, now = (holding.unit, holding.epoch), time.monotonic()
        if not self._is_free(holding, view):
            self._free_since.pop(place, None)
            return False
        since = self._free_since.setdefault(place, now)
        others = self._list_live(view, holding.node)
        if others and now < self._cooling.get(holding.unit, 0.0):
            return False
        return choose_node(holding.unit, [*others, self.node]) == self.node or now - since > GRACE

    def _list_live(self, view: ClusterView, but: str) -> list[str]:
        """Other nodes that could take something now."""
        return list_live(view, but, self.node)

    async def _take(self, session: Any, holding: Holding) -> None:
        if holding.node != self.node and self._has_lost_session(holding):
            await lapse_lost(session, holding.unit, holding.epoch)
        ended = await end_lapsed_session(session, holding.unit)
        writer, readers = await self._prepare_spare()
        if not await writer.take(holding, LEASE):
            return
        self._spare = None
        self._free_since.pop((holding.unit, holding.epoch), None)
        tenure = Tenure(holding.unit, writer.epochs[holding.unit], writer, readers)
        told = "took unit %d from %r at epoch %d, %d sessions ended"
        _log.info(told, holding.unit, holding.node, tenure.epoch, ended)
        self.takeovers[self._find_cause(holding)] += 1
        self.tenures[tenure.unit] = tenure
        if self._is_stopping:  # it was told so while it took
            tenure.ending.set()
        if self._renewal:
            self._renewal.add(tenure.unit, tenure.epoch)
        task = asyncio.create_task(self._keep(tenure), name="ventuno-tenure")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _find_cause(self, holding: Holding) -> str:
        """Why a unit that was held so could be taken: one of CAUSES."""
        if not holding.node:
            return GIVEN_UP
        return OWN if holding.node == self.node else SESSION_GONE if self._has_lost_session(holding) else LAPSED

    async def _keep(self, tenure: Tenure) -> None:
        """A tenure from its beginning to its end, and what is left of it."""
        try:
            await self._hold(tenure)
        except LOST as fault:
            tenure.is_lost = True
            _log.warning("unit %d was lost at epoch %d: %s", tenure.unit, tenure.epoch, fault)
        except Exception as fault:
            self._fault, tenure.is_lost = fault, True
            self.stop()
        finally:
            if self._renewal:
                self._renewal.remove(tenure.unit)
            self.losses += tenure.is_lost
            self._fenced += tenure.writer.fenced
            tenure.writer.terminate()
            tenure.readers.terminate()
            if tenure.is_lost or tenure.is_left:
                self._cooling[tenure.unit] = time.monotonic() + COOL
            del self.tenures[tenure.unit]
            self._given_up.append(tenure)
            self._woken.set()

    def _lose(self, unit: int, epoch: int) -> None:
        """The renewal found that another has it, or may have it: the database has not answered for a whole lease."""
        tenure = self.tenures.get(unit)
        if tenure and tenure.epoch == epoch and not tenure.is_lost:
            _log.warning("the lease of unit %d at epoch %d is over", unit, epoch)
            tenure.lose()

    async def _open_session(self) -> None:
        self._session = await open_keeper(self._url, self.node, self._instance)
        await self._session.add_listener(CHANNEL, lambda *_told: self._woken.set())
        self._present.clear()

    async def _prepare_spare(self) -> tuple[FencedWriter, Any]:
        """The sessions of the next tenure, made while there is time."""
        if self._spare and self._spare[0].connection.is_closed():
            self._close_spare()
        if self._spare is None:
            writer = await FencedWriter.open(self._url, self.node, unsafe=self._unsafe)
            try:
                self._spare = writer, await postgres.open_readers(self._url, f"{postgres.NODES}{self.node}/read")
            except BaseException:
                writer.terminate()
                raise
        return self._spare

    def _close_spare(self) -> None:
        if self._spare:
            writer, readers = self._spare
            writer.terminate()
            readers.terminate()
            self._spare = None

    async def _drop_sessions(self) -> None:
        if self._session is not None:
            self._session.terminate()
            self._session = None
        self._close_spare()

    async def _close(self) -> None:
        for tenure in self.tenures.values():
            tenure.lose()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._close_spare()
        if self._session is not None:
            with suppress(*LOST):
                await self._session.close(timeout=1)
