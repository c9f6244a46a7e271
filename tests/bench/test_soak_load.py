"""What the long soak would say of a house that ages badly: the soak itself runs for hours (G-25)."""

from __future__ import annotations

import pytest

from bench.soak_load import FILES, LOG, WRITER, Sample, judge, main


def live(
    memory: int = 180_000, writer: int = WRITER, files: int = 500, log: int = LOG, faults: int = 0
) -> list[Sample]:
    """A house that grows up in its first quarter of an hour, then stays as it is, and ends like this."""
    youth = [Sample(float(minute), 100_000 + minute * 4_000, 10, 100 + minute, 1_000, 2_000, 0) for minute in range(15)]
    life = [Sample(float(minute), 180_000, minute, 500, 9_000, LOG, 0) for minute in range(15, 30)]
    return [*youth, *life, Sample(30.0, memory, writer, files, 99_000_000, log, faults)]


def test_g25_houses_that_stay_as_they_are_age_well() -> None:
    assert judge([live(memory=183_000, files=500 + FILES), live(), live(memory=179_000)]) == []


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (live(memory=190_000), "memory has grown by 5.6%"),
        (live(files=501 + FILES), f"{FILES + 1} more files are open"),
        (live(writer=WRITER + 1), f"the writer had {WRITER + 1} bytes"),
        (live(log=LOG + 1), f"the log of the database had {LOG + 1} bytes"),
        (live(faults=2), "2 invariants broken"),
    ],
)
def test_g25_what_grows_or_breaks_is_said(last: list[Sample], says: str) -> None:
    assert judge([live(), last]) == [says]


def test_g25_what_each_window_gains_is_added_up() -> None:
    """A little in each of several windows is as much as all of it in one."""
    little = live(memory=183_600, files=503)
    assert judge([little, little]) == []
    assert judge([little, little, little]) == ["memory has grown by 6.0%", "9 more files are open"]


def test_g25_a_window_of_youth_alone_is_refused() -> None:
    with pytest.raises(SystemExit):
        main(["--window", "15"])
