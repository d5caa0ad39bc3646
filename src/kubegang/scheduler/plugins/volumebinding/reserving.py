"""Keeping volumes for a pod, and what must be written before it is bound. Pure.

A volume is promised to its claim by naming it; a claim whose volume is to be made gets the
node as an annotation. The controllers of volumes do the rest, and the pod waits for them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from kubegang.api.core.volumeannotations import BOUND_BY_CONTROLLER, SELECTED_NODE
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.scheduler.framework.binding import ApiWrite
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.storage import ClaimInfo, VolumeClaimRef, VolumeInfo
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.plugins.volumebinding.prospects import Choice

_CORE: Final = GroupVersion("", "v1")


class KeptVolume(NamedTuple):
    """A volume that is promised to a claim.

    Attributes:
        was: as it was known before.
        now: as it is assumed to be.
        before: what was assumed of it before, if anything.
    """

    claim: ClaimInfo
    was: VolumeInfo
    now: VolumeInfo
    before: VolumeInfo | None = None


class KeptClaim(NamedTuple):
    """A claim for which a volume is to be made on the node."""

    was: ClaimInfo
    now: ClaimInfo
    before: ClaimInfo | None = None


class Reservation(NamedTuple):
    """What is kept for a pod."""

    node: NodeName
    volumes: tuple[KeptVolume, ...]
    claims: tuple[KeptClaim, ...]


def keep(storage: Storage, choice: Choice, node: NodeName) -> Reservation:
    """Assume that a choice is made true, and return how to take that back."""
    volumes = tuple(_promise(storage, claim, volume) for claim, volume in choice.bindings)
    claims = tuple(_select(storage, claim, node) for claim, _ in choice.provisions)
    return Reservation(node, volumes, claims)


def let_go(storage: Storage, reservation: Reservation) -> None:
    """Take back ``keep``."""
    for claim in reversed(reservation.claims):
        if claim.now is not claim.was:
            storage.restore_claim(claim.now, claim.before)
    for volume in reversed(reservation.volumes):
        if volume.now is not volume.was:
            storage.restore_volume(volume.now, volume.before)


def writes(reservation: Reservation) -> tuple[ApiWrite, ...]:
    """Return what the API must be told; a version is sent along, so that no news is undone."""
    return (
        *(_write_volume(volume) for volume in reservation.volumes),
        *(_write_claim(claim.now) for claim in reservation.claims),
    )


def _promise(storage: Storage, claim: ClaimInfo, volume: VolumeInfo) -> KeptVolume:
    now = msgspec.structs.replace(
        volume,
        claim=VolumeClaimRef(claim.namespace, claim.name, claim.uid),
        # A volume that its user promised stays the user's.
        bound_by_controller=volume.bound_by_controller or not volume.is_bound_to(claim),
    )
    if now == volume:
        return KeptVolume(claim, volume, volume)
    return KeptVolume(claim, volume, now, storage.assume_volume(now))


def _select(storage: Storage, claim: ClaimInfo, node: NodeName) -> KeptClaim:
    if claim.selected_node == node:
        return KeptClaim(claim, claim)
    now = msgspec.structs.replace(claim, selected_node=node)
    return KeptClaim(claim, now, storage.assume_claim(now))


def _write_volume(volume: KeptVolume) -> ApiWrite:
    claim, now = volume.claim, volume.now
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.namespace,
        "name": claim.name,
        "uid": claim.uid,
        "resourceVersion": claim.resource_version,
    }
    metadata: JsonObject = {"resourceVersion": now.resource_version}
    if now.bound_by_controller:
        metadata["annotations"] = {BOUND_BY_CONTROLLER: "yes"}
    return ApiWrite(
        verb="patch",
        version=_CORE,
        plural="persistentvolumes",
        kind="PersistentVolume",
        name=now.name,
        body={"metadata": metadata, "spec": {"claimRef": reference}},
        patch_type="merge",
    )


def _write_claim(claim: ClaimInfo) -> ApiWrite:
    annotations = {SELECTED_NODE: claim.selected_node or ""}
    metadata = {"resourceVersion": claim.resource_version, "annotations": annotations}
    return ApiWrite(
        verb="patch",
        version=_CORE,
        plural="persistentvolumeclaims",
        kind="PersistentVolumeClaim",
        namespace=claim.namespace,
        name=claim.name,
        body={"metadata": metadata},
        patch_type="merge",
    )
