"""Pods that have a node and wait for a plugin's permit, each until a deadline.

They count on their nodes all the while. Only memory knows that they wait: a scheduler that is
started again finds them pending, and decides about them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kubegang.apimachinery.times import go_duration
from kubegang.scheduler.binder.binding import Binding
from kubegang.scheduler.framework.binding import PermitWait, WaitingPod
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status, unschedulable


@dataclass(slots=True)
class _Waiting:
    binding: Binding
    view: WaitingPod


def _tell_nobody(pod: WaitingPod, status: Status) -> None:
    """Pass over the end of a wait."""


@dataclass(slots=True)
class WaitingRoom:
    """The pods that wait; fulfils ``WaitingPods``.

    Attributes:
        allowed: called for a pod that no plugin makes wait any longer.
        rejected: called for a pod that is refused; the status says by whom, and why.
        waited: told how each wait ended that was not given up.
    """

    allowed: Callable[[Binding], None]
    rejected: Callable[[Binding, Status], None]
    waited: Callable[[WaitingPod, Status], None] = _tell_nobody
    _waiting: dict[PodUid, _Waiting] = field(default_factory=dict)
    _groups: dict[PodGroupKey, dict[PodUid, _Waiting]] = field(default_factory=dict)

    # --- reading -------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._waiting)

    def get(self, uid: PodUid) -> WaitingPod | None:
        """Return a waiting pod, or ``None``."""
        waiting = self._waiting.get(uid)
        return waiting.view if waiting else None

    def all(self) -> Sequence[WaitingPod]:
        """Return all waiting pods, oldest first."""
        return [waiting.view for waiting in self._waiting.values()]

    def members(self, key: PodGroupKey) -> Sequence[WaitingPod]:
        """Return the waiting pods of a group, oldest first."""
        return [waiting.view for waiting in self._groups.get(key, {}).values()]

    def next_tick(self) -> float | None:
        """Return the next deadline, or ``None``."""
        return min(
            (wait.deadline for view in self.all() for wait in view.waits),
            default=None,
        )

    # --- changing ------------------------------------------------------------------------

    def hold(self, binding: Binding, waits: tuple[PermitWait, ...], *, now: float) -> None:
        """Let a pod wait, which is assumed and has everything reserved."""
        pod = binding.queued.pod
        waiting = _Waiting(binding, WaitingPod(pod, binding.node, waits, now))
        self._waiting[pod.uid] = waiting
        if pod.pod_group is not None:
            self._groups.setdefault(pod.pod_group, {})[pod.uid] = waiting

    def allow(self, plugin: str, uid: PodUid) -> None:
        """Let a pod go on as far as one plugin is concerned; others may still hold it."""
        waiting = self._waiting.get(uid)
        if waiting is None:
            return
        left = tuple(wait for wait in waiting.view.waits if wait.plugin != plugin)
        waiting.view = waiting.view._replace(waits=left)
        if not left:
            self._take(uid)
            self.waited(waiting.view, SUCCESS)
            self.allowed(waiting.binding)

    def reject(self, plugin: str, uid: PodUid, message: str) -> bool:
        """Refuse a pod; return whether it was waiting."""
        waiting = self._take(uid)
        if waiting is None:
            return False
        status = unschedulable(message).by(plugin)
        self.waited(waiting.view, status)
        self.rejected(waiting.binding, status)
        return True

    def drop(self, uid: PodUid) -> Binding | None:
        """Forget a pod that has gone, and return what it waited with."""
        waiting = self._take(uid)
        return waiting.binding if waiting else None

    def on_node(self, node: NodeName) -> list[PodUid]:
        """Return who waits with a place on a node."""
        return [uid for uid, waiting in self._waiting.items() if waiting.view.node == node]

    def tick(self, *, now: float) -> None:
        """Refuse whoever has waited too long, the first of equals first."""
        late = [(wait, view) for view in self.all() for wait in view.waits if wait.deadline <= now]
        for wait, view in sorted(late, key=lambda entry: entry[0].deadline):
            waited = go_duration(wait.deadline - view.since)
            text = f"rejected due to timeout after waiting {waited} at plugin {wait.plugin}"
            self.reject(wait.plugin, view.pod.uid, text)

    def _take(self, uid: PodUid) -> _Waiting | None:
        waiting = self._waiting.pop(uid, None)
        group = waiting.view.pod.pod_group if waiting else None
        if group is not None:
            members = self._groups[group]
            del members[uid]
            if not members:
                del self._groups[group]
        return waiting
