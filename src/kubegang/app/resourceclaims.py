"""The ResourceClaim controller as a release and its gates have it."""

from __future__ import annotations

from collections.abc import Callable

from kubegang.api.profile import VersionProfile
from kubegang.app.informers import SharedInformers
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    PODS,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
    pod_groups_in,
)
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.resourceclaim.controller import Key, ResourceClaims
from kubegang.controllers.resourceclaim.settings import ClaimSettings


def claim_settings(profile: VersionProfile) -> ClaimSettings:
    """Return what the controllers' gates and the release say about claims."""
    gates = profile.gates["controllers"]
    return ClaimSettings(
        groups=gates.enabled_if_known("GenericWorkload"),
        group_claims=gates.enabled_if_known("DRAWorkloadResourceClaims"),
        admin_access=gates.enabled_if_known("DRAAdminAccess"),
        alternatives=gates.enabled_if_known("DRAPrioritizedList"),
        rules=profile.controller_rules.claims,
    )


def resource_claims(
    client: Client,
    profile: VersionProfile,
    *,
    serves: Callable[[Resource], bool],
    informers: SharedInformers,
    recorder: EventRecorder,
    queue: WorkQueue[Key],
    clock: Clock,
) -> ResourceClaims | None:
    """Return the controller, ``None`` where the real one would wait for ever.

    That is what it does with claims of PodGroups switched on where no PodGroups are served.
    """
    settings = claim_settings(profile)
    groups = pod_groups_in(profile.schedulers[0].pod_group_version)
    if settings.group_claims and not serves(groups):
        return None
    return ResourceClaims(
        client,
        pods=informers.of(PODS),
        groups=informers.of(groups) if settings.groups and serves(groups) else None,
        group_resource=groups,
        claims=informers.of(RESOURCECLAIMS),
        templates=informers.of(RESOURCECLAIMTEMPLATES),
        recorder=recorder,
        queue=queue,
        clock=clock,
        settings=settings,
    )
