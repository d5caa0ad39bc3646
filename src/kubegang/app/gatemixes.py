"""Mixes of gates with which a component waits for ever for what nobody serves.

Upstream's components do the same, measured on 1.37.2: their informers never have a first
listing, so nothing that stands behind them begins.
"""

from __future__ import annotations

from kubegang.api.profile import VersionProfile
from kubegang.app.served import scheme_of
from kubegang.client.resources import COMPOSITEPODGROUPS

GROUP = "scheduling.k8s.io"


def scheduler_waits(profile: VersionProfile) -> bool:
    """Return whether the scheduler waits for groups that the API server does not serve."""
    return _waits_for_groups(profile) or _waits_for_trees(profile)


def _waits_for_groups(profile: VersionProfile) -> bool:
    scheduler = profile.schedulers[0]
    if not profile.gates["scheduler"].enabled_if_known("GenericWorkload"):
        return False
    if scheduler.workload_version:
        return not _serves(profile, scheduler.workload_version, "workloads")
    return not _serves(profile, scheduler.pod_group_version, "podgroups")


def _waits_for_trees(profile: VersionProfile) -> bool:
    if not profile.gates["scheduler"].enabled_if_known("CompositePodGroup"):
        return False
    trees = COMPOSITEPODGROUPS
    return not _serves(profile, trees.version, trees.plural)


def jobs_wait(profile: VersionProfile) -> bool:
    """Return whether the Job controller waits for groups that the API server does not serve."""
    if not profile.gates["controllers"].enabled_if_known("WorkloadWithJob"):
        return False
    return not _serves(profile, profile.schedulers[0].pod_group_version, "podgroups")


def warnings(profile: VersionProfile) -> list[str]:
    """Return what to tell a user who has chosen such a mix."""
    told = []
    if jobs_wait(profile):
        told.append("Jobs get no pods: WorkloadWithJob is on in the controllers")
    if _waits_for_groups(profile):
        told.append("no pod is scheduled: GenericWorkload is on in the scheduler")
    lines = [f"warning: {text}, and the API server serves no pod groups" for text in told]
    if _waits_for_trees(profile) and not _waits_for_groups(profile):
        lines.append(
            "warning: no pod is scheduled: CompositePodGroup is on in the scheduler, and the API "
            "server serves no composite pod groups"
        )
    return lines


def _serves(profile: VersionProfile, version: str, plural: str) -> bool:
    return scheme_of(profile).find(GROUP, version, plural) is not None
