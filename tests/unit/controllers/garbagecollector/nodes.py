"""Small ownership graphs."""

from __future__ import annotations

from kubegang.client.interface import Resource
from kubegang.controllers.garbagecollector.graph import Node, Owner, OwnershipGraph

PODS = Resource("", "v1", "pods", "Pod")


def owner(
    uid: str,
    *,
    kind: str = "Pod",
    name: str = "",
    api_version: str = "v1",
    blocks: bool = True,
) -> Owner:
    return Owner(api_version, kind, name or uid, uid, blocks)


def node(
    uid: str,
    *owners: Owner,
    deleting: bool = False,
    finalizers: tuple[str, ...] = (),
    namespace: str = "ns",
) -> Node:
    return Node(
        uid=uid,
        resource=PODS,
        namespace=namespace,
        name=uid,
        resource_version="1",
        owners=owners,
        deleting=deleting,
        finalizers=finalizers,
    )


def graph_of(*nodes: Node) -> OwnershipGraph:
    graph = OwnershipGraph()
    for one in nodes:
        graph.put(one)
    return graph
