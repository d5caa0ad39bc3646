"""All gangs and single pods, with why they wait: as ``kubegang explain`` says it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.state import ObjectKey
from kubegang.tools.explaining.explain import explain_briefly
from kubegang.tools.explaining.report import Explanation, Subject
from kubegang.tools.explaining.targets import entity_of
from kubegang.tools.overview.nodes import path_of
from kubegang.tools.overview.report import Gang, GangState
from kubegang.tools.overview.units import Units
from kubegang.tools.placement import NO_VALUE
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.workunits import WorkUnit

MOST_ASKED: Final = 100
"""So many that wait are asked about; a decision takes milliseconds, and a queue may be long."""

NOT_ASKED: Final = f"the first {MOST_ASKED} of the queue were asked; explain tells about this one"

_ENDS: Final = frozenset({"Complete", "Failed"})
_ENDED_PODS: Final = ("succeeded", "failed")


def gangs_of(stage: Stage, keys: Sequence[str], units: Units) -> tuple[Gang, ...]:
    """Return everything that is decided about together: what waits first, as the queue has it."""
    entities = _entities(stage)
    waiting = sorted(
        (key for key in entities if _waits(entities[key]) or not entities[key]),
        key=lambda key: _queue_order(stage, key, entities[key]),
    )
    told = [
        _gang(stage, key, entities[key], keys=keys, units=units, asked=position < MOST_ASKED)
        for position, key in enumerate(waiting)
    ]
    others = sorted(
        entities.keys() - set(waiting), key=lambda key: -_created(stage, key, entities[key])
    )
    told += [_gang(stage, key, entities[key], keys=keys, units=units) for key in others]
    return tuple(sorted(told, key=lambda gang: gang.state == "finished"))


def _entities(stage: Stage) -> dict[EntityKey, list[PodInfo]]:
    """Return pods and roots of groups with the pods that are not finished."""
    entities: dict[EntityKey, list[PodInfo]] = {}
    for group in stage.snapshot.pod_groups():
        entities.setdefault(stage.root(group.key), [])
    for pod in stage.state.pods_for(stage.deciders.main):
        entities.setdefault(entity_of(stage, pod), []).append(pod)
    return entities


def _waits(pods: Sequence[PodInfo]) -> bool:
    return any(not pod.node_name for pod in pods)


def _queue_order(stage: Stage, key: EntityKey, pods: Sequence[PodInfo]) -> tuple[float, float]:
    """Return the sort key of upstream's PrioritySort: high priority first, then early ones."""
    return -_priority(stage, key, pods), _created(stage, key, pods)


def _gang(
    stage: Stage,
    key: EntityKey,
    pods: list[PodInfo],
    *,
    keys: Sequence[str],
    units: Units,
    asked: bool = True,
) -> Gang:
    unit = units.of_entity(key, pods)
    asks = _waits(pods) or not (pods or _is_over(stage, unit))
    found = explain_briefly(stage, key) if asks and asked else None
    state = _state(stage, pods, unit, found)
    runs = state in ("running", "starting", "finished")
    group = stage.cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
    return Gang(
        subject=_subject(key, pods),
        unit=unit,
        state=state,
        message="" if runs else NOT_ASKED if found is None else found.message,
        needed=0 if group is None or group.min_count is None else group.min_count,
        exist=_exist(pods, found),
        scheduled=sum(bool(pod.node_name) for pod in pods),
        priority=_priority(stage, key, pods),
        scheduler=pods[0].scheduler_name if pods else "",
        created=_created(stage, key, pods),
        place=_place(stage, pods, keys),
    )


def _state(
    stage: Stage, pods: Sequence[PodInfo], unit: WorkUnit, found: Explanation | None
) -> GangState:
    match found.state if found is not None else None:
        case "would-start" | "unschedulable" | "waiting" | "error" as why:
            return why
    if not pods:
        return "finished" if _is_over(stage, unit) else "waiting"
    if found is None and _waits(pods):
        return "waiting"
    placed = [pod for pod in pods if pod.node_name]
    return "running" if all(pod.started is not None for pod in placed) else "starting"


def _is_over(stage: Stage, unit: WorkUnit) -> bool:
    """Return whether a Job has ended, or its last pods have and it is about to."""
    obj = stage.state.objects.get(ObjectKey(unit.kind, unit.namespace, unit.name)) or {}
    status = obj.get("status") or {}
    if any(status.get(count) for count in _ENDED_PODS) and not status.get("active"):
        return True
    conditions = status.get("conditions") or ()
    return any(one.get("type") in _ENDS and one.get("status") == "True" for one in conditions)


def _exist(pods: Sequence[PodInfo], found: Explanation | None) -> int:
    """Return members that exist; of a composite these are child groups, as ``needed`` is."""
    return len(pods) if found is None or found.quorum is None else found.quorum.exist


def _subject(key: EntityKey, pods: Sequence[PodInfo]) -> Subject:
    if isinstance(key, PodGroupKey):
        return Subject(key.kind, key.namespace, key.name)
    return Subject("Pod", pods[0].namespace, pods[0].name)


def _priority(stage: Stage, key: EntityKey, pods: Sequence[PodInfo]) -> int:
    group = stage.cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
    if group is not None:
        return group.priority
    return pods[0].priority if pods else 0


def _created(stage: Stage, key: EntityKey, pods: Sequence[PodInfo]) -> float:
    group = stage.cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
    moments = [pod.created for pod in pods] + ([group.created] if group is not None else [])
    return min(moments, default=0.0)


def _place(stage: Stage, pods: Sequence[PodInfo], keys: Sequence[str]) -> str:
    """Return the innermost domain that holds all pods which have a node."""
    return next(reversed(list(_common(stage, pods, keys))), "")


def _common(stage: Stage, pods: Sequence[PodInfo], keys: Sequence[str]) -> Iterator[str]:
    nodes = [stage.cache.node(name) for name in {pod.node_name for pod in pods if pod.node_name}]
    paths = [path_of(node, keys) for node in nodes if node is not None]
    for values in zip(*paths, strict=True):
        if len(set(values)) > 1 or values[0] == NO_VALUE:
            return
        yield values[0]
