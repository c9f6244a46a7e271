"""Mutants: one small change each at a place of the sources that decides something.

Not generated, because no run could tell them from the original: annotations, docstrings and other strings, decorators
and their options, asserts, `__slots__`, what stands inside an f-string, `strict=` of `zip`, type aliases.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add),
    ast.FloorDiv: (ast.Mult,),
    ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
}
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any"}
IDLE_KEYWORDS = {"strict", "repr", "slots", "frozen"}
IDLE_CALLS = {"cast", "isinstance", "issubclass", "TypeVar", "NewType"}
QUIET_CALLS = {"assert_never", "debug", "info", "warning", "exception"}
"""Calls whose removal no player and no book would notice: logs, and what only the type checker reads."""


@dataclass(frozen=True)
class Mutant:
    """`text` is the whole mutated file; `line` and `last` are where the original stood."""

    path: str
    line: int
    last: int
    line_text: str
    change: str
    at_import: bool
    text: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line} {self.change}"


Span = tuple[int, int]
Change = tuple[str, str]
"""The code that takes the place of the original, and how it is told."""


@dataclass(frozen=True)
class Place:
    """Something that can be changed, and every way to change it."""

    span: Span
    line: int
    last: int
    at_import: bool
    changes: tuple[Change, ...]


def generate_mutants(root: Path, path: str, seed: int) -> list[tuple[str, Mutant]]:
    """One mutant for each place of a file, each with a rank that hangs on the seed and on nothing else in the tree."""
    source = (root / path).read_text(encoding="utf-8")
    lines, mutants, seen = source.splitlines(), [], Counter[str]()
    for place in find_places(source):
        text = lines[place.line - 1].strip()
        label = f"{seed}|{path}|{text}|{place.changes[0][1]}"
        seen[label] += 1
        rank = hashlib.sha256(f"{label}|{seen[label]}".encode()).hexdigest()
        code, change = random.Random(rank).choice(place.changes)
        mutants.append((rank, _apply(source, path, place, code, change)))
    return mutants


def list_changes(root: Path, path: str) -> set[tuple[str, str]]:
    """Every line and change that this file offers, whatever the seed."""
    source = (root / path).read_text(encoding="utf-8")
    lines = source.splitlines()
    return {(lines[place.line - 1].strip(), change) for place in find_places(source) for _, change in place.changes}


def find_places(source: str) -> list[Place]:
    return list(_Finder(source).walk(ast.parse(source), at_import=True))


def _apply(source: str, path: str, place: Place, code: str, change: str) -> Mutant:
    encoded, (start, end) = source.encode(), place.span
    text = (encoded[:start] + code.encode() + encoded[end:]).decode()
    line_text = source.splitlines()[place.line - 1].strip()
    return Mutant(path, place.line, place.last, line_text, change, place.at_import, text)


class _Finder:
    def __init__(self, source: str) -> None:
        starts = [0]
        for line in source.encode().splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def walk(self, node: ast.AST, *, at_import: bool) -> Iterator[Place]:
        if changes := tuple(_list_changes(node, at_import=at_import)):
            changed = _get_changed(node)
            assert changed.end_lineno is not None
            yield Place(self._span(changed), changed.lineno, changed.end_lineno, at_import, changes)
        for child, runs_at_import in _visit_children(node, at_import=at_import):
            yield from self.walk(child, at_import=runs_at_import)

    def _span(self, node: ast.expr | ast.stmt) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset


def _get_changed(node: ast.AST) -> ast.expr | ast.stmt:
    """What of the node is written anew: of a branch or a loop only its head."""
    match node:
        case ast.If() | ast.While():
            return node.test
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.expr() | ast.stmt():
            return node
        case _:
            raise TypeError(node)


def _visit_children(node: ast.AST, *, at_import: bool) -> Iterator[tuple[ast.AST, bool]]:
    """What of a node can hold a fault, and whether it runs when the module is imported."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default]
            yield from ((default, at_import) for default in defaults)
            yield from ((child, False) for child in node.body)
        case ast.Lambda():
            yield node.body, False
        case ast.ClassDef():
            yield from ((child, at_import) for child in node.body)
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value, at_import
        case ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.If() if _is_for_tools(node.test):
            return
        case ast.Call() if _get_called(node) in IDLE_CALLS:
            yield from ((child, at_import) for child in node.args[:1])
        case ast.Call() if _get_called(node) in QUIET_CALLS:
            return
        case ast.keyword() if node.arg in IDLE_KEYWORDS:
            return
        case ast.Assign(targets=[ast.Name(id="__slots__" | "__all__")]):
            return
        case ast.MatchValue() | ast.MatchSingleton():
            return
        case _:
            yield from ((child, at_import) for child in ast.iter_child_nodes(node))


