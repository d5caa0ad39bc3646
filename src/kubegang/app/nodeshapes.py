"""What a new node would look like: as a node that there is, as a file says, or in short."""

from __future__ import annotations

from pathlib import Path

from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.quantity import QuantityError
from kubegang.app.configuration import load_node_file, manifests
from kubegang.app.errors import BadInputError
from kubegang.base.feature_gates import FeatureGates
from kubegang.nodesim.node_file import KIND as CLUSTER_KIND
from kubegang.nodesim.node_file import nodes_of
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.tools.cluster.reading import ObjectError, StateReader
from kubegang.tools.cluster.state import ClusterState

_NODE = GroupVersionKind("", "v1", "Node")
_SUFFIXES = (".yaml", ".yml", ".json")


def node_shape(state: ClusterState, text: str, *, gates: FeatureGates) -> NodeInfo:
    """Return a node as ``--add-nodes`` describes it.

    Args:
        state: its nodes can be named.
        text: a node's name; a node file; or ``cpu=16,memory=64Gi,label:zone=a,taint:k=v:Effect``.
        gates: for what is to be filled in.

    Raises:
        BadInputError: it is none of that.
    """
    for node in state.nodes:
        if node.name == text:
            return node
    try:
        return _read(_described(text), gates)
    except (ObjectError, QuantityError) as error:
        raise BadInputError(f"--add-nodes: {error}") from error


def _described(text: str) -> JsonObject:
    if text.endswith(_SUFFIXES) or Path(text).exists():
        return _first_of_file(text)
    node: JsonObject = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "new", "labels": {}},
        "spec": {"taints": []},
        "status": {"allocatable": {"pods": "110"}},
    }
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or not name or not value:
            raise BadInputError(
                "--add-nodes: need the name of a node, a node file, or a shape such as "
                f"cpu=16,memory=64Gi,label:zone=a; found {text!r}"
            )
        _describe(node, name, value)
    return node


def _describe(node: JsonObject, name: str, value: str) -> None:
    if name.startswith("label:"):
        node["metadata"]["labels"][name.removeprefix("label:")] = value
    elif name.startswith("taint:"):
        value, _, effect = value.rpartition(":")
        taint = {"key": name.removeprefix("taint:"), "value": value, "effect": effect}
        node["spec"]["taints"].append(taint)
    else:
        node["status"]["allocatable"][name] = value


def _first_of_file(path: str) -> JsonObject:
    documents = manifests(path)
    if documents and documents[0].object["kind"] == CLUSTER_KIND:
        nodes = nodes_of(load_node_file(path))
    else:
        nodes = [one.object for one in documents if one.object["kind"] == "Node"]
    if not nodes:
        raise BadInputError(f"{path}: there is no node in this file")
    return nodes[0]


def _read(obj: JsonObject, gates: FeatureGates) -> NodeInfo:
    reader = StateReader(gates)
    reader.add_written({**obj, "metadata": {**obj["metadata"], "uid": ""}})
    return reader.state(taken=0.0).nodes[0]
