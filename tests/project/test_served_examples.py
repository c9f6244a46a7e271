"""Blocks of docs/operations.md that open a house, ask one, copy one or set up a machine, run as they are written.

What a machine of the reader's has and this one has not is declared here, once: `PLACES` for its folders, addresses and
names, `STAND_INS` for programs that would change this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from tests.support.free_port import free_port
from tests.support.house import FACTOR, PASSWORD
from tests.support.http_house import opened
from tests.support.page_examples import (
    OPENS_A_HOUSE,
    Block,
    find_blocks,
    list_commands,
    list_pages,
    make_path,
    run_command,
    run_page,
)
from tests.support.patience import PATIENCE
from tests.support.postgres import Cluster
from tests.support.project_files import ROOT
from tests.support.server_process import clear_settings, running
from tests.support.tls_proxy import make_certificate, serve_tls
from ventuno.house.accounts import second_factor
from ventuno.house.history import export
from ventuno.sheets import load_games

PLACES = {
    "/var/lib/ventuno": "the data folder of the house",
    "/backup": "where copies go",
    "/etc/systemd/system": "where systemd looks for units",
    "/opt/ventuno/venv/bin/ventuno": "the program",
    "DATABASE": "a database of PostgreSQL",
    "NAME": "whoever becomes a supervisor",
    "TOKEN": "a session's cookie",
}
"""What the manual writes for something that is another on each machine."""
STAND_INS = {
    "useradd": 'exec /usr/sbin/useradd --prefix "$MACHINE" "$@"',
    "systemctl": """echo "$*" >> "$MACHINE/asked"
