"""A kernel: a loop as machine code, made by numba once and called without it ever after.

numba takes a second and 100 MB to import, but the code that it makes needs no more than a linker, and llvmlite is one.
The call leaves the interpreter, so threads run side by side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from itertools import count
from struct import Struct
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ventuno.odds.kernels import kernel_cache

Argument: TypeAlias = NDArray[Any] | int | float | np.generic
Enter: TypeAlias = Callable[[bytes], int]

ENTRY = "kernel"
"""The one symbol of a kernel's code: takes a frame (see `loops.compiler`), gives 0."""
_NUMBERS = {bool: "bool", int: "int64", float: "float64", np.int64: "int64", np.uint64: "uint64", np.float64: "float64"}
_WORDS = {"bool": "q", "int64": "q", "uint64": "Q", "float64": "d"}
_LINKING = Lock()


class Kind(NamedTuple):
    """What an argument is: its type as numpy names it, and its dimensions, 0 for a number."""

    dtype: str
    dimensions: int = 0

    @property
    def words(self) -> str:
        """How it stands in a frame."""
        return "P" + "q" * self.dimensions if self.dimensions else _WORDS[self.dtype]


class Kernel:
    """Called with arrays and numbers, it changes the arrays. Kinds new to it are linked first, compiled if need be."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self._linked: dict[tuple[object, ...], tuple[Struct, Enter]] = {}

    def __call__(self, *arguments: Argument) -> None:
        self.bind(*arguments)()

    def bind(self, *arguments: Argument) -> Callable[[], None]:
        """One call made ready, for arrays that are used again and again: they stay where they are."""
        argument_types: list[object] = []
        words: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                if not (argument.ndim and argument.flags.carray):
                    raise TypeError(f"{self}: an array must be writable, aligned and in one piece, row after row")
                argument_types.append((argument.dtype, argument.ndim))
                words.append(argument.ctypes.data)
                words.extend(argument.shape)
            else:
                argument_types.append(type(argument))
                words.append(argument)
        kinds = tuple(argument_types)
        frame, enter = self._linked.get(kinds) or self._link(kinds)
        return partial(self._run, enter, frame.pack(*words), arguments)

    def _run(self, enter: Enter, frame: bytes, _alive: tuple[Argument, ...]) -> None:
        if enter(frame):
            raise RuntimeError(f"{self}: did not end as a loop must")

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"

    def _link(self, argument_types: tuple[object, ...]) -> tuple[Struct, Enter]:
        kinds = tuple(_kind(kind) for kind in argument_types)
        with _LINKING:
            if argument_types not in self._linked:
                self._linked[argument_types] = Struct("".join(kind.words for kind in kinds)), self._find_code(kinds)
        return self._linked[argument_types]

    def _find_code(self, kinds: tuple[Kind, ...]) -> Enter:
        key = kernel_cache.make_key(str(self), *map(repr, kinds))
        stored = kernel_cache.find(str(self), key)
        if stored is not None:
            with suppress(RuntimeError):
                return _link_object(stored)
        from ventuno.odds.kernels.loops.compiler import compile_loop

        code = compile_loop(self.module, self.name, kinds)
        kernel_cache.keep(str(self), key, code)
        return _link_object(code)


def _kind(argument_type: Any) -> Kind:
    if isinstance(argument_type, tuple):
        return Kind(argument_type[0].name, argument_type[1])
    if argument_type not in _NUMBERS:
        raise TypeError(f"a kernel takes arrays and numbers, not {argument_type.__name__}")
    return Kind(_NUMBERS[argument_type])


@cache
def _linker() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.create_lljit_compiler()


_linked_code: list[Any] = []
"""Code lives as long as what linked it."""
_numbers = count()


def _link_object(code: bytes) -> Enter:
    """Link an object file and call its entry; RuntimeError for a file that the linker does not take."""
    from llvmlite import binding

    library = binding.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(ENTRY)
    linked = library.link(_linker(), f"kernel {next(_numbers)}")
    _linked_code.append(linked)
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p)(linked[ENTRY])
