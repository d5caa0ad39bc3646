"""The controllers of volumes and their claims, put together."""

from __future__ import annotations

from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.client.resources import (
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODS,
    STORAGECLASSES,
)
from kubegang.controllers.ephemeralvolumes.controller import EphemeralVolumes
from kubegang.controllers.persistentvolumes.controller import VolumeBinder
from kubegang.controllers.volumeprotection.controller import ClaimProtection, VolumeProtection

VOLUMES = "persistentvolume-binder-controller"
EPHEMERAL = "ephemeral-volume-controller"
CLAIM_PROTECTION = "persistentvolumeclaim-protection-controller"
VOLUME_PROTECTION = "persistentvolume-protection-controller"


def _volumes(parts: Parts) -> Run:
    return VolumeBinder(
        parts.client,
        claims=parts.informers.of(PERSISTENTVOLUMECLAIMS),
        volumes=parts.informers.of(PERSISTENTVOLUMES),
        classes=parts.informers.of(STORAGECLASSES),
        pods=parts.informers.of(PODS),
        recorder=parts.recorder("persistentvolume-controller"),
        queue=parts.queue(),
    ).run


def _ephemeral(parts: Parts) -> Run:
    return EphemeralVolumes(
        parts.client,
        claims=parts.informers.of(PERSISTENTVOLUMECLAIMS),
        pods=parts.informers.of(PODS),
        recorder=parts.recorder("ephemeral_volume"),
        queue=parts.queue(),
    ).run


def _claim_protection(parts: Parts) -> Run:
    return ClaimProtection(
        parts.client,
        claims=parts.informers.of(PERSISTENTVOLUMECLAIMS),
        pods=parts.informers.of(PODS),
        queue=parts.queue(),
        clock=parts.clock,
        marks_unused=parts.has("PersistentVolumeClaimUnusedSinceTime"),
    ).run


def _volume_protection(parts: Parts) -> Run:
    return VolumeProtection(
        parts.client, volumes=parts.informers.of(PERSISTENTVOLUMES), queue=parts.queue()
    ).run


VOLUME_BUILDERS: Builders = {
    VOLUMES: _volumes,
    EPHEMERAL: _ephemeral,
    CLAIM_PROTECTION: _claim_protection,
    VOLUME_PROTECTION: _volume_protection,
}