case "$1" in
daemon-reload)
    mkdir "$MACHINE/units" && cp "$MACHINE"/etc/systemd/system/ventuno* "$MACHINE/units"
    sed -i "s:/opt/ventuno/venv/bin/ventuno:$MACHINE/bin/ventuno:" "$MACHINE"/units/*.service
    exec systemd-analyze verify --man=no "$MACHINE"/units/* ;;
enable) shift; [ "$1" = --now ] && shift; exec /usr/bin/systemctl --root "$MACHINE" enable "$@" ;;
stop | start) [ "$2" = ventuno ] && [ $# = 2 ] ;;
*) exit 64 ;;
esac""",
    "sudo": '[ "$1" = -u ] && [ "$2" = ventuno ] && shift 2 && exec env "$@"',
}
"""Programs that act on a folder here: the real useradd and systemctl, told its place; no service is started."""
SYSTEMD = shutil.which("systemd-analyze") and shutil.which("systemctl") and Path("/usr/sbin/useradd").exists()
MANUAL = "docs/operations.md"
PAGE = (ROOT / MANUAL).read_text(encoding="utf-8")


def find_block(word: str) -> Block:
    (block,) = [block for block in find_blocks(MANUAL, PAGE) if word in block.text]
    return block


def put(block: Block, places: Mapping[str, Path | str]) -> Block:
    """The block with places of this machine for those that `PLACES` allows."""
    text = block.text
    for written, place in places.items():
        assert written in PLACES
        assert written in text
        text = text.replace(written, str(place))
    return block._replace(text=text)


def run_whole(block: Block, folder: Path, settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """All lines in one shell, which stops at the first that fails."""
    return subprocess.run(
        ["bash", "-ec", block.text],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_settings(monkeypatch)


def list_openings() -> Iterator[tuple[str, str]]:
    """Each line with each file of settings that it could name."""
    for page in list_pages():
        for block in find_blocks(page, (ROOT / page).read_text(encoding="utf-8")):
            lines = [line for line, _ in list_commands(block.text)] if block.mark == OPENS_A_HOUSE else []
            for line in lines:
                yield from ((line, text) for text in (read_settings() if "ventuno.toml" in line else [""]))


def read_settings() -> list[str]:
    """The files of settings that the manual shows."""
    files = [part.partition("```")[0] for part in PAGE.split("```toml\n")[1:]]
    return [text for text in files if text.startswith("# ventuno.toml")]


def open_and_ask(line: str, folder: Path, settings: str) -> None:
    """The line in a shell, beside a file of settings; the house answers and stops as it is asked to."""
    (folder / "ventuno.toml").write_text(settings)
    command = ("bash", "-c", f"cd {folder}; exec {line}")
    with running(folder / "data", command=command, PATH=make_path(folder)) as house:
        assert house.get("/readyz").status_code == 200
        assert "<h1" in httpx.get(f"{house.url}/docs", follow_redirects=True, verify=False, timeout=PATIENCE).text
        house.signal(signal.SIGTERM)
        assert house.ended() == 0


@pytest.mark.parametrize("number", range(5))
def test_each_line_that_opens_a_house_opens_one(number: int, tmp_path: Path) -> None:
    openings = list(list_openings())
    assert len(openings) == 5, "one test for each"
    line, settings = openings[number]
    open_and_ask(line, tmp_path, settings)


def test_a_planted_line_that_opens_none_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="did not open"):
        open_and_ask("ventuno serve --bto 3", tmp_path, "")


async def test_the_day_of_the_staff_is_typed_as_it_is_written(tmp_path: Path) -> None:
    """Who comes in as the seventeenth is ada; only address, name, password and code of the staff are given besides."""
    async with opened(tmp_path) as house:
        await house.supervisor("Eva")
        for _ in range(15):
            await house.joined(money=0)
        assert await house.joined("ada", 0) == "17"
        await house.joined("bea", 0)
        code = second_factor.compute_code(second_factor.decode_secret(FACTOR), int(time.time()) // 30)
        names = {"HOUSE": house.origin, "NAME": "Eva", "PASSWORD": PASSWORD, "CODE": code}
        settings = {f"VENTUNO_ADMIN_{name}": value for name, value in names.items()}
        settings["XDG_STATE_HOME"] = str(tmp_path / "state")
        block = find_block("ventuno admin login")
        assert await asyncio.to_thread(run_page, [block], tmp_path, None, settings) == ""
        assert json.loads((tmp_path / "ada.json").read_text())["records"]
        table = house.application.tables.get_all().get("Sala 4")
        assert table is None or table.table.closing
        for wrong in ("ventuno admin player shw 17", "ventuno admin table open A ventuno --raeson x"):
            planted = block._replace(text=f"{wrong}\n")
            assert "ended with 2" in await asyncio.to_thread(run_page, [planted], tmp_path, None, settings)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_the_export_is_fetched_as_it_is_written(tmp_path: Path) -> None:
    """By https and its own name: curl is told where that is, and whom to trust, in a file of its own."""
    origin, port = "https://play.example.org", free_port()
    certificate = make_certificate(tmp_path, "play.example.org")
    (tmp_path / ".curlrc").write_text(
        f'connect-to = "play.example.org:443:127.0.0.1:{port}"\ncacert = "{certificate.file}"\nnoproxy = "*"\nfail\n'
    )
    async with opened(tmp_path, settings={"public_origin": origin}) as house:
        token = (await house.session(await house.supervisor("Eva"))).token
        block = find_block("curl --cookie")
        with serve_tls(tmp_path, certificate, port, house.port):
            for cookie, code in ((token, 0), ("nobody", 22)):
                done = await asyncio.to_thread(
                    run_whole,
                    put(block, {"TOKEN": cookie}),
                    tmp_path,
                    {"HOME": str(tmp_path), "CURL_HOME": str(tmp_path)},
                )
                assert done.returncode == code, done.stderr
                if not code:
                    games = {sheet.hash: sheet for sheet in load_games().values()}
                    assert (
                        export.check_export(
                            (tmp_path / "week.jsonl").read_bytes().splitlines(keepends=True), games
                        ).faults
                        == ()
                    )


def test_a_backup_is_taken_and_put_back_as_it_is_written(tmp_path: Path) -> None:
    """While the house plays, and on a machine that has none yet."""
    here, there, copies = tmp_path / "here", tmp_path / "there", tmp_path / "copies"
    for folder in (here, copies):
        folder.mkdir()
    (backup, _), (restore, _) = list_commands(put(find_block("ventuno backup"), {"/backup": copies}).text)
    with running(here):
        assert run_command(backup, tmp_path, {"VENTUNO_DATA": str(here)})[0] == 0
        code, said = run_command(restore, tmp_path, {"VENTUNO_DATA": str(here)})
        assert (code, "a house is open on it" in said) == (1, True), said
    assert [file.stat().st_mode & 0o777 for file in copies.iterdir()] == [0o600]
    for line in (restore, "ventuno check"):
        assert run_command(line, tmp_path, {"VENTUNO_DATA": str(there)})[0] == 0
    assert run_command(restore.replace("restore", "restroe"), tmp_path, {})[0] == 2


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the program sqlite3 is not installed")
def test_a_house_is_copied_by_hand_as_it_is_written(tmp_path: Path, postgres: Cluster) -> None:
    here, copies = tmp_path / "here", tmp_path / "copies"
    for folder in (here / "sheets", copies):
        folder.mkdir(parents=True)
    places: dict[str, Path | str] = {"/var/lib/ventuno": here, "/backup": copies, "DATABASE": postgres.url("postgres")}
    block = put(find_block(".backup"), places)
    settings = {"PATH": f"{postgres.binaries}{os.pathsep}{os.environ['PATH']}"}
    with running(here):
        done = run_whole(block, tmp_path, settings)
    assert done.returncode == 0, done.stderr
    assert {file.stat().st_mode & 0o77 for file in copies.iterdir()} == {0}
    assert (tmp_path / "house.dump").stat().st_size > 0
    assert run_command("ventuno check", tmp_path, {"VENTUNO_DATA": str(copies)})[0] == 0
    planted = block._replace(text=block.text.replace(".backup", ".bakcup"))
    assert run_whole(planted, tmp_path, settings).returncode != 0


def make_machine(folder: Path) -> dict[str, str]:
    """A machine that is a folder, and programs that change it instead of this one."""
    (folder / "etc" / "systemd" / "system").mkdir(parents=True)
    for name in ("passwd", "group", "shadow", "gshadow", "login.defs"):
        (folder / "etc" / name).write_text("")
    return {"MACHINE": str(folder), "PATH": make_path(folder, **STAND_INS)}


@pytest.mark.skipif(not SYSTEMD, reason="systemd or useradd is not installed")
def test_a_machine_is_set_up_as_it_is_written(tmp_path: Path) -> None:
    settings = make_machine(tmp_path)
    units = tmp_path / "etc" / "systemd" / "system"
    block = put(find_block("useradd"), {"/etc/systemd/system": units})
    planted = block._replace(text=block.text.replace("ventuno-backup.timer", "ventuno-bakcup.timer"))
    assert run_whole(planted, ROOT, settings).returncode != 0
    shutil.rmtree(tmp_path / "units")
    (tmp_path / "etc" / "passwd").write_text("")
    done = run_whole(block, ROOT, settings)
    assert done.returncode == 0, done.stderr
    assert "/usr/sbin/nologin" in (tmp_path / "etc" / "passwd").read_text()
    assert (units / "multi-user.target.wants" / "ventuno.service").is_symlink()
    assert (units / "timers.target.wants" / "ventuno-backup.timer").is_symlink()
    assert (tmp_path / "asked").read_text().splitlines()[-2:] == [
        "daemon-reload",
        "enable --now ventuno ventuno-backup.timer",
    ]


def test_the_first_supervisor_is_named_as_it_is_written(tmp_path: Path) -> None:
    settings, house = make_machine(tmp_path / "machine"), tmp_path / "house"
    places: dict[str, Path | str] = {
        "/opt/ventuno/venv/bin/ventuno": "ventuno",
        "/var/lib/ventuno": house,
        "NAME": "Eva",
    }
    block = put(find_block("sudo -u"), places)
    assert run_whole(block, tmp_path, settings).returncode != 0, "there is no house in this folder"
    with running(house):
        pass
    done = run_whole(block, tmp_path, settings)
    assert done.returncode == 0, done.stderr
    assert "Eva" in done.stdout
    asked = (tmp_path / "machine" / "asked").read_text().splitlines()
    assert asked == ["stop ventuno", "stop ventuno", "start ventuno"]
    planted = block._replace(text=block.text.replace("staff add", "staff ad"))
    assert run_whole(planted, tmp_path, settings).returncode != 0


def ask_docker(line: str) -> str:
    """What the client says of a line, with an engine that is nowhere: nothing is run, wherever this test is."""
    settings = {**os.environ, "DOCKER_HOST": "unix:///nowhere/docker.sock"}
    done = subprocess.run(["bash", "-c", line], env=settings, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stderr.lower()


@pytest.mark.skipif(shutil.which("docker") is None, reason="the client of Docker is not installed")
def test_docker_understands_what_is_written_for_it() -> None:
    (line,) = [line for line, _ in list_commands(find_block("docker run").text)]
    assert "docker.sock" in ask_docker(line), "it looks for its engine: it took every word"
    assert "docker.sock" not in ask_docker(line.replace("--read-only", "--raed-only"))
