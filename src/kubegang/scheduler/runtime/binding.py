"""The extension points between the choice of a node and the binding, and the one after it.

Pure, but for what reserving plugins keep in themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from kubegang.scheduler.framework.binding import (
    MAX_PERMIT_SECONDS,
    ApiChange,
    PermitResult,
    PermitWait,
    PreBindPlan,
    PreBindPlugin,
    TakeBackPlugin,
    WaitingPods,
)
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.interface import BindPlugin, Plugin
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status, failure, waiting
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.metering import measured

PluginT = TypeVar("PluginT", bound=Plugin)


class PermitVerdict(NamedTuple):
    """A plugin's word on a pod that waits on permit.

    Attributes:
        message: why it is refused; not used where it may go on.
    """

    plugin: str
    pod: PodUid
    message: str = ""


class PermitOutcome(NamedTuple):
    """What all ``permit`` answers come to.

    Attributes:
        status: success; ``waiting`` with the reasons of those that asked for it; a refusal or
            an error.
        waits: for which plugins the pod must wait.
        allowed: waiting pods that may go on.
        rejected: waiting pods that are refused.
        activated: whom else in the queue to try now.
    """

    status: Status
    waits: tuple[PermitWait, ...] = ()
    allowed: tuple[PermitVerdict, ...] = ()
    rejected: tuple[PermitVerdict, ...] = ()
    activated: tuple[PodUid | PodGroupKey, ...] = ()


def has_binding_points(framework: Framework, pod: PodInfo) -> bool:
    """Return whether any plugin reserves, permits or prepares something for the pod."""
    points = (framework.reserve_plugins, framework.permit_plugins, framework.pre_bind_plugins)
    return any(True for plugins in points for _ in _concerned(plugins, pod))


def reserves_for(framework: Framework, pod: PodInfo) -> bool:
    """Return whether any plugin reserves something for the pod."""
    return any(True for _ in _concerned(framework.reserve_plugins, pod))


@measured("Reserve")
def run_reserve_plugins(
    framework: Framework, state: CycleState, *, pod: PodInfo, node: NodeName, cluster: ClusterView
) -> Status:
    """Reserve; where one plugin cannot, take back what all of them did."""
    for plugin in _concerned(framework.reserve_plugins, pod):
        status = plugin.reserve(state, pod, node=node, cluster=cluster)
        if status.is_success:
            continue
        run_unreserve_plugins(framework, state, pod=pod, node=node, cluster=cluster)
        return _said_by(plugin, status, point="Reserve")
    return SUCCESS


@measured("Unreserve")
def run_unreserve_plugins(
    framework: Framework, state: CycleState, *, pod: PodInfo, node: NodeName, cluster: ClusterView
) -> None:
    """Take back what was reserved, in reverse order."""
    for plugin in reversed(tuple(_concerned(framework.reserve_plugins, pod))):
        plugin.unreserve(state, pod, node=node, cluster=cluster)


@measured("Permit")
def run_permit_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    node: NodeName,
    cluster: ClusterView,
    waiting_pods: WaitingPods,
    now: float,
) -> PermitOutcome:
    """Ask every plugin for its permit; the first refusal ends it."""
    outcome = PermitOutcome(SUCCESS)
    reasons: list[str] = []
    for plugin in _concerned(framework.permit_plugins, pod):
        result = plugin.permit(
            state, pod, node=node, cluster=cluster, waiting=waiting_pods, now=now
        )
        outcome = _with_side_effects(outcome, plugin.NAME, result)
        status = result.status
        if status.is_wait:
            seconds = min(result.timeout_seconds, MAX_PERMIT_SECONDS)
            wait = PermitWait(plugin.NAME, now + seconds)
            outcome = outcome._replace(waits=(*outcome.waits, wait))
            reasons.extend(status.reasons)
        elif not status.is_success:
            return outcome._replace(status=_said_by(plugin, status, point="Permit"), waits=())
    return outcome._replace(status=waiting(*reasons)) if outcome.waits else outcome


def ask_pre_bind_plugin(
    plugin: PreBindPlugin,
    state: CycleState,
    *,
    pod: PodInfo,
    node: NodeName,
    cluster: ClusterView,
) -> PreBindPlan:
    """Return what is to be done before the pod is bound, as far as this plugin is concerned."""
    plan = plugin.pre_bind(state, pod, node=node, cluster=cluster)
    if plan.status.is_success:
        return plan
    return plan._replace(status=pre_bind_status(plugin.NAME, plan.status))


def pre_bind_status(plugin: str, status: Status) -> Status:
    """Return a failure before the binding, as upstream words it."""
    if status.is_rejected:
        return status.by(plugin)
    return failure(f'running PreBind plugin "{plugin}": {status.as_error}').by(plugin)


def pre_bind_plugins(framework: Framework, pod: PodInfo) -> tuple[PreBindPlugin, ...]:
    """Return the plugins that may have something to be done before the pod is bound."""
    return tuple(_concerned(framework.pre_bind_plugins, pod))


def has_work_before_binding(
    framework: Framework, state: CycleState, *, pod: PodInfo, node: NodeName, cluster: ClusterView
) -> bool:
    """Return whether anything is to be done before the pod is bound (PreBindPreFlight)."""
    return any(
        not plugin.pre_bind(state, pod, node=node, cluster=cluster).is_empty
        for plugin in _concerned(framework.pre_bind_plugins, pod)
    )


def changes_taken_back(
    framework: Framework, state: CycleState, *, pod: PodInfo, node: NodeName, cluster: ClusterView
) -> tuple[ApiChange, ...]:
    """Return how the API forgets what was written for a pod that is not bound after all."""
    return tuple(
        change
        for plugin in _concerned(framework.reserve_plugins, pod)
        if isinstance(plugin, TakeBackPlugin)
        for change in plugin.take_back(state, pod, node=node, cluster=cluster)
    )


def choose_bind_plugin(framework: Framework, *, pod: PodInfo, node: NodeName) -> BindPlugin:
    """Return the first plugin that takes the pod.

    Raises:
        InvariantError: none does.
    """
    for plugin in framework.bind_plugins:
        if plugin.bind(pod, node) is not None:
            return plugin
    raise InvariantError(f"no plugin binds pod {pod.key} to {node}")


def run_post_bind_plugins(
    framework: Framework, state: CycleState, *, pod: PodInfo, node: NodeName
) -> None:
    """Tell all who want to know that a pod is bound."""
    for plugin in framework.post_bind_plugins:
        plugin.post_bind(state, pod, node=node)


def _concerned(plugins: Iterable[PluginT], pod: PodInfo) -> Iterable[PluginT]:
    for plugin in plugins:
        # Asked for every member on every placement: looking for a Protocol would take longest.
        concerns = getattr(plugin, "concerns", None)
        if concerns is None or concerns(pod):
            yield plugin


def _with_side_effects(outcome: PermitOutcome, name: str, result: PermitResult) -> PermitOutcome:
    if not (result.allow or result.reject or result.activate):
        return outcome
    return outcome._replace(
        allowed=(*outcome.allowed, *(PermitVerdict(name, uid) for uid in result.allow)),
        rejected=(
            *outcome.rejected,
            *(PermitVerdict(name, uid, text) for uid, text in result.reject),
        ),
        activated=(*outcome.activated, *result.activate),
    )


def _said_by(plugin: Plugin, status: Status, *, point: str) -> Status:
    if status.is_rejected:
        return status.by(plugin.NAME)
    return failure(f'running {point} plugin "{plugin.NAME}": {status.as_error}').by(plugin.NAME)
