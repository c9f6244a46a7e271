"""The ceiling from the same run: the bare server with as many sockets, groups and frames a second."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

from bench.support.light_client import HOST, LightSocket
from bench.support.report import Meter, Report
from tests.support.free_port import free_port


async def ceiling(full: dict[str, float], tables: int, sockets: int, seconds: float, report: Report) -> None:
    """The bare server, with as many sockets in groups of the same size, and frames of the same size."""
    bare = subprocess.Popen([sys.executable, str(Path(__file__).with_name("bare_server.py")), str(port := free_port())])
    try:
        await _answering(port)
        count = [0]
        group = max(sockets // tables, 1)

        def heard(_frame: bytes) -> None:
            count[0] += 1

        paths = [f"/{table}" for table in range(tables)]
        lines = [[await LightSocket.connect(path, port, "", heard) for _ in range(group)] for path in paths]
        word = b"%d x" % full["size"]
        meter, rate = Meter(bare.pid), full["deliveries"] / group
        began, sent = time.perf_counter(), 0
        meter.look()
        while (now := time.perf_counter() - began) < seconds:
            while sent < now * rate:
                lines[sent % len(lines)][0].send(word)
                sent += 1
            await asyncio.sleep(0.002)
        used = meter.look()
        cost = 1e6 * used.cpu / max(count[0], 1)
        report.line("bare uvicorn broadcast: CPU per delivery", cost, None, "µs")
        report.line("bare uvicorn broadcast: ceiling of one core", 1e6 / cost, None, "deliveries/s")
        ours = 1e6 * full["seconds"] / max(full["frames"], 1)
        report.line("the house's CPU per delivery over the bare one's", ours / cost, None, "times")
        for line in chain.from_iterable(lines):
            line.close()
        await asyncio.sleep(0.1)
    finally:
        bare.kill()
        bare.wait()


async def _answering(port: int) -> None:
    for _ in range(2_000):
        try:
            _, writer = await asyncio.open_connection(HOST, port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise TimeoutError("the bare server did not open")
