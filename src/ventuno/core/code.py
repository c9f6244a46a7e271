"""The game code: table, date and GMT time of the start, and a counter that makes it unique (V-66, R-01)."""

from __future__ import annotations

_DAY = 86_400_000


def game_code(table: str, at: int, number: int) -> str:
    """
    >>> game_code("T7", 1_794_773_105_000, 12)
    'T7-20261115-190505-12'
    """
    days, rest = divmod(at, _DAY)
    year, month, day = _civil(days)
    seconds = rest // 1000
    clock = f"{seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}"
    return f"{table}-{year:04d}{month:02d}{day:02d}-{clock}-{number}"


def _civil(days: int) -> tuple[int, int, int]:
    """The Gregorian date of a day counted from 1970, in years that begin in March."""
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    shifted = (5 * day + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, day - (153 * shifted + 2) // 5 + 1
