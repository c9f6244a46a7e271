"""What a command needs beyond the base install, and what it says where that is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ventuno.cli.errors import Fault

HOUSE, ODDS = "house", "odds"
EXTRA_OF = {
    **dict.fromkeys(("alembic", "argon2", "fastapi", "httptools", "markdown_it", "msgspec"), HOUSE),
    **dict.fromkeys(("pydantic", "pydantic_core", "pydantic_settings", "sqlalchemy", "starlette", "structlog"), HOUSE),
    **dict.fromkeys(("prometheus_client", "typing_extensions", "uvicorn", "uvloop", "websockets"), HOUSE),
    **dict.fromkeys(("llvmlite", "numba", "numpy"), ODDS),
    "asyncpg": "postgres",
    "distributed": "grid",
    "gymnasium": "research",
    "httpx": "bot",
    "nats": "cluster",
    "pettingzoo": "research",
    "opentelemetry": "otel",
    "py_arkworks_bls12381": "beacon",
    "segno": "deck",
}
"""The module that is imported, and the extra that brings it; pyproject.toml has the packages."""
FILE_LOCKS = "fcntl"
"""The first module of the standard library that a house misses on Windows."""
WINDOWS = "win32"
PROGRAM = "ventuno"


class ExtraMissing(Fault):
    """Something is asked for that this install left out: the extra that has it, and the line to type."""

    def __init__(self, what: str, extra: str) -> None:
        package = f"'ventuno[{extra}]'"
        at_once = f", or at once: uvx --from {package} {what}" if what.startswith(PROGRAM) else ""
        super().__init__(f"{what} needs the extra `{extra}`: pip install {package}{at_once}")
        self.extra = extra


class PlatformUnfit(Fault):
    """No extra helps: this system cannot do it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} does not run on Windows, where file locks, signals and sockets between processes differ: open the "
            "house under WSL or in a container; rules, odds, `play` and `verify FILE` run here"
        )


@contextmanager
def name_missing_extras(words: Sequence[str]) -> Iterator[None]:
    """Around a command: a module that is not installed becomes one line that says how to get it."""
    try:
        yield
    except ModuleNotFoundError as fault:
        command = next((word for word in words if not word.startswith("-")), "")
        raise explain_missing(f"{PROGRAM} {command}".strip(), fault.name or str(fault)) from None


def explain_missing(what: str, module: str) -> Fault:
    """Why there is no such module, and what to do about it."""
    package = module.partition(".")[0]
    extra = EXTRA_OF.get(package, "")
    if sys.platform == WINDOWS and (package == FILE_LOCKS or extra in (HOUSE, "postgres", "cluster")):
        return PlatformUnfit(what)
    return ExtraMissing(what, extra) if extra else Fault(f"{what}: {module} is missing: install ventuno again")
