"""Defaults of pods and of pod templates.

A pod gets a few more than a template: requests from limits, host ports, the service link
switch and pod-level resources.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.containers import (
    default_container,
    default_host_ports,
    default_requests,
)
from kubegang.api.defaults.members import member
from kubegang.api.defaults.pod_resources import default_pod_resources
from kubegang.api.defaults.quantities import round_amounts, round_requirements
from kubegang.api.defaults.volumes import default_volume
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_GRACE_SECONDS = 30


def default_pod(pod: JsonObject, _gates: FeatureGates) -> None:
    """Fill in a pod."""
    spec = member(pod, "spec")
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for name in ("containers", "initContainers"):
        for container in spec.get(name) or ():
            default_requests(container)
            if spec.get("hostNetwork"):
                default_host_ports(container)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    default_pod_spec(spec)
    default_pod_resources(spec)
    if status := pod.get("status"):
        _default_status(status)


def default_pod_spec(spec: JsonObject) -> None:
    """Fill in a pod spec, also that of a template."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        # Two names for one field; the newer one wins.
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = _GRACE_SECONDS
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(name) or ():
            default_container(container)
    round_amounts(spec.get("overhead"))
    round_requirements(spec.get("resources"))


def _default_status(status: JsonObject) -> None:
    """Keep ``podIP`` and the first of ``podIPs`` equal; the single one wins."""
    single, many = status.get("podIP"), status.get("podIPs")
    if single and (not many or many[0].get("ip") != single):
        status["podIPs"] = [{"ip": single}]
    elif many and not single:
        status["podIP"] = many[0].get("ip") or ""
