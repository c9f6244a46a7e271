"""The loops' random numbers: xoshiro256++ in local scalars, bounded by the high half of a product.

One word serves several bounded draws: the low half of `word * bound` is what is left of it. Three or four draws from a
pack of 416 leave a bias below 2e-9. For simulation only: real shuffles are the house's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ventuno.odds.kernels.loops.compiler import inline

U = np.uint64


def _high(_context: Any, _word: Any, _bound: Any) -> Any:
    """The high 64 bits of a product of two words: a draw below `bound` from a random word."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


high: Any = intrinsic(_high)


@inline
def next_word(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The next random word, and the four words of the state after it."""
    x, t = a + d, b << U(17)
    x = ((x << U(23)) | (x >> U(41))) + a
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    return x, a, b, c, (d << U(45)) | (d >> U(19))
