"""What a long run measures, as one hash: its modules, all of the project that they import, and the data beside them.

Comments and docstrings do not count: whoever rewords one goes on with the same count.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = {"ventuno": "src", "tests": "", "bench": ""}
DATA = (".toml", ".json")
"""What packages read beside their modules: rule sheets, phrases."""
BUILT = "static"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def hash_sources(modules: tuple[str, ...], root: Path = ROOT) -> str:
    """Of these modules, of all that they import from the project, and of the Python that runs them."""
    total = hashlib.sha256(sys.version.split()[0].encode())
    for path, tree in sorted(find_modules(modules, root).items()):
        total.update(f"\0{path.relative_to(root)}\0{_dump_program(tree)}".encode())
        for data in _find_data(path.parent) if path.name == "__init__.py" else ():
            total.update(f"\0{data.relative_to(root)}\0".encode() + data.read_bytes())
    return total.hexdigest()[:12]


def find_modules(modules: tuple[str, ...], root: Path) -> dict[Path, ast.Module]:
    trees, left = dict[Path, ast.Module](), list(modules)
    while left:
        words = left.pop().split(".")
        for length in range(1, len(words) + 1) if words[0] in PLACES else ():
            path = _locate(root.joinpath(PLACES[words[0]], *words[:length]))
            if path is not None and path not in trees:
                trees[path] = ast.parse(path.read_bytes())
                left += _list_imports(trees[path])
    return trees


def _locate(stem: Path) -> Path | None:
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _find_data(package: Path) -> Iterator[Path]:
    """The files of a package and of its folders that are no packages themselves; what was built is none of its own."""
    for path in sorted(package.iterdir()):
        if path.suffix in DATA:
            yield path
        elif path.is_dir() and path.name != BUILT and not (path / "__init__.py").exists():
            yield from _find_data(path)


def _dump_program(tree: ast.Module) -> str:
    """A module without its comments and docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED):
            node.body = [statement for statement in node.body if not _is_text(statement)]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
