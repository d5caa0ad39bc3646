"""Whether the claims of a pod that is being bound have their volumes by now. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure, waiting
from kubegang.scheduler.framework.storage import ClaimInfo, VolumeInfo
from kubegang.scheduler.plugins.volumebinding.migrated import reachable
from kubegang.scheduler.plugins.volumebinding.reach import Reach
from kubegang.scheduler.plugins.volumebinding.reserving import (
    KeptClaim,
    KeptVolume,
    Reservation,
)

_NOT_YET = waiting("persistent volumes are not bound yet")


def binding_state(
    cluster: ClusterView, pod: PodInfo, reservation: Reservation, *, reach: Reach
) -> Status:
    """Return success, that some claim is not bound yet, or what went wrong.

    What counts is what the API shows, never what is assumed.
    """
    row = cluster.nodes.row(reservation.node)
    if row is None:
        name = reservation.node
        return _failed(f'failed to get node "{name}": node "{name}" not found')
    if cluster.pod(pod.uid) is None:
        return _failed(f'pod does not exist any more: pod "{pod.name}" not found')
    look = _Look(cluster, reservation, row=row, reach=reach)
    for volume in reservation.volumes:
        status = look.at_volume(volume)
        if not status.is_success:
            return status
    for claim in reservation.claims:
        status = look.at_claim(claim)
        if not status.is_success:
            return status
    return SUCCESS


class _Look:
    def __init__(
        self, cluster: ClusterView, reservation: Reservation, *, row: int, reach: Reach
    ) -> None:
        self._cluster = cluster
        self._node = reservation.node
        self._row = row
        self._reach = reach

    def at_volume(self, kept: KeptVolume) -> Status:
        """Look at a volume that was there, and at its claim."""
        storage, claim = self._cluster.storage, kept.claim
        volume = storage.seen_volume(kept.was.name)
        if volume is None:
            text = f'persistentvolumes "{kept.was.name}" not found'
            return _failed(f"failed to check binding: {text}")
        seen = storage.seen_claim(claim.namespace, claim.name)
        if seen is None:
            text = f'persistentvolumeclaims "{claim.key}" not found'
            return _failed(f"failed to check binding: {text}")
        if kept.now is not kept.was and volume.resource_version == kept.was.resource_version:
            # Our own write has not come back yet.
            return _NOT_YET
        if not self._reaches(volume):
            return self._out_of_reach(volume)
        if volume.claim is None or not volume.claim.uid:
            return _failed(f'ClaimRef got reset for pv "{volume.name}"')
        return _bound(seen)

    def at_claim(self, kept: KeptClaim) -> Status:
        """Look at a claim for which a volume is made."""
        storage, was = self._cluster.storage, kept.was
        claim = storage.seen_claim(was.namespace, was.name)
        if claim is None:
            text = f'persistentvolumeclaims "{was.key}" not found'
            return _failed(f"failed to check provisioning pvc: {text}")
        if kept.now is not was and claim.resource_version == was.resource_version:
            return _NOT_YET
        if claim.selected_node != self._node:
            # Whoever fails to make the volume takes the node away again, to say so.
            return _failed(f'provisioning failed for PVC "{claim.name}"')
        if claim.volume_name:
            volume = storage.seen_volume(claim.volume_name)
            if volume is None:
                return _NOT_YET
            if not self._reaches(volume):
                return self._out_of_reach(volume)
        return _bound(claim)

    def _reaches(self, volume: VolumeInfo) -> bool:
        return bool(reachable(self._cluster, volume, reach=self._reach)[self._row])

    def _out_of_reach(self, volume: VolumeInfo) -> Status:
        return _failed(
            f'pv "{volume.name}" node affinity doesn\'t match node "{self._node}": '
            "no matching NodeSelectorTerms"
        )


def _bound(claim: ClaimInfo) -> Status:
    return SUCCESS if claim.bound else _NOT_YET


def _failed(text: str) -> Status:
    return failure(f"binding volumes: {text}")
