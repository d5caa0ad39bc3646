"""The node file: shapes, racks, GPUs and devices of a simulated cluster, as Node objects.

Used by ``up --nodes FILE`` and ``run``. The form is ``kind: SimulatedCluster``, documented in
docs/reference/node-file.md. Pure: text and files are read elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.nodesim.devices import DEVICES, Devices, annotation_of, problem_of

API_VERSION = "kubegang.dev/v1alpha1"
KIND = "SimulatedCluster"
DEFAULT_ALLOCATABLE = {"cpu": "32", "memory": "128Gi", "pods": "110"}
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class NodeFileError(ValueError):
    """The node file breaks a rule; the text names the field."""


class TopologyLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One level of the topology: a label key and the values under each value above.

    Attributes:
        values: the values by name; or give ``count``, and they are numbered.
    """

    key: str
    values: tuple[str, ...] = ()
    count: int = 0


class NodePool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes of one shape: ``count`` of them, named ``<name>-0`` and so on."""

    name: str
    count: int = 1
    allocatable: Mapping[str, str | int] = {}
    labels: Mapping[str, str] = {}
    taints: tuple[str, ...] = ()
    topology: tuple[TopologyLevel, ...] = ()
    devices: Devices | tuple[Devices, ...] = ()

    @property
    def all_devices(self) -> tuple[Devices, ...]:
        """The devices of each node; one kind of them need not be a list."""
        return (self.devices,) if isinstance(self.devices, Devices) else self.devices


class SimulatedCluster(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The whole file."""

    api_version: str
    kind: str
    node_pools: tuple[NodePool, ...]


def parse_node_file(document: JsonObject) -> SimulatedCluster:
    """Check a decoded node file.

    Raises:
        NodeFileError: a field is unknown, missing or of the wrong type, or breaks a rule.
    """
    try:
        cluster = msgspec.convert(document, SimulatedCluster)
    except msgspec.ValidationError as error:
        raise NodeFileError(str(error)) from error
    if cluster.api_version != API_VERSION or cluster.kind != KIND:
        raise NodeFileError(
            f"need apiVersion {API_VERSION} and kind {KIND}, "
            f"found {cluster.api_version} and {cluster.kind}"
        )
    names = [pool.name for pool in cluster.node_pools]
    for index, pool in enumerate(cluster.node_pools):
        _check_pool(pool, where=f"nodePools[{index}]", twice=names.count(pool.name) > 1)
    return cluster


def default_cluster(count: int) -> SimulatedCluster:
    """Return ``count`` plain nodes, as ``--nodes N`` asks for."""
    return SimulatedCluster(API_VERSION, KIND, (NodePool(name="node", count=count),))


def nodes_of(cluster: SimulatedCluster) -> list[JsonObject]:
    """Return the Node objects of a cluster, in the order of the file."""
    return [node for pool in cluster.node_pools for node in _nodes_of_pool(pool)]


def _check_pool(pool: NodePool, *, where: str, twice: bool) -> None:
    if twice:
        raise NodeFileError(f"{where}.name: another pool has the name {pool.name!r} too")
    if pool.count < 0:
        raise NodeFileError(f"{where}.count: need 0 or more, found {pool.count}")
    for level, topology in enumerate(pool.topology):
        if bool(topology.values) == bool(topology.count) or topology.count < 0:
            raise NodeFileError(
                f"{where}.topology[{level}]: give either values or a count of at least 1"
            )
    for number, devices in enumerate(pool.all_devices):
        if problem := problem_of(devices):
            raise NodeFileError(f"{where}.devices[{number}].{problem}")
    for number, taint in enumerate(pool.taints):
        if taint.rpartition(":")[2] not in EFFECTS or not taint.partition(":")[0]:
            raise NodeFileError(
                f"{where}.taints[{number}]: need key=value:Effect with an effect of "
                f"{', '.join(EFFECTS)}, found {taint!r}"
            )


def _nodes_of_pool(pool: NodePool) -> Iterator[JsonObject]:
    domains = list(_domains(pool.topology))
    for index in range(pool.count):
        # Dealt in turn, so that every domain gets its even share whatever the count.
        labels = domains[index % len(domains)]
        yield _node(pool, f"{pool.name}-{index}", labels)


def _domains(topology: tuple[TopologyLevel, ...]) -> Iterator[dict[str, str]]:
    """Yield the labels of every innermost domain, the outermost level varying fastest.

    Values that are only counted are numbered below the value above them, such as rack
    ``a-0`` of zone ``a``, so that a value names one domain only.
    """
    choices = [level.values or tuple(map(str, range(level.count))) for level in topology]
    for reversed_choice in itertools.product(*reversed(choices)):
        labels: dict[str, str] = {}
        above = ""
        for level, value in zip(topology, reversed(reversed_choice), strict=True):
            above = value if level.values or not above else f"{above}-{value}"
            labels[level.key] = above
        yield labels


def _node(pool: NodePool, name: str, topology_labels: Mapping[str, str]) -> JsonObject:
    amounts = {
        resource: str(amount)
        for resource, amount in {**DEFAULT_ALLOCATABLE, **pool.allocatable}.items()
    }
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        **pool.labels,
        **topology_labels,
    }
    node: JsonObject = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {"capacity": amounts, "allocatable": dict(amounts)},
    }
    if pool.all_devices:
        node["metadata"]["annotations"] = {DEVICES: annotation_of(pool.all_devices)}
    if pool.taints:
        node["spec"]["taints"] = [_taint(text) for text in pool.taints]
    return node


def _taint(text: str) -> JsonObject:
    key_value, _, effect = text.rpartition(":")
    key, _, value = key_value.partition("=")
    return (
        {"key": key, "value": value, "effect": effect}
        if value
        else {
            "key": key,
            "effect": effect,
        }
    )
