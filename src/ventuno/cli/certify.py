"""`ventuno certify`: exact returns from the sheets, compared with the published ones (V-20, X-04)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ventuno.cli import output, sheet_choice
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.words import say_note

if TYPE_CHECKING:
    from rich.table import Table

    from ventuno.core.rules.sheet import Sheet
    from ventuno.odds.certificate.certificate import Certificate


def arguments(parser: argparse.ArgumentParser) -> None:
    every = f"{sheet_choice.GAME_HELP}; every game when none is named"
    parser.add_argument("games", nargs="*", metavar=sheet_choice.GAME, help=every)
    sheet_choice.add_folders(parser)
    sheet_choice.add_changes(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a self-contained page")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write one certificate per sheet, named by its hash")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when a figure is not the published one."""
    games = dict.fromkeys(args.games or sheet_choice.load_games(args))
    sheets = [sheet_choice.load(args, game) for game in games]
    certificates = [_certify(sheet, compare=not args.changes) for sheet in sheets]
    if args.out:
        output.make_folder(args.out)
        for certificate in certificates:
            output.write_file(args.out / f"{certificate.sheet.hash}.json", certificate.text())
    if args.html:
        from ventuno.odds.certificate.report import render_page

        output.write_file(args.html, render_page(certificates))
    if args.json:
        print(
            json.dumps(
                {"games": [certificate.plain() for certificate in certificates]},
                indent=1,
                ensure_ascii=False,
                allow_nan=False,
            )
        )
    else:
        _print(certificates)
    return 0 if all(certificate.matches for certificate in certificates) else ANSWER_IS_NO


def _certify(sheet: Sheet, *, compare: bool) -> Certificate:
    from ventuno.odds.certificate.certificate import certify
    from ventuno.odds.exact.rules import NotSolvable

    progress = _Progress(sheet.game.id)
    try:
        return certify(sheet, compare=compare, progress=progress)
    except NotSolvable as fault:
        raise Fault(f"{sheet.game.id}: {fault}") from None
    finally:
        progress.clear()


class _Progress:
    """Says on stderr what is being computed, on a terminal only one line that changes."""

    def __init__(self, game: str) -> None:
        self.game = game

    def __call__(self, what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{self.game}: {what}", end="", file=sys.stderr, flush=True)
        elif what == "main bet":
            print(f"{self.game}: computing", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _print(certificates: list[Certificate]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for certificate in certificates:
        console.print(_table(certificate))
        for note in certificate.notes:
            console.print(f"  [dim]{say_note(note)}[/dim]")
        console.print()


def _table(certificate: Certificate) -> Table:
    from rich import box
    from rich.table import Table

    sheet = certificate.sheet
    table = Table(
        title=f"[bold]{sheet.game.name}[/bold]  [dim]{sheet.hash[:16]}[/dim]",
        caption=(
            f"[dim]{certificate.main.strategy_class}: best play, TD: the chart; "
            f"% of {sheet.published.base} stakes[/dim]"
        ),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    other = "initial" if sheet.published.base == "total" else "total"
    table.add_column("bet", no_wrap=True)
    for name in ("return %", other, "TD", "sd", "max", "published"):
        table.add_column(name, justify="right", no_wrap=True)
    for figure in certificate.figures:
        beside = figure.rtp_initial if other == "initial" else figure.rtp_total
        sign = {True: " [green]✓[/green]", False: " [red]✗[/red]", None: ""}[figure.matches]
        table.add_row(
            figure.bet,
            f"[bold]{figure.rtp:.6f}[/bold]",
            f"{beside:.4f}",
            f"{figure.rtp_td:.4f}" if figure.rtp_td is not None else "",
            f"{figure.sd:.4f}" if figure.sd is not None else "–",
            f"{figure.maximum:,g}",
            (figure.published or "") + sign,
        )
    return table
