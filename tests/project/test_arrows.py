"""Who may import whom, and what the pure core may not do. Read from the source, so nothing has to run."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "ventuno"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))

# Room -> the rooms it may import, itself included. "" is the package itself: its version, the names of its library.
ARROWS = {
    "": {"", "library"},
    "core": {"core"},
    "words": {"words", "core"},
    "sheets": {"sheets", "core"},
    "odds": {"odds", "words", "core", "sheets", ""},
    "house": {"house", "core", "sheets", ""},
    "client": {"client", "core"},
    "guide": {"guide", "words", "core"},
    "deck": {"deck", "core"},
    "web": {"web", "house", "guide", "words", "core", ""},
    "library": {"library", "house", "odds", "sheets", "words", "core"},
    "environments": {"environments", "library", "odds", "sheets", "core"},
    "cli": {"cli", "web", "deck", "library", "house", "odds", "sheets", "words", "core", ""},
}
# Room -> the libraries it may import; a room not named here may import any but those of ONLY_IN.
LIBRARIES: dict[str, set[str]] = {
    "": set(),
    "core": set(),
    "sheets": set(),
    "words": set(),
    "guide": set(),
    "odds": {"numpy", "numba", "llvmlite", "distributed"},
    "library": set(),
    "environments": {"numpy", "gymnasium", "pettingzoo"},
    "client": {"httpx", "websockets"},
    "deck": {"segno"},
}
ONLY_IN = {"numba": "odds"}

# Room of the house -> the other rooms of the house that it may import. "" is what puts the parts together.
HOUSE_ARROWS: dict[str, set[str]] = {
    "store": set(),
    "accounts": {"store"},
    "money": {"store", "accounts"},
    "shoes": {"store"},
    "protection": {"store", "accounts", "money"},
    "tables": {"store", "accounts", "money", "shoes", "protection"},
    "pits": {"store", "accounts", "money", "shoes", "protection", "tables"},
    "integrity": {"store", "accounts", "money", "shoes", "protection", "tables"},
    "history": {"store", "accounts", "money", "shoes", "protection", "tables", "integrity"},
}
# The parts and facts of the application that doors may use: `app.part.verb(...)`, `app.fact`.
APPLICATION_PARTS = {
    *(
        "accounts",
        "cashier",
        "protection",
        "tables",
        "fairness",
        "chat",
        "history",
        "integrity",
        "supervision",
        "studio",
        "console",
        "erasure",
    ),
    "maintenance",
}
APPLICATION_FACTS = {
    *("config", "folder", "key", "unsafe", "halted", "disk_full"),
    *("open", "close", "now", "steady", "flush", "find_failure", "measure_commits", "trace"),
}

WORLDLY_MODULES = {
    *("time", "datetime", "random", "secrets", "os", "io", "pathlib", "logging", "sys"),
    *("socket", "threading", "subprocess", "asyncio", "importlib", "builtins"),
}
WORLDLY_CALLS = {"open", "print", "input", "__import__", "exec", "eval"}
MUTABLE_MAKERS = {"list", "dict", "set", "bytearray", "defaultdict", "Counter", "deque", "OrderedDict"}
MUTABLE_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
FRAMEWORK = {"request", "websocket"}
FRAMEWORK_MODULES = {"web/app.py", "web/http/errors.py", "web/messages/schema.py"}
"""Modules in which `app` is the web framework's application, and the house is called `application`."""
Chains = dict[str, tuple[str, ...]]
"""Names that stand for the application, with no attributes, or for one of its parts."""
MUTATORS = {
    *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse"),
    *("add", "discard", "update", "setdefault", "appendleft", "popleft", "subtract"),
}


def room_of(module: str) -> str:
    """The room of a file, from its path inside the package; `__main__` is a door of the command line."""
    first, _, rest = module.partition("/")
    if rest:
        return first
    return "cli" if first == "__main__.py" else ""


