"""How a command says no: one line on stderr and an exit code."""

from __future__ import annotations

ANSWER_IS_NO = 1
WRONG_USAGE = 2
REFUSED = 3


class Fault(Exception):
    """Ends a command with one line that says what was wrong and where."""

    def __init__(self, message: str, code: int = WRONG_USAGE) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code
