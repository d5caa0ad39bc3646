"""What a rule about one part of a pod needs to know about the rest of it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
"""Marks a pod that stands for one which a kubelet runs from a file."""

COMPARISON_GATE = "TaintTolerationComparisonOperators"
_RESTART_ALL = "RestartAllContainers"
_RESTART_ALL_GATE = "RestartAllContainersOnContainerExits"
_HOST_NETWORK_GATE = "UserNamespacesHostNetworkSupport"


class PodContext(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a pod spec that rules for its parts refer to.

    Attributes:
        pod_name: the pod's name; empty in a template.
        is_pod: whether this is a pod's own spec rather than that of a template.
        mirror: whether the pod mirrors a static one.
        volumes: the volumes that are valid, by name.
        claim_names: the names of the pod's resource claims.
        grace_seconds: the termination grace period, if stated.
        host_users: whether the pod shares the host's user namespace.
        comparing_tolerations: whether tolerations may use Lt and Gt.
        host_network_users: whether a user namespace goes with host networking.
        restarting_all: whether the exit of a container may restart all.
    """

    pod_name: str
    is_pod: bool
    mirror: bool
    volumes: Mapping[str, JsonObject]
    claim_names: frozenset[str]
    grace_seconds: int | None
    os: str
    restart_policy: str
    host_users: bool
    comparing_tolerations: bool
    host_network_users: bool
    restarting_all: bool


def pod_context(
    spec: JsonObject,
    gates: FeatureGates,
    *,
    metadata: JsonObject | None,
    old_spec: JsonObject | None,
    volumes: Mapping[str, JsonObject],
) -> PodContext:
    """Collect the facts.

    Args:
        spec: the pod spec.
        gates: the API server's gates.
        metadata: the pod's metadata; ``None`` for a template.
        old_spec: the stored spec, on update: what it uses stays allowed with its gate off.
        volumes: the spec's valid volumes.
    """
    annotations = (metadata or {}).get("annotations") or {}
    return PodContext(
        pod_name=(metadata or {}).get("name") or "",
        is_pod=metadata is not None,
        mirror=MIRROR_ANNOTATION in annotations,
        volumes=volumes,
        claim_names=frozenset(
            name for claim in spec.get("resourceClaims") or () if (name := claim.get("name"))
        ),
        grace_seconds=spec.get("terminationGracePeriodSeconds"),
        os=(spec.get("os") or {}).get("name") or "",
        restart_policy=spec.get("restartPolicy") or "",
        host_users=spec.get("hostUsers") is not False,
        comparing_tolerations=_comparing(old_spec) or gates.enabled_if_known(COMPARISON_GATE),
        host_network_users=gates.enabled_if_known(_HOST_NETWORK_GATE),
        restarting_all=_restarting_all(old_spec) or gates.enabled_if_known(_RESTART_ALL_GATE),
    )


def _comparing(old_spec: JsonObject | None) -> bool:
    tolerations = (old_spec or {}).get("tolerations") or ()
    return any(toleration.get("operator") in ("Lt", "Gt") for toleration in tolerations)


def _restarting_all(old_spec: JsonObject | None) -> bool:
    spec = old_spec or {}
    return any(
        rule.get("action") == _RESTART_ALL
        for member in ("containers", "initContainers")
        for container in spec.get(member) or ()
        for rule in container.get("restartPolicyRules") or ()
    )
