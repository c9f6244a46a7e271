"""Standard output and standard error of the process, so that what becomes of them never changes a command's answer.

A reader who has left is no fault: the command goes on to its own exit code. A full disk is one, told at the end.
"""

from __future__ import annotations

import codecs
import io
import json
import sys
from typing import Any

ESCAPED = "ventuno-escaped"


class OutputStream(io.FileIO):
    """A file descriptor that keeps its first fault and takes whatever follows as written."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.fault: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.fault is None:
            try:
                return super().write(data)
            except OSError as fault:
                self.fault = fault
        return memoryview(data).nbytes

    @property
    def has_left(self) -> bool:
        return isinstance(self.fault, BrokenPipeError)


def escape(fault: UnicodeError) -> tuple[str, int]:
    r"""What an encoding lacks, as JSON writes it, so that a document stays one: `\u20ac`, never `\xe8`."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    return json.dumps(fault.object[fault.start : fault.end])[1:-1], fault.end


def is_lost() -> bool:
    """Whether what is printed reaches nobody any more: no reason to go on asking."""
    if sys.stdout is not None:
        sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, OutputStream) and raw.fault is not None


def replace_stream(name: str) -> OutputStream | None:
    """Put an outlet under a stream of `sys`; characters that it cannot write are escaped. None where it is closed."""
    stream = getattr(sys, name)
    try:
        stream.flush()
        outlet = OutputStream(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    codecs.register_error(ESCAPED, escape)
    text = io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=stream.encoding,
        errors=ESCAPED,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    setattr(sys, name, text)
    return outlet
