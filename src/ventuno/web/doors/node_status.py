"""What a host says of itself at a port of its own, whether it owns the house or stands by: health and metrics (T-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ventuno.house.pits.keeper import CAUSES, LeaseKeeper
from ventuno.web.http.errors import NothingHere, error_response
from ventuno.web.operations.health import may_measure
from ventuno.web.operations.server import bind_port
from ventuno.web.operations.settings import Settings

LOOK = 0.02


class NodeCollector(Collector):
    """A node as it is at the moment of asking. Labels are nodes, units and causes."""

    def __init__(self, keeper: LeaseKeeper, version: str) -> None:
        self._keeper, self._version = keeper, version

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        keeper = self._keeper
        info = GaugeMetricFamily("ventuno_node_info", "Always 1; who this is.", labels=["node", "version"])
        info.add_metric([keeper.node, self._version], 1)
        yield info
        yield GaugeMetricFamily("ventuno_node_units", "Units that this node owns.", value=len(keeper.tenures))
        epochs = GaugeMetricFamily("ventuno_node_epoch", "The epoch of each unit that it owns.", labels=["unit"])
        for unit, tenure in sorted(keeper.tenures.items()):
            epochs.add_metric([str(unit)], tenure.epoch)
        yield epochs
        yield GaugeMetricFamily(
            "ventuno_node_lease_age_seconds", "Since the oldest of its leases was renewed.", value=keeper.lease_age
        )
        yield GaugeMetricFamily(
            "ventuno_node_clock_offset_seconds",
            "How far the database's clock is before its own.",
            value=(keeper.clock_offset or 0) / 1000,
        )
        takeovers = CounterMetricFamily("ventuno_node_takeovers", "Units taken, by cause.", labels=["cause"])
        for cause in CAUSES:
            takeovers.add_metric([cause], keeper.takeovers[cause])
        yield takeovers
        yield CounterMetricFamily("ventuno_node_losses", "Units lost, not handed over.", value=keeper.losses)
        yield CounterMetricFamily(
            "ventuno_node_fenced_commits", "Commits refused: another owns the unit.", value=keeper.fenced_commits
        )
        yield CounterMetricFamily(
            "ventuno_node_failed_renewals", "Renewals that did not reach the database.", value=keeper.failed_renewals
        )


def make_status_app(
    settings: Settings, keeper: LeaseKeeper, version: str, read_house: Callable[[], bytes]
) -> Starlette:
    """`read_house` gives the figures of the process, and of the house while this node owns it."""
    registry = CollectorRegistry()
    registry.register(NodeCollector(keeper, version))

    async def report_alive(_request: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def report_ready(_request: Request) -> Response:
        reasons = keeper.find_reasons()
        return JSONResponse({"ready": not reasons, "reasons": reasons}, 503 if reasons else 200)

    async def report_metrics(request: Request) -> Response:
        if not may_measure(request, settings):
            return error_response(NothingHere())
        return Response(generate_latest(registry) + read_house(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    routes = {"/healthz": report_alive, "/readyz": report_ready, "/metrics": report_metrics}
    return Starlette(routes=[Route(path, answer) for path, answer in routes.items()])


class StatusServer(uvicorn.Server):
    """Signals are the node's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve_status(
    settings: Settings, keeper: LeaseKeeper, version: str, read_house: Callable[[], bytes]
) -> AsyncIterator[None]:
    """While the node runs; CannotListen where the port is not to be had."""
    if settings.node_port is None:
        yield
        return
    port = bind_port(settings.model_copy(update={"port": settings.node_port}))
    app = make_status_app(settings, keeper, version, read_house)
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1)
    server = StatusServer(config)
    serving = asyncio.create_task(server.serve([port]), name="ventuno-status")
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(LOOK)
        yield
    finally:
        server.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)
        port.close()
