"""What the queue asks of one scheduler profile's plugins. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.framework.entities import QueuedEntity
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import EnqueuePlugin, PreEnqueuePlugin
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.queue.heap import Order
from kubegang.scheduler.runtime.framework import Framework


def by_priority(entity: QueuedEntity) -> Order:
    """Order as PrioritySort does: higher priority first, then the older timestamp."""
    return (-entity.priority, entity.timestamp)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """The plugins of one profile that the queue calls, and what it is told of the profile.

    Attributes:
        gates: plugins that may hold a pod before any attempt, in order.
        hints: per plugin the events that may cure its refusals.
        sort: an entity's place in the active queue; all profiles must share one.
        groups: whether a pod group is one entity of the queue; else its members are
            ordinary pods.
        wakes_after_deletion: whether a held group is looked at again when a member is
            deleted. Upstream 1.37 does not: siblings of a deleted gated member stay held
            (measured).
        speaking: whether held entities are to be told about.
        gathers: whether a popped member takes along all others of its group that wait.
    """

    gates: Sequence[PreEnqueuePlugin] = ()
    hints: Mapping[str, Sequence[HintRegistration]] = field(default_factory=dict)
    sort: Callable[[QueuedEntity], Order] = by_priority
    groups: bool = True
    wakes_after_deletion: bool = False
    speaking: bool = False
    gathers: bool = False

    @classmethod
    def of(cls, profile: SchedulerProfile, framework: Framework) -> QueueRules:
        """Return the rules of a profile with these plugins."""
        grouped = profile.gates.enabled_if_known("GenericWorkload")
        return cls(
            gates=framework.pre_enqueue_plugins,
            hints={
                plugin.NAME: _hints(plugin, with_taints=profile.rules.taints_wake_like_new_nodes)
                for plugin in framework.enqueue_plugins
            },
            sort=framework.queue_sort_plugin.queue_sort,
            groups=grouped and profile.group_cycle == "entity",
            wakes_after_deletion=profile.speaking,
            speaking=profile.speaking,
            gathers=grouped and profile.group_cycle == "popped-by-member",
        )

    def is_member(self, pod: PodInfo) -> bool:
        """Return whether the pod waits as a member of its group."""
        return self.groups and pod.pod_group is not None


_NEW_NODE = ClusterEvent("Node", Action.ADD)
_TAINTS = ClusterEvent("Node", Action.UPDATE_NODE_TAINT)


def _hints(plugin: EnqueuePlugin, *, with_taints: bool) -> tuple[HintRegistration, ...]:
    """Return what a plugin waits for.

    Args:
        plugin: it.
        with_taints: whether one that waits for new nodes, but not for changed taints, is
            told of the latter too; then any of them is worth an attempt.
    """
    hints = tuple(plugin.queueing_hints())
    events = [hint.event for hint in hints]
    told = any(event.matches(_TAINTS) for event in events)
    if not with_taints or told or not any(event.matches(_NEW_NODE) for event in events):
        return hints
    return (*hints, HintRegistration(_TAINTS))


class HintIndex:
    """Which plugins of which profile care about an event, worked out once per event kind."""

    def __init__(self, rules: Mapping[str, QueueRules]) -> None:
        self._rules = rules
        self._interested: dict[
            ClusterEvent, list[tuple[str, str, tuple[HintRegistration, ...]]]
        ] = {}

    def interested(
        self, event: ClusterEvent
    ) -> Sequence[tuple[str, str, tuple[HintRegistration, ...]]]:
        """Return (profile, plugin, registrations that match) for all who care."""
        known = self._interested.get(event)
        if known is None:
            known = self._interested[event] = [
                (scheduler_name, plugin, matching)
                for scheduler_name, rules in self._rules.items()
                for plugin, registered in rules.hints.items()
                if (matching := tuple(r for r in registered if r.event.matches(event)))
            ]
        return known

    def registrations(
        self, event: ClusterEvent, scheduler_name: str, plugin: str
    ) -> tuple[HintRegistration, ...]:
        """Return what one plugin of one profile has registered for the event."""
        for name, interested_plugin, matching in self.interested(event):
            if name == scheduler_name and interested_plugin == plugin:
                return matching
        return ()
