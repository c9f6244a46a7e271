"""Figures of a running house for Prometheus: sockets, tables, asks, refusals, deliveries, commits, lag.

Labels come from closed sets: phases, codes of refusals, routes, kinds of status. No player, no table, no card.
"""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import Scope

from ventuno import __version__
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table.state import Phase
from ventuno.house.application import Application
from ventuno.house.store.committer import CommitMeter

if TYPE_CHECKING:
    from ventuno.web.doors.host import Doors
    from ventuno.web.sockets.hub import Hub
    from ventuno.web.video.video_hub import VideoHub

LATENCY = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
GROUP = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
EVERY = 0.5
"""Seconds between two looks at the lag of the event loop."""
OTHER = "other"
disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series that says only when the process began


class Metrics:
    """One registry for one house: what happens is observed, what is so is read when somebody asks."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        options: dict[str, Any] = {"registry": self.registry}
        self.commits = Histogram(
            "ventuno_commit_seconds", "From handing in a batch to its being durable.", buckets=LATENCY, **options
        )
        self.groups = Histogram(
            "ventuno_commit_group", "Batches that became durable in one turn of the loop.", buckets=GROUP, **options
        )
        self.lag = Histogram(
            "ventuno_loop_lag_seconds",
            "How much later than asked the event loop came back.",
            buckets=LATENCY,
            **options,
        )
        self.requests = Counter("ventuno_requests", "HTTP requests answered.", ["route", "status"], **options)
        ProcessCollector(registry=self.registry)
        self._doors: DoorCollector | None = None

    def attach(
        self, app: Application, doors: Callable[[], Hub | None], video: Callable[[], VideoHub | None] = lambda: None
    ) -> None:
        """Read this house from now on, and time its commits."""
        app.measure_commits(CommitMeter(self.commits.observe, self.groups.observe))
        self.registry.register(HouseCollector(app, doors, video))

    def attach_doors(self, doors: Doors) -> None:
        """Read its doors too, and no more those it had before."""
        if self._doors is not None:
            self.registry.unregister(self._doors)
        self._doors = DoorCollector(doors)
        self.registry.register(self._doors)

    def request(self, scope: Scope, status: int) -> None:
        """Count an answer under the pattern of its route; a path that is none is not a label."""
        route = getattr(scope.get("route"), "path", "none")
        self.requests.labels(route, f"{status // 100}xx").inc()

    def text(self) -> bytes:
        return generate_latest(self.registry)

    async def watch_lag(self) -> None:
        """For as long as the house is open."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(EVERY)
            self.lag.observe(max(time.perf_counter() - began - EVERY, 0.0))


