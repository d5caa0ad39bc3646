"""Keeps pods off nodes where a host port they need is taken. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import HostPort, PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, unschedulable

_TAKEN: Final = unschedulable("node(s) didn't have free ports for the requested pod ports")
_ANY_ADDRESS: Final = "0.0.0.0"


class NodePorts:
    """Refuses nodes on which a port with the same protocol and an overlapping address is taken."""

    NAME: ClassVar[str] = "NodePorts"
    OWN_NODE_ONLY: ClassVar[bool] = True
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a pod frees the port, or a node comes."""
        deleted = ClusterEvent("AssignedPod", Action.DELETE)
        return (
            HintRegistration(deleted, is_schedulable_after_pod_deleted),
            HintRegistration(ClusterEvent("Node", Action.ADD)),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Skip pods without host ports."""
        return PreFilterResult(SUCCESS if pod.host_ports else SKIP)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the port numbers, without protocol and address (measured on 1.37.2)."""
        return frozenset(port.port for port in pod.host_ports)

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes with no conflicting port; only users of the same numbers are looked at."""
        table = cluster.nodes
        passed = np.ones(table.size, dtype=np.bool_)
        for wanted in pod.host_ports:
            for row, taken in table.port_users(wanted.port).items():
                if any(_conflict(wanted, port) for port in taken):
                    passed[row] = False
        return passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say the one thing there is to say."""
        return (Refusal(rows, _TAKEN),)


def _conflict(one: HostPort, other: HostPort) -> bool:
    if one.port != other.port or one.protocol != other.protocol:
        return False
    return one.host_ip == other.host_ip or _ANY_ADDRESS in (one.host_ip, other.host_ip)


def is_schedulable_after_pod_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the deleted pod had a port that the waiting one needs."""
    if not isinstance(old, PodInfo) or not (old.node_name or old.nominated_node_name):
        return False
    return any(_conflict(wanted, freed) for wanted in pod.host_ports for freed in old.host_ports)
