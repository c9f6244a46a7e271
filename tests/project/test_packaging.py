"""Dockerfile, compose.yaml and packaging/: what can run here runs, the rest is read and held to what it names."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from ventuno.cli.main import main
from ventuno.web.operations.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
PROMETHEUS = PACKAGING / "prometheus"
DASHBOARD = PACKAGING / "grafana" / "dashboards" / "ventuno.json"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
HOUSE: dict[str, Any] = COMPOSE["services"]["house"]
UNITS = sorted((PACKAGING / "systemd").iterdir())


def read_dockerfile() -> list[tuple[str, str]]:
    """Each instruction with its words, lines that go on put together."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def split_stages() -> list[list[tuple[str, str]]]:
    stages: list[list[tuple[str, str]]] = []
    for word, rest in read_dockerfile():
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, rest))
    return stages


def is_sent(source: str) -> bool:
    """Whether .dockerignore lets a path into the build: the last line that matches it decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            name = pattern.lstrip("!").removeprefix("**/")
            if name == "*" or source == name or source.startswith(f"{name}/"):
                sent = pattern.startswith("!")
    return sent


def test_the_image_is_built_of_files_that_are_there_and_sent() -> None:
    copied = [rest.split() for word, rest in read_dockerfile() if word == "COPY" and not rest.startswith("--from")]
    sources = [source for *names, _ in copied for source in names]
    assert {"src", "client", "pyproject.toml"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if not is_sent(source)] == []
    assert not is_sent("tests")
    assert not is_sent("client/node_modules"), "packages of another system"
    assert not is_sent("src/ventuno/web/static"), "the page is built in the image"


def test_the_image_runs_as_nobody_on_a_root_it_does_not_write() -> None:
    last = dict(split_stages()[-1])
    user, group = last["USER"].split(":")
    assert int(user) > 0
    assert int(group) > 0
    assert last["VOLUME"] == "/data"
    named = dict(pair.split("=", 1) for word, rest in split_stages()[-1] if word == "ENV" for pair in shlex.split(rest))
    assert named["NUMBA_CACHE_DIR"].startswith("/data/")
    given = {name.removeprefix("VENTUNO_").lower(): value for name, value in named.items() if "VENTUNO_" in name}
    assert set(given) <= set(Settings.model_fields)
    assert (given["data"], given["port"], last["EXPOSE"]) == ("/data", "2121", "2121")
    images = [rest.split()[0] for word, rest in read_dockerfile() if word == "FROM"]
    assert all(":" in image and not image.endswith(":latest") for image in images)
    assert not any("build" in rest for word, rest in split_stages()[-1] if word == "RUN"), "made in earlier stages"


def test_the_image_starts_and_asks_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    last = dict(split_stages()[-1])
    assert json.loads(last["ENTRYPOINT"]) == ["ventuno"]
    with pytest.raises(SystemExit):
        main([*json.loads(last["CMD"]), "--help"])
    assert "serve" in capsys.readouterr().out
    (asked,) = re.findall(r"http://127\.0\.0\.1:2121(/\w+)", last["HEALTHCHECK"])
    assert asked == "/healthz"
    compile(json.loads(last["HEALTHCHECK"].split("CMD", 1)[1])[2], "health", "exec")


def test_compose_names_settings_and_files_that_are_there() -> None:
    names = {name.removeprefix("VENTUNO_").lower() for name in HOUSE["environment"]}
    assert names <= set(Settings.model_fields)
    for name, service in COMPOSE["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            known = (ROOT / source).exists() if source.startswith("./") else source in COMPOSE["volumes"]
            assert known, f"{name} wants {source}"
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert set(service.get("depends_on", [])) <= set(COMPOSE["services"])
        assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])
        assert name == "house" or re.search(r":v?\d", service["image"]), f"{name} runs any version"
    assert HOUSE["read_only"]
    assert HOUSE["cap_drop"] == ["ALL"]
    assert "ports" not in HOUSE, "players come through the proxy"
    assert "ports" not in COMPOSE["services"]["database"]


def test_compose_settings_open_a_house_behind_its_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The values with passwords and names filled in are settings; the proxy that is believed is the one that runs."""
    for name, value in HOUSE["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{(\w+):\?[^}]*\}", "word", value))
    monkeypatch.setenv("VENTUNO_HOST", "0.0.0.0")
    settings = Settings()
    assert settings.secure
    assert settings.url.startswith("postgresql")
    assert list(settings.proxies) == [COMPOSE["services"]["proxy"]["networks"]["front"]["ipv4_address"]]
    assert settings.metrics_token.get_secret_value() == "word"