class HouseCollector(Collector):
    """What is so at the moment of asking."""

    def __init__(self, app: Application, doors: Callable[[], Hub | None], video: Callable[[], VideoHub | None]) -> None:
        self._app, self._doors, self._video = app, doors, video

    def describe(self) -> list[Metric]:
        """Nothing to call at registration: the figures need a house that is open."""
        return []

    def collect(self) -> Iterator[Metric]:
        tables = GaugeMetricFamily("ventuno_tables", "Tables by phase.", labels=["phase"])
        tables_shown = [live.table for live in self._app.tables.get_all().values()]
        for phase in Phase:
            tables.add_metric([str(phase)], sum(table.phase is phase and table.pause is None for table in tables_shown))
        tables.add_metric(["paused"], sum(table.pause is not None for table in tables_shown))
        yield tables
        yield _gauge("books_faults", "Invariants of the books that do not hold; zero in a sound house.", self._faults())
        cuts = self._app.fairness.count_cuts().values()
        yield _count("beacons_named", "Shoes that named a round of a beacon.", sum(one.beacons_named for one in cuts))
        yield _count("beacons_signed", "Of these cut by its signature.", sum(one.beacons_signed for one in cuts))
        yield _count(
            "refused_ticks", "Deadlines that a table would not take; zero.", self._app.tables.count_refused_ticks()
        )
        parts, rounds, bytes_per_round = self._app.maintenance.measure_storage()
        sizes = GaugeMetricFamily("ventuno_store_bytes", "What the books take up on the disk.", labels=["part"])
        for part, size in parts._asdict().items():
            sizes.add_metric([part], size)
        yield sizes
        money, staked, returned = self._app.maintenance.measure_money()
        cents = GaugeMetricFamily(
            "ventuno_money_cents", "Where the money is; all of it sums to zero.", labels=["place"]
        )
        for place, amount in money.items():
            cents.add_metric([place], amount)
        yield cents
        yield _count("staked_cents", "Staked in rounds that ended, practice and voided ones not counted.", staked)
        yield _count("returned_cents", "Returned in them.", returned)
        yield _gauge("accounts", "Accounts, guests and closed ones too.", sum(1 for _ in self._app.accounts))
        seated = {seat.player for table in tables_shown for seat in table.seats if seat}
        yield _gauge("players_seated", "People who have a seat; who has several counts once.", len(seated))
        build = GaugeMetricFamily(
            "ventuno_build_info", "Always 1; what runs is in the labels.", labels=["version", "python"]
        )
        build.add_metric([__version__, platform.python_version()], 1)
        yield build
        yield _count("rounds", "Rounds that ended, practice too.", rounds)
        yield _gauge("round_bytes", "What a round has added to the books since the start.", bytes_per_round)
        if doors := self._doors():
            yield _gauge("sockets", "Open sockets.", doors.sockets)
            yield _count("asks", "Messages taken from sockets.", doors.requests)
            yield _gauge("waiting", "Messages taken and not answered yet.", doors.backlog.waiting)
            yield _count("faults", "Frames that were no message.", doors.faults)
            yield _count("deliveries", "Frames handed to sockets.", doors.deliveries)
            refusals = CounterMetricFamily("ventuno_refusals", "Refusals by code.", labels=["code"])
            for code, number in count_by_code(doors.refusals).items():
                refusals.add_metric([code], number)
            yield refusals
        if video := self._video():
            yield from measure_video(video)

    def _faults(self) -> int:
        return len(self._app.maintenance.faults)


def measure_video(video: VideoHub) -> Iterator[Metric]:
    size, frames, skipped = video.measure()
    yield _gauge("video_cameras", "Cameras that send.", video.count_publishers())
    yield _gauge("video_viewers", "Sockets that watch a stream.", video.count_viewers())
    yield _count("video_received_bytes", "Bytes taken from cameras.", video.received_bytes)
    yield _count("video_sent_bytes", "Bytes handed to viewers, at doors too.", size)
    yield _count("video_sent_frames", "Frames handed to viewers, at doors too.", frames)
    yield _count("video_skipped_frames", "Frames that viewers were too slow for.", skipped)
    yield _count(
        "video_unrecorded", "Writes of recordings that were lost.", video.recorder.lost if video.recorder else 0
    )


class DoorCollector(Collector):
    """The doors of a host as they are now; each is told from the others by a number that is free again with it."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors

    def collect(self) -> Iterator[Metric]:
        yield _gauge("doors_missing", "Doors that have gone, or stand still; zero.", self._doors.count_missing())
        sockets = GaugeMetricFamily("ventuno_door_sockets", "Open sockets at a door.", labels=["door"])
        memory = GaugeMetricFamily("ventuno_door_memory_bytes", "Memory of a door.", labels=["door"])
        cpu = CounterMetricFamily("ventuno_door_cpu_seconds", "What a door has used of a processor.", labels=["door"])
        for number, link in enumerate(sorted(self._doors.links, key=lambda link: link.process), 1):
            sockets.add_metric([str(number)], len(link.lines))
            memory.add_metric([str(number)], link.usage.memory)
            cpu.add_metric([str(number)], link.usage.cpu / 1000)
        yield from (sockets, memory, cpu)


def count_by_code(counted: Mapping[str, int]) -> dict[str, int]:
    """The refusals under the codes that the house knows; whatever else came is one number."""
    names, counts = refusal_codes(Refusal), dict[str, int]()
    for code, number in counted.items():
        name = code if code in names else OTHER
        counts[name] = counts.get(name, 0) + number
    return counts


def refusal_codes(kind: type[Refusal]) -> set[str]:
    """Every refusal there is: a closed set, known to the program."""
    return {kind.__name__, *(code for subclass in kind.__subclasses__() for code in refusal_codes(subclass))}


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"ventuno_{name}", about, value=value)


def _count(name: str, about: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(f"ventuno_{name}", about, value=value)
