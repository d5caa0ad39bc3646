"""Making the claim for extended resources before a pod is bound, and removing it. Pure.

It is made with the pod's name and some letters of the API server's, given its finalizer, its
devices and its user, and then the pod is told (measured on 1.37.2). Nobody else writes it
meanwhile, so no version is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from kubegang.api.meta import decode
from kubegang.api.resource.types import AllocationResult, ResourceClaim
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.scheduler.framework.binding import ApiChange, ApiStep, ApiWrite
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import Status, failure
from kubegang.scheduler.plugins.dynamicresources.extended import DeviceMapping, NodeClaim
from kubegang.scheduler.plugins.dynamicresources.notes import PodNotes
from kubegang.scheduler.plugins.dynamicresources.writing import FINALIZER, VERSION

_CORE: Final = GroupVersion("", "v1")


def making(pod: PodInfo, notes: PodNotes, on_node: NodeClaim, *, with_timestamp: bool) -> ApiChange:
    """Return how the claim that a pod needs on its node is made.

    Args:
        pod: whose claim it is.
        notes: know what was promised, and are told the claim's name.
        on_node: the claim.
        with_timestamp: whether it is noted when it was allocated.
    """
    meta = on_node.claim.metadata
    allocation = None if notes.extended is None else notes.promised.get(notes.extended)
    steps = _Steps(pod, notes, on_node, allocation=allocation, with_timestamp=with_timestamp)
    return ApiChange(
        version=VERSION,
        plural="resourceclaims",
        kind="ResourceClaim",
        namespace=meta.namespace,
        name=meta.name,
        step=steps.next,
        known=lambda _: {"metadata": {"name": meta.name}},
        note=steps.note,
        done=lambda _: None,
    )


def removing(namespace: str, name: str) -> ApiChange:
    """Return how a claim for extended resources goes, whoever had reserved it."""

    def step(now: JsonObject, _: float) -> ApiStep:
        kept = [entry for entry in now["metadata"].get("finalizers") or () if entry != FINALIZER]
        if len(kept) < len(now["metadata"].get("finalizers") or ()):
            body = {"metadata": {"finalizers": kept or None}}
            return ApiStep(_on_claim("patch", namespace, name=name, body=body), "unprotect")
        return ApiStep(_on_claim("delete", namespace, name=name), "delete")

    return ApiChange(
        version=VERSION,
        plural="resourceclaims",
        kind="ResourceClaim",
        namespace=namespace,
        name=name,
        step=step,
        known=lambda _: None,
        note=lambda _, __: None,
        done=lambda _: None,
    )


class _Steps:
    """One write after the other; what the API answers to each is noted before the next."""

    def __init__(
        self,
        pod: PodInfo,
        notes: PodNotes,
        on_node: NodeClaim,
        *,
        allocation: AllocationResult | None,
        with_timestamp: bool,
    ) -> None:
        self._pod = pod
        self._notes = notes
        self._on_node = on_node
        self._allocation = allocation
        self._with_timestamp = with_timestamp
        self._written = 0

    def next(self, _: JsonObject, moment: float) -> ApiStep | Status | None:
        """Return the next write."""
        if self._allocation is None:
            return failure("claim allocation not found for node")
        namespace, name = self._pod.namespace, self._notes.made
        claim = f"{namespace}/{name}"
        match self._written:
            case 0:
                write = _on_claim("create", namespace, body=self._new())
                return ApiStep(write, f"create claim for extended resources {namespace}/")
            case 1:
                body: JsonObject = {"metadata": {"finalizers": [FINALIZER]}}
                write = _on_claim("patch", namespace, name=name, body=body)
                return ApiStep(write, f"add finalizer to claim {claim}")
            case 2:
                body = {"status": self._status(self._allocation, moment)}
                write = _on_claim("patch", namespace, name=name, body=body, subresource="status")
                return ApiStep(write, f"add allocation and reservation to claim {claim}")
            case 3:
                said = f"update pod {self._pod.key} ExtendedResourceClaimStatus"
                return ApiStep(_telling(self._pod, name, self._on_node.mappings), said)
        return None

    def note(self, cluster: ClusterView, obj: JsonObject) -> None:
        """Take in what the API answered."""
        if self._written == 0:
            self._notes.made = obj["metadata"]["name"]
        if self._written < 3:
            cluster.devices.note(decode(obj, ResourceClaim))
        self._written += 1

    def _new(self) -> JsonObject:
        claim = self._on_node.claim
        owners = msgspec.to_builtins(claim.metadata.owner_references)
        return {
            "apiVersion": str(VERSION),
            "kind": "ResourceClaim",
            "metadata": {
                "generateName": f"{self._pod.name}-extended-resources-",
                "namespace": self._pod.namespace,
                "annotations": dict(claim.metadata.annotations),
                "ownerReferences": owners,
            },
            "spec": msgspec.to_builtins(claim.spec),
        }

    def _status(self, allocation: AllocationResult, moment: float) -> JsonObject:
        if self._with_timestamp:
            stamp = format_time(moment)
            allocation = msgspec.structs.replace(allocation, allocation_timestamp=stamp)
        user = {"resource": "pods", "name": self._pod.name, "uid": self._pod.uid}
        return {"allocation": msgspec.to_builtins(allocation), "reservedFor": [user]}


def _telling(pod: PodInfo, claim: str, mappings: Sequence[DeviceMapping]) -> ApiWrite:
    """Return how a pod learns which claim it has, and which container uses what of it."""
    listed = [
        {
            "containerName": mapping.container,
            "resourceName": mapping.resource,
            "requestName": mapping.request,
        }
        for mapping in mappings
    ]
    status = {"resourceClaimName": claim, "requestMappings": listed}
    return ApiWrite(
        verb="patch",
        version=_CORE,
        plural="pods",
        kind="Pod",
        namespace=pod.namespace,
        name=pod.name,
        body={"metadata": {"uid": pod.uid}, "status": {"extendedResourceClaimStatus": status}},
        subresource="status",
        patch_type="merge",
    )


def _on_claim(
    verb: Literal["create", "patch", "delete"],
    namespace: str,
    *,
    name: str = "",
    body: JsonObject | None = None,
    subresource: str = "",
) -> ApiWrite:
    return ApiWrite(
        verb=verb,
        version=VERSION,
        plural="resourceclaims",
        kind="ResourceClaim",
        namespace=namespace,
        name=name,
        body=body or {},
        subresource=subresource,
        patch_type="merge",
    )
