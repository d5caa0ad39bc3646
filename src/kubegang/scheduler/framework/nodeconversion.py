"""Nodes from their internal form to ``NodeInfo``. Pure."""

from __future__ import annotations

from kubegang.api.core.types import Node
from kubegang.scheduler.framework.interning import interned
from kubegang.scheduler.framework.nodes import NodeImage, NodeInfo, Taint
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.requests import amount_milli, in_scheduler_units


def node_info(node: Node) -> NodeInfo:
    """Return the scheduler's view of a node."""
    amounts = {
        resource: in_scheduler_units(resource, amount_milli(amount))
        for resource, amount in node.status.allocatable.items()
    }
    return NodeInfo(
        name=NodeName(node.metadata.name),
        uid=node.metadata.uid,
        resource_version=node.metadata.resource_version,
        labels=node.metadata.labels,
        taints=interned("taints", tuple(Taint(t.key, t.value, t.effect) for t in node.spec.taints)),
        unschedulable=node.spec.unschedulable,
        allowed_pods=amounts.pop("pods", 0),
        allocatable=interned("amounts", tuple(sorted(amounts.items()))),
        images=tuple(
            NodeImage(name, image.size_bytes)
            for image in node.status.images
            for name in image.names or ()
        ),
        declared_features=interned("features", node.status.declared_features),
    )
