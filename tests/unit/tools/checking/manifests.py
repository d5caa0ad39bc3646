"""Manifests in few words for tests of check, and what check says about them."""

from __future__ import annotations

from typing import Any

import yaml

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.checking import CheckOptions, check
from kubegang.app.options import GateFlags
from kubegang.tools.checking.report import CheckReport, Finding, Verdict

RACK = "topology.kubernetes.io/rack"
ZONE = "topology.kubernetes.io/zone"
GROUP_VERSIONS = {"1.36": "v1alpha2", "1.37": "v1beta1"}


def checked(
    *objects: JsonObject,
    version: str | tuple[str, ...] = "1.37",
    gates: GateFlags | None = None,
    scheduler_names: tuple[str, ...] = (),
    config: str = "",
) -> CheckReport:
    options = CheckOptions(
        files=("-",),
        versions=(version,) if isinstance(version, str) else version,
        gates=gates or GateFlags(),
        scheduler_names=scheduler_names,
        config=config,
    )
    text = yaml.safe_dump_all(objects, sort_keys=False)
    return check(options, read_standard_input=lambda: text)


def found(report: CheckReport, rule: str) -> list[Finding]:
    return [one for one in report.findings if one.rule == rule]


def only(report: CheckReport, rule: str) -> Finding:
    (one,) = found(report, rule)
    return one


def verdict(report: CheckReport, label: str, version: str = "1.37") -> Verdict:
    (one,) = [v for v in report.verdicts if (v.object, v.version) == (label, version)]
    return one


def container(**amounts: str) -> JsonObject:
    limits = {("nvidia.com/gpu" if name == "gpu" else name): n for name, n in amounts.items()}
    return {"name": "main", "image": "registry.example/app:1", "resources": {"limits": limits}}


def pod_spec(group: str = "", **fields: Any) -> JsonObject:
    amounts = {name: fields.pop(name) for name in ("cpu", "gpu") if name in fields}
    spec: JsonObject = {"containers": [container(**amounts)], **fields}
    if group:
        spec["schedulingGroup"] = {"podGroupName": group}
    return spec


def pod(name: str, group: str = "", *, labels: Any = None, **fields: Any) -> JsonObject:
    metadata: JsonObject = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": pod_spec(group, **fields),
    }


def gang(name: str, minimum: int, *, version: str = "1.37", **fields: Any) -> JsonObject:
    return {
        "apiVersion": f"scheduling.k8s.io/{GROUP_VERSIONS[version]}",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}, **fields},
    }


def basic(name: str) -> JsonObject:
    group = gang(name, 1)
    group["spec"]["schedulingPolicy"] = {"basic": {}}
    return group


def job(name: str = "train", *, pods: JsonObject | None = None, **spec: Any) -> JsonObject:
    template = {"spec": {"restartPolicy": "Never", **(pods or pod_spec())}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def shaped_job(name: str = "train", **spec: Any) -> JsonObject:
    shape = {"parallelism": 4, "completions": 4, "completionMode": "Indexed"}
    return job(name, **{**shape, **spec})


def gang_job(name: str = "train", minimum: int = 4, **spec: Any) -> JsonObject:
    policy = {"schedulingPolicy": {"gang": {"minCount": minimum}}}
    return shaped_job(name, scheduling=policy, **spec)


def deployment(name: str, group: str, *, replicas: int, strategy: Any = None) -> JsonObject:
    labels = {"app": name}
    spec: JsonObject = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod_spec(group)},
    }
    if strategy:
        spec["strategy"] = strategy
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": spec,
    }


def node(name: str, labels: Any = None, **amounts: str) -> JsonObject:
    allocatable = {("nvidia.com/gpu" if k == "gpu" else k): v for k, v in amounts.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}},
        "status": {"allocatable": {"pods": "110", **allocatable}},
    }


def priority_class(name: str, value: int) -> JsonObject:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def pods_near(key: str, value: str, *, kind: str = "podAffinity") -> JsonObject:
    term = {"topologyKey": RACK, "labelSelector": {"matchLabels": {key: value}}}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