def imported(source: str, module: str) -> Iterator[str]:
    """Every dotted name a file imports, made absolute; also those given as text to import_module or __import__."""
    package = ["ventuno", *module.split("/")[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            yield from (
                word.value for word in node.args[:1] if isinstance(word, ast.Constant) and type(word.value) is str
            )


def called(node: ast.Call) -> str:
    """The last name of what is called: `f` in `f()` and in `a.b.f()`."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def bad_arrows(source: str, module: str) -> list[str]:
    """The imports of a file that its room does not allow."""
    room = room_of(module)
    if room not in ARROWS:
        return [f"{module}: no such room: {room}"]
    return [
        f"{module}: {room or 'ventuno'} -> {name}" for name in imported(source, module) if not may_import(room, name)
    ]


def bad_house_arrows(source: str, module: str) -> list[str]:
    """The imports of a file in a room of the house that go to a room above it."""
    _, room, *_ = module.split("/")
    if room.endswith(".py"):
        return []
    names = [name.split(".") for name in imported(source, module)]
    inner = [(name[2], ".".join(name)) for name in names if name[:2] == ["ventuno", "house"] and len(name) > 2]
    allowed = HOUSE_ARROWS[room] | {room}
    return [f"{module}: {room} -> {name}" for target, name in inner if target not in allowed]


def reached_through(source: str, module: str) -> list[str]:
    """Where a door goes through the application to an inner part: `app.part.inner.verb`, or a part that is not its own.

    The application is what is called `app` or `application`; `request.app` is the web framework's.
    """
    faults = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            known: Chains = {"application": ()} if module in FRAMEWORK_MODULES else {"app": (), "application": ()}
            known |= dict(part_aliases(function, known))
            chains = [chain for node in ast.walk(function) if (chain := attribute_chain(node, known))]
            faults += [chain for chain in chains if not may_reach(chain)]
    return [f"{module}: app.{'.'.join(chain)}" for chain in dict.fromkeys(faults)]


def may_reach(chain: tuple[str, ...]) -> bool:
    if chain[0] in APPLICATION_PARTS:
        return len(chain) <= 2
    return chain[0] in APPLICATION_FACTS | {"state"}


def part_aliases(function: ast.AST, known: Chains) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that stand for a part: `tables` in `tables = app.tables`, also in a row of assignments."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = list(zip(targets, values, strict=False))
            case ast.Assign(targets=[target], value=value):
                pairs = [(target, value)]
            case _:
                continue
        for target, value in pairs:
            chain = attribute_chain(value, known)
            if isinstance(target, ast.Name) and chain and chain[0] in APPLICATION_PARTS:
                yield target.id, chain


def attribute_chain(node: ast.AST, known: Chains) -> tuple[str, ...]:
    """The attributes behind an application: ("tables", "ask") for `app.tables.ask`; nothing for other expressions."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        if node.attr.removeprefix("_") in ("app", "application") and names:
            is_framework = names[-1] == "state" or (isinstance(node.value, ast.Name) and node.value.id in FRAMEWORK)
            return () if is_framework else tuple(reversed(names))
        names.append(node.attr)
        node = node.value
    return (*known[node.id], *reversed(names)) if isinstance(node, ast.Name) and names and node.id in known else ()


def may_import(room: str, name: str) -> bool:
    top, _, inner = name.partition(".")
    if top == "ventuno":
        first = inner.split(".")[0]
        return (first if first in ARROWS or (PACKAGE / first).is_dir() else "") in ARROWS[room]
    if top in sys.stdlib_module_names:
        return True
    if top in ONLY_IN and ONLY_IN[top] != room:
        return False
    return room not in LIBRARIES or top in LIBRARIES[room]


def impurities(source: str, module: str) -> list[str]:
    """What a file of the core does that a fold may not: touch the world, wait, or keep state."""
    tree = ast.parse(source)
    found = [f"imports {name}" for name in imported(source, module) if name.split(".")[0] in WORLDLY_MODULES]
    for node in ast.walk(tree):
        match node:
            case (
                ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await() | ast.comprehension(is_async=1)
            ):
                found.append("is async")
            case ast.Global(names=names):
                found.append(f"has global {', '.join(names)}")
            case ast.Call(func=ast.Name(id=name)) if name in WORLDLY_CALLS:
                found.append(f"calls {name}")
            case _:
                pass
    return [f"{module}: {fault}" for fault in [*found, *mutated_state(tree)]]


def mutated_state(tree: ast.Module) -> Iterator[str]:
    """Lists, dicts and sets of the module that one of its functions changes."""
    state = set(mutable_names(tree))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            yield from (f"changes {name}" for name in changed_names(function) if name in state - local_names(function))


def mutable_names(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        if isinstance(value, MUTABLE_DISPLAYS) or (isinstance(value, ast.Call) and called(value) in MUTABLE_MAKERS):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def local_names(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def changed_names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
                yield name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case _:
                pass


@pytest.mark.parametrize("module", MODULES)
def test_arrows(module: str) -> None:
    assert bad_arrows((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module) == "house"])
def test_arrows_inside_the_house(module: str) -> None:
    assert bad_house_arrows((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module) in ("web", "cli")])
def test_doors_use_the_parts_of_the_application(module: str) -> None:
    assert reached_through((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module) == "core"])
def test_core_is_pure(module: str) -> None:
    assert impurities((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core/hand.py", "import ventuno.sheets"),
        ("core/hand.py", "from ventuno import odds"),
        ("core/hand.py", "from ventuno import __version__"),
        ("core/hand.py", "from .. import house"),
        ("core/hand.py", "from ..cli.main import main"),
        ("core/hand.py", "import numpy as np"),
        ("core/hand.py", "def f():\n    from rich import print"),
        ("core/deep/hand.py", "from ...sheets import load"),
        ("sheets/__init__.py", "from ventuno.odds import solver"),
        ("sheets/__init__.py", "import numpy"),
        ("odds/solver.py", "from ventuno.house import tables"),
        ("odds/solver.py", "from ..house.tables import Table"),
        ("odds/solver.py", "import ventuno.cli.main"),
        ("odds/solver.py", "import scipy"),
        ("house/tables.py", "from ventuno.odds.exact.solver import solve"),
        ("house/tables.py", "from importlib import import_module\nimport_module('ventuno.odds.exact.solver')"),
        ("house/tables.py", "__import__('ventuno.odds')"),
        ("house/tables.py", "from ventuno.web import wire"),
        ("house/tables.py", "import numba"),
        ("client/table.py", "from ventuno.web.messages.games import LobbyLine"),
        ("client/table.py", "import pydantic"),
        ("library/table.py", "from ventuno.web.bots import start"),
        ("library/table.py", "import numpy"),
        ("odds/solver.py", "from ventuno.library.solution import solve"),
        ("odds/solver.py", "import gymnasium"),
        ("environments/duel.py", "from ventuno.house.tables.authority import Authority"),
        ("deck/cards.py", "from ventuno.house import tables"),
        ("deck/cards.py", "import PIL"),
        ("web/api.py", "from ventuno.deck import cards"),
        ("web/api.py", "from ventuno.odds import solver"),
        ("web/api.py", "import ventuno.sheets"),
        ("web/api.py", "from ventuno.cli import main"),
        ("cli/simulate.py", "from numba import njit"),
        ("__init__.py", "from ventuno.core import hand"),
        ("lounge/sofa.py", ""),
    ],
)
def test_planted_arrow_is_caught(module: str, source: str) -> None:
    assert len(bad_arrows(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("house/store/store.py", "from ventuno.house.money.wallet import Wallet"),
        ("house/accounts/login.py", "from ventuno.house.tables import authority"),
        ("house/shoes/cut.py", "from ventuno.house import tables"),
        ("house/protection/limit_check.py", "from ventuno.house.tables.table_host import TableHost"),
        ("house/tables/pipeline.py", "from ventuno.house.integrity.account_links import AccountLinks"),
        ("house/tables/pipeline.py", "from ..history import export"),
        ("house/tables/authority.py", "from ventuno.house.pits.pit import Pit"),
        ("house/integrity/alerts.py", "from ventuno.house.history.export import collect"),
        ("house/history/export.py", "from ventuno.house.application import Application"),
    ],
)
def test_planted_arrow_inside_the_house_is_caught(module: str, source: str) -> None:
    assert len(bad_house_arrows(source, module)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def f(app):\n    app.host.ask(1)",
        "def f(app):\n    return app.tables.host.ask(1)",
        "def f(app):\n    return app.accounts.tokens.changes",
        "class Hub:\n    def f(self):\n        self.app.cashier.wallet.post(())",
        "class Hub:\n    def f(self):\n        self._hub.app.services.accounts",
        "def f(state):\n    state.application.tables.host.now()",
        "def f(app):\n    tables = app.tables\n    tables.host.ask(1)",
        "def f(app):\n    now, tables = app.now(), app.tables\n    return tables.host.ask(now)",
    ],
)
def test_planted_reach_through_the_application_is_caught(source: str) -> None:
    assert reached_through(source, "web/api.py") != []


