"""The claims of a pod, sorted by what is still to be done about them. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.podvolumes import PodVolume
from kubegang.scheduler.framework.status import Status, unresolvable
from kubegang.scheduler.framework.storage import ClaimInfo
from kubegang.scheduler.framework.storageview import Storage

_NOT_BOUND_YET: Final = unresolvable("pod has unbound immediate PersistentVolumeClaims")


class PodClaims(NamedTuple):
    """The claims of a pod that can be worked with.

    Attributes:
        bound: have their volume.
        waiting: get one when the pod gets its node.
    """

    bound: tuple[ClaimInfo, ...] = ()
    waiting: tuple[ClaimInfo, ...] = ()


def has_claims(pod: PodInfo) -> bool:
    """Return whether the pod has any claim."""
    return any(volume.claim is not None for volume in pod.volumes)


def pod_claims(storage: Storage, pod: PodInfo) -> PodClaims | Status:
    """Return the pod's claims, or why it cannot be scheduled with them."""
    claims: list[ClaimInfo] = []
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = storage.claim(pod.namespace, volume.claim)
        problem = _problem(claim, volume, pod)
        if problem is not None or claim is None:
            return unresolvable(problem or "")
        claims.append(claim)
    unbound = [claim for claim in claims if not claim.bound]
    if not all(_waits(storage, claim) for claim in unbound):
        return _NOT_BOUND_YET
    return PodClaims(tuple(claim for claim in claims if claim.bound), tuple(unbound))


def _problem(claim: ClaimInfo | None, volume: PodVolume, pod: PodInfo) -> str | None:
    if claim is None:
        if volume.ephemeral:
            return (
                "waiting for ephemeral volume controller to create the persistentvolumeclaim "
                f'"{volume.claim}"'
            )
        return f'persistentvolumeclaim "{volume.claim}" not found'
    if claim.lost:
        return (
            f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume '
            f'"{claim.volume_name}"'
        )
    if claim.terminating:
        return f'persistentvolumeclaim "{claim.name}" is being deleted'
    if volume.ephemeral and not claim.is_for(pod):
        return f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)"
    return None


def _waits(storage: Storage, claim: ClaimInfo) -> bool:
    """Return whether an unbound claim is to be bound when the pod gets its node.

    One that names its volume is a matter between that volume and the controller.
    """
    if claim.volume_name or not claim.storage_class:
        return False
    storage_class = storage.storage_class(claim.storage_class)
    return storage_class is not None and storage_class.waits_for_pod
