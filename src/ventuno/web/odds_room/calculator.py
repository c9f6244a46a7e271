"""The process that computes odds, as the server sees it: started when first needed, asked one thing at a time.

It is another program on pipes, so nothing it loads comes in here, and whatever becomes of it the tables play on. One
that dies is started again and asked once more; one that takes too long is ended. It ends with the server, also with
one that is killed: its input ends then.
"""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ventuno.core.messages.refusals import Refusal
from ventuno.web.operations import logs

LONGEST_ANSWER = 4 << 20
"""Bytes of an answer at most."""


class OddsClosed(Refusal):
    pass


class OddsBusy(Refusal):
    waiting: int


class OddsTooLong(Refusal):
    within: int


class OddsFailed(Refusal):
    pass


class NotComputed(Refusal):
    """The rules are legal, and there is no exact answer for them."""

    reason: str


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for an answer and for a start, and how many may wait."""

    answer: float = 10.0
    start: float = 120.0
    waiting: int = 16


class ProcessGone(Exception):
    """The process ended before it had answered."""


class Calculator:
    """`command` starts the process; an empty one is a house without odds."""

    def __init__(self, command: Sequence[str], patience: Timeouts | None = None) -> None:
        self._command, self._patience = tuple(command), patience or Timeouts()
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._starting: asyncio.Task[Process] | None = None
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """The process that answers now, if there is one."""
        started = self._starting
        return started.result().pid if started and started.done() and not is_over(started) else None

    def wake(self) -> None:
        """Begin to start it: a question will come soon."""
        if self._command and (self._starting is None or is_over(self._starting)):
            self.starts += 1
            self._starting = asyncio.create_task(self._start(), name="web-calculator")

    async def ask(self, question: Mapping[str, Any]) -> Any | Refusal:
        """The answer, or why there is none. A question that has begun is finished, whoever still waits for it."""
        if not self._command:
            return OddsClosed()
        if self._waiting >= self._patience.waiting:
            return OddsBusy(self._waiting)
        return await asyncio.shield(asyncio.create_task(self._ask_in_turn(json.dumps(question))))

    async def close(self) -> None:
        self._command = ()
        await self._end()

    async def _ask_in_turn(self, line: str) -> Any | Refusal:
        self._waiting += 1
        try:
            async with self._turn:
                for _ in range(2):
                    with suppress(ProcessGone):
                        return await self._ask_once(line)
                return OddsFailed()
        finally:
            self._waiting -= 1

    async def _ask_once(self, line: str) -> Any | Refusal:
        try:
            async with asyncio.timeout(self._patience.answer):
                process = await self._ready()
        except TimeoutError:
            return OddsBusy(self._waiting)
        try:
            async with asyncio.timeout(self._patience.answer):
                answer = await exchange(process, line)
        except TimeoutError:
            logs.log.warning("the calculator takes too long")
            await self._end()
            return OddsTooLong(round(self._patience.answer))
        except ProcessGone:
            logs.log.warning("the calculator is gone", code=process.returncode)
            await self._end()
            raise
        if "fault" in answer:
            logs.log.error("the calculator failed", kind=str(answer["fault"]))
            return OddsFailed()
        return NotComputed(answer["no"]) if "no" in answer else answer["told"]

    async def _ready(self) -> Process:
        self.wake()
        if self._starting is None:
            raise ProcessGone
        try:
            return await asyncio.shield(self._starting)
        except (OSError, ProcessGone, ValueError) as fault:
            logs.log.error("the calculator does not start", kind=type(fault).__name__)
            raise ProcessGone from None

    async def _start(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_ANSWER, start_new_session=True
        )
        try:
            async with asyncio.timeout(self._patience.start):
                assert process.stdout is not None
                if not await process.stdout.readline():
                    raise ProcessGone
        except BaseException as fault:
            await kill(process)
            if isinstance(fault, TimeoutError):
                raise ProcessGone from None
            raise
        return process

    async def _end(self) -> None:
        started, self._starting = self._starting, None
        if started is None:
            return
        if not started.done():
            started.cancel()
        with suppress(asyncio.CancelledError, OSError, ProcessGone, ValueError):
            await kill(await started)


def is_over(started: asyncio.Task[Process]) -> bool:
    if not started.done():
        return False
    return started.cancelled() or started.exception() is not None or started.result().returncode is not None


async def exchange(process: Process, line: str) -> Mapping[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(line.encode() + b"\n")
        await process.stdin.drain()
        answer = json.loads(await process.stdout.readline() or b"null")
    except (OSError, ValueError):
        raise ProcessGone from None
    if not isinstance(answer, dict):
        raise ProcessGone
    return answer


async def kill(process: Process) -> None:
    """Killed, and its remains taken away: it holds nothing that could be lost."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
