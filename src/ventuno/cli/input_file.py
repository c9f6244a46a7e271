"""What a command is given to read: a file, or standard input for `-`; one line says why it cannot be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ventuno.cli.errors import Fault

STDIN = "-"
MOST = 64 << 20
"""Bytes of a document, or of one line of an export, which may have any number of them."""


def read_document(name: str) -> bytes:
    """The whole of it; what is too long for a document is not read to its end."""
    with _open(name) as stream:
        return _check_size(stream.read(MOST + 1), name)


def read_lines(name: str) -> Iterator[bytes]:
    """Line by line, each with its end."""
    with _open(name) as stream:
        while line := stream.readline(MOST + 1):
            yield _check_size(line, name)


@contextmanager
def _open(name: str) -> Iterator[BinaryIO]:
    try:
        if name != STDIN:
            with open(name, "rb") as file:
                yield file
        elif sys.stdin is None:
            raise Fault(f"{name}: cannot be read: standard input is closed")
        else:
            yield sys.stdin.buffer
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise Fault(f"{name}: cannot be read: {reason}") from None


def _check_size(raw: bytes, name: str) -> bytes:
    if len(raw) > MOST:
        raise Fault(f"{name}: cannot be read: longer than {MOST >> 20} MiB")
    return raw
