"""Promising devices to claims while their pods are on the way to a node. Pure.

Members of a group that share a claim share the promise: it ends when the last of them has
given up, or when the API knows the allocation.
"""

from __future__ import annotations

import msgspec

from kubegang.api.resource.types import AllocationResult, ResourceClaim
from kubegang.scheduler.framework.devices import Devices
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.plugins.dynamicresources.notes import GroupNotes, PodNotes


def keep(notes: PodNotes, group: GroupNotes | None, *, node: NodeName, devices: Devices) -> Status:
    """Promise the claims of a pod what was found for them on a node."""
    unallocated = notes.unallocated()
    if not unallocated:
        return SUCCESS
    found = notes.found.get(node)
    if found is None:
        return failure("claim allocation not found for node")
    for position in unallocated:
        claim = notes.claims[position]
        if position == notes.extended:
            on_node = notes.on_nodes.get(node)
            if on_node is None:
                continue
            claim = on_node.claim
        notes.promised[position] = found[position]
        devices.promise(_allocated(claim, found[position]))
        notes.held.append(claim.metadata.uid)
        if group is not None:
            group.pending.add(claim.metadata.uid)
    return SUCCESS


def let_go(notes: PodNotes, group: GroupNotes | None, *, devices: Devices) -> None:
    """Take back ``keep``."""
    while notes.held:
        uid = notes.held.pop()
        if devices.withdraw(uid) and group is not None:
            group.pending.discard(uid)


def _allocated(claim: ResourceClaim, allocation: AllocationResult) -> ResourceClaim:
    status = msgspec.structs.replace(claim.status, allocation=allocation)
    return msgspec.structs.replace(claim, status=status)
