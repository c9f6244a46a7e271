"""The loops' random numbers: xoshiro256++ in local scalars, bounded by the high half of a product.

One word serves several bounded draws: the low half of `word * bound` is what is left of it. Three or four draws from a
pack of 416 leave a bias below 2e-9. For simulation only: real shuffles are the house's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from ventuno.odds.kernels.loops.compiler import inlined

U = np.uint64


def _high(_context: Any, _word: Any, _bound: Any) -> Any:
    """The high 64 bits of a product of two words: a draw below `bound` from a random word."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


high: Any = intrinsic(_high)


@inlined
def word(a: Any, d: Any) -> Any:
    """The next random word."""
    x = a + d
    return ((x << U(23)) | (x >> U(41))) + a


@inlined
def turned(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The state after it."""
    t = b << U(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    return a, b, c, (d << U(45)) | (d >> U(19))
