"""Entities that rest: refused pods that wait for an event, and whatever is held.

An index from plugin to the entities that it refused keeps an event's cost to those whom it
concerns. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey
from kubegang.scheduler.queue.entries import EntityKey, Entry
from kubegang.scheduler.queue.inflight import Happening
from kubegang.scheduler.queue.rules import HintIndex


@dataclass(slots=True)
class _Refused:
    """What one plugin of one profile refused."""

    pods: dict[EntityKey, Entry] = field(default_factory=dict)
    groups: dict[EntityKey, Entry] = field(default_factory=dict)

    def side(self, entry: Entry) -> dict[EntityKey, Entry]:
        return self.groups if entry.is_group else self.pods


class Pool:
    """The resting entities, found by key and by who refused them.

    A held entity is found under the plugin that holds it: no other plugin's events can
    help before that one lets it go.
    """

    def __init__(
        self, index: HintIndex, root_of: Callable[[PodGroupKey], PodGroupInfo | None]
    ) -> None:
        self._index = index
        self._root_of = root_of
        self._entries: dict[EntityKey, Entry] = {}
        self._refused: dict[tuple[str, str], _Refused] = {}
        self._refusers: dict[EntityKey, tuple[tuple[str, str], ...]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: EntityKey) -> bool:
        return key in self._entries

    def add(self, entry: Entry) -> None:
        """Let an entity rest."""
        self._entries[entry.key] = entry
        refusers = self._refusers[entry.key] = tuple(_refusers(entry))
        for refuser in refusers:
            self._refused.setdefault(refuser, _Refused()).side(entry)[entry.key] = entry

    def remove(self, entry: Entry) -> None:
        """Take an entity out."""
        del self._entries[entry.key]
        for refuser in self._refusers.pop(entry.key):
            del self._refused[refuser].side(entry)[entry.key]

    def entries(self) -> list[Entry]:
        """Return all resting entities, in the order in which they came to rest."""
        return list(self._entries.values())

    def concerned(self, happening: Happening) -> list[Entry]:
        """Return the entities whose refusing plugins care about such an event.

        A held group is only asked about its own members and its own objects, those of its
        tree: what holds a group is how many of its pods exist, or a state of its own; or
        device claims, of which nobody knows which groups want them.
        """
        found: dict[EntityKey, Entry] = {}
        group = self._entity_of(happening.group)
        for scheduler_name, plugin, _ in self._index.interested(happening.event):
            refused = self._refused.get((scheduler_name, plugin))
            if refused is None:
                continue
            found.update(refused.pods)
            if happening.event.resource == "ResourceClaim":
                found.update(refused.groups)
            elif group is not None and group in refused.groups:
                found[group] = refused.groups[group]
        return list(found.values())

    def _entity_of(self, group: PodGroupKey | None) -> PodGroupKey | None:
        root = None if group is None else self._root_of(group)
        return group if root is None else root.key


def _refusers(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.gate is not None:
        yield entry.gate.holder
    elif isinstance(entry.info, QueuedPodInfo):
        for plugin in sorted(entry.info.rejected_by):
            yield entry.info.scheduler_name, plugin
