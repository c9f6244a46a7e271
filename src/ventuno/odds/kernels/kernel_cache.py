"""Where compiled kernels are kept: one file each, named by all that its code depends on.

A kernel is found again only for the same source, the same versions of the compiler and the same processor. A file that
is cut short, changed, or another kernel under this name is not found; the kernel is then made anew over it. A folder
that cannot be written costs time, never a result.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

_HERE = Path(__file__).parent


def list_folders() -> tuple[Path, ...]:
    """As numba does it: the folder of `NUMBA_CACHE_DIR`; else beside the source, else in the user's own cache."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return (Path(named),)
    own = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return _HERE / "__pycache__", Path(own) / "ventuno"


@cache
def hash_source() -> str:
    """The loops, their compiler and the way they are called."""
    files = sorted([*(_HERE / "loops").glob("*.py"), _HERE / "kernel.py"])
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


@cache
def compiler_versions() -> tuple[str, ...]:
    return version("numba"), version("llvmlite")


@cache
def processor() -> tuple[str, ...]:
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return binding.get_process_triple(), binding.get_host_cpu_name(), features


def numba_options() -> list[str]:
    """numba takes options from the environment, checks of bounds among them; they make other code."""
    options = (f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    return sorted(option for option in options if not option.startswith("NUMBA_CACHE_DIR="))


def make_key(*words: str) -> str:
    """Names the code of a kernel: its name and kinds, and what everything here depends on."""
    return sha256(
        "\0".join([*words, hash_source(), *compiler_versions(), *processor(), *numba_options()]).encode()
    ).hexdigest()


def find(title: str, key: str) -> bytes | None:
    """The code kept under this key, if it is whole."""
    for folder in list_folders():
        with suppress(OSError):
            kept = (folder / _file(title, key)).read_bytes()
            seal, code = kept[:32], kept[32:]
            if seal == _seal(key, code):
                return code
    return None


def keep(title: str, key: str, code: bytes) -> None:
    """Written aside and moved into place: another process sees all of it or nothing."""
    for folder in list_folders():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            aside = folder / f"{title}-{os.getpid()}.aside"
            aside.write_bytes(_seal(key, code) + code)
            aside.replace(folder / _file(title, key))
            return


def _file(title: str, key: str) -> str:
    return f"{title}-{key[:32]}.kernel"


def _seal(key: str, code: bytes) -> bytes:
    """Says that this code is whole, and is the one of this key."""
    return sha256(key.encode() + code).digest()
