"""Nodes, pods and groups as each release's API has them."""

from __future__ import annotations

from typing import NamedTuple

from kubegang.apimachinery.objects import JsonObject

NS = "default"


class GroupForm(NamedTuple):
    """What somebody wants of a group.

    Attributes:
        minimum: of pods, of a composite of child groups; 0 for a basic group.
        parent: the composite that it names, or empty.
    """

    name: str
    minimum: int = 0
    priority: int = 0
    topology: bool = False
    whole: bool = False
    parent: str = ""


def node(name: str, *, cpu: int, rack: str, cordoned: bool = False) -> JsonObject:
    """Return a node with room for four pods."""
    amounts = {"cpu": str(cpu), "memory": "4Gi", "pods": "4"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"rack": rack}},
        "spec": {"unschedulable": cordoned},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def pod(name: str, *, cpu: str, priority: int, scheduler: str, grace: int = 0) -> JsonObject:
    """Return a pod that waits."""
    container = {"name": "c", "image": "x:1", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NS, "labels": {}, "generation": 1},
        "spec": {
            "containers": [container],
            "priority": priority,
            "schedulerName": scheduler,
            "terminationGracePeriodSeconds": grace,
        },
        "status": {"phase": "Pending"},
    }


class Groups:
    """How one release spells groups.

    Attributes:
        plural: the resource that is written for a group.
        composites: whether groups can have parents.
    """

    def __init__(self, release: str) -> None:
        self.plural = "workloads" if release == "1.35" else "podgroups"
        self.composites = release == "1.37"
        self._release = release

    def of(self, form: GroupForm) -> JsonObject:
        """Return a group; in 1.35 a Workload with that one group in it."""
        policy = {"gang": {"minCount": form.minimum}} if form.minimum else {"basic": {}}
        if self._release == "1.35":
            spec: JsonObject = {"podGroups": [{"name": "w", "policy": policy}]}
            return _object("scheduling.k8s.io/v1alpha1", "Workload", form.name, spec)
        spec = {"schedulingPolicy": policy, **_common(form)}
        if self._release == "1.36":
            spec["disruptionMode"] = "PodGroup" if form.whole else "Pod"
            return _object("scheduling.k8s.io/v1alpha2", "PodGroup", form.name, spec)
        return _object("scheduling.k8s.io/v1beta1", "PodGroup", form.name, {**spec, **_newer(form)})

    def composite(self, form: GroupForm) -> JsonObject:
        """Return a group of groups."""
        policy = {"gang": {"minGroupCount": form.minimum}} if form.minimum else {"basic": {}}
        spec = {"schedulingPolicy": policy, **_common(form), **_newer(form)}
        return _object("scheduling.k8s.io/v1alpha3", "CompositePodGroup", form.name, spec)

    def join(self, pod: JsonObject, group: str, *, replica: str = "") -> None:
        """Make a new pod a member of a group."""
        if self._release != "1.35":
            pod["spec"]["schedulingGroup"] = {"podGroupName": group}
            return
        # A wrong name names an entry that the Workload does not have.
        workload, _, entry = group.partition("/")
        ref = {"name": workload, "podGroup": entry or "w"}
        pod["spec"]["workloadRef"] = {**ref, "podGroupReplicaKey": replica} if replica else ref


def _common(form: GroupForm) -> JsonObject:
    spec: JsonObject = {"priority": form.priority}
    if form.topology:
        spec["schedulingConstraints"] = {"topology": [{"key": "rack"}]}
    return spec


def _newer(form: GroupForm) -> JsonObject:
    spec: JsonObject = {"disruptionMode": {"all": {}} if form.whole else {"single": {}}}
    if form.parent:
        spec["parentCompositePodGroupName"] = form.parent
    return spec


def _object(api_version: str, kind: str, name: str, spec: JsonObject) -> JsonObject:
    meta = {"name": name, "namespace": NS}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, "spec": spec}
