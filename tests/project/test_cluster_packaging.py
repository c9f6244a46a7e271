"""compose.cluster.yaml and what it mounts: nodes, brokers and databases that fit together, doors without books."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.tls_proxy import CADDY
from ventuno.web.operations.settings import Settings, find_unsafe

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "compose.cluster.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
NODES = [name for name, service in SERVICES.items() if "VENTUNO_ROLE" in service.get("environment", {})]
BROKERS = [name for name, service in SERVICES.items() if service["image"].startswith("nats:")]
KEYS = "${VENTUNO_KEYS:?the folder of the certificates}/"
BOOKS = {"database", "standby", "migrate", "h1", "h2"}
"""Who may reach the database."""


def find_faults(services: dict[str, dict[str, Any]]) -> list[str]:
    """What does not fit together, or reaches further than it should."""
    faults = []
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source, place = re.fullmatch(r"((?:\$\{[^}]*\})?[^:]*):(.*)", volume).groups()  # type: ignore[union-attr]
            known = (
                (ROOT / source).is_file()
                if source.startswith("./")
                else source.startswith(KEYS) or source in COMPOSE["volumes"]
            )
            faults += [] if known else [f"{name} wants {source}"]
            if source.startswith(KEYS) and Path(source).stem not in ("ca", name):
                faults.append(f"{name} has a key of another")
            faults += [] if place.endswith(":ro") or source in COMPOSE["volumes"] else [f"{name} may write {source}"]
        faults += [f"{name} is in no network {one}" for one in service["networks"] if one not in COMPOSE["networks"]]
        faults += [f"{name} waits for {one}" for one in service.get("depends_on", []) if one not in services]
        if service["image"] != "ventuno" and not re.search(r":v?\d", service["image"]):
            faults.append(f"{name} runs any version")
        if "ports" in service and name != "balancer":
            faults.append(f"{name} is open to everybody")
        if "books" in service["networks"] and name not in BOOKS:
            faults.append(f"{name} reaches the books")
        if "VENTUNO_DATABASE" in service.get("environment", {}) and name not in BOOKS:
            faults.append(f"{name} has the password of the books")
    return faults


def test_the_services_fit_together_and_doors_reach_no_books() -> None:
    assert find_faults(SERVICES) == []
    assert (len(BROKERS), len(NODES)) == (3, 4)
    assert "standby" in SERVICES
    assert all(COMPOSE["networks"][name]["internal"] for name in ("bus", "books"))


@pytest.mark.parametrize(
    ("name", "changed", "fault"),
    [
        ("d1", {"networks": ["front", "bus", "books"]}, "d1 reaches the books"),
        ("d1", {"environment": {"VENTUNO_DATABASE": "postgresql://x"}}, "d1 has the password of the books"),
        ("d1", {"volumes": [f"{KEYS}d2.key:/keys/node.key:ro"]}, "d1 has a key of another"),
        ("n1", {"ports": ["4222:4222"]}, "n1 is open to everybody"),
        ("n1", {"volumes": ["./packaging/nats/missing.conf:/etc/nats/x:ro"]}, "n1 wants ./packaging/nats/missing.conf"),
        ("h1", {"depends_on": ["nobody"]}, "h1 waits for nobody"),
        ("n2", {"image": "nats"}, "n2 runs any version"),
    ],
)
def test_a_planted_fault_of_a_service_is_found(name: str, changed: dict[str, Any], fault: str) -> None:
    assert find_faults({**SERVICES, name: {**SERVICES[name], **changed}}) == [fault]


@pytest.mark.parametrize("name", NODES)
def test_the_settings_of_a_node_are_fit_and_the_broker_knows_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in SERVICES[name]["environment"].items():
        assert variable.removeprefix("VENTUNO_").lower() in Settings.model_fields
        monkeypatch.setenv(variable, re.sub(r"\$\{(\w+):\?[^}]*\}", "word", value))
    monkeypatch.setenv("VENTUNO_HOST", "0.0.0.0")
    settings = Settings()
    assert find_unsafe(settings) == ""
    assert (settings.node, settings.secure) == (name, True)
    assert settings.brokers == [f"tls://{broker}" for broker in BROKERS]
    assert list(settings.proxies) == [SERVICES["balancer"]["networks"]["front"]["ipv4_address"]]
    may = "HOST_MAY" if settings.role == "host" else f'host.{name}.*"'
    permissions = (ROOT / "packaging" / "nats" / "permissions.conf").read_text(encoding="utf-8")
    (own,) = re.findall(rf"user: {name}, (.*?)\n", permissions + "\n")
    block = permissions.partition(f"user: {name},")[2].partition("user:")[0]
    assert may in own + block


def test_every_secret_is_asked_for() -> None:
    assert re.findall(r"\$\{\w+\}|\$\{\w+:-[^}]*\}", TEXT) == []
    given = [pair for service in SERVICES.values() for pair in service.get("environment", {}).items()]
    passwords = [value for name, value in given if "PASSWORD" in name]
    assert len(passwords) == 3
    assert all(re.fullmatch(r"\$\{\w+:\?[^}]*\}", value) for value in passwords)


def test_brokers_and_databases_are_called_as_their_files_call_them() -> None:
    config = (ROOT / "packaging" / "nats" / "nats-server.conf").read_text(encoding="utf-8")
    assert re.findall(r"nats://(\w+):6222", config) == BROKERS
    primary = (ROOT / "packaging" / "postgres" / "primary.sh").read_text(encoding="utf-8")
    standby = (ROOT / "packaging" / "postgres" / "standby.sh").read_text(encoding="utf-8")
    (name,) = re.findall(r"ANY 1 \((\w+)\)", primary)
    assert f"application_name={name}" in standby
    assert f"'{name}'" in primary.partition("slot(")[2]
    assert f"--slot={name}" in standby
    assert "host=database" in standby
    (hosts,) = re.findall(r"@([\w,]+)/ventuno", SERVICES["h1"]["environment"]["VENTUNO_DATABASE"])
    assert set(hosts.split(",")) == {"database", "standby"}


@pytest.mark.parametrize("script", sorted(ROOT.glob("packaging/*/*.sh")), ids=lambda script: script.name)
def test_a_shell_reads_the_scripts(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    subprocess.run(["/bin/sh", "-n", script], check=True)


@pytest.mark.skipif(CADDY is None, reason="caddy is not installed")
def test_the_balancer_takes_its_file() -> None:
    file = ROOT / "packaging" / "caddy" / "Caddyfile.cluster"
    told = subprocess.run(
        [str(CADDY), "validate", "--adapter", "caddyfile", "--config", str(file)],
        check=False,
        capture_output=True,
        text=True,
        env={"HOME": "/tmp", "VENTUNO_DOORS": SERVICES["balancer"]["environment"]["VENTUNO_DOORS"]},
    )
    assert told.returncode == 0, told.stderr
