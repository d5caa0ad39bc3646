"""What somebody supposes to be otherwise in a cluster, as small edits. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, PodUid
from kubegang.tools.cluster.state import ClusterState


class SetNode(msgspec.Struct, frozen=True):
    """There is such a node; another of its name is replaced."""

    node: NodeInfo


class RemoveNode(msgspec.Struct, frozen=True):
    """There is no node of this name."""

    name: NodeName


class SetPod(msgspec.Struct, frozen=True):
    """There is such a pod; the one of its uid is replaced."""

    pod: PodInfo


class RemovePod(msgspec.Struct, frozen=True):
    """There is no such pod."""

    uid: PodUid


class SetGroup(msgspec.Struct, frozen=True):
    """There is such a group; another of its key is replaced."""

    group: PodGroupInfo


Edit = SetNode | RemoveNode | SetPod | RemovePod | SetGroup


def with_edits(state: ClusterState, edits: Iterable[Edit]) -> ClusterState:
    """Return a state as it would be."""
    nodes = {node.name: node for node in state.nodes}
    pods = {pod.uid: pod for pod in state.pods}
    groups = dict(state.changed_groups)
    for edit in edits:
        match edit:
            case SetNode(node):
                nodes[node.name] = node
            case RemoveNode(name):
                nodes.pop(name, None)
            case SetPod(pod):
                pods[pod.uid] = pod
            case RemovePod(uid):
                pods.pop(uid, None)
            case SetGroup(group):
                groups[group.key] = group
    return msgspec.structs.replace(
        state, nodes=tuple(nodes.values()), pods=tuple(pods.values()), changed_groups=groups
    )
