"""R-15: every round of the account stays on line, newest first, down to each card, for longer than five years."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.house import OpenHouse
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.application import Application
from ventuno.house.history.round_detail import replay_views
from ventuno.house.store.records import RoundRow
from ventuno.house.store.store import Store
from ventuno.sheets import GAMES

AGES = (0, 1, 31, 183, 366, 5 * 366 + 1)
"""Days after the first round; the last is more than five years later."""
Sweep = Callable[[Application], None]


async def find_lost_rounds(url: str, folder: Path, sweep: Sweep = lambda _: None) -> list[str]:
    """Play a round at each age, look after everything, start again; what is missing of the history then."""
    house = OpenHouse(url, folder)
    house.certify(*GAMES)
    await house.open()
    ada = await house.joined("Ada")
    played = dict[str, list[str]]()
    for before, age in zip((0, *AGES), AGES, strict=False):
        house.clock.move((age - before) * DAY)
        await house.application.maintenance.run_once()
        table = await house.application.tables.open_solo(ada, "first-person")
        assert isinstance(table, str)
        await house.application.tables.bring(ada, table, 5_000, f"brings {age}")
        code, _ = await house.solo_round(ada, table, (Spot(1, "main"),))
        view = house.view(table, ada)
        played[code] = [card for box in view.boxes for hand in box.hands for card in hand.cards] + [*view.dealer.cards]
    sweep(house.application)
    await house.crash()
    await house.application.maintenance.run_once()
    lost = []
    page = await house.application.history.list_rounds(ada, limit=100)
    if [line.code for line in page.lines] != [*reversed(played)]:
        lost.append(f"listed are {[line.code for line in page.lines]}")
    for code, cards in played.items():
        told = await house.application.history.describe_round(ada, code)
        again = await house.application.history.read_round(ada, code)
        if isinstance(told, Refusal) or isinstance(again, Refusal):
            lost.append(code)
            continue
        shown = [card for hand in told.hands for card in hand.cards.split()] + told.dealer.split()
        steps = [len(str(public.boxes)) for _, public, _ in replay_views(again, ada)]
        if sorted(shown) != sorted(map(str, cards)) or len(steps) < 2 or not told.agrees:
            lost.append(f"{code} shows {shown}, lay {cards}")
    await house.application.close()
    return lost


async def test_r15_the_whole_account_is_on_line_for_more_than_five_years(url: str, tmp_path: Path) -> None:
    assert await find_lost_rounds(url, tmp_path / "data") == []


async def test_r15_planted_fault_a_round_that_was_swept_away_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget_old(app: Application) -> None:
        store = app.host.commits.store
        right = type(store).find_round

        async def find(self: Store, code: str) -> RoundRow | None:
            row = await right(self, code)
            return None if row is None or row.ended < app.config.clock.now() - 183 * DAY else row

        monkeypatch.setattr(type(store), "find_round", find)

    assert await find_lost_rounds(f"sqlite:///{tmp_path}/house.db", tmp_path / "data", forget_old)
