"""Events of pods in a kubelet's name. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.nodesim.forms import SimulatedPod


def warning(pod: SimulatedPod, message: str, *, reason: str, now: float) -> JsonObject:
    """Return the event that warns people about a pod."""
    metadata, moment = pod.metadata, format_time(now)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{metadata.name}.{int(now * 1e9):x}",
            "namespace": metadata.namespace,
        },
        "involvedObject": {
            "kind": "Pod",
            "namespace": metadata.namespace,
            "name": metadata.name,
            "uid": metadata.uid,
            "apiVersion": "v1",
            "resourceVersion": metadata.resource_version,
        },
        "type": "Warning",
        "reason": reason,
        "message": message,
        "source": {"component": "kubelet", "host": pod.spec.node_name},
        "reportingComponent": "kubelet",
        "reportingInstance": pod.spec.node_name,
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "count": 1,
    }
