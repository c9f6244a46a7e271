"""Settings: which source wins, what is refused on a public address (ASVS 13), and that the manual lists every one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from ventuno.web.operations.settings import PREFIX, Settings, SettingsUnfit, data_folder, is_loopback, read

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "operations.md"
ROW = re.compile(r"^\| `(\w+)` \| `(VENTUNO_\w+)` \| (.*?) \| (.*) \|$", re.MULTILINE)


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)


def filed(folder: Path, text: str) -> Path:
    file = folder / "ventuno.toml"
    file.write_text(text)
    return file


def test_given_before_environment_before_file_before_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = filed(tmp_path, 'port = 1\ntables = 2\nhouse = "filed"\n')
    monkeypatch.setenv("VENTUNO_PORT", "3")
    monkeypatch.setenv("VENTUNO_TABLES", "4")
    held = read(file, {"port": 5})
    assert (held.port, held.tables, held.house, held.bots) == (5, 4, "filed", 0)


def test_lists_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENTUNO_ORIGINS", '["https://a.example.org"]')
    held = read(filed(tmp_path, '[limits."Ventuno 2"]\nmain = [500, 1000]\n'))
    assert held.origins == ("https://a.example.org",)
    assert held.limits == {"Ventuno 2": {"main": (500, 1000)}}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"host": "0.0.0.0"}, "can be reached from other machines"),
        ({"host": "::"}, "can be reached from other machines"),
        ({"host": "casino.example.org"}, "can be reached from other machines"),
        ({"host": "0.0.0.0", "public_origin": "http://casino.example.org"}, "players come by https"),
        ({"public_origin": "http://casino.example.org"}, "players come by https"),
        ({"public_origin": "https://casino.example.org/"}, "public_origin: an origin is written"),
        ({"public_origin": "https://casino.example.org\nX: y"}, "public_origin: an origin is written"),
        ({"origins": ["https://a", "javascript:alert(1)"]}, "origins: an origin is written"),
        ({"proxies": ["proxy.example.org"]}, "proxies: "),
        ({"port": 70000}, "port: "),
        ({"tables": 0}, "tables: "),
        ({"limits": {"T": {"main": [1]}}}, "limits.T.main"),
        ({"wheel": 1}, "wheel: "),
        ({"log_level": "loud"}, "log_level: "),
    ],
)
def test_unfit_settings_are_refused_in_one_line(given: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsUnfit, match=re.escape(says)) as refused:
        read(None, given)
    assert "\n" not in str(refused.value)


def test_a_secret_is_not_repeated_in_a_refusal_or_a_print(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsUnfit) as refused:
        read(None, {"metrics_token": ["s3cret"]})
    assert "s3cret" not in str(refused.value)
    monkeypatch.setenv("VENTUNO_LIMITS", "s3cret")
    with pytest.raises(SettingsUnfit) as refused:
        read()
    assert "s3cret" not in str(refused.value)
    monkeypatch.delenv("VENTUNO_LIMITS")
    held = Settings(metrics_token=SecretStr("s3cret"), database="postgresql://u:s3cret@h/d")
    assert "s3cret" not in f"{held!r} {held}"


@pytest.mark.parametrize(("text", "says"), [("port = [", "cannot be read"), ('colour = "red"', "colour: ")])
def test_unfit_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsUnfit, match=says):
        read(filed(tmp_path, text))
    with pytest.raises(SettingsUnfit, match=r"no\.toml: cannot be read"):
        read(tmp_path / "no.toml")


def test_a_public_house() -> None:
    held = read(None, {"host": "0.0.0.0", "public_origin": "https://play.example.org", "port": 80})
    assert held.secure
    assert held.own_origins(80) == {"https://play.example.org"}


def test_a_house_at_home_lets_its_own_pages_call() -> None:
    held = read()
    assert not held.secure
    assert held.own_origins(2121) == {f"http://{host}:2121" for host in ("127.0.0.1", "localhost", "[::1]")}


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.example.org", "", "127.0.0.1.example.org"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_where_the_books_lie(tmp_path: Path) -> None:
    assert data_folder({"XDG_DATA_HOME": "/srv/data", "HOME": "/h"}) == Path("/srv/data/ventuno")
    assert data_folder({"XDG_DATA_HOME": "not/absolute", "HOME": "/h"}) == Path("/h/.local/share/ventuno")
    assert data_folder({"HOME": "/h"}) == Path("/h/.local/share/ventuno")
    assert read(None, {"data": tmp_path}).url == f"sqlite:///{tmp_path}/house.db"
    assert read(None, {"database": "x.db"}).url == "sqlite:///x.db"
    assert read(None, {"database": "postgresql://h/d"}).url == "postgresql://h/d"


def shown(name: str) -> str:
    """A default as the manual writes it."""
    if name == "data":
        return "see below"
    value = Settings.model_fields[name].get_default(call_default_factory=True, validated_data={})
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    listed = ", ".join(value) if isinstance(value, tuple) else value
    return f"`{listed}`" if listed not in ("", {}, None) else "–"


def rows(text: str) -> list[tuple[str, ...]]:
    return [found.groups() for found in ROW.finditer(text)]


def wanted() -> list[tuple[str, ...]]:
    return [
        (name, f"{PREFIX}{name.upper()}", shown(name), str(field.description))
        for name, field in Settings.model_fields.items()
    ]


def test_the_manual_lists_every_setting_with_its_default() -> None:
    assert rows(MANUAL.read_text(encoding="utf-8")) == wanted()


def test_a_planted_change_of_the_manual_is_caught() -> None:
    text = MANUAL.read_text(encoding="utf-8")
    assert rows(text.replace("`2121`", "`2122`")) != wanted()
    assert rows(re.sub(r"^\| `bots`.*\n", "", text, flags=re.MULTILINE)) != wanted()