def _is_for_tools(test: ast.expr) -> bool:
    text = ast.unparse(test)
    return text == "TYPE_CHECKING" or text.startswith("__name__ ==")


def _get_called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _list_changes(node: ast.AST, *, at_import: bool) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _change_comparison(node)
        case ast.BinOp():
            yield from _change_operator(node, at_import=at_import)
        case ast.AugAssign():
            for operator in OPERATORS.get(type(node.op), ()):
                yield _tell(node, _replace(node, op=operator()))
        case ast.BoolOp():
            yield _tell(node, _replace(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And()))
            for number in range(len(node.values)):
                rest = [value for other, value in enumerate(node.values) if other != number]
                yield _tell(node, rest[0] if len(rest) == 1 else _replace(node, values=rest))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield _tell(node, node.operand)
        case ast.Constant(value=bool(value)):
            yield _tell(node, ast.Constant(not value))
        case ast.Constant(value=int(value)):
            yield _tell(node, ast.Constant(value + 1))
            yield _tell(node, ast.Constant(value - 1))
        case ast.Constant(value=float(value)):
            yield _tell(node, ast.Constant(value * 2))
        case ast.Call(func=ast.Name(id=name)) if name in EXCHANGED:
            yield _tell(node, _replace(node, func=ast.Name(EXCHANGED[name])))
        case ast.IfExp():
            yield _tell(node, node.body)
            yield _tell(node, node.orelse)
        case _:
            yield from _change_statement(node)


def _change_comparison(node: ast.Compare) -> Iterator[Change]:
    for number, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            yield _tell(node, _replace(node, ops=[*node.ops[:number], other(), *node.ops[number + 1 :]]))


def _change_operator(node: ast.BinOp, *, at_import: bool) -> Iterator[Change]:
    """Not the `|` of types and the `+` and `%` of strings."""
    is_alias = isinstance(node.op, ast.BitOr) and at_import
    if not (is_alias or _is_string(node.left) or _is_string(node.right)):
        for operator in OPERATORS.get(type(node.op), ()):
            yield _tell(node, _replace(node, op=operator()))


def _is_string(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_string(left) or _is_string(right)
        case _:
            return False


def _change_statement(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If() | ast.While() if not _is_for_tools(node.test):
            # The branch is lost; that it is taken always is what the operators in its test are changed for.
            yield "False", f"{_get_head(node)} -> never"
        case ast.For():
            yield "()", f"{_get_head(node)} -> no turn"
        case ast.Break():
            yield _tell(node, ast.Continue())
        case ast.Continue():
            yield _tell(node, ast.Break())
        case ast.Raise():
            yield _tell(node, ast.Pass())
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            if _get_called(call) not in QUIET_CALLS:
                yield _tell(node, ast.Pass())
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield _tell(node, ast.Pass())
        case _:
            return


def _get_head(node: ast.stmt) -> str:
    return ast.unparse(node).splitlines()[0]


def _replace(node: ast.expr | ast.stmt, **fields: object) -> ast.AST:
    changed: ast.AST = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _tell(before: ast.AST, after: ast.AST) -> Change:
    text = ast.unparse(after)
    code = f"({text})" if isinstance(after, ast.expr) else text
    return code, f"{ast.unparse(before)} -> {text}"


def list_files(root: Path, names: Sequence[str]) -> list[str]:
    """The Python files among those that are named and under the folders that are named."""
    tops = [root / name for name in names if (root / name).exists()]
    paths = [path for top in tops for path in (top.rglob("*.py") if top.is_dir() else [top])]
    return sorted(path.relative_to(root).as_posix() for path in paths)
