"""Defaults of what keeps pods running: the apps group, and replication controllers.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.defaults.members import member
from kubegang.api.defaults.pods import default_pod_spec
from kubegang.api.defaults.storage import default_claim_spec
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation by which DaemonSets counted changes of their template."""

_HISTORY = 10
_DEADLINE_SECONDS = 600
_STATEFUL_GATE = "MaxUnavailableStatefulSet"


def default_pod_template(template: JsonObject, _gates: FeatureGates) -> None:
    """Fill in the pod of a PodTemplate."""
    _default_template(template)


def default_replica_set(replica_set: JsonObject, _gates: FeatureGates) -> None:
    """One pod."""
    spec = member(replica_set, "spec")
    _set(spec, replicas=1)
    _default_template(spec)


def default_replication_controller(controller: JsonObject, _gates: FeatureGates) -> None:
    """One pod; selector and labels are those of the template."""
    spec = member(controller, "spec")
    _set(spec, replicas=1)
    if spec.get("template") is None:
        return
    _default_template(spec)
    labels = (spec["template"].get("metadata") or {}).get("labels")
    metadata = member(controller, "metadata")
    for holder, name in ((spec, "selector"), (metadata, "labels")):
        if labels is not None and not holder.get(name):
            holder[name] = dict(labels)


def default_deployment(deployment: JsonObject, _gates: FeatureGates) -> None:
    """One pod, replaced step by step."""
    spec = member(deployment, "spec")
    strategy = member(spec, "strategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        _set(member(strategy, "rollingUpdate"), maxUnavailable="25%", maxSurge="25%")
    _set(
        spec,
        replicas=1,
        revisionHistoryLimit=_HISTORY,
        progressDeadlineSeconds=_DEADLINE_SECONDS,
    )
    _default_template(spec)


def default_daemon_set(daemon_set: JsonObject, _gates: FeatureGates) -> None:
    """One node after the other is updated."""
    spec = member(daemon_set, "spec")
    strategy = member(spec, "updateStrategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        _set(member(strategy, "rollingUpdate"), maxUnavailable=1, maxSurge=0)
    _set(spec, revisionHistoryLimit=_HISTORY)
    _default_template(spec)
    annotations = member(member(daemon_set, "metadata"), "annotations")
    annotations.setdefault(TEMPLATE_GENERATION, "0")


def default_stateful_set(stateful_set: JsonObject, gates: FeatureGates) -> None:
    """One pod; in order; claims stay."""
    spec = member(stateful_set, "spec")
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = member(spec, "updateStrategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        member(strategy, "rollingUpdate")
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "RollingUpdate" and rolling is not None:
        _set(rolling, partition=0)
        if gates.enabled_if_known(_STATEFUL_GATE):
            _set(rolling, maxUnavailable=1)
    retention = member(spec, "persistentVolumeClaimRetentionPolicy")
    for name in ("whenDeleted", "whenScaled"):
        if not retention.get(name):
            retention[name] = "Retain"
    _set(spec, replicas=1, revisionHistoryLimit=_HISTORY)
    _default_template(spec)
    for claim in spec.get("volumeClaimTemplates") or ():
        _default_claim_template(claim)


def _set(holder: JsonObject, **values: Any) -> None:
    """Set members that are missing."""
    for name, value in values.items():
        if holder.get(name) is None:
            holder[name] = value


def _default_template(holder: JsonObject) -> None:
    default_pod_spec(member(member(holder, "template"), "spec"))


def _default_claim_template(claim: JsonObject) -> None:
    # These are whole claims upstream, with kind and status.
    _set(claim, kind="PersistentVolumeClaim", apiVersion="v1")
    default_claim_spec(member(claim, "spec"))
    status = member(claim, "status")
    if not status.get("phase"):
        status["phase"] = "Pending"
