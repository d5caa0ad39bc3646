"""Which claims can lose their devices so that a pod or group may find others. Pure.

A claim that is allocated where no node can use it holds its pod up for ever, unless somebody
frees it: nobody else may have reserved it. Of several, the first is freed; the next attempt
will see to the others. (Upstream picks one by chance.)
"""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.scheduler.framework.binding import ApiChange
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.plugins.dynamicresources.claims import is_reserved_for
from kubegang.scheduler.plugins.dynamicresources.making import removing
from kubegang.scheduler.plugins.dynamicresources.notes import PodNotes
from kubegang.scheduler.plugins.dynamicresources.writing import freeing, giving_back, is_free_for


def free_for_pod(pod: PodInfo, notes: PodNotes) -> ApiChange | None:
    """Return how a claim of a pod is freed, if one can be."""
    return _free(notes, pod.uid)


def free_for_group(group: PodGroupInfo, members: Iterable[PodNotes]) -> ApiChange | None:
    """Return how a claim of a group that has nobody on a node is freed, if one can be."""
    found = (_free(notes, group.uid) for notes in members)
    return next((change for change in found if change is not None), None)


def remove_left_over(notes: PodNotes) -> ApiChange | None:
    """Return how the claim goes that an earlier attempt made for extended resources, if any."""
    claim = notes.left_over
    return None if claim is None else removing(claim.metadata.namespace, claim.metadata.name)


def give_back_for_group(
    group: PodGroupInfo, member: PodInfo, *, cluster: ClusterView
) -> ApiChange | None:
    """Return how the first claim reserved for a group is reserved for it no more."""
    for reference in group.device_claims:
        name = reference.claim_name
        claim = None if name is None else cluster.devices.claim(group.key.namespace, name)
        if claim is None or claim.status.allocation is None:
            continue
        owner = claim.metadata.controller
        if reference.claim is None and (owner is None or owner.uid != group.uid):
            continue
        if is_reserved_for(member, claim, with_groups=True):
            return giving_back(claim, group.uid)
    return None


def _free(notes: PodNotes, uid: str) -> ApiChange | None:
    for position in sorted(notes.unavailable):
        claim = notes.claims[position]
        if is_free_for(claim, uid):
            return freeing(claim, uid)
    return None
