"""Links of the repository as links of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LINK = re.compile(
    r"^```.*?^```$|(?P<label>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^()\s]+)\)|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
"""A link; or code, in which there is none. Whichever begins first counts, so the text of a link may be code."""
FILES = "files"
"""The folder of the site for what a page leads to that is no page."""


@dataclass(frozen=True)
class Links:
    """`pages` are the addresses of the site by the files that they are read from."""

    root: Path
    pages: Mapping[str, str]

    def list_files(self, source: str, text: str) -> Iterator[str]:
        """The files of the repository that a page leads to and that are no pages: pictures, examples."""
        for match in LINK.finditer(text):
            name = self._resolve(source, match["target"]) if match["target"] else None
            if name and name not in self.pages and (self.root / name).is_file():
                yield name

    def place(self, name: str) -> str:
        """The address of such a file."""
        return f"{FILES}/{name}"

    def rewrite(self, source: str, address: str, text: str) -> str:
        """The page with its links as from its address; one that leads to a folder or into the house is plain text."""

        def write(match: re.Match[str]) -> str:
            label, target = match["label"], match["target"]
            if not target:
                return match[0]
            name, anchor = self._resolve(source, target), target.partition("#")[2]
            if name is None:
                return match[0]
            if name in self.pages:
                goal = self.pages[name]
            elif (self.root / name).is_file():
                goal = self.place(name)
            elif name.startswith("/") or (self.root / name).is_dir():
                return label.removeprefix("!")[1:-1]
            else:
                return match[0]  # mkdocs warns of it
            return f"{label}({posixpath.relpath(goal, posixpath.dirname(address))}{f'#{anchor}' if anchor else ''})"

        return LINK.sub(write, text)

    def _resolve(self, source: str, target: str) -> str | None:
        """The file of the repository that a link means; None where it leads elsewhere or stays on the page."""
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z]+:", path):
            return None
        if path.startswith("/"):
            return path  # a page of a house that runs: no file, so its text alone stays
        return posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
