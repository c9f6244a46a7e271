"""How much is done of what is only more of the same: examples, random rounds, kills.

Tests name their full number. The daily run takes an eighth of it, or the part that a test names; `python3 dev.py soak
volume` all of it or more. What is planted must be found within what the daily run takes.
"""

from __future__ import annotations

import os

VOLUME = int(os.environ.get("VENTUNO_VOLUME", "0"))
"""How many times the full number; 0 is the daily run."""
DAILY_PART, FEWEST = 8, 2


def scale(full: int, part: int = DAILY_PART) -> int:
    """The number of this run; of the daily one the part that is named, where less than an eighth finds what is planted.

    >>> (scale(400), scale(400, 40)) if not VOLUME else (50, 10)
    (50, 10)
    """
    return full * VOLUME or max(full // part, FEWEST)
