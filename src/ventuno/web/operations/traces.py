"""Traces by OpenTelemetry, where the settings name a collector: one span for each request and each command at a table,
with the durable write below it.

Spans say what kind of thing was done and how long it took. No player, no table, no card, no address is in them.
Nothing of it is imported, and nothing is measured, where no collector is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span, Tracer


class Traces:
    """What measures; `stop` hands out what is still waiting."""

    def __init__(self, tracer: Tracer, stop: Callable[[], None]) -> None:
        self._tracer, self.stop = tracer, stop

    @contextmanager
    def measure(self, name: str) -> Iterator[Span]:
        """A span around what is done here; what is done within lies below it."""
        with self._tracer.start_as_current_span(name) as span:
            yield span

    def begin(self, name: str) -> Callable[[], None]:
        """A span below the one around it, until the result is called."""
        return self._tracer.start_span(name).end


class TraceMiddleware:
    """One span for each HTTP request, named by the pattern of its route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        traces: Traces | None = scope["app"].state.traces if scope["type"] == "http" else None
        if traces is None:
            await self._app(scope, receive, send)
            return
        with traces.measure(scope["method"]) as span:

            async def send_watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await self._app(scope, receive, send_watched)
            route = getattr(scope.get("route"), "path", "none")
            span.update_name(f"{scope['method']} {route}")
            span.set_attribute("http.request.method", scope["method"])
            span.set_attribute("http.route", route)


def start(collector: str, processor: SpanProcessor | None = None) -> Traces:
    """Send spans to a collector that speaks OTLP over HTTP; ModuleNotFoundError without the extra `otel`."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if processor is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        processor = BatchSpanProcessor(OTLPSpanExporter(endpoint=collector))
    provider = TracerProvider(resource=Resource({"service.name": "ventuno", "service.version": __version__}))
    provider.add_span_processor(processor)
    return Traces(provider.get_tracer("ventuno", __version__), provider.shutdown)
