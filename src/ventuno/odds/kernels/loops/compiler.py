"""From a loop to machine code that no interpreter and no numba is needed for.

A loop raises nothing, allocates nothing and returns nothing: it fills the arrays it is given. So its code names no
symbol of numba's, and its arguments fit a row of 64-bit words, the *frame*: for an array its address and its shape,
else the number itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import from_dtype, njit, types
from numba.extending import intrinsic
from numba.np import arrayobj

from ventuno.odds.kernels.kernel import ENTRY, Kind

_OPTIONS: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
loop: Any = njit(**_OPTIONS)
inline: Any = njit(inline="always")
_WORD = ir.IntType(64)
_arrays: Any = arrayobj
_DOOR = """
declare i32 @"{native}"(ptr, ptr, ptr)
define i32 @{entry}(ptr %frame) {{
  %result = alloca ptr
  %fault = alloca ptr
  %status = call i32 @"{native}"(ptr %result, ptr %fault, ptr %frame)
  ret i32 %status
}}
"""
"""numba's own calling convention ends here: one pointer in, 0 out."""


class NotAlone(RuntimeError):
    """The code of a loop calls what may not be there in another process."""


def compile_loop(module: str, name: str, kinds: Sequence[Kind]) -> bytes:
    """The object file of a loop for arguments of these kinds, for this processor."""
    loop_function: Any = getattr(import_module(f"ventuno.odds.kernels.loops.{module}"), name)
    arguments = _arguments([_type(kind) for kind in kinds])

    def enter(frame: Any) -> None:
        loop_function(*arguments(frame))

    dispatcher = njit("void(voidptr)", **_OPTIONS)(enter)
    code = binding.parse_assembly(dispatcher.inspect_llvm(dispatcher.signatures[0]))
    (native,) = (function.name for function in code.functions if _is_external(function))
    code.link_in(binding.parse_assembly(_DOOR.format(native=native, entry=ENTRY)))
    missing = [symbol.name for symbol in code.functions if symbol.is_declaration]
    if unknown := [symbol for symbol in missing if not symbol.startswith("llvm.")]:
        raise NotAlone(f"{module}.{name}: {', '.join(unknown)}")
    target = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="default",
    )
    return bytes(target.emit_object(code))


def _is_external(function: Any) -> bool:
    return not function.is_declaration and function.linkage == binding.Linkage.external


def _type(kind: Kind) -> Any:
    number = from_dtype(np.dtype(kind.dtype))
    return types.Array(number, kind.dimensions, "C") if kind.dimensions else number


def _arguments(wanted: Sequence[Any]) -> Any:
    """What a loop takes, unpacked from a frame."""
    all_types: Any = types.Tuple(wanted)  # type: ignore[no-untyped-call]

    def unpack(_context: Any, frame: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            words = _Words(builder, given[0])
            values = [
                _array(context, builder, words, kind)
                if isinstance(kind, types.Array)
                else _number(builder, words, kind)
                for kind in wanted
            ]
            return context.make_tuple(builder, signature.return_type, values)

        return all_types(frame), generate

    return intrinsic(unpack)


class _Words:
    """The words of a frame, one after the other."""

    def __init__(self, builder: Any, frame: Any) -> None:
        self._builder, self._at = builder, 0
        self._frame = builder.bitcast(frame, _WORD.as_pointer())

    def next(self) -> Any:
        place = self._builder.gep(self._frame, [ir.Constant(_WORD, self._at)])
        self._at += 1
        return self._builder.load(place)


def _number(builder: Any, words: _Words, wanted: Any) -> Any:
    word = words.next()
    if isinstance(wanted, types.Float):
        return builder.bitcast(word, ir.DoubleType())
    return builder.trunc(word, ir.IntType(1)) if isinstance(wanted, types.Boolean) else word


def _array(context: Any, builder: Any, words: _Words, wanted: Any) -> Any:
    """An array that is not numba's: no owner, rows one after the other."""
    address, shape = words.next(), [words.next() for _ in range(wanted.ndim)]
    item = context.get_data_type(wanted.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    strides = [size]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    array = _arrays.make_array(wanted)(context, builder)
    data = builder.inttoptr(address, item.as_pointer())
    _arrays.populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()
