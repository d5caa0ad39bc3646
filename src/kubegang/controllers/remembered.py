"""A bounded memory of keys. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Remembered(Generic[K]):
    """The keys that were added last; the oldest are forgotten first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._keys: OrderedDict[K, None] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._keys

    def add(self, key: K) -> None:
        """Remember a key."""
        self._keys[key] = None
        if len(self._keys) > self._limit:
            self._keys.popitem(last=False)

    def discard(self, key: K) -> None:
        """Forget a key, if it is remembered."""
        self._keys.pop(key, None)
