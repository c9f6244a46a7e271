"""Turnover by day and game from the rows of rounds, on each database: edges of days, what does not count."""

from __future__ import annotations

from ventuno.house.accounts.player_limits import DAY
from ventuno.house.history.turnover import Turnover, TurnoverLine
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, RoundRow, ShareRow

FIRST = 20_000
"""A day, counted from 1970."""


def make_round(code: str, ended: int, game: str, shares: dict[str, tuple[int, int]], **more: bool) -> Batch:
    marks = {"voided": False, "practice": False, **more}
    row = RoundRow(code, "table:T1", 1, 2, ended - 1_000, ended, game, "sheet", **marks)
    return Batch(
        rounds=(row,), shares=tuple(ShareRow(code, player, ended, *amounts) for player, amounts in shares.items())
    )


async def test_x10_days_and_games_are_summed_apart_to_the_cent(url: str) -> None:
    """The last millisecond of a day is its own; a round of three is one round; sums may pass 32 bits."""
    store, next_day = await open_store(url), (FIRST + 1) * DAY
    large = 3_000_000_000
    for batch in (
        make_round("a", FIRST * DAY, "ventuno", {"1": (100, 250), "2": (300, 0), "3": (50, 50)}),
        make_round("b", next_day - 1, "ventuno", {"1": (1_000, 0)}),
        make_round("c", next_day - 1, "link", {"1": (large, 1), "2": (large, 2)}),
        make_round("d", next_day, "ventuno", {"2": (700, 1_400)}),
        make_round("e", next_day, "ventuno", {"1": (900, 900)}, voided=True),
        make_round("f", next_day, "ventuno", {"1": (900, 0)}, practice=True),
        make_round("g", next_day + DAY, "ventuno", {"1": (10, 0)}),
    ):
        await store.commit(batch)
    turnover = Turnover(store)
    lines = await turnover.read(FIRST, FIRST + 1, (), (FIRST + 5) * DAY)
    assert lines == [
        TurnoverLine(FIRST, "link", 1, 2 * large, 3),
        TurnoverLine(FIRST, "ventuno", 2, 1_450, 300),
        TurnoverLine(FIRST + 1, "ventuno", 1, 700, 1_400),
    ]
    assert all(isinstance(figure, int) for line in lines for figure in (line.day, *line[2:])), "no decimals"
    await store.close()
