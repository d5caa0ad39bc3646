"""Current items, by key and in the order of their keys.

A listing is a slice of sorted keys, so the keys are kept sorted. They lie in chunks of bounded
size: one list of a hundred thousand keys would be moved by every insertion.

Pure: no clock, no I/O.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from kubegang.store.interface import Item

_CHUNK = 512
_LAST_CHARACTER = chr(0x10FFFF)


def prefix_end(prefix: str) -> str | None:
    """Return the least text greater than everything that starts with ``prefix``.

    Returns:
        ``None`` if nothing is greater, as for the empty prefix.
    """
    trimmed = prefix.rstrip(_LAST_CHARACTER)
    return trimmed[:-1] + chr(ord(trimmed[-1]) + 1) if trimmed else None


def first_after(key: str) -> str:
    """Return the least text greater than ``key``."""
    return key + "\0"


class KeyIndex:
    """A mapping from key to item whose keys are sorted; changed by ``put`` and ``remove`` only.

    ``_chunks`` are non-empty sorted lists, in order; ``_firsts`` has the first key of each.
    """

    def __init__(self, items: Sequence[Item] = ()) -> None:
        """Take items that are sorted by key."""
        self._items = {item.key: item for item in items}
        keys = list(self._items)
        self._chunks = [keys[at : at + _CHUNK] for at in range(0, len(keys), _CHUNK)]
        self._firsts = [chunk[0] for chunk in self._chunks]

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: str) -> Item | None:
        """Return the item with this key."""
        return self._items.get(key)

    def put(self, item: Item) -> None:
        """Add an item, or replace the one with its key."""
        if item.key not in self._items:
            self._add_key(item.key)
        self._items[item.key] = item

    def remove(self, key: str) -> None:
        """Remove an item that is there."""
        del self._items[key]
        at, offset = self._position(key)
        chunk = self._chunks[at]
        del chunk[offset]
        if not chunk:
            del self._chunks[at], self._firsts[at]
        elif offset == 0:
            self._firsts[at] = chunk[0]

    def keys(self, start: str, end: str | None) -> list[str]:
        """Return the keys from ``start`` up to, not including, ``end``."""
        if not self._chunks:
            return []
        low, low_offset = self._position(start)
        high, high_offset = self._end_position(end)
        if low == high:
            return self._chunks[low][low_offset:high_offset]
        keys = self._chunks[low][low_offset:]
        for chunk in self._chunks[low + 1 : high]:
            keys += chunk
        keys += self._chunks[high][:high_offset]
        return keys

    def count(self, start: str, end: str | None) -> int:
        """Return how many keys lie from ``start`` up to, not including, ``end``."""
        if not self._chunks:
            return 0
        low, low_offset = self._position(start)
        high, high_offset = self._end_position(end)
        between = sum(len(chunk) for chunk in self._chunks[low:high])
        return between - low_offset + high_offset

    def _position(self, key: str) -> tuple[int, int]:
        """Return chunk and offset of the first key that is not less than ``key``."""
        at = max(bisect_right(self._firsts, key) - 1, 0)
        return at, bisect_left(self._chunks[at], key)

    def _end_position(self, end: str | None) -> tuple[int, int]:
        if end is None:
            return len(self._chunks) - 1, len(self._chunks[-1])
        return self._position(end)

    def _add_key(self, key: str) -> None:
        if not self._chunks:
            self._chunks.append([key])
            self._firsts.append(key)
            return
        at = max(bisect_right(self._firsts, key) - 1, 0)
        chunk = self._chunks[at]
        insort(chunk, key)
        self._firsts[at] = chunk[0]
        if len(chunk) > 2 * _CHUNK:
            self._chunks[at : at + 1] = [chunk[:_CHUNK], chunk[_CHUNK:]]
            self._firsts[at : at + 1] = [chunk[0], chunk[_CHUNK]]
