"""A cluster's objects in a dict, as far as writing one of them looks at others."""

from __future__ import annotations

from typing import NamedTuple

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import JsonObject


class PriorityClass(NamedTuple):
    """What admission reads of a class."""

    name: str
    value: int
    preemption_policy: str


_BUILT_IN = (
    PriorityClass("system-node-critical", 2_000_001_000, "PreemptLowerPriority"),
    PriorityClass("system-cluster-critical", 2_000_000_000, "PreemptLowerPriority"),
)


class Cluster:
    """Objects by kind, namespace and name; every namespace exists."""

    def __init__(self) -> None:
        self._objects: dict[str, JsonObject] = {}

    def objects(self) -> dict[str, JsonObject]:
        """Return all objects, for ``replace``."""
        return dict(self._objects)

    def replace(self, objects: dict[str, JsonObject]) -> None:
        """Let the cluster have these objects and no others."""
        self._objects = objects

    def get(self, info: ResourceInfo, namespace: str, name: str) -> JsonObject | None:
        """Return an object, or ``None``."""
        return self._objects.get(_key(info, namespace, name)) if name else None

    def put(self, info: ResourceInfo, obj: JsonObject) -> None:
        """Keep an object."""
        metadata = obj["metadata"]
        self._objects[_key(info, metadata.get("namespace") or "", metadata["name"])] = obj

    def delete(self, info: ResourceInfo, namespace: str, name: str, *, now: str) -> None:
        """Remove an object, or mark it as deleted if it waits for something."""
        obj = self.get(info, namespace, name)
        if obj is None:
            return
        if obj["metadata"].get("finalizers") or info.kind == "Namespace":
            obj["metadata"]["deletionTimestamp"] = now
            obj["metadata"]["deletionGracePeriodSeconds"] = 0
        else:
            del self._objects[_key(info, namespace, name)]

    def namespace_phase(self, _name: str) -> str | None:
        """Return that a namespace is there."""
        return "Active"

    def namespace_labels(self, _name: str) -> dict[str, str]:
        """Return the labels of a namespace: none."""
        return {}

    def priority_class(self, name: str) -> PriorityClass | None:
        """Return a priority class by name."""
        return next((one for one in self._classes() if one.name == name), None)

    def default_priority_class(self) -> PriorityClass | None:
        """Return the class that is marked as the global default."""
        for obj in self._objects.values():
            if obj["kind"] == "PriorityClass" and obj.get("globalDefault"):
                return _class(obj)
        return None

    def workload(self, _namespace: str, _name: str) -> None:
        """Return that no Workload is known; the recorded groups refer to none."""

    def pod_groups(self, _namespace: str) -> tuple[()]:
        """Return that there are no groups; the recorded Jobs have none."""
        return ()

    def service_account(self, _namespace: str, _name: str) -> None:
        """Return that no service account is known; the plug-in that asks is off."""

    def limit_ranges(self, _namespace: str) -> tuple[()]:
        """Return that there are no limits."""
        return ()

    def pods(self, _namespace: str) -> tuple[()]:
        """Return that there are none."""
        return ()

    def default_ingress_class(self) -> None:
        return None

    def default_storage_class(self) -> None:
        """Return that no class is the default."""

    def runtime_class(self, name: str) -> JsonObject | None:
        """Return a class of that name, as if there were every one."""
        return {"metadata": {"name": name}}

    def name_from(self, prefix: str) -> str:
        """Return some name."""
        return f"{prefix}00000"

    def node_labels(self, _name: str) -> dict[str, str]:
        """Return that no node is known."""
        return {}

    def _classes(self) -> list[PriorityClass]:
        made = (obj for obj in self._objects.values() if obj["kind"] == "PriorityClass")
        return [*_BUILT_IN, *map(_class, made)]


def _class(obj: JsonObject) -> PriorityClass:
    policy = obj.get("preemptionPolicy") or "PreemptLowerPriority"
    return PriorityClass(obj["metadata"]["name"], obj.get("value") or 0, policy)


def _key(info: ResourceInfo, namespace: str, name: str) -> str:
    return info.key(namespace if info.namespaced else "", name)
