"""From what was asked about to the entities that the scheduler decides about. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.framework.workloadgroups import group_name
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.state import ClusterState, ObjectKey
from kubegang.tools.explaining.report import Subject
from kubegang.tools.rehearsal.stage import Stage

KINDS = ("Pod", "PodGroup", "CompositePodGroup", "Workload", "Job")
"""What can be asked about; other owners of pods are too, by the kind that pods name."""


class NotThereError(ValueError):
    """What was asked about does not exist in the cluster."""


def entities_of(stage: Stage, subject: Subject) -> list[EntityKey]:
    """Return the pods and roots of groups that a subject consists of, each once.

    Raises:
        NotThereError: there is no such object.
    """
    match subject.kind:
        case "Pod":
            found = _of_pod(stage, subject)
        case "PodGroup":
            found = _of_group(stage, PodGroupKey(subject.namespace, subject.name))
        case "CompositePodGroup":
            key = PodGroupKey(subject.namespace, subject.name, "CompositePodGroup")
            found = _of_group(stage, key)
        case "Workload":
            found = list(_of_workload(stage, subject))
        case _:
            found = list(_of_owner(stage, subject))
    if not found and not _exists(stage.state, subject):
        raise NotThereError(f"there is no {subject}")
    return list(dict.fromkeys(found))


def is_member(stage: Stage, pod: PodInfo) -> bool:
    """Return whether the scheduler sees a pod as a member of its group."""
    profile = stage.deciders.profile(pod.scheduler_name)
    return pod.pod_group is not None and profile.gates.enabled_if_known("GenericWorkload")


def entity_of(stage: Stage, pod: PodInfo) -> EntityKey:
    """Return what is decided about together with a pod."""
    if pod.pod_group is None or not is_member(stage, pod):
        return pod.uid
    return stage.root(pod.pod_group)


def _of_pod(stage: Stage, subject: Subject) -> list[EntityKey]:
    return [
        entity_of(stage, pod)
        for pod in stage.state.pods_for(stage.deciders.main)
        if (pod.namespace, pod.name) == (subject.namespace, subject.name)
    ]


def _of_group(stage: Stage, key: PodGroupKey) -> list[EntityKey]:
    known = stage.cache.groups.pod_group(key) is not None
    named = any(pod.pod_group == key for pod in stage.state.pods_for(stage.deciders.main))
    return [stage.root(key)] if known or named else []


def _of_workload(stage: Stage, subject: Subject) -> Iterator[EntityKey]:
    for record in stage.cache.snapshot().pod_groups():
        name = group_name(record.key)
        if name is not None and (record.key.namespace, name.workload) == subject_name(subject):
            yield stage.root(record.key)
    for group in stage.state.groups:
        ref, meta = group.spec.workload_ref, group.metadata
        if ref is not None and (meta.namespace, ref.workload_name) == subject_name(subject):
            yield stage.root(PodGroupKey(meta.namespace, meta.name))
    for tree in stage.state.composites:
        ref, meta = tree.spec.workload_ref, tree.metadata
        if ref is not None and (meta.namespace, ref.workload_name) == subject_name(subject):
            yield stage.root(PodGroupKey(meta.namespace, meta.name, "CompositePodGroup"))


def _of_owner(stage: Stage, subject: Subject) -> Iterator[EntityKey]:
    key = ObjectKey(subject.kind, subject.namespace, subject.name)
    owners = stage.state.owners
    for pod in stage.state.pods_for(stage.deciders.main):
        if owners.get(pod.uid) == key:
            yield entity_of(stage, pod)


def subject_name(subject: Subject) -> tuple[str, str]:
    """Return namespace and name."""
    return subject.namespace, subject.name


def _exists(state: ClusterState, subject: Subject) -> bool:
    return ObjectKey(subject.kind, subject.namespace, subject.name) in state.objects
