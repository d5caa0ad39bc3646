"""The controllers of PodGroups and of device claims, put together."""

from __future__ import annotations

from kubegang.api.profile import VersionProfile
from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.client.resources import (
    PODS,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
    RESOURCESLICES,
    device_taint_rules_in,
    pod_groups_in,
)
from kubegang.controllers.devicetainteviction.controller import DeviceTaintEviction
from kubegang.controllers.devicetainteviction.rulestatus import CONTROLLER, RuleStatus
from kubegang.controllers.devicetainteviction.settings import DeviceTaintSettings
from kubegang.controllers.devicetainteviction.standing import Standing
from kubegang.controllers.podgroupprotection.controller import PodGroupProtection
from kubegang.controllers.resourceclaim.controller import ResourceClaims
from kubegang.controllers.resourceclaim.settings import ClaimSettings

PROTECTION = "podgroup-protection-controller"
RESOURCE_CLAIM = "resourceclaim-controller"
DEVICE_TAINTS = CONTROLLER


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


def _device_taints(parts: Parts) -> Run | None:
    if not parts.has("DynamicResourceAllocation") or not parts.has("DRADeviceTaints"):
        return None
    rules = parts.profile.controller_rules.device_taints
    settings = DeviceTaintSettings(group_claims=parts.has("DRAWorkloadResourceClaims"), rules=rules)
    resource = device_taint_rules_in(rules.rules_version)
    with_rules = parts.has("DRADeviceTaintRules")
    if with_rules and not parts.serves(resource):
        # The real one waits for ever for its list of rules.
        return None
    standing = Standing(settings)
    pods = parts.informers.of(PODS)
    followed = parts.informers.of(resource) if with_rules else None
    status = None
    if followed is not None:
        status = RuleStatus(
            parts.client,
            resource=resource,
            rules=followed,
            pods=pods,
            standing=standing,
            clock=parts.clock,
        )
    return DeviceTaintEviction(
        parts.client,
        pods=pods,
        claims=parts.informers.of(RESOURCECLAIMS),
        slices=parts.informers.of(RESOURCESLICES),
        rules=followed,
        status=status,
        standing=standing,
        recorder=parts.recorder(DEVICE_TAINTS),
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


CLAIM_BUILDERS: Builders = {
    PROTECTION: _protection,
    RESOURCE_CLAIM: _resource_claims,
    DEVICE_TAINTS: _device_taints,
}
