"""Notes of certificates, as those of today hold them and as older ones say them in English (X-16)."""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.core.messages.certificate_notes import METHODS, NOTES, Note

_BOX, _PAIR = (
    "finite shoe without replacement, one box; splits ",
    "the player's pair is certified as kept by standing; ",
)
_OLD = {
    _BOX + "exact": "method-exact",
    _BOX + "fixed": "method-fixed",
    "exact fraction: every deal of six cards": "method-duel",
    "exact fraction: all deals": "method-counted",
    "exact: wheel and boards": "method-chain",
    "one hand;": "one-hand",
    "standard deviation and outcomes": "unspread",
    "splits fixed": "fixed",
    _PAIR + "played by the chart: not computed": "pair-unknown",
    _PAIR: "pair",
    "the cash-out table": "cash-out",
    "wheel and board weights": "weights",
    "figures are before the maximum win": "max-win",
}
"""How the sentences of certificates of format 1 begin."""


def read_note(entry: object) -> Note | None:
    """A note of a certificate, in its form of today or as a sentence; None where it is neither.

    >>> read_note({"code": "max-win", "numbers": {"amount": 50000000}})
    Note(code='max-win', numbers={'amount': 50000000})
    """
    match entry:
        case str():
            return read_old_note(entry)
        case {"code": str() as code, "numbers": Mapping() as numbers} if code in METHODS or code in NOTES:
            return Note(code, dict(numbers))
        case _:
            return None


def read_old_note(sentence: str) -> Note | None:
    """What a sentence of a certificate of format 1 says.

    >>> read_old_note("figures are before the maximum win of € 500.000,00 a round")
    Note(code='max-win', numbers={'amount': 50000000})
    """
    code = next((code for start, code in _OLD.items() if sentence.startswith(start)), None)
    match code:
        case None:
            return None
        case "method-fixed" | "fixed":
            return Note(code, {"hands": int(sentence.partition("up to ")[2].split()[0])})
        case "pair":
            return Note(code, {"percent": float(sentence.partition("by the chart: ")[2].split()[0])})
        case "max-win":
            return Note(code, {"amount": int("".join(filter(str.isdigit, sentence)))})
        case _:
            return Note(code)
