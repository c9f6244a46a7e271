"""What the long soak would say of a house that ages badly: the soak itself runs for hours (G-25)."""

from __future__ import annotations

import pytest

from bench.soak_load import LOG, Sample, judged

HOURS = 8.0


def life(last: Sample) -> list[Sample]:
    """A house that grows up in its first tenth, then stays as it is, and ends like this."""
    youth = [Sample(hour / 10, 100_000 + hour * 10_000, 1_000, 2_000, 0) for hour in range(8)]
    return [*youth, *[Sample(float(hour), 180_000, 9_000, LOG, 0) for hour in range(1, 8)], last]


def test_g25_a_house_that_stays_as_it_is_ages_well() -> None:
    assert judged(life(Sample(HOURS, 188_000, 99_000_000, LOG, 0)), HOURS) == []


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (Sample(HOURS, 190_000, 9_000, 0, 0), "memory has grown by 5.6%"),
        (Sample(HOURS, 180_000, 9_000, LOG + 1, 0), f"the log of the database had {LOG + 1} bytes"),
        (Sample(HOURS, 180_000, 9_000, 0, 2), "2 invariants broken"),
    ],
)
def test_g25_what_grows_or_breaks_is_said(last: Sample, says: str) -> None:
    assert judged(life(last), HOURS) == [says]
