"""A backup of a house: a tar file with its books, key, sheets and certificates, and a list with the hash of each.

Books and key hold undealt cards, password hashes and second factors: the file is its owner's alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO
from urllib.parse import unquote, urlsplit

from ventuno import __version__
from ventuno.cli.errors import ANSWER_IS_NO, Fault

FORMAT = 1
LIST, BOOKS, DUMP, KEY = "backup.json", "house.db", "house.dump", "house.key"
FOLDERS = {"sheets": "*.toml", "certificates": "*.json"}
PRIVATE = 0o077
_NAMES = re.compile(rf"{LIST}|{BOOKS}|{DUMP}|{KEY}|(?:{'|'.join(FOLDERS)})/[0-9a-zA-Z-]{{1,80}}\.(?:toml|json)")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup says of itself: first in the file."""

    at: int
    house: str
    version: str = __version__
    format: int = FORMAT
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of each file."""


def write(file: BinaryIO, house: str, paths: Mapping[str, Path]) -> Contents:
    """These files by their names in the archive, after the list of them."""
    hashes = {name: hash_file(path) for name, path in paths.items()}
    contents = Contents(time.time_ns() // 1_000_000, house, files=hashes)
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        listed = json.dumps(asdict(contents), indent=2).encode()
        _add(archive, LIST, BytesIO(listed), len(listed))
        for name, path in paths.items():
            with path.open("rb") as part:
                _add(archive, name, part, path.stat().st_size)
    return contents


def _add(archive: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, 0o600, int(time.time())
    archive.addfile(entry, file)


def extract(file: Path, folder: Path) -> Contents:
    """Everything into a folder, compared with the list; one line says what is wrong with the file."""
    try:
        with tarfile.open(file) as archive:
            contents = _read_list(archive, file)
            for entry in archive:
                if not entry.isreg() or not _NAMES.fullmatch(entry.name):
                    raise Fault(f"{file}: is no backup of a house: {entry.name[:80]!r} is in it")
                target = folder / entry.name
                target.parent.mkdir(exist_ok=True)
                if (part := archive.extractfile(entry)) is not None:
                    with target.open("wb") as whole:
                        shutil.copyfileobj(part, whole, _CHUNK)
                        whole.flush()
                        os.fsync(whole.fileno())
    except (OSError, tarfile.TarError, EOFError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise Fault(f"{file}: cannot be read: {reason}") from None
    for name, digest in contents.files.items():
        if not (folder / name).is_file() or hash_file(folder / name) != digest:
            raise Fault(f"{file}: {name} in it is damaged: take another backup", ANSWER_IS_NO)
    return contents


def _read_list(archive: tarfile.TarFile, file: Path) -> Contents:
    first = archive.next()
    part = archive.extractfile(first) if first and first.name == LIST and first.isreg() else None
    try:
        contents = Contents(**json.loads(part.read(_CHUNK))) if part else None
    except (ValueError, TypeError):
        contents = None
    if contents is None or not all(_NAMES.fullmatch(name) for name in contents.files):
        raise Fault(f"{file}: is no backup of a house")
    if contents.format != FORMAT:
        raise Fault(f"{file}: a backup of format {contents.format}, made by ventuno {contents.version}")
    return contents


def hash_file(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def check_sqlite(file: Path) -> None:
    """That SQLite finds its file whole; what it says is proven by `ventuno check`."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            answer = connection.execute("PRAGMA quick_check").fetchone()[0]
        except sqlite3.Error as fault:
            answer = str(fault)
    if answer != "ok":
        raise Fault(f"{file.name}: the database is damaged: {answer}", ANSWER_IS_NO)


def run_postgres_tool(tool: str, url: str, *options: str) -> None:
    """`pg_dump` or `pg_restore` on a database; the password goes by the environment, where nobody reads it."""
    program = shutil.which(tool)
    if program is None:
        raise Fault(
            f"{tool} is not on this machine: install PostgreSQL's client programs of the server's version, "
            f"or run `{tool}` beside the server as docs/operations.md says"
        )
    parts = urlsplit(url)
    address = parts._replace(netloc=re.sub(":[^:@]*@", "@", parts.netloc)).geturl()
    secret = {"PGPASSWORD": unquote(parts.password)} if parts.password else {}
    done = subprocess.run(
        [program, *options, f"--dbname={address}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **secret},
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Fault(f"{tool}: {said[0].removeprefix(f'{tool}: ')}", ANSWER_IS_NO)
