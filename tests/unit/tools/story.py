"""A history told by a test, in few words."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.tools.history import History


class Story:
    """Objects by name, shown to a history each time they change; ``at`` is the time."""

    def __init__(self) -> None:
        self.history = History()
        self.at = 0.0
        self._objects: dict[tuple[str, str], JsonObject] = {}

    def node(self, name: str, **labels: str) -> None:
        full = {f"topology.kubernetes.io/{key}": value for key, value in labels.items()}
        self._show("Node", name, {"metadata": {"labels": full}})

    def job(self, name: str, *, parallelism: int = 1, **spec: Any) -> None:
        self._show("Job", name, {"spec": {"parallelism": parallelism, **spec}})

    def group(self, name: str, *, min_count: int | None = None, job: str = "") -> None:
        policy: JsonObject = {"basic": {}}
        if min_count is not None:
            policy = {"gang": {"minCount": min_count}}
        metadata = {"ownerReferences": [_owner(job)]} if job else {}
        self._show("PodGroup", name, {"metadata": metadata, "spec": {"schedulingPolicy": policy}})

    def pods(self, *names: str, group: str = "", job: str = "", **spec: Any) -> None:
        if group:
            spec["schedulingGroup"] = {"podGroupName": group}
        metadata = {"ownerReferences": [_owner(job)]} if job else {}
        spec.setdefault("schedulerName", "default-scheduler")
        for name in names:
            self._show("Pod", name, {"metadata": metadata, "spec": spec})

    def bind(self, *names: str, node: str = "n-0") -> None:
        for name in names:
            self._change("Pod", name, spec={"nodeName": node})

    def status(self, kind: str, *names: str, **status: Any) -> None:
        for name in names:
            self._change(kind, name, status=status)

    def end(self, *names: str, exit_code: int = 0) -> None:
        state = {"terminated": {"exitCode": exit_code}}
        phase = "Failed" if exit_code else "Succeeded"
        self.status("Pod", *names, phase=phase, containerStatuses=[{"state": state}])

    def evict(self, *names: str, message: str) -> None:
        condition = {"type": "DisruptionTarget", "status": "True", "message": message}
        for name in names:
            self._change("Pod", name, status={"conditions": [condition]})
            self._change("Pod", name, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})

    def delete(self, kind: str, *names: str) -> None:
        for name in names:
            self.history.see(self._objects.pop((kind, name)), at=self.at, deleted=True)

    def condition(self, kind: str, name: str, type_: str, **said: str) -> None:
        self.status(kind, name, conditions=[{"type": type_, "status": "True", **said}])

    def waits(self, name: str, message: str, *, group: bool = False) -> None:
        key = PodGroupKey("default", name) if group else PodUid(f"Pod-{name}")
        diagnosis = Diagnosis(outcome="unschedulable", message=message)
        self.history.note_wait(key, diagnosis, at=self.at)

    def _change(self, kind: str, name: str, **parts: JsonObject) -> None:
        obj = self._objects[kind, name]
        self._show(kind, name, {key: {**(obj.get(key) or {}), **v} for key, v in parts.items()})

    def _show(self, kind: str, name: str, parts: JsonObject) -> None:
        old = self._objects.get((kind, name), {"kind": kind, "spec": {}})
        obj = {**old, **parts}
        metadata = {"name": name, "namespace": "default", "uid": f"{kind}-{name}"}
        obj["metadata"] = {**(old.get("metadata") or {}), **(obj.get("metadata") or {}), **metadata}
        self._objects[kind, name] = obj
        self.history.see(obj, at=self.at)


def _owner(job: str) -> JsonObject:
    return {"kind": "Job", "name": job, "uid": f"Job-{job}", "controller": True}
