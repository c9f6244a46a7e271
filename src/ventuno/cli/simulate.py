"""`ventuno simulate`: many rounds with the certified strategy, beside the exact figures of `certify`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ventuno.cli import sheet_choice
from ventuno.cli.errors import Fault

if TYPE_CHECKING:
    from ventuno.core.rules.sheet import Sheet
    from ventuno.odds.simulator.simulation import Machine, Watch
    from ventuno.odds.simulator.tally import Estimate, Result, Tally

ROUNDS, SEED = 100_000_000, 21
CUT_CARD = "  shoe with a cut card: a little below the certified return, which is that of a fresh shoe"


def arguments(parser: argparse.ArgumentParser) -> None:
    sheet_choice.add_game(parser)
    parser.add_argument("--rounds", type=_whole, default=ROUNDS, metavar="N", help=f"rounds to play (default {ROUNDS})")
    parser.add_argument("--seed", type=_whole, default=SEED, metavar="S", help=f"whole number (default {SEED})")
    parser.add_argument("--cores", type=_whole, default=None, metavar="K", help="processors to use (default all)")
    parser.add_argument(
        "--target-error", type=float, metavar="E", help="stop when the standard error of the main bet is E per cent"
    )
    parser.add_argument("--main-only", action="store_true", help="leave the side bets out: faster")
    parser.add_argument("--grid", metavar="ADDRESS", help="run on the Dask cluster with this scheduler")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _whole(text: str) -> int:
    """A whole number, also as 1e9."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(number)


def run(args: argparse.Namespace) -> int:
    sheet = sheet_choice.load(args, args.game)
    from ventuno.odds.simulator.simulation import NotSimulated

    if args.target_error is not None and not args.target_error > 0:
        raise Fault(f"--target-error: {args.target_error} is not above 0")
    try:
        result = _simulate(args, sheet)
    except NotSimulated as fault:
        raise Fault(f"simulate: {fault}") from None
    shoe = sheet.shoe.reshuffle
    if args.json:
        print(json.dumps(document(result) | {"shoe": shoe}, indent=2))
    else:
        print("\n".join([*_lines(result), *([CUT_CARD] if shoe == "cut-card" else [])]))
    return 0


def _simulate(args: argparse.Namespace, sheet: Sheet) -> Result:
    from ventuno.odds.simulator.machines import describe_cut
    from ventuno.odds.simulator.simulation import best_strategy, check_size, machine, simulate

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = cores if args.cores is None else args.cores
    check_size(args.rounds, args.seed, cores)
    with ExitStack() as stack:
        blocks = None
        if args.grid is not None:
            from ventuno.odds.simulator.simulation import Grid

            blocks = stack.enter_context(Grid(args.grid))
            cores = blocks.cores
        ready = machine(sheet, best_strategy(sheet), not args.main_only)
        if note := describe_cut(sheet):
            print(f"simulate: {note}", file=sys.stderr)
        watch = _watch(stack, sheet, ready, args.rounds, args.target_error)
        return simulate(sheet, ready, args.rounds, args.seed, cores, watch=watch, blocks=blocks)


def _watch(stack: ExitStack, sheet: Sheet, ready: Machine, rounds: int, target: float | None) -> Watch:
    """A progress bar with the running estimate, on a terminal; and the early stop."""
    from ventuno.odds.simulator.simulation import estimate_bet

    def is_reached(main: Estimate) -> bool:
        return target is not None and 100 * main.error <= target

    if not sys.stderr.isatty():
        return lambda tally: target is not None and is_reached(estimate_bet(sheet, ready, tally, "main"))
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %  {task.description}"), TimeRemainingColumn())
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True)))
    task = bar.add_task("", total=rounds)

    def watch(tally: Tally) -> bool:
        main = estimate_bet(sheet, ready, tally, "main")
        bar.update(task, completed=main.rounds, description=f"{100 * main.value:.4f} ± {100 * main.error:.4f} %")
        return is_reached(main)

    return watch


def document(result: Result) -> dict[str, Any]:
    """The JSON form; returns and errors are percentages, as in certify."""
    main = result.main
    return {
        "game": result.game,
        "sheet": result.sheet,
        "seed": result.seed,
        "cores": result.cores,
        "rounds": result.rounds,
        "seconds": result.seconds,
        "rounds_per_second": result.rounds_per_second,
        "base": main.base,
        **_figures(main),
        "bets": [{"bet": bet, **_figures(estimate)} for bet, estimate in result.bets.items()],
        "outcomes": [
            {"won": won, "staked": staked, "rounds": rounds} for (won, staked), rounds in main.count_outcomes().items()
        ],
    }


def _figures(estimate: Estimate) -> dict[str, float]:
    return {
        "return": 100 * estimate.value,
        "standard_error": 100 * estimate.error,
        "return_initial": 100 * estimate.return_initial,
        "return_total": 100 * estimate.return_total,
        "sd": estimate.sd,
    }


def _lines(result: Result) -> list[str]:
    speed = f"{result.rounds_per_second / 1e6:.1f} M rounds/s on {result.cores} core{'s' * (result.cores > 1)}"
    head = f"{result.game}  {result.rounds:,} rounds, seed {result.seed}, {result.seconds:.2f} s, {speed}"
    bets = [
        f"  {bet:16} {100 * estimate.value:10.4f} %  ± {100 * estimate.error:.4f}   sd {estimate.sd:.4f}"
        for bet, estimate in result.bets.items()
    ]
    main = result.main
    bases = f"  main: {100 * main.return_initial:.4f} % of initial, {100 * main.return_total:.4f} % of total stakes"
    return [head, *bets, bases]
