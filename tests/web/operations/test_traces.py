"""Traces: a span for each request and each command at a table, the durable write below it, and nothing where off."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.support.house import key
from tests.support.in_process_house import LIVE, InProcessHouse
from ventuno.cli.extras import ExtraMissing, name_missing_extras
from ventuno.core.messages.commands import TakeSeat
from ventuno.web.operations.traces import start


async def test_a_request_a_command_and_its_write_are_spans(entrance: InProcessHouse) -> None:
    spans = InMemorySpanExporter()
    traces = entrance.app.state.traces = start("", SimpleSpanProcessor(spans))
    entrance.application.trace(traces)
    ada, client = await entrance.visitor("Ada", 50_000)
    async with client:
        body, headers = {"amount": 1_000}, {"Idempotency-Key": key()}
        assert (await client.post("/api/cashier/deposits", json=body, headers=headers)).status_code == 200
    await entrance.application.tables.bring(ada, LIVE, 10_000, key())
    assert not (await entrance.application.tables.ask(ada, LIVE, TakeSeat(ada, 1, 0), key())).refused
    told = {span.name: span for span in spans.get_finished_spans()}
    request, command = told["POST /api/cashier/deposits"], told["TakeSeat"]
    assert request.attributes is not None
    assert request.attributes["http.response.status_code"] == 200
    parents = {
        span.parent.span_id for span in spans.get_finished_spans() if span.name == "durable write" and span.parent
    }
    for span in (request, command, told["BringMoney"]):
        assert span.context is not None
        assert span.context.span_id in parents, span.name
    text = " ".join(span.to_json() for span in spans.get_finished_spans())
    assert "Ada" not in text
    assert LIVE not in text
    assert "127.0.0.1" not in text
    traces.stop()


def test_nothing_is_loaded_where_no_collector_is_named() -> None:
    """The interface alone may be there: other libraries look for it too."""
    program = (
        "import sys, ventuno.cli.serve; print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(ExtraMissing, match=r"needs the extra `otel`"), name_missing_extras(["serve"]):
        start("http://127.0.0.1:4318/v1/traces")
