"""Examples in docstrings as blocks of code; without this Markdown would read `>>>` as a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^[ \t]*>>> (?:.*\n?)(?:^[ \t]*\S.*\n?)*", re.MULTILINE)


def fence_examples(text: str) -> str:
    """Each run of lines from a prompt to the next empty line, as a block of Python."""
    return EXAMPLE.sub(lambda match: f"```python\n{match[0].rstrip()}\n```\n", text)


class DoctestBlocks(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_given: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fence_examples(obj.docstring.value)
