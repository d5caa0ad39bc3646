"""Builders of API objects for tests: immutable, in the words of the domain.

Each method returns a new builder, so a shared base cannot leak from one row of a table to the
next. A bare builder makes a valid object. ``obj()`` gives the typed form, ``json()`` what a
client would send, ``times(n)`` a list with numbered names; ``info()`` the scheduler's view.
"""

from __future__ import annotations

from kubegang.api.core.types import Container, NodeSpec, NodeStatus, PodSpec, PodStatus
from kubegang.api.policy.types import PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from kubegang.api.scheduling.types import CompositePodGroupSpec, PodGroupSpec, WorkloadReference
from kubegang.testing.budgetbuilder import BudgetBuilder
from kubegang.testing.building import metadata_of
from kubegang.testing.groupbuilders import (
    CompositePodGroupBuilder,
    PodGroupBuilder,
    PriorityClassBuilder,
)
from kubegang.testing.nodebuilder import NodeBuilder
from kubegang.testing.podbuilder import PodBuilder

__all__ = [
    "BudgetBuilder",
    "CompositePodGroupBuilder",
    "NodeBuilder",
    "PodBuilder",
    "PodGroupBuilder",
    "PriorityClassBuilder",
    "make_budget",
    "make_cluster",
    "make_composite",
    "make_node",
    "make_pod",
    "make_podgroup",
    "make_priority_class",
]


def make_pod(name: str = "p") -> PodBuilder:
    """Return a builder of a pending pod with one container that asks for nothing."""
    container = Container(name="main", image="registry.example/app:1")
    return PodBuilder(
        metadata_of(name, namespace="default"),
        PodSpec(containers=(container,), scheduler_name="default-scheduler"),
        PodStatus(phase="Pending"),
    )


def make_node(name: str = "n") -> NodeBuilder:
    """Return a builder of a node with 4 CPUs, 32 GiB and room for 110 pods."""
    node = NodeBuilder(metadata_of(name), NodeSpec(), NodeStatus())
    return node.capacity(cpu="4", memory="32Gi", pods="110")


def make_podgroup(name: str = "g") -> PodGroupBuilder:
    """Return a builder of a basic group."""
    return PodGroupBuilder(metadata_of(name, namespace="default"), PodGroupSpec()).basic()


def make_composite(name: str = "root") -> CompositePodGroupBuilder:
    """Return a builder of a basic group of groups."""
    spec = CompositePodGroupSpec(workload_ref=WorkloadReference("w", "t"))
    return CompositePodGroupBuilder(metadata_of(name, namespace="default"), spec).basic()


def make_budget(name: str = "b") -> BudgetBuilder:
    """Return a builder of a disruption budget that means nobody and allows nothing."""
    return BudgetBuilder(
        metadata_of(name, namespace="default"),
        PodDisruptionBudgetSpec(),
        PodDisruptionBudgetStatus(),
    )


def make_priority_class(name: str, value: int) -> PriorityClassBuilder:
    """Return a builder of a priority class."""
    return PriorityClassBuilder(metadata_of(name), value)


def make_cluster(
    *, nodes: int = 0, racks: int = 0, nodes_per_rack: int = 8, like: NodeBuilder | None = None
) -> list[NodeBuilder]:
    """Return equal nodes: ``n-0`` … without racks, or ``r0-0`` … with label ``rack``.

    Args:
        nodes: how many, without racks.
        racks: how many racks of ``nodes_per_rack`` nodes each.
        nodes_per_rack: how many nodes a rack has.
        like: what each of them looks like; 4 CPUs if not given.
    """
    base = like or make_node("n")
    in_racks = [
        node
        for rack in range(racks)
        for node in base.rack(f"r{rack}").named(f"r{rack}").times(nodes_per_rack)
    ]
    return base.times(nodes) + in_racks
