"""The builder of nodes."""

from __future__ import annotations

import dataclasses

from kubegang.api.core.types import ContainerImage, Node, NodeSpec, NodeStatus, Taint
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.nodeconversion import node_info
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.testing.building import Builder, amounts_of, as_json, replaced


@dataclasses.dataclass(frozen=True)
class NodeBuilder(Builder):
    """Builds nodes."""

    spec: NodeSpec
    status: NodeStatus

    def capacity(self, **amounts: str) -> NodeBuilder:
        """Set some of what the node has; ``gpu`` stands for the extended resource."""
        allocatable = {**self.status.allocatable, **amounts_of(amounts)}
        changed = replaced(self.status, allocatable=allocatable, capacity=allocatable)
        return dataclasses.replace(self, status=changed)

    def zone(self, name: str) -> NodeBuilder:
        """Put it into a zone."""
        return self.label("topology.kubernetes.io/zone", name)

    def rack(self, name: str) -> NodeBuilder:
        """Put it into a rack."""
        return self.label("rack", name)

    def taint(self, key: str, effect: str = "NoSchedule", *, value: str = "") -> NodeBuilder:
        """Add a taint."""
        taints = (*self.spec.taints, Taint(key, value, effect))
        return dataclasses.replace(self, spec=replaced(self.spec, taints=taints))

    def cordoned(self) -> NodeBuilder:
        """Make it unschedulable."""
        return dataclasses.replace(self, spec=replaced(self.spec, unschedulable=True))

    def image(self, name: str, *, size_bytes: int) -> NodeBuilder:
        """Put an image onto it."""
        images = (*self.status.images, ContainerImage((name,), size_bytes))
        return dataclasses.replace(self, status=replaced(self.status, images=images))

    def declaring(self, *features: str) -> NodeBuilder:
        """Let it declare what it can do."""
        return dataclasses.replace(self, status=replaced(self.status, declared_features=features))

    def obj(self) -> Node:
        """Return the typed form; the hostname label follows the name."""
        labels = {"kubernetes.io/hostname": self.metadata.name, **self.metadata.labels}
        metadata = replaced(self.metadata, labels=labels)
        return Node(metadata=metadata, spec=self.spec, status=self.status)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return as_json("v1", "Node", self.obj())

    def info(self) -> NodeInfo:
        """Return the scheduler's view."""
        return node_info(self.obj())
