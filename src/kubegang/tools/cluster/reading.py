"""Objects in, a cluster's state out. Pure.

Objects that no server has completed (they have no uid) are completed here: namespace, uid,
and the defaults that the API server would fill in.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from kubegang.api.apps.types import ReplicaSet, StatefulSet
from kubegang.api.core.services import Service
from kubegang.api.core.types import Namespace, Node, Pod
from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim
from kubegang.api.defaults.table import apply_defaults
from kubegang.api.dropping import canonicalize
from kubegang.api.meta import Form, decode
from kubegang.api.scheduling.decoding import (
    decode_composite_pod_group,
    decode_pod_group,
    decode_workload,
)
from kubegang.api.scheduling.types import CompositePodGroup, PodGroup
from kubegang.api.storage.types import CSIDriver, StorageClass
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.quantity import QuantityError
from kubegang.apimachinery.times import TimeError
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.framework.workloadgroups import WorkloadInfo, workload_info
from kubegang.tools.cluster.kinds import KEPT_WHOLE, RECORDS, Body, Part, reader
from kubegang.tools.cluster.state import ClusterState, ObjectKey, Unseen

DEFAULT_NAMESPACE = "default"
SYSTEM_PRIORITIES = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}
"""The PriorityClasses that every cluster has (upstream's)."""

_WHOLE_CLUSTER = frozenset(
    {
        "DeviceClass",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "ResourceSlice",
    }
)
_GROUPS = "scheduling.k8s.io"
_WITH_PRIORITY = frozenset({"Pod", "PodGroup", "CompositePodGroup"})

_FORMS: Mapping[tuple[str, str], type[Form]] = {
    ("", "Pod"): Pod,
    ("", "Node"): Node,
    ("", "Namespace"): Namespace,
    ("", "Service"): Service,
    ("apps", "ReplicaSet"): ReplicaSet,
    ("apps", "StatefulSet"): StatefulSet,
    ("", "PersistentVolume"): PersistentVolume,
    ("", "PersistentVolumeClaim"): PersistentVolumeClaim,
    ("storage.k8s.io", "StorageClass"): StorageClass,
    ("storage.k8s.io", "CSIDriver"): CSIDriver,
}
"""Kinds that have defaults, and are read."""

_read_pod = reader(Pod)


class ObjectError(ValueError):
    """An object with a field of the wrong type; the text names object and field."""


class StateReader:
    """Collects objects; ``state`` is what they come to."""

    def __init__(self, gates: FeatureGates) -> None:
        """Start empty.

        Args:
            gates: of the API server's release; defaults depend on them.
        """
        self._gates = gates
        self._records: dict[Part, list[Any]] = {part: [] for part in get_args(Part)}
        self._pods: list[PodInfo] = []
        self._groups: list[PodGroup] = []
        self._composites: list[CompositePodGroup] = []
        self._workloads: list[WorkloadInfo] = []
        self._objects: dict[ObjectKey, JsonObject] = {}
        self._owners: dict[PodUid, ObjectKey] = {}
        self._warnings: dict[ObjectKey, tuple[str, str]] = {}
        self._priorities = dict(SYSTEM_PRIORITIES)
        self.latest = 0.0
        """The latest creation of a pod: nothing here is older."""

    def add_written(self, obj: JsonObject) -> bool:
        """Take in an object of a file, completing it; return whether its kind matters."""
        gvk = GroupVersionKind.of(obj)
        if not _matters(gvk):
            return False
        if not _metadata(gvk, obj).get("uid"):
            self._check(gvk, obj)
            try:
                obj = self._completed(obj, gvk)
            except QuantityError as error:
                raise ObjectError(_about(gvk, obj, error)) from error
        return self.add(gvk, obj)

    def add(self, gvk: GroupVersionKind, body: Body) -> bool:
        """Take in an object as a server shows it; return whether its kind matters.

        Raises:
            ObjectError: a field has the wrong type.
        """
        try:
            return self._add(gvk, body)
        except (msgspec.ValidationError, TimeError, QuantityError) as error:
            raise ObjectError(_about(gvk, _plain(body), error)) from error

    def state(
        self, *, taken: float, unseen: tuple[Unseen, ...] = (), release: str = ""
    ) -> ClusterState:
        """Return everything that was taken in."""
        return ClusterState(
            taken=taken,
            pods=tuple(sorted(self._pods, key=lambda pod: pod.created)),
            groups=tuple(self._groups),
            composites=tuple(self._composites),
            workloads=tuple(self._workloads),
            objects=self._objects,
            owners=self._owners,
            warnings={key: text for key, (_, text) in self._warnings.items()},
            unseen=unseen,
            release=release,
            nodes=tuple(self._records["nodes"]),
            namespaces=tuple(self._records["namespaces"]),
            services=tuple(self._records["services"]),
            controllers=tuple(self._records["controllers"]),
            budgets=tuple(self._records["budgets"]),
            storage=tuple(self._records["storage"]),
            devices=tuple(self._records["devices"]),
        )

    # --- steps ---------------------------------------------------------------------------

    def _check(self, gvk: GroupVersionKind, obj: JsonObject) -> None:
        """Decode once before anything is filled in, which takes well-formed objects for granted."""
        form = _FORMS.get((gvk.group, gvk.kind))
        try:
            if form is not None:
                decode(obj, form)
        except msgspec.ValidationError as error:
            raise ObjectError(_about(gvk, obj, error)) from error

    def _add(self, gvk: GroupVersionKind, body: Body) -> bool:
        kind = (gvk.group, gvk.kind)
        if kind == ("", "Pod"):
            self._add_pod(body)
            return True
        if gvk.kind == "Event":
            self._add_event(_plain(body))
            return True
        if kind in KEPT_WHOLE:
            # Items of a typed list leave out what every item would repeat.
            obj = {"apiVersion": str(gvk.group_version), "kind": gvk.kind, **_plain(body)}
            self._objects[_key(gvk.kind, obj)] = obj
            if gvk.kind == "PriorityClass":
                self._add_priority(obj)
            if gvk.group == _GROUPS:
                self._add_group(gvk, obj)
        if kind in RECORDS:
            part, read = RECORDS[kind]
            self._records[part].append(read(body))
        return kind in KEPT_WHOLE or kind in RECORDS

    def _add_pod(self, body: Body) -> None:
        pod = _read_pod(body)
        info = pod_info(pod)
        if info.finished:
            return
        self._pods.append(info)
        self.latest = max(self.latest, info.created)
        owner = pod.metadata.controller
        if owner is not None:
            self._owners[info.uid] = ObjectKey(owner.kind, info.namespace, owner.name)

    def _add_group(self, gvk: GroupVersionKind, obj: JsonObject) -> None:
        match gvk.kind:
            case "PodGroup":
                self._groups.append(decode_pod_group(obj))
            case "CompositePodGroup":
                self._composites.append(decode_composite_pod_group(obj))
            case "Workload" if gvk.version == "v1alpha1":
                self._workloads.append(workload_info(decode_workload(obj)))

    def _add_priority(self, obj: JsonObject) -> None:
        value = int(obj.get("value") or 0)
        self._priorities[obj["metadata"].get("name") or ""] = value
        if obj.get("globalDefault"):
            self._priorities[""] = value

    def _add_event(self, event: JsonObject) -> None:
        about = event.get("involvedObject") or event.get("regarding") or {}
        if event.get("type") != "Warning" or not about.get("kind"):
            return
        key = ObjectKey(about["kind"], about.get("namespace") or "", about.get("name") or "")
        text = f"{event.get('reason', '')}: {event.get('message') or event.get('note') or ''}"
        at = str(event.get("lastTimestamp") or event.get("eventTime") or "")
        if at >= self._warnings.get(key, ("", ""))[0]:
            self._warnings[key] = (at, text)

    def _completed(self, obj: JsonObject, gvk: GroupVersionKind) -> JsonObject:
        whole = copy.deepcopy(obj)
        canonicalize(whole, gvk)
        metadata = whole["metadata"] = whole.get("metadata") or {}
        if gvk.kind not in _WHOLE_CLUSTER:
            metadata.setdefault("namespace", DEFAULT_NAMESPACE)
        metadata.setdefault("name", metadata.get("generateName", ""))
        metadata["uid"] = f"{gvk.kind}/{metadata.get('namespace', '')}/{metadata['name']}"
        apply_defaults(whole, gvk, self._gates)
        if gvk.kind == "Node":
            _give_allocatable(whole)
        elif gvk.kind in _WITH_PRIORITY:
            self._give_priority(whole.setdefault("spec", {}))
        return whole

    def _give_priority(self, spec: JsonObject) -> None:
        """Fill in what the priority admission plug-in would; classes come before their users."""
        if spec.get("priority") is None:
            name = spec.get("priorityClassName") or ""
            spec["priority"] = self._priorities.get(name, self._priorities.get("", 0))


def _matters(gvk: GroupVersionKind) -> bool:
    kind = (gvk.group, gvk.kind)
    return kind in KEPT_WHOLE or kind in RECORDS or kind == ("", "Pod") or gvk.kind == "Event"


def _give_allocatable(node: JsonObject) -> None:
    """What a node has may all be used, unless it says otherwise."""
    status = node.setdefault("status", {})
    if "allocatable" not in status and status.get("capacity"):
        status["allocatable"] = dict(status["capacity"])


def _metadata(gvk: GroupVersionKind, obj: JsonObject) -> JsonObject:
    metadata = obj.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise ObjectError(f"{gvk.kind}: metadata must be a mapping")
    return metadata


def _about(gvk: GroupVersionKind, obj: JsonObject, error: Exception) -> str:
    name = _metadata(gvk, obj).get("name") or ""
    return f"{gvk.kind} {name}: {error}"


def _plain(body: Body) -> JsonObject:
    if isinstance(body, dict):
        return body
    decoded: JsonObject = msgspec.json.decode(body)
    return decoded


def _key(kind: str, obj: JsonObject) -> ObjectKey:
    metadata = obj.get("metadata") or {}
    return ObjectKey(kind, metadata.get("namespace") or "", metadata.get("name") or "")
