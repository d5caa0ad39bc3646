"""The controllers of PodGroups and of device claims, put together."""

from __future__ import annotations

from kubegang.api.profile import VersionProfile
from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.client.resources import (
    PODS,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
    pod_groups_in,
)
from kubegang.controllers.podgroupprotection.controller import PodGroupProtection
from kubegang.controllers.resourceclaim.controller import ResourceClaims
from kubegang.controllers.resourceclaim.settings import ClaimSettings

PROTECTION = "podgroup-protection-controller"
RESOURCE_CLAIM = "resourceclaim-controller"


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


def _resource_claims(parts: Parts) -> Run | None:
    settings = claim_settings(parts.profile)
    groups = pod_groups_in(parts.profile.schedulers[0].pod_group_version)
    served = parts.serves(groups)
    if settings.group_claims and not served:
        # The real one waits for ever for its list of groups.
        return None
    return ResourceClaims(
        parts.client,
        pods=parts.informers.of(PODS),
        groups=parts.informers.of(groups) if settings.groups and served else None,
        group_resource=groups,
        claims=parts.informers.of(RESOURCECLAIMS),
        templates=parts.informers.of(RESOURCECLAIMTEMPLATES),
        recorder=parts.recorder("resource_claim"),
        queue=parts.queue(),
        clock=parts.clock,
        settings=settings,
    ).run


def _protection(parts: Parts) -> Run | None:
    resource = pod_groups_in(parts.profile.schedulers[0].pod_group_version)
    if not parts.serves(resource) or not parts.has("GenericWorkload"):
        return None
    return PodGroupProtection(
        parts.client,
        pods=parts.informers.of(PODS),
        pod_groups=parts.informers.of(resource),
        resource=resource,
        queue=parts.queue(),
    ).run


CLAIM_BUILDERS: Builders = {PROTECTION: _protection, RESOURCE_CLAIM: _resource_claims}
