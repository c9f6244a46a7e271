"""What was probably meant by a word that is none of the good ones."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 60


def propose(word: str, choices: Iterable[str]) -> str:
    """`did you mean 'x'? `, to be put before the list of good words; empty where nothing is near.

    >>> propose("vnetuno", ("ventuno", "sisal"))
    "did you mean 'ventuno'? "
    >>> propose("first", ("ventuno", "first-person"))
    "did you mean 'first-person'? "
    >>> propose("poker", ("ventuno", "sisal"))
    ''
    """
    from difflib import get_close_matches  # only a mistake needs it

    names, typed = list(choices), word[:LONGEST].casefold()
    begun = [name for name in names if typed and name.casefold().startswith(typed)]
    near = begun or get_close_matches(typed, names, 1)
    return f"did you mean {near[0]!r}? " if near else ""
