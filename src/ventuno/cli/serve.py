"""`ventuno serve`: the house, open to players until it is stopped (R-06, G-23).

Exit codes: 0 stopped as asked · 1 the house cannot open or cannot go on (a supervisor may start it again) · 2 wrong
settings · 130 ended by a second signal.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from ventuno import sheets
from ventuno.cli.beacon_chain import read_chain_file
from ventuno.cli.book_source import SHEETS, read_named, require_driver
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.extras import explain_missing
from ventuno.cli.table_games import resolve_games
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import read
from ventuno.core.rules.switches import SheetError
from ventuno.house.config import CERTIFICATES, Config
from ventuno.house.shoes.beacon import QUICKNET, BeaconUnsupported
from ventuno.house.store.durability import BooksMissing, StoreInconsistent, Unsafe
from ventuno.house.store.signing_key import KeyUnfit
from ventuno.house.store.store import HouseOpen, NodeUnfit, StoreFailed
from ventuno.house.tables.beacon_client import BeaconClient
from ventuno.sheets import SheetFile
from ventuno.web.doors.processes import serve_door, serve_host
from ventuno.web.doors.supervisor import Place, Supervisor
from ventuno.web.operations import logs
from ventuno.web.operations.opening import CannotOpenTable, find_uncertified
from ventuno.web.operations.server import CannotListen, bind_port, serve
from ventuno.web.operations.settings import Settings, SettingsUnfit

PRIVATE = 0o077
"""The books hold undealt cards: whatever is made here is its owner's alone."""
CALCULATOR = (sys.executable, "-m", "ventuno.odds.worker")
"""What computes odds, as a process of its own: the server never loads it."""
_WILL_NOT_OPEN = (
    *(
        CannotListen,
        HouseOpen,
        BooksMissing,
        StoreInconsistent,
        Unsafe,
        CannotOpenTable,
        StoreFailed,
        NodeUnfit,
        KeyUnfit,
    ),
    *(OSError, sqlite3.Error, SQLAlchemyError),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", metavar="H", help="address to listen on, 127.0.0.1 by default")
    parser.add_argument("--port", metavar="P", type=int, help="port to listen on, 2121 by default")
    parser.add_argument("--database", metavar="URL", help="a file of SQLite, or the address of a PostgreSQL database")
    parser.add_argument("--role", choices=("all", "host", "door"), help="what this process of several machines does")
    parser.add_argument("--node", metavar="NAME", help="name of this process among those of several machines")
    parser.add_argument("--broker", metavar="URL", help="servers of NATS between several machines, tls://n1,n2,n3")
    parser.add_argument("--data", metavar="FOLDER", help="books, key and certificates of this house")
    parser.add_argument("--sheets", metavar="FOLDER", action="append", help="a folder of sheets of your own")
    parser.add_argument("--public-origin", metavar="URL", help="the https address that players type")
    parser.add_argument("--bots", metavar="N", type=int, help="players of the house at one live table, labelled so")
    parser.add_argument(
        "--doors", metavar="N", type=int, help="processes for the sockets, for more cores; 0 by default"
    )
    parser.add_argument("--unsafe", action="store_true", default=None, help="accept a database that may lose play")
    parser.add_argument("--accept", metavar="REASON", help="take this program though its files have changed (R-19)")
    parser.add_argument(
        "--new-house", action="store_true", default=None, help="begin new books under the key of an older house"
    )
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), help="the least that is logged")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings in TOML; see docs/operations.md")


def run(given: argparse.Namespace) -> int:
    server_settings, files = _read_all(given)
    logs.configure(server_settings.log_level)
    if server_settings.role == "door":
        return _serve_door(server_settings)
    require_driver(server_settings.url)
    before = os.umask(PRIVATE)
    try:
        config = make_config(server_settings, files)
        certify(server_settings, find_uncertified(server_settings, config))

        def reread() -> Settings:
            return resolve_games(read_named(given.config, vars(given)), given.config)[0]

        if server_settings.role == "host":
            return _serve_node(server_settings, config, reread)
        if server_settings.doors:
            return _supervise(server_settings, config, reread)
        with _loop() as loop:
            return loop.run(serve(server_settings, config, _announce, CALCULATOR, reread))
    except (Fault, ModuleNotFoundError):
        raise
    except _WILL_NOT_OPEN as fault:
        raise Fault(f"the house does not open: {fault}", ANSWER_IS_NO) from None
    except Exception as fault:
        logs.log.exception("not foreseen")
        raise Fault(f"the house does not open: {type(fault).__name__}: {fault}", ANSWER_IS_NO) from None
    finally:
        os.umask(before)


def _supervise(server_settings: Settings, config: Config, reread: Callable[[], Settings]) -> int:
    """The house as several processes; each says itself why it does not open."""

    def run_host(place: Place) -> int:
        try:
            with _loop() as loop:
                return loop.run(serve_host(server_settings, config, place, _announce, CALCULATOR, reread))
        except _WILL_NOT_OPEN as fault:
            print(f"the house does not open: {fault}", file=sys.stderr)
        except Exception:
            logs.log.exception("not foreseen")
        return ANSWER_IS_NO

    def run_door(place: Place) -> int:
        with _loop() as loop:
            return loop.run(serve_door(server_settings, place))

    return Supervisor(bind_port(server_settings), run_host, run_door, server_settings.doors).run()


