"""Which objects make pods, of which form, and how many before any of them runs. Pure."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kubegang.api.core.types import Pod
from kubegang.api.defaults.table import apply_defaults
from kubegang.api.dropping import canonicalize
from kubegang.api.meta import decode
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates
from kubegang.controllers.workloads.objects import replicas_of
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.tools.checking.model import DEFAULT_NAMESPACE, Kept, Maker
from kubegang.tools.checking.priorities import Priorities
from kubegang.tools.cluster.state import ClusterState, ObjectKey
from kubegang.tools.explaining.owners import owner_finding

_POD: Final = GroupVersionKind("", "v1", "Pod")

TEMPLATES: Final[Mapping[tuple[str, str], str]] = {
    ("", "Pod"): "",
    ("", "ReplicationController"): "spec.template",
    ("apps", "DaemonSet"): "spec.template",
    ("apps", "Deployment"): "spec.template",
    ("apps", "ReplicaSet"): "spec.template",
    ("apps", "StatefulSet"): "spec.template",
}
"""Where a kind has the pod that it makes; Jobs and CronJobs are asked about in ``gangs``."""

_OTHERS: Final[Mapping[tuple[str, str], str]] = {("kubeflow.org", "MPIJob"): "spec.mpiReplicaSpecs"}
"""Kinds of operators: a mapping from role to an entry with a pod template."""


class Limit(NamedTuple):
    """How many pods there may be before one runs; ``None`` if nobody knows."""

    most: int | None
    why: str


def is_operators(gvk: GroupVersionKind) -> bool:
    """Return whether Kubernetes has no such kind, but it is known whose pods it makes."""
    return (gvk.group, gvk.kind) in _OTHERS


class Makers:
    """Finds the makers of pods among the objects of one version."""

    def __init__(
        self, objects: Sequence[Kept], priorities: Priorities, gates: FeatureGates
    ) -> None:
        """Take the objects.

        Args:
            objects: as the API server keeps them, those of operators among them.
            priorities: what the names of priority classes mean.
            gates: of the API server, for defaults.
        """
        self._priorities = priorities
        self._gates = gates
        self._by_key = {_key(kept): kept for kept in objects}
        self._limits = {key: _limit_of(key, kept.object) for key, kept in self._by_key.items()}

    def of(self, kept: Kept) -> Iterator[Maker]:
        """Yield the forms of pods that an object makes."""
        gvk = kept.written.gvk
        if (gvk.group, gvk.kind) in _OTHERS:
            yield from self._of_operator(kept, _OTHERS[gvk.group, gvk.kind])
            return
        path = TEMPLATES.get((gvk.group, gvk.kind))
        template = None if path is None else _at(kept.object, path)
        if path is not None and template is not None:
            yield self.maker(kept, path, template)

    def maker(self, kept: Kept, path: str, template: JsonObject, *, group: str = "") -> Maker:
        """Return the maker of pods of a template; ``group`` is a PodGroup that they join."""
        metadata = kept.object.get("metadata") or {}
        pod = _pod_of(template, metadata)
        if group:
            pod["spec"]["schedulingGroup"] = {"podGroupName": group}
        apply_defaults(pod, _POD, self._gates)
        self._priorities.fill_in(pod["spec"])
        return Maker(
            written=kept.written,
            path=path,
            pod=pod_info(decode(pod, Pod)),
            root=self.root_of(kept).written,
        )

    def root_of(self, kept: Kept) -> Kept:
        """Return the object on top of a chain of owners, as far as they are here."""
        seen = {_key(kept)}
        while True:
            key = _owner_key(kept.object)
            if key is None or key in seen or key not in self._by_key:
                return kept
            seen.add(key)
            kept = self._by_key[key]

    def limit_of(self, root: Kept) -> Limit:
        """Return how many pods come of a root before one runs."""
        if _owner_key(root.object) is not None:
            # Who makes it is not here, and may make others.
            return Limit(None, "")
        return self._limits[_key(root)]

    def _of_operator(self, kept: Kept, path: str) -> Iterator[Maker]:
        for role, entry in (_at(kept.object, path) or {}).items():
            template = entry.get("template") if isinstance(entry, dict) else None
            if isinstance(template, dict) and isinstance(template.get("spec"), dict):
                # No server that is known here has looked at the types in it.
                decode(_pod_of(template, kept.object.get("metadata") or {}), Pod)
                whole = copy.deepcopy(template)
                canonicalize(whole, _POD)
                yield self.maker(kept, f"{path}.{role}.template", whole)


def _pod_of(template: JsonObject, owner: JsonObject) -> JsonObject:
    metadata = template.get("metadata") or {}
    namespace = metadata.get("namespace") or owner.get("namespace") or DEFAULT_NAMESPACE
    name = metadata.get("name") or owner.get("name") or ""
    return {
        **template,
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "name": name, "namespace": namespace},
        "spec": dict(template.get("spec") or {}),
    }


def _limit_of(key: ObjectKey, obj: JsonObject) -> Limit:
    special = _SPECIAL.get(key.kind)
    if special is not None:
        return special(obj)
    found = owner_finding(ClusterState(taken=0.0, objects={key: obj}), key)
    return Limit(found.can_create, found.why)


def _deployment(obj: JsonObject) -> Limit:
    # Its surge is for roll-outs, see ``quorum``.
    replicas = replicas_of(obj)
    return Limit(replicas, f"replicas is {replicas}")


_SPECIAL: Final[Mapping[str, Callable[[JsonObject], Limit]]] = {
    "Pod": lambda _pod: Limit(1, "it is one pod"),
    "Deployment": _deployment,
}


def _key(kept: Kept) -> ObjectKey:
    metadata = kept.object.get("metadata") or {}
    namespace = metadata.get("namespace") or DEFAULT_NAMESPACE
    return ObjectKey(kept.written.gvk.kind, namespace, metadata.get("name") or "")


def _owner_key(obj: JsonObject) -> ObjectKey | None:
    metadata = obj.get("metadata") or {}
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            namespace = metadata.get("namespace") or DEFAULT_NAMESPACE
            return ObjectKey(owner.get("kind") or "", namespace, owner.get("name") or "")
    return None


def _at(obj: JsonObject, path: str) -> JsonObject | None:
    value: Any = obj
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None
