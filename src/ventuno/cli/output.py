"""What a command writes: files, and standard output and error, whose fate never changes a command's answer.

A reader who has left is no fault: the command goes on to its own exit code. A full disk is one, told at the end.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ventuno.cli.errors import Fault

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


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Fault(f"{folder}: cannot be made: {fault.strerror or fault}") from None


@contextmanager
def create_private(name: str | Path) -> Iterator[BinaryIO]:
    """A new file that its owner alone reads; it has its name when it is whole, and nothing is ever overwritten."""
    path = Path(name)
    part = path.with_name(f".{path.name}.part")
    try:
        if path.exists():
            raise Fault(f"{path}: is there already; name a new file")
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except OSError as fault:
        raise Fault(f"{path}: cannot be written: {fault.strerror or fault}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_file(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as fault:
        raise Fault(f"{path}: cannot be written: {fault.strerror or fault}") from None
    print(f"wrote {path}", file=sys.stderr)
