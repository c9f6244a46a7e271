"""The game code: table, date and GMT time of the start, and a counter that makes it unique (V-66, R-01)."""

from __future__ import annotations

from functools import lru_cache

_DAY = 86_400_000


def game_code(table: str, at: int, number: int) -> str:
    """
    >>> game_code("T7", 1_794_773_105_000, 12)
    'T7-20261115-200505-12'
    """
    days, rest = divmod(at, _DAY)
    minutes, seconds = divmod(rest // 1000, 60)
    clock = minutes // 60 * 10_000 + minutes % 60 * 100 + seconds
    return f"{table}-{_date(days)}-{clock:06d}-{number}"


@lru_cache(maxsize=8)
def _date(days: int) -> str:
    """The Gregorian date of a day counted from 1970, in years that begin in March."""
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    shifted = (5 * day + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return f"{year + era * 400 + (month <= 2):04d}{month:02d}{day - (153 * shifted + 2) // 5 + 1:02d}"
