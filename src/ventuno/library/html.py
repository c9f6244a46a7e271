"""Tables of HTML as a notebook shows them. No scripts, no resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def write_table(heads: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Every cell is text and is escaped.

    >>> write_table(("bet", "net"), [("21+3", -200)])
    '<table><thead><tr><th>bet</th><th>net</th></tr></thead><tbody><tr><td>21+3</td><td>-200</td></tr></tbody></table>'
    """
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
