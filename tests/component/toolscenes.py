"""Clusters in few words for tests of explain and what-if: text in, reports out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.app.clusterfiles import ReadFiles, ReadObject, read_cluster_files
from kubegang.app.clustersource import Source, SourceOptions, source_of_files
from kubegang.app.explaining import explain_in, subject_named
from kubegang.app.supposed import Suppositions
from kubegang.app.whatif import what_if_in
from kubegang.tools.cluster.facts import DumpFacts
from kubegang.tools.explaining.report import Change, ExplainReport, Explanation
from kubegang.tools.whatif.report import Plan, WhatIfReport

RACK = "topology.kubernetes.io/rack"
GROUP_VERSIONS = {"1.36": "v1alpha2", "1.37": "v1beta1"}


def node(name: str, *, labels: dict[str, str] | None = None, **amounts: str) -> JsonObject:
    allocatable = {"pods": "110", **_resources(amounts)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "status": {"allocatable": allocatable},
    }


def pod(
    name: str,
    *,
    on: str = "",
    group: str = "",
    owner: tuple[str, str] | None = None,
    labels: dict[str, str] | None = None,
    priority: int = 0,
    spec: dict[str, Any] | None = None,
    version: str = "1.37",
    **amounts: str,
) -> JsonObject:
    metadata: JsonObject = {"name": name, "labels": labels or {}}
    if owner is not None:
        reference = {"kind": owner[0], "name": owner[1], "uid": owner[1], "controller": True}
        metadata["ownerReferences"] = [{"apiVersion": "v1", **reference}]
    container = {
        "name": "main",
        "image": "registry.example/app:1",
        "resources": {"limits": _resources(amounts)},
    }
    made: JsonObject = {"containers": [container], "priority": priority, **(spec or {})}
    if on:
        made["nodeName"] = on
    if group and version == "1.35":
        made["workloadRef"] = {"name": group, "podGroup": group}
    elif group:
        made["schedulingGroup"] = {"podGroupName": group}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": made}


def gang(
    name: str,
    minimum: int,
    *,
    key: str = "",
    priority: int = 0,
    version: str = "1.37",
) -> JsonObject:
    if version == "1.35":
        return workload(name, minimum)
    spec: JsonObject = {"schedulingPolicy": {"gang": {"minCount": minimum}}, "priority": priority}
    if key:
        spec["schedulingConstraints"] = {"topology": [{"key": key}]}
    return {
        "apiVersion": f"scheduling.k8s.io/{GROUP_VERSIONS[version]}",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": spec,
    }


def workload(name: str, minimum: int) -> JsonObject:
    """Return a Workload of 1.35 with one group, of the same name."""
    group = {"name": name, "policy": {"gang": {"minCount": minimum}}}
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": name},
        "spec": {"podGroups": [group]},
    }


def source(*objects: JsonObject, version: str = "", gates: str = "") -> Source:
    options = SourceOptions(kubernetes_version=version, feature_gates=gates)
    read = (ReadObject(GroupVersionKind.of(obj), obj, complete=False) for obj in objects)
    return source_of_files(options, ReadFiles(tuple(read), DumpFacts()))


def source_of_text(text: str, *, version: str = "", gates: str = "") -> Source:
    options = SourceOptions(kubernetes_version=version, feature_gates=gates)
    return source_of_files(options, read_cluster_files(["-"], read_standard_input=lambda: text))


def explained(found: Source, name: str, *, namespace: str = "default") -> Explanation:
    (part,) = report_of(found, name, namespace=namespace).parts
    return part


def report_of(found: Source, name: str, *, namespace: str = "default") -> ExplainReport:
    return explain_in(found, subject_named(name, namespace))


def changes(found: Explanation) -> dict[str, Change]:
    return {change.kind: change for change in found.changes}


def what_if(found: Source, suppositions: Suppositions) -> WhatIfReport:
    return what_if_in(found, SourceOptions(), suppositions, read_standard_input=lambda: "")


def plan(found: Source, suppositions: Suppositions) -> Plan:
    (only,) = what_if(found, suppositions).plans
    return only


def binds(made: Plan) -> dict[str, str]:
    return {one.pod.removeprefix("default/"): one.node for one in made.binds}


def written(path: Path, *objects: JsonObject) -> str:
    path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
    return str(path)


def _resources(amounts: dict[str, str]) -> dict[str, str]:
    return {{"gpu": "nvidia.com/gpu"}.get(name, name): str(v) for name, v in amounts.items()}
