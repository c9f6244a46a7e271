"""Merkle trees of RFC 6962: roots, paths of a leaf, and proofs that one tree continues another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

EMPTY = sha256(b"").digest()


def hash_leaf(data: bytes) -> bytes:
    return sha256(b"\x00" + data).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class Tree:
    """Leaves that are only ever appended; every earlier size still has its root and its paths.

    One that was `resumed` from the peaks of a size has them from that size on, and knows nothing of the leaves before.
    """

    __slots__ = ("_before", "_levels")

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels = [list(leaves)]
        while len(below := self._levels[-1]) > 1:
            self._levels.append([hash_node(left, right) for left, right in zip(below[::2], below[1::2], strict=False)])
        self._before = [0] * len(self._levels)

    @classmethod
    def resume(cls, size: int, peaks: Iterable[bytes]) -> Tree:
        tree = cls()
        heights = range(max(size.bit_length(), 1))
        tree._levels, tree._before = [[] for _ in heights], [size >> height for height in heights]
        for height, peak in zip(_find_full_heights(size), peaks, strict=True):
            tree._levels[height].append(peak)
            tree._before[height] -= 1
        return tree

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the full trees of which this one is made, the largest first."""
        return tuple(self._levels[height][-1] for height in _find_full_heights(len(self)))

    def __len__(self) -> int:
        return self._before[0] + len(self._levels[0])

    def append(self, hashed: bytes) -> None:
        """Add the hash of a leaf; subtrees that are now full are kept."""
        for level, before in zip(self._levels, self._before, strict=True):
            level.append(hashed)
            if (before + len(level)) % 2:
                return
            hashed = hash_node(level[-2], level[-1])
        self._levels.append([hashed])
        self._before.append(0)

    def root(self, size: int | None = None) -> bytes:
        size = self._size(size)
        return self._range(0, size) if size else EMPTY

    def path(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """The hashes beside the way from a leaf up to the root, lowest first."""
        size = self._size(size)
        if not 0 <= index < size:
            raise IndexError(f"leaf {index} of {size}")
        low, high, hashes = 0, size, list[bytes]()
        while high - low > 1:
            middle = low + _split(high - low)
            if index < middle:
                hashes.append(self._range(middle, high))
                high = middle
            else:
                hashes.append(self._range(low, middle))
                low = middle
        return tuple(reversed(hashes))

    def prove_consistency(self, old: int, size: int | None = None) -> tuple[bytes, ...]:
        """The hashes by which a reader of the old root sees that the tree of this size begins with the old one."""
        size = self._size(size)
        if not 0 < old <= size:
            raise IndexError(f"a tree of {old} in one of {size}")
        low, high, whole, hashes = 0, size, True, list[bytes]()
        while old != high:
            middle = low + _split(high - low)
            if old <= middle:
                hashes.append(self._range(middle, high))
                high = middle
            else:
                hashes.append(self._range(low, middle))
                low, whole = middle, False
        if not whole:
            hashes.append(self._range(low, high))
        return tuple(reversed(hashes))

    def _size(self, size: int | None) -> int:
        if size is None:
            return len(self)
        if not 0 <= size <= len(self):
            raise IndexError(f"a tree of {size} in one of {len(self)}")
        return size

    def _range(self, low: int, high: int) -> bytes:
        """The root over leaves low to high; low is a multiple of the largest power of two below the width."""
        width = high - low
        if width & (width - 1) == 0:
            level = width.bit_length() - 1
            place = (low >> level) - self._before[level]
            if place < 0:
                raise IndexError(f"leaves {low} to {high} came before this tree was resumed")
            return self._levels[level][place]
        middle = low + _split(width)
        return hash_node(self._range(low, middle), self._range(middle, high))


def _find_full_heights(size: int) -> list[int]:
    """The heights of the full trees in one of this size, the largest first."""
    return [height for height in reversed(range(size.bit_length())) if size >> height & 1]


def _split(width: int) -> int:
    """The largest power of two below a width of at least two."""
    return 1 << ((width - 1).bit_length() - 1)


def compute_root(hashed: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which a leaf and its path lead (RFC 9162, 2.1.3.2); None where no such path exists."""
    if not 0 <= index < size:
        return None
    place, last = index, size - 1
    for beside in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            hashed = hash_node(beside, hashed)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            hashed = hash_node(hashed, beside)
        place, last = place >> 1, last >> 1
    return hashed if last == 0 else None


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the tree of `size` leaves begins with the one of `old` leaves (RFC 9162, 2.1.4.2)."""
    if old == size:
        return old_root == root and not proof
    if not 0 < old < size or not proof:
        return False
    hashes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    first = second = hashes[0]
    for beside in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            first, second = hash_node(beside, first), hash_node(beside, second)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            second = hash_node(second, beside)
        place, last = place >> 1, last >> 1
    return last == 0 and first == old_root and second == root
