"""The same simulation on a Dask cluster of processes (extra `grid`)."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from ventuno.cli.main import main
from ventuno.odds.simulator.simulation import BLOCK, NotSimulated, best_strategy, machine, simulate
from ventuno.sheets import load

distributed = pytest.importorskip("distributed", reason="the extra 'grid' is not installed")

# Dask's own sockets and loops, as they are closed.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", scheduler_port=0
    )
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()


@pytest.mark.parametrize("game", ["ventuno", "duello"])
def test_grid_gives_the_result_of_one_core(game: str, address: str) -> None:
    from ventuno.odds.simulator.simulation import Grid

    sheet = load(game)
    ready = machine(sheet, best_strategy(sheet))
    rounds = 20 * BLOCK + 5
    home = simulate(sheet, ready, rounds, seed=11)
    with Grid(address) as grid:
        assert grid.cores == 2
        away = simulate(sheet, ready, rounds, seed=11, blocks=grid)
    for bet, estimate in home.bets.items():
        assert np.array_equal(estimate.counts, away.bets[bet].counts)


def test_no_scheduler_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "ventuno", "--rounds", "10", "--grid", "nowhere://x"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_missing_extra_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from ventuno.odds.simulator.simulation import Grid

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NotSimulated, match="extra"):
        Grid("tcp://127.0.0.1:1")
