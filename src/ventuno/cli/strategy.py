"""`ventuno strategy`: the best-play chart of a game, in colours, as a drawing or as data."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ventuno.cli import output, sheet_choice
from ventuno.cli.errors import Fault
from ventuno.words import say_note

if TYPE_CHECKING:
    from rich.text import Text

    from ventuno.core.rules.sheet import Sheet
    from ventuno.odds.bets.main_bet import MainBet
    from ventuno.odds.certificate import chart_panels


def arguments(parser: argparse.ArgumentParser) -> None:
    sheet_choice.add_game(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document on stdout")
    form.add_argument("--svg", type=Path, metavar="FILE", help="write the chart as a drawing")


def run(args: argparse.Namespace) -> int:
    sheet = sheet_choice.load(args, args.game)
    from ventuno.odds.bets.main_bet import solve_main_bet
    from ventuno.odds.exact.rules import NotSolvable

    try:
        best = solve_main_bet(sheet)
    except NotSolvable as fault:
        raise Fault(f"{sheet.game.id}: {fault}") from None
    if args.json:
        print(json.dumps(_plain(sheet, best), indent=1, ensure_ascii=False, allow_nan=False))
    elif args.svg:
        from ventuno.odds.certificate.svg import strategy

        across = 5 if best.duel is not None else 3
        output.write_file(
            args.svg, strategy(best.panels(), f"{sheet.game.name}: best play", _summary(sheet, best), across)
        )
    else:
        _print(sheet, best)
    return 0


def _plain(sheet: Sheet, best: MainBet) -> dict[str, Any]:
    total = sheet.published.base == "total"
    return {
        "game": sheet.game.id,
        "sheet": sheet.hash,
        "base": sheet.published.base,
        "rtp": best.rtp_total if total else best.rtp_initial,
        "rtp_td": best.td_total if total else best.td_initial,
        "strategy": best.strategy(),
        "notes": [note.plain() for note in best.notes],
    }


def _summary(sheet: Sheet, best: MainBet) -> str:
    figures = _plain(sheet, best)
    return (
        f"{sheet.shoe.decks} decks; this chart returns {figures['rtp_td']:.4f} % of {figures['base']} stakes,"
        f" best play {figures['rtp']:.4f} %"
    )


def _print(sheet: Sheet, best: MainBet) -> None:
    from rich.columns import Columns
    from rich.console import Console
    from rich.text import Text

    from ventuno.odds.certificate.chart_panels import INKS, legend

    console = Console(highlight=False)
    console.print(f"[bold]{sheet.game.name}[/bold]  [dim]{_summary(sheet, best)}[/dim]\n")
    many = best.panels()
    console.print(Columns([_block(panel) for panel in many], padding=(1, 4)))
    key = Text()
    for action, sample, meaning in legend(many):
        ground, ink = INKS[action]
        key.append(f" {sample} ", style=f"bold {ink} on {ground}")
        key.append(f" {meaning}   ")
    console.print()
    console.print(key)
    if best.chart is not None:
        console.print(f"Insurance: {'take it' if best.chart.insure else 'never'}")
    else:
        console.print("Row and column are the two community cards; a cell says which of them to take.")
    for note in best.notes:
        console.print(f"[dim]{say_note(note)}[/dim]")


def _block(panel: chart_panels.Panel) -> Text:
    """One block as coloured text: two characters and a blank for each cell."""
    from rich.text import Text

    from ventuno.odds.certificate.chart_panels import INKS

    wide = max(len(label) for label, _ in panel.rows)
    block = Text(panel.title, style="bold")
    block.append("\n" + " " * (wide + 1) + "".join(f" {column} " for column in panel.columns), style="dim not bold")
    for label, cells in panel.rows:
        block.append(f"\n{label.rjust(wide)} ", style="not bold")
        for cell in cells:
            ground, ink = INKS.get(cell.action, ("", ""))
            block.append(f" {cell.text:<2}", style=f"bold {ink} on {ground}" if ground else "")
    return block
