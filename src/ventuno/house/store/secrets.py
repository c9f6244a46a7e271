"""Secrets that do not leak by accident: no pickle, copy, JSON or log line (H-1, H-10, ASVS 13, ASVS 14)."""

from __future__ import annotations

from typing import NoReturn


class SecretLeak(TypeError):
    """Something tried to copy, store or send a sealed value: ask the value for what it may show instead."""


class Secret:
    """Base of whatever holds undealt cards, salts, seeds or private keys.

    Subclasses have `__slots__`, so that `vars` finds nothing, and hand out their content only by methods whose name
    says so.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, sealed>"

    def __reduce__(self) -> NoReturn:
        raise SecretLeak(f"a {type(self).__name__} is sealed: it is neither copied nor serialised")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self.__reduce__()

    def __getstate__(self) -> NoReturn:
        self.__reduce__()

    def __copy__(self) -> NoReturn:
        self.__reduce__()

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__reduce__()
