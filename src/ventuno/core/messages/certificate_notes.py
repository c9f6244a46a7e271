"""How a certificate's figures were computed, and what is to be known beside them: codes with numbers (X-16).

Whoever shows a certificate says a note in the words of his own reader: the catalogues have a phrase for each code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Number = int | float


@dataclass(frozen=True, slots=True)
class Note:
    """Amounts among the numbers are cents, shares are per cent."""

    code: str
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As it stands in a certificate."""
        return {"code": self.code, "numbers": dict(self.numbers)}


METHODS = ("method-exact", "method-fixed", "method-duel", "method-counted", "method-chain")
"""How a bet was solved."""
NOTES = ("one-hand", "unspread", "fixed", "pair", "pair-unknown", "cash-out", "weights", "max-win")
"""What is to be known beside the figures."""
