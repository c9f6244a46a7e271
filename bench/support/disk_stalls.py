"""The disk alone: how much of the time a small write and its sync take far longer than they should.

Nobody is told of a bet before its sync: what the disk does by itself, no house can be quicker than.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

LONG = 0.03
"""Seconds of a sync that nobody expects of a disk that syncs in one millisecond."""
SIZE, PAUSE = 16 << 10, 0.003
"""Bytes of a write, and seconds between two."""


def stalled(folder: Path, seconds: float) -> float:
    """The part of the time that went into syncs longer than that; the loop's own pauses are part of the time."""
    file = os.open(folder / "probe", os.O_CREAT | os.O_RDWR | os.O_TRUNC)
    body, lost, began = os.urandom(SIZE), 0.0, time.perf_counter()
    try:
        while (now := time.perf_counter()) - began < seconds:
            os.write(file, body)
            os.fdatasync(file)
            took = time.perf_counter() - now
            lost += took if took > LONG else 0.0
            time.sleep(PAUSE)
        return lost / (time.perf_counter() - began)
    finally:
        os.close(file)
        (folder / "probe").unlink()