def test_compose_asks_for_every_secret() -> None:
    """No password has a default that somebody would forget to change."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r"\$\{\w+\}|\$\{\w+:-[^}]*\}", text) == []
    given = [pair for service in COMPOSE["services"].values() for pair in service.get("environment", {}).items()]
    passwords = [value for name, value in given if re.search("PASSWORD|TOKEN", name)]
    assert len(passwords) >= 3
    assert all(re.search(r"\$\{\w+:\?", value) for value in passwords)


def list_metrics(text: str) -> set[str]:
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"\bventuno_\w+", text)}


def test_alerts_and_dashboard_ask_for_metrics_that_the_house_tells() -> None:
    """And for each that the manual calls worth an alarm there is one, with what to do."""
    manual = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(ventuno_\w+)`", manual, re.MULTILINE))
    alerts, board = (PROMETHEUS / "alerts.yml").read_text(encoding="utf-8"), DASHBOARD.read_text(encoding="utf-8")
    assert list_metrics(alerts) <= told
    assert list_metrics(board) <= told
    worth = manual.split("Worth an alarm:")[1].split("\n\n")[0]
    assert list_metrics(worth) <= list_metrics(alerts)
    rules = [rule for group in yaml.safe_load(alerts)["groups"] for rule in group["rules"]]
    assert all({"summary", "action"} <= set(rule["annotations"]) for rule in rules)


def test_the_dashboard_is_whole() -> None:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 10
    (source,) = yaml.safe_load((PACKAGING / "grafana" / "sources.yaml").read_text(encoding="utf-8"))["datasources"]
    assert {panel["datasource"]["uid"] for panel in panels} == {source["uid"]}
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed: apt install prometheus")
def test_prometheus_takes_its_files(tmp_path: Path) -> None:
    subprocess.run(["promtool", "check", "rules", PROMETHEUS / "alerts.yml"], check=True, capture_output=True)
    folder = shutil.copytree(PROMETHEUS, tmp_path / "prometheus")
    config = folder / "prometheus.yml"
    secret = tmp_path / "token"
    secret.write_text("word")
    config.write_text(config.read_text().replace("/run/secrets/metrics_token", str(secret)))
    subprocess.run(["promtool", "check", "config", config], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed: apt install prometheus")
def test_a_planted_fault_of_a_rule_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "alerts.yml"
    wrong.write_text((PROMETHEUS / "alerts.yml").read_text().replace("rate(", "rate((", 1))
    assert subprocess.run(["promtool", "check", "rules", wrong], check=False, capture_output=True).returncode != 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """Only the place of the program is another one here."""
    program = tmp_path / "ventuno"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("/opt/ventuno/venv/bin/ventuno", str(program))
        (tmp_path / unit.name).write_text(text)
    told = subprocess.run(
        ["systemd-analyze", "verify", *(tmp_path / unit.name for unit in UNITS)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (told.returncode, told.stderr) == (0, "")


def test_every_command_of_a_unit_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    for unit in UNITS:
        for command, options in re.findall(r"^ExecStart=.*?/bin/ventuno (\w+)(.*)$", unit.read_text(), re.MULTILINE):
            with pytest.raises(SystemExit):
                main([command, "--help"])
            help_text = capsys.readouterr().out
            assert [option for option in re.findall(r"--[a-z-]+", options) if option not in help_text] == []


def read_unit(name: str, setting: str) -> str:
    """The value of a setting that a unit has once."""
    (value,) = re.findall(
        rf"^{setting}=(.*)$", (PACKAGING / "systemd" / name).read_text(encoding="utf-8"), re.MULTILINE
    )
    return str(value)


def test_what_the_house_compiles_lies_where_it_may_write() -> None:
    """The program's folder and every home are read-only to it: each start would compile anew."""
    service = "ventuno.service"
    assert (read_unit(service, "ProtectSystem"), read_unit(service, "ProtectHome")) == ("strict", "yes")
    given = dict(pair.split("=", 1) for pair in read_unit(service, "Environment").split())
    assert given["VENTUNO_DATA"] == f"/var/lib/{read_unit(service, 'StateDirectory')}"
    assert given["NUMBA_CACHE_DIR"].startswith(f"{given['VENTUNO_DATA']}/")


def back_up(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command of a unit by hand, with the places of this machine; systemd reads `%%` as `%`."""
    program = f'"{sys.executable}" -m ventuno.cli.main'
    words = shlex.split(line.replace("%%", "%"))
    places = {"/opt/ventuno/venv/bin/ventuno": program, "/var/lib/ventuno": str(folder / "ventuno")}
    for written, here in places.items():
        words = [word.replace(written, here) for word in words]
    return subprocess.run(words, check=False, capture_output=True, text=True)


def make_books(folder: Path) -> Path:
    """A house as far as a backup looks at it, and the folder of its backups."""
    house, copies = folder / "ventuno", folder / "ventuno-backup"
    for made in (house, copies):
        made.mkdir()
    (house / "house.key").write_bytes(bytes(32))
    with closing(sqlite3.connect(house / "house.db")) as books:
        books.execute("CREATE TABLE log (seq)")
    return copies


def test_every_night_has_a_backup_of_its_own_and_old_ones_go(tmp_path: Path) -> None:
    """The books are copied on the second night too, though nothing is ever overwritten."""
    copies = make_books(tmp_path)
    service = "ventuno-backup.service"
    old = copies / "2026-01-01T043000.tar"
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    for night in (1, 2):
        assert back_up(read_unit(service, "ExecStart"), tmp_path).returncode == 0
        assert back_up(read_unit(service, "ExecStartPost"), tmp_path).returncode == 0
        assert len(list(copies.iterdir())) == night
        time.sleep(1.1 if night == 1 else 0)  # a moment of its own
    assert {file.stat().st_mode & 0o777 for file in copies.iterdir()} == {0o600}
    assert "/var/lib/ventuno" in read_unit(service, "ReadWritePaths").split()


def test_the_planted_unit_of_one_name_fails_on_the_second_night(tmp_path: Path) -> None:
    make_books(tmp_path)
    line = "/opt/ventuno/venv/bin/ventuno backup --data /var/lib/ventuno /var/lib/ventuno-backup/ventuno.tar"
    as_before = f"/bin/sh -c 'exec {line}'"
    assert back_up(as_before, tmp_path).returncode == 0
    assert "is there already" in back_up(as_before, tmp_path).stderr