@pytest.mark.parametrize(
    "source",
    [
        "def f(app):\n    return app.tables.ask(1).version",
        "def f(app):\n    return app.accounts[1].player.name",
        "def f(app):\n    return app.tables.get_all().items()",
        "def f(app):\n    return app.config.games.values()",
        "def f(request):\n    return request.app.state.rates.check(request.app.state.application.now())",
    ],
)
def test_calls_of_parts_pass(source: str) -> None:
    assert reached_through(source, "web/api.py") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "core/hand.py",
            "from collections.abc import Iterator\nfrom ventuno.core.rules.cards import Card\nfrom . import money",
        ),
        ("sheets/__init__.py", "import tomllib\nfrom ventuno.core.rules.sheet import Sheet"),
        ("odds/solver.py", "import numba\nimport numpy as np\nfrom ventuno import core, sheets, __version__"),
        ("house/tables.py", "import sqlalchemy\nfrom ..core import table"),
        ("client/client.py", "import httpx\nimport websockets\nfrom ventuno.core.views import public_view"),
        ("web/api.py", "import fastapi\nfrom ventuno.house import tables"),
        ("cli/main.py", "import rich\nfrom ventuno import core, sheets, odds, house, web"),
        ("__main__.py", "from ventuno.cli.main import main"),
    ],
)
def test_good_arrows_pass(module: str, source: str) -> None:
    assert bad_arrows(source, module) == []


