"""Nodes as the scheduler sees them: compact, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from kubegang.scheduler.framework.pods import NodeName


class Taint(NamedTuple):
    """A taint of a node."""

    key: str
    value: str
    effect: str


class NodeImage(NamedTuple):
    """An image that a node already has, under one of its names."""

    name: str
    size_bytes: int


class NodeInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The scheduler's view of one Node object; what runs on it is counted elsewhere.

    Attributes:
        allocatable: resource name and amount, sorted by name, in the units of ``Requests``;
            ``pods`` is not among them.
        allowed_pods: allocatable ``pods``.
        images: one entry per image name of status.images.
        declared_features: what the node says that it can do, in its own order.
    """

    name: NodeName
    uid: str
    resource_version: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    unschedulable: bool
    allocatable: tuple[tuple[str, int], ...]
    allowed_pods: int
    images: tuple[NodeImage, ...] = ()
    declared_features: tuple[str, ...] = ()

    def same_for_scheduling(self, other: NodeInfo) -> bool:
        """Return whether the two differ in nothing that a decision reads."""
        return (
            self.allocatable == other.allocatable
            and self.allowed_pods == other.allowed_pods
            and self.unschedulable == other.unschedulable
            and self.taints == other.taints
            and self.labels == other.labels
            and self.images == other.images
            and self.declared_features == other.declared_features
        )