def _serve_node(server_settings: Settings, config: Config, reread: Callable[[], Settings]) -> int:
    """A host of a house on several machines: it decides while its node owns the house, and stands by otherwise."""
    try:
        from ventuno.web.doors.broker_host import serve_doors_over_broker
        from ventuno.web.doors.node import serve_node
    except ModuleNotFoundError as fault:
        raise explain_missing("--broker: NATS", fault.name or str(fault)) from None
    with _loop() as loop:
        return loop.run(
            serve_node(server_settings, config, serve_doors_over_broker, _announce_node, CALCULATOR, reread)
        )


def _serve_door(server_settings: Settings) -> int:
    """A door of a house on several machines: no books, no key, no database."""
    try:
        from ventuno.web.doors.broker_door import serve_broker_door
    except ModuleNotFoundError as fault:
        raise explain_missing("--broker: NATS", fault.name or str(fault)) from None
    try:
        with _loop() as loop:
            return loop.run(serve_broker_door(server_settings, _announce_door))
    except (CannotListen, OSError) as fault:
        raise Fault(f"the door does not open: {fault}", ANSWER_IS_NO) from None


def _read_all(given: argparse.Namespace) -> tuple[Settings, dict[str, SheetFile]]:
    """The settings, and every game that their tables are opened on."""
    try:
        return resolve_games(read_named(given.config, vars(given)), given.config)
    except SettingsUnfit as fault:
        raise Fault(str(fault)) from None


def make_config(server_settings: Settings, files: Mapping[str, SheetFile]) -> Config:
    """What the house of these settings is set up with."""
    older = _read_older_sheets(server_settings.data / SHEETS, files.values())
    return Config(
        games={game: entry.sheet for game, entry in files.items()},
        name=server_settings.house,
        helpline=server_settings.helpline,
        older=older,
        accepted=server_settings.accept,
        new_house=server_settings.new_house,
        apart=True,
        beacon=_make_beacon_client(server_settings),
    )


def _make_beacon_client(server_settings: Settings) -> BeaconClient | None:
    if not server_settings.beacon:
        return None
    file = server_settings.beacon_chain
    chain = read_chain_file(str(file)) if file else QUICKNET
    try:
        return BeaconClient(server_settings.beacon, chain, server_settings.beacon_seconds)
    except BeaconUnsupported as fault:
        raise Fault(f"beacon: {fault}") from None


def certify(server_settings: Settings, games: list[str]) -> None:
    """Exact returns for sheets that have none yet, in another process: the server never loads what computes them."""
    if not games:
        return
    print(f"ventuno: certifying {', '.join(games)}: once for each sheet, some seconds", file=sys.stderr, flush=True)
    of_blocks = {block.game: str(block.sheet) for block in server_settings.table if block.sheet}
    in_folders = sheets.find_sheets(server_settings.sheets)
    command = [
        sys.executable,
        "-m",
        "ventuno.cli.main",
        "certify",
        *(game if game in in_folders else of_blocks[game] for game in games),
        *(word for folder in server_settings.sheets for word in ("--sheets", str(folder))),
        "--out",
        str(server_settings.data / CERTIFICATES),
    ]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        raise Fault(
            f"no certificate, no table: see what `ventuno certify {' '.join(games)}` says of the published returns",
            ANSWER_IS_NO,
        )


def _read_older_sheets(folder: Path, in_force: Iterable[SheetFile]) -> tuple[Sheet, ...]:
    """Sheets that earlier versions played on; those in force are kept beside them for later ones (T-11)."""
    folder.mkdir(parents=True, exist_ok=True)
    mine = {entry.sheet.hash: entry.text for entry in in_force}
    for hashed, text in mine.items():
        if not (file := folder / f"{hashed}.toml").exists():
            file.write_text(text, encoding="utf-8")
    older = []
    for file in sorted(folder.glob("*.toml")):
        if file.stem not in mine:
            try:
                older.append(read(file.read_text(encoding="utf-8")))
            except SheetError as fault:
                logs.log.warning("an older sheet cannot be read", file=file.name, reason=str(fault))
    return tuple(older)


def _loop() -> asyncio.Runner:
    options: Mapping[str, Any] = {}
    try:
        import uvloop

        options = {"loop_factory": uvloop.new_event_loop}
    except ImportError:  # not on every system
        pass
    return asyncio.Runner(**options)


def _announce_node(node: str) -> None:
    print(f"Ventuno's host {node} stands by", flush=True)


def _announce_door(address: str) -> None:
    print(f"A door of Ventuno is open at {address}", flush=True)


def _announce(address: str) -> None:
    print(f"Ventuno is open at {address}", flush=True)
