"""The path of a bet: which files and functions of the house it passes, from its frame to the bytes that go out.

    python3 dev.py bench path [--list]

The house is `ventuno serve` on SQLite, a process of its own with a profile hook that two signals set and take away. One
player sits at the live table, another watches; chips are bet one after the other. What at least half of the bets pass
is counted: functions written in `src/ventuno` by file and name, no comprehensions. The writer's process is not part of
it, nor is what libraries do. `--list` prints them all. Exits 1 where a bet passes more than the goal.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

SOURCE = Path(__file__).resolve().parents[1] / "src" / "ventuno"
BETS, CHIP = 15, 100
FILES, FUNCTIONS = 30, 100
"""What a bet may pass at most."""
TABLE, TRACES = "Ventuno 1", "traces.jsonl"
START, STOP = signal.SIGUSR1, signal.SIGUSR2
SKIPPED = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>"}
"""Code that is part of the function around it."""


def serve_profiled(folder: Path) -> int:
    """The house in this process, with the hook under the two signals: each pair of them writes a line of names."""
    from ventuno.cli.main import main as run_command

    called: set[CodeType] = set()

    def note_call(frame: FrameType, event: str, _argument: Any) -> None:
        # A coroutine that goes on is not called: only its first line is the beginning of a call.
        if event == "call" and frame.f_lineno == frame.f_code.co_firstlineno:
            called.add(frame.f_code)

    def start(*_: object) -> None:
        called.clear()
        sys.setprofile(note_call)

    def stop(*_: object) -> None:
        sys.setprofile(None)
        source = str(SOURCE)
        names = {
            (code.co_filename.removeprefix(source + os.sep), code.co_qualname)
            for code in called
            if code.co_filename.startswith(source) and code.co_name not in SKIPPED
        }
        with (folder / TRACES).open("a") as file:
            file.write(json.dumps(sorted(names)) + "\n")

    signal.signal(START, start)
    signal.signal(STOP, stop)
    return run_command(["serve"])


async def bet_chips(port: int, pid: int, folder: Path) -> list[list[list[str]]]:
    """Play: somebody watches, somebody sits and bets; the names that each bet passed."""
    from bench.support.light_client import LightHttp, LightSocket, posted

    answers: dict[str, Any] = {}
    phase = ""

    def hear(payload: bytes) -> None:
        nonlocal phase
        message = json.loads(payload)
        if message["type"] == "answer":
            answers[message["id"]] = message["refused"]
        elif message["type"] == "table":
            phase = message["public"]["phase"]
        elif message["type"] == "step":
            for path, *value in message["public"]:
                phase = value[0] if path == ["phase"] and value else phase

    async def enter() -> LightSocket:
        http = LightHttp(port)
        person, cookie = await posted(http, "/api/guest")
        await posted(http, "/api/cashier/deposits", cookie, {"amount": 50_000}, f"deposit-{person['player']}")
        ticket = (await posted(http, "/api/ticket", cookie))[0]["ticket"]
        socket = await LightSocket.connect(f"/socket?ticket={ticket}", port, cookie, hear)
        await ask(socket, {"type": "join", "table": TABLE})
        return socket

    async def ask(socket: LightSocket, message: dict[str, Any]) -> None:
        id = f"m{len(answers)}-{time.monotonic_ns()}"
        key = {"key": id} if message["type"] == "ask" else {}
        socket.send(json.dumps({**message, **key, "id": id}).encode())
        await wait_for(lambda: id in answers, f"no answer to {message}")
        if answers[id]:
            raise SystemExit(f"{message}: {answers[id]}")

    watcher, player = await enter(), await enter()
    for command in ({"do": "bring", "amount": 50_000}, {"do": "sit", "box": 1}):
        await ask(player, {"type": "ask", "table": TABLE, "command": command})
    await wait_for(lambda: phase == "betting", "no betting", 30)
    for number in range(1, BETS + 1):
        os.kill(pid, START)
        await asyncio.sleep(0.02)
        bet = {"do": "bet", "spots": [{"box": 1, "bet": "main"}], "amount": CHIP}
        await ask(player, {"type": "ask", "table": TABLE, "command": bet})
        os.kill(pid, STOP)
        await wait_for(lambda number=number: len(read_traces(folder)) == number, "no trace")
    watcher.close()
    player.close()
    return read_traces(folder)


async def wait_for(is_true: Any, otherwise: str, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > until:
            raise SystemExit(f"path: {otherwise}")
        await asyncio.sleep(0.002)


def read_traces(folder: Path) -> list[list[list[str]]]:
    file = folder / TRACES
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def main() -> int:
    if "--house" in sys.argv:
        return serve_profiled(Path(sys.argv[-1]))
    from tests.support.house import certify
    from tests.support.server_process import ServerProcess

    with tempfile.TemporaryDirectory() as name:
        folder = certify(Path(name))
        house = ServerProcess(folder, command=(sys.executable, __file__, "--house", name), VENTUNO_BOTS="0")
        try:
            traces = asyncio.run(bet_chips(int(house.url.rpartition(":")[2]), house.process.pid, folder))
        finally:
            house.signal(signal.SIGTERM)
            house.ended()
    counts = Counter((file, function) for trace in traces for file, function in trace)
    passed = sorted(place for place, count in counts.items() if count * 2 >= len(traces))
    files = Counter(file for file, _ in passed)
    if "--list" in sys.argv:
        for file, count in files.items():
            print(f"{file} ({count}): {', '.join(function for other, function in passed if other == file)}")
    print(f"a bet passes {len(files)} files and {len(passed)} functions (goal {FILES} and {FUNCTIONS})")
    return int(len(files) > FILES or len(passed) > FUNCTIONS)


if __name__ == "__main__":
    sys.exit(main())
