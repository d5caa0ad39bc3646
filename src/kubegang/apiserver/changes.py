"""Changes made ready for watchers: encoded once, looked into once, shared by all.

Watchers of one kind see the same changes. What they need of a change beyond its stored bytes
(labels and fields for selectors, an object with another resourceVersion) is worked out by the
first that asks. The cache is bounded: a watcher that lags far behind works things out anew.
"""

from __future__ import annotations

from collections.abc import Callable

from kubegang.apiserver import codec
from kubegang.apiserver.selectable import Selectable, SelectableKind
from kubegang.store.interface import Change, Revision

_KEPT = 4096


class PreparedChange:
    """One change and what has been worked out about it."""

    __slots__ = ("_lines", "_new", "_old", "change")

    def __init__(self, change: Change) -> None:
        self.change = change
        self._new: Selectable | None = None
        self._old: Selectable | None = None
        self._lines: dict[tuple[object, ...], bytes] = {}

    def new(self, kind: SelectableKind) -> Selectable:
        """Return labels and fields after the change."""
        if self._new is None:
            self._new = kind.read(self.change.value)
        return self._new

    def old(self, kind: SelectableKind) -> Selectable:
        """Return labels and fields before the change; there must have been an object."""
        if self._old is None:
            self._old = kind.read(self.change.previous or self.change.value)
        return self._old

    def line(self, key: tuple[object, ...], make: Callable[[], bytes]) -> bytes:
        """Return the event line that ``make`` makes, made once for each ``key``."""
        found = self._lines.get(key)
        if found is None:
            found = self._lines[key] = make()
        return found

    def previous_at_revision(self) -> bytes:
        """Return the object before the change, as if it had the change's resourceVersion.

        This is what a watcher gets whose selector the object has just left.
        """
        obj = codec.decode(self.change.previous or self.change.value)
        obj["metadata"]["resourceVersion"] = str(self.change.revision)
        return codec.encode_as_is(obj)


class ChangeCache:
    """The latest changes by revision, which is unique over all kinds."""

    def __init__(self) -> None:
        self._prepared: dict[Revision, PreparedChange] = {}

    def prepare(self, change: Change) -> PreparedChange:
        """Return the shared preparation of a change."""
        prepared = self._prepared.get(change.revision)
        if prepared is None:
            prepared = self._prepared[change.revision] = PreparedChange(change)
            if len(self._prepared) > _KEPT:
                # Oldest first: dictionaries keep the order of insertion.
                del self._prepared[next(iter(self._prepared))]
        return prepared
