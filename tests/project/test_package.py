"""The package: what a wheel holds, that it opens a house, and that none is built without the pages."""

import ast
import os
import re
import shutil
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import hatch_build
from tests.support import package_build
from tests.support.built_pages import provide_pages
from tests.support.project_files import REGISTRY, ROOT, lines_with, project_files
from tests.support.server_process import running
from ventuno import __version__
from ventuno.sheets import GAMES

BUNDLED = ("svelte", "uplot", "uqr", "@noble/curves", "@fontsource-variable/fraunces", "@fontsource-variable/inter")
PYTHONS = [(3, minor) for minor in range(11, 15)]
GONE = {
    *("asynchat", "asyncore", "distutils", "imp", "smtpd"),  # 3.12
    *("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "mailcap", "msilib", "nis", "nntplib"),  # 3.13
    *("ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib", "lib2to3"),  # 3.13
}
"""Modules of the standard library that Python 3.11 has and a later one has not."""
GONE_NAMES = {
    *("ast.Num", "ast.Str", "ast.Bytes", "ast.NameConstant", "ast.Ellipsis"),  # 3.14
    *("asyncio.get_child_watcher", "asyncio.set_child_watcher", "asyncio.AbstractChildWatcher"),  # 3.14
    *("datetime.utcnow", "datetime.utcfromtimestamp"),  # warn since 3.12, and a warning is an error here
    *("asyncio.iscoroutinefunction", "asyncio.set_event_loop_policy", "asyncio.get_event_loop_policy"),  # warn, 3.14
    *("pkgutil.find_loader", "pkgutil.get_loader", "pkgutil.ImpImporter", "sqlite3.version"),  # 3.14
    *("typing.ByteString", "abc.ByteString", "locale.getdefaultlocale", "unittest.makeSuite"),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the sources as they are."""
    pages = provide_pages(tmp_path_factory.mktemp("pages"))
    target = tmp_path_factory.mktemp("wheel")
    done = package_build.build(package_build.copy_sources(tmp_path_factory.mktemp("sources"), pages), target)
    assert done.returncode == 0, done.stderr
    return target / f"ventuno-{__version__}-py3-none-any.whl"


def test_a_wheel_holds_all_that_a_house_needs(wheel: Path) -> None:
    """Every file of the package, the pages, the verifier for a disk, and the licences of what the pages are made of."""
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        texts = {name: packed.read(name) for name in names if not name.endswith((".woff2", ".svg"))}
    package = Path(ROOT, "src", "ventuno")
    files = [path for path in project_files() if path.is_relative_to(package)]
    assert {path.relative_to(package.parent).as_posix() for path in files} <= names
    kinds = ("sheets/ventuno.toml", "words/it/table.json", "words/en/table.json", "py.typed", "web/static/index.html")
    migrations = "house/store/migrations/env.py"
    assert {f"ventuno/{name}" for name in (*kinds, migrations, "web/static/ventuno-verifier.html")} <= names
    notices = texts["ventuno/web/static/notices.txt"].decode()
    assert [name for name in BUNDLED if f"\n{name} " not in notices] == []
    assert "SIL OPEN FONT LICENSE" in notices.upper()
    told = f"ventuno-{__version__}.dist-info/licenses"
    assert {f"{told}/LICENSE", f"{told}/src/ventuno/web/static/notices.txt"} <= names
    assert [name for name, text in texts.items() if lines_with(REGISTRY, text.decode(errors="replace"))] == []


def test_a_wheel_opens_a_house(wheel: Path, tmp_path: Path) -> None:
    """Installed into an empty environment beside the libraries, away from the checkout: `ventuno serve` has pages."""
    python = package_build.make_environment(tmp_path / "environment", shared=True)
    package_build.install(python, "--offline", "--no-deps", wheel)
    place = package_build.run(python, "-c", "import ventuno; print(ventuno.__file__)").stdout
    assert place.startswith(str(tmp_path))
    data = tmp_path / "data"
    data.mkdir()
    unset: dict[str, Any] = dict.fromkeys((name for name in os.environ if name.startswith("PYTHON")), "")
    with running(data, command=(str(python.parent / "ventuno"), "serve"), **unset) as house:
        assert '<div id="app"' in house.get("/").text
        assert {game["game"] for game in house.get("/api/lobby").json()["games"]} >= set(GAMES)
        assert "svelte" in house.get("/notices.txt").text
        assert house.get("/ventuno-verifier.html").status_code == 200


def test_no_wheel_and_no_archive_without_pages(tmp_path: Path) -> None:
    sources = package_build.copy_sources(tmp_path / "sources")
    for kind in ("wheel", "sdist"):
        done = package_build.build(sources, tmp_path / "built", kind)
        assert done.returncode != 0, done.stdout
        assert "the client is not built (src/ventuno/web/static/index.html is missing): cd client && npm" in done.stderr
    assert not list(tmp_path.glob("built/*"))


def test_an_install_in_place_needs_no_pages(tmp_path: Path) -> None:
    unused: Any = None
    hook = hatch_build.ClientHook(str(tmp_path), {}, unused, unused, "", "wheel")
    hook.initialize("editable", {})
    with pytest.raises(hatch_build.ClientNotBuilt):
        hook.initialize("standard", {})


@pytest.mark.parametrize("changed", ["client/src/App.svelte", "src/ventuno/words/it/table.json"])
def test_pages_older_than_their_sources_are_refused(tmp_path: Path, changed: str) -> None:
    sources = package_build.copy_sources(tmp_path / "sources")
    static = sources / package_build.STATIC
    static.mkdir()
    for name in ("index.html", "verifier.html", "ventuno-verifier.html", "notices.txt"):
        (static / name).write_text("")
    later = (static / "index.html").stat().st_mtime + 5
    os.utime(sources / changed, (later, later))
    done = package_build.build(sources, tmp_path / "built")
    assert done.returncode != 0
    assert f"the client was built before {changed} was changed" in done.stderr


def test_a_wheel_comes_from_an_archive_too(tmp_path: Path) -> None:
    """Of the whole tree; stand-ins for the pages, so that it says nothing about what they hold."""
    sources = package_build.copy_sources(tmp_path / "sources")
    (sources / package_build.STATIC / "assets").mkdir(parents=True)
    for name in ("index.html", "verifier.html", "ventuno-verifier.html", "notices.txt", "assets/a.js"):
        (sources / package_build.STATIC / name).write_text(name)
    assert package_build.build(sources, tmp_path, "sdist").returncode == 0
    shutil.unpack_archive(tmp_path / f"ventuno-{__version__}.tar.gz", tmp_path / "unpacked", filter="data")
    done = package_build.build(tmp_path / "unpacked" / f"ventuno-{__version__}", tmp_path)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / f"ventuno-{__version__}-py3-none-any.whl") as packed:
        assert packed.read("ventuno/web/static/assets/a.js") == b"assets/a.js"


def find_lost(tree: ast.Module) -> set[str]:
    """What a source takes of the standard library that Python 3.12 to 3.14 lost, or warns of."""
    lost = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                lost |= {alias.name for alias in names if alias.name.partition(".")[0] in GONE}
            case ast.ImportFrom(module=str() as module, names=names):
                lost |= {module} if module.partition(".")[0] in GONE else set()
                lost |= {f"{module}.{alias.name}" for alias in names} & GONE_NAMES
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                lost |= {f"{name}.{attribute}"} & GONE_NAMES
            case ast.Try(finalbody=[_, *_] as last):
                leaves = (ast.Return, ast.Break, ast.Continue)
                lost |= {"leaving a finally" for line in last for part in ast.walk(line) if isinstance(part, leaves)}
            case _:
                continue
    return lost


def test_every_python_that_is_promised_can_read_the_sources() -> None:
    """Only one of them is here: no grammar newer than the oldest's, and nothing that the later ones lost."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    promised = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: 3." in line]
    assert (project["requires-python"], promised) == (">=3.11", [f"{major}.{minor}" for major, minor in PYTHONS])
    for path in project_files():
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ("src", "examples", "dev.py", "hatch_build.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=PYTHONS[0])
            assert find_lost(tree) == set(), path


@pytest.mark.parametrize(
    "source",
    [
        "import distutils.util",
        "from cgi import escape",
        "from datetime import datetime\ndatetime.utcnow()",
        "import asyncio\nasyncio.iscoroutinefunction(f)",
        "from typing import ByteString",
        "def f():\n    try:\n        g()\n    finally:\n        return 1",
    ],
)
def test_planted_loss_of_a_later_python_is_caught(source: str) -> None:
    assert find_lost(ast.parse(source))


def test_one_version_everywhere() -> None:
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff")}
    released = re.search(r"^## (\S+) - (\S+)$", texts["CHANGELOG.md"], re.MULTILINE)
    cited = re.search(r"^version: (\S+)\ndate-released: (\S+)$", texts["CITATION.cff"], re.MULTILINE)
    assert released is not None
    assert cited is not None
    assert (*released.groups(), __version__) == (*cited.groups(), cited[1])
