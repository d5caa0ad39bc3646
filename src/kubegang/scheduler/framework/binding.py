"""The extension points between the choice of a node and the binding, and the one after it.

    reserve     keep for the pod what it uses on the node; taken back by ``unreserve``
    permit      let the pod go on, make it wait for others, or refuse it
    pre_bind    API writes to be made, and what must then be true, before the pod is bound
    post_bind   be told

Plugins stay pure here too: ``permit`` and ``pre_bind`` answer with values, which the binder
carries out. What a plugin keeps for pods it may keep in itself, as long as ``unreserve``
takes back exactly what ``reserve`` did: a cycle reserves while it tries, takes that back, and
reserves again when the decision is counted as real.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Plugin
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status

MAX_PERMIT_SECONDS: Final = 15 * 60.0
"""The longest time that a pod may wait on permit, whatever plugins ask for (upstream's)."""


@runtime_checkable
class SelectivePlugin(Plugin, Protocol):
    """Has nothing to do with most pods between the choice of a node and the binding.

    Optional, for speed: other pods are not shown to it at the points of this module.
    """

    def concerns(self, pod: PodInfo) -> bool:
        """Return whether the plugin may have anything to do for the pod."""
        ...


@runtime_checkable
class ReservePlugin(Plugin, Protocol):
    """Keeps for a pod what it uses on its node beside resources, which are counted anyway."""

    def reserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Status:
        """Keep it, or say why it cannot be kept.

        ``cluster`` counts the pod on the node already. Group cycles call this for every
        member that found a node, in a trial.
        """
        ...

    def unreserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> None:
        """Take it back; also called, in reverse order, on plugins whose turn never came."""
        ...


class PermitWait(NamedTuple):
    """A plugin for which a pod waits.

    Attributes:
        deadline: when it has waited too long, seconds since the epoch.
    """

    plugin: str
    deadline: float


class WaitingPod(NamedTuple):
    """A pod that has its node and waits on permit.

    Attributes:
        pod: as it was when it was decided about.
        waits: the plugins that have not let it go on yet.
        since: when it began to wait.
    """

    pod: PodInfo
    node: NodeName
    waits: tuple[PermitWait, ...]
    since: float

    def wait_for(self, plugin: str) -> PermitWait | None:
        """Return what the pod waits for at this plugin, or ``None``."""
        return next((wait for wait in self.waits if wait.plugin == plugin), None)


class WaitingPods(Protocol):
    """The pods that wait on permit, oldest first."""

    def get(self, uid: PodUid) -> WaitingPod | None:
        """Return a waiting pod, or ``None``."""
        ...

    def all(self) -> Sequence[WaitingPod]:
        """Return all waiting pods."""
        ...

    def members(self, key: PodGroupKey) -> Sequence[WaitingPod]:
        """Return the waiting pods of a group."""
        ...


class _NobodyWaits:
    """``WaitingPods`` without any."""

    def get(self, uid: PodUid) -> WaitingPod | None:
        return None

    def all(self) -> Sequence[WaitingPod]:
        return ()

    def members(self, key: PodGroupKey) -> Sequence[WaitingPod]:
        return ()


NOBODY_WAITS: Final[WaitingPods] = _NobodyWaits()


class PermitResult(NamedTuple):
    """What a plugin says about a pod that has its node.

    Attributes:
        status: success; a refusal; or ``waiting``: the pod keeps its node and goes on when
            this plugin allows it.
        timeout_seconds: how long it may wait; then it is refused.
        allow: pods that wait for this plugin and now may go on.
        reject: pods that wait on permit and now are refused, with the reason.
        activate: pods in the queue that are to be tried now: by themselves, or all waiting
            members of a group.
    """

    status: Status
    timeout_seconds: float = 0.0
    allow: tuple[PodUid, ...] = ()
    reject: tuple[tuple[PodUid, str], ...] = ()
    activate: tuple[PodUid | PodGroupKey, ...] = ()


@runtime_checkable
class PermitPlugin(Plugin, Protocol):
    """Says whether a pod that has its node may be bound at once."""

    def permit(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        node: NodeName,
        cluster: ClusterView,
        waiting: WaitingPods,
        now: float,
    ) -> PermitResult:
        """Return success, a refusal, or that the pod must wait.

        Args:
            state: the notes of the pod's attempt.
            pod: has everything reserved.
            node: the pod's.
            cluster: counts the pod on the node already.
            waiting: who waits on permit; the pod is not among them yet.
            now: the cycle's moment.
        """
        ...


class ApiWrite(msgspec.Struct, frozen=True, kw_only=True):
    """One write to the API, as a value.

    Attributes:
        verb: an ``update`` needs metadata.resourceVersion in the body, lest it overwrite what
            somebody else wrote.
        version: the resource's group and version.
        plural: the resource, ``persistentvolumeclaims``.
        kind: the object's kind.
        namespace: the object's; empty for cluster-wide resources.
        body: the object, or the patch; not looked at for ``delete``.
        subresource: ``status``, or empty for the object itself.
        patch_type: of a ``patch``.
    """

    verb: Literal["create", "update", "patch", "delete"]
    version: GroupVersion
    plural: str
    kind: str
    name: str
    namespace: str = ""
    body: JsonObject = {}
    subresource: str = ""
    patch_type: Literal["strategic", "merge"] = "strategic"


class ApiChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an object that depends on how the object is when it is made.

    It is made in steps: each answers, for the object as it is then, with the next write, with
    ``None`` once nothing is left to do, or with why it cannot be done. A write sends the
    object's version along; where somebody else was faster, the object is read anew.

    Attributes:
        version: the resource's group and version.
        plural: the resource, ``resourceclaims``.
        kind: the object's kind.
        step: of the object and the moment, the next write.
        known: how the object is as far as the scheduler knows, ``None`` to read it first.
        note: tell the scheduler how the object is after a write.
        done: called once nothing is left to do.
    """

    version: GroupVersion
    plural: str
    kind: str
    namespace: str
    name: str
    step: Callable[[JsonObject, float], ApiStep | Status | None]
    known: Callable[[ClusterView], JsonObject | None]
    note: Callable[[ClusterView, JsonObject], None]
    done: Callable[[ClusterView], None]


class ApiStep(NamedTuple):
    """One write of a change.

    Attributes:
        otherwise: what is said if it fails, before the API's reason.
    """

    write: ApiWrite
    otherwise: str


BindCondition = Callable[[ClusterView], Status]
"""Success: go on. ``waiting``: not yet, ask again. A refusal or an error ends the binding."""


class PreBindPlan(NamedTuple):
    """What is to be done before a pod is bound.

    Attributes:
        status: success, or why the pod cannot be bound after all.
        writes: made one after the other; the first that fails ends the binding.
        changes: made after them, likewise.
        wait_for: asked after the writes, and again whenever the cluster changed; ``None`` if
            there is nothing to wait for.
        timeout_seconds: how long to wait for it at most.
        timeout_message: the error after that time.
    """

    status: Status = SUCCESS
    writes: tuple[ApiWrite, ...] = ()
    changes: tuple[ApiChange, ...] = ()
    wait_for: BindCondition | None = None
    timeout_seconds: float = 600.0
    timeout_message: str = "timed out waiting for the condition"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do: upstream's PreBindPreFlight says Skip."""
        return self.status.is_success and not (
            self.writes or self.changes or self.wait_for is not None
        )


NOTHING_TO_DO: Final = PreBindPlan()


@runtime_checkable
class PreBindPlugin(Plugin, Protocol):
    """Has something to be done before a pod is bound."""

    def pre_bind(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> PreBindPlan:
        """Return what is to be done; ``NOTHING_TO_DO`` for most pods.

        Asked when the pod is decided about, to see whether there is anything to do, and again
        when the pod may go on; so it must not depend on having been asked before.
        """
        ...


@runtime_checkable
class TakeBackPlugin(Plugin, Protocol):
    """Wrote something before a pod was bound that must go if it is not bound after all."""

    def take_back(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Sequence[ApiChange]:
        """Return what is to be done; failing to is no reason to try again."""
        ...


@runtime_checkable
class PostBindPlugin(Plugin, Protocol):
    """Wants to know of bound pods."""

    def post_bind(self, state: CycleState, pod: PodInfo, *, node: NodeName) -> None:
        """Learn that the pod is bound; nothing can be stopped here."""
        ...
