"""Small plug-ins about pods and nodes: tolerations, topology labels, the first taint."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_NOT_READY = "node.kubernetes.io/not-ready"
_UNREACHABLE = "node.kubernetes.io/unreachable"
_SECONDS = 300

_TOPOLOGY_LABELS = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


def tolerate_for_a_while(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """DefaultTolerationSeconds: pods stay five minutes on a node that is not there."""
    spec = request.obj["spec"]
    tolerations = spec.get("tolerations") or []
    missing = [key for key in (_NOT_READY, _UNREACHABLE) if not _tolerates(tolerations, key)]
    if missing:
        spec["tolerations"] = [*tolerations, *(_toleration(key) for key in missing)]


def copy_topology_to_pod(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """PodTopologyLabels: a pod created on a node carries the node's zone and region."""
    node_name = request.obj["spec"].get("nodeName")
    if node_name:
        _copy_labels(request.obj, lookup.node_labels(node_name))


def copy_topology_to_binding(
    request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates
) -> None:
    """PodTopologyLabels: so does a pod bound to one; the Binding brings the labels."""
    target = request.obj.get("target") or {}
    if target.get("kind") == "Node" and target.get("name"):
        _copy_labels(request.obj, lookup.node_labels(target["name"]))


def taint_new_node(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """TaintNodesByCondition: nobody is placed on a node before it says that it is ready."""
    spec = request.obj.get("spec")
    if spec is None:
        spec = request.obj["spec"] = {}
    taints = spec.get("taints") or []
    if not any(t.get("key") == _NOT_READY and t.get("effect") == "NoSchedule" for t in taints):
        spec["taints"] = [*taints, {"key": _NOT_READY, "effect": "NoSchedule"}]


def _tolerates(tolerations: list[JsonObject], key: str) -> bool:
    return any(
        toleration.get("key", "") in (key, "") and toleration.get("effect", "") in ("NoExecute", "")
        for toleration in tolerations
    )


def _toleration(key: str) -> JsonObject:
    return {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}


def _copy_labels(obj: JsonObject, node_labels: dict[str, str]) -> None:
    copied = {name: node_labels[name] for name in _TOPOLOGY_LABELS if name in node_labels}
    if copied:
        metadata = obj["metadata"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **copied}