@pytest.mark.parametrize(
    "source",
    [
        *(f"import {name}" for name in sorted(WORLDLY_MODULES)),
        *(f"def f():\n    {name}('x')" for name in sorted(WORLDLY_CALLS)),
        "from datetime import datetime",
        "import os.path",
        "async def f(): ...",
        "rounds = 0\ndef f():\n    global rounds",
        "SEEN = []\ndef f(card):\n    SEEN.append(card)",
        "SEEN: dict[str, int] = {}\ndef f(card):\n    SEEN[card] = 1",
        "SEEN = {}\ndef f(card):\n    SEEN[card] += 1",
        "SEEN = {1: 2}\ndef f(card):\n    del SEEN[card]",
        "SEEN = set()\nf = lambda card: SEEN.add(card)",
    ],
)
def test_planted_impurity_is_caught(source: str) -> None:
    assert len(impurities(source, "core/hand.py")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "VALUES = {'A': 11}\ndef f(rank):\n    return VALUES[rank]",
        "SEEN = []\ndef f(card):\n    SEEN = []\n    SEEN.append(card)",
        "SEEN = []\ndef f(SEEN):\n    SEEN.append(1)",
        "TABLE = {}\nTABLE['A'] = 11",
        "def f(shoe):\n    return shoe.open()",
        "from dataclasses import dataclass\nfrom enum import Enum",
    ],
)
def test_pure_source_passes(source: str) -> None:
    assert impurities(source, "core/hand.py") == []
