"""Whether the nodes have the labels that groups' topology constraints go by. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.checking.model import Found, Group, Kept
from kubegang.tools.workunits import count_of

_PARENTS: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_NAMED: Final = 3


def odd_labels(group: Group, nodes: Sequence[Kept]) -> Iterator[Found]:
    """Yield what is odd about the nodes' labels for a group with a topology constraint."""
    key = group.info.topology_key if group.info is not None else ""
    if not key or not nodes:
        return
    missing = [node for node in nodes if key not in _labels(node)]
    empty = [node for node in nodes if _labels(node).get(key) == ""]
    if missing:
        yield Found(
            "topology-label-missing",
            missing[0].written,
            "metadata.labels",
            f"{group.label}: {count_of(len(missing), 'node')} without the label {key} can never "
            f"be used: {_named(missing)}",
        )
    if empty:
        yield Found(
            "topology-label-empty",
            empty[0].written,
            f"metadata.labels[{key}]",
            f"{group.label}: {count_of(len(empty), 'node')} with an empty label {key} make a "
            f"domain of their own: {_named(empty)}",
        )
    for parent in dict.fromkeys((*group.outer_keys, *_PARENTS)):
        # A constraint on zones is not nested in zones.
        if parent != key and not (key in _PARENTS and parent in _PARENTS[: _PARENTS.index(key)]):
            yield from _not_nested(group, nodes, key, parent=parent)


def _not_nested(group: Group, nodes: Sequence[Kept], key: str, *, parent: str) -> Iterator[Found]:
    parents: dict[str, dict[str, Kept]] = {}
    for node in nodes:
        labels = _labels(node)
        if labels.get(key) and parent in labels:
            parents.setdefault(labels[key], {}).setdefault(labels[parent], node)
    for value, found in parents.items():
        if len(found) > 1:
            yield Found(
                "topology-not-nested",
                list(found.values())[1].written,
                f"metadata.labels[{key}]",
                f'{group.label}: {key} "{value}" is in {len(found)} domains of {parent} '
                f"({', '.join(sorted(found))}), which count as one",
            )
            return


def _labels(node: Kept) -> JsonObject:
    labels: JsonObject = (node.object.get("metadata") or {}).get("labels") or {}
    return labels


def _named(nodes: Sequence[Kept]) -> str:
    names = [str(node.object["metadata"]["name"]) for node in nodes[:_NAMED]]
    return ", ".join(names) + (", …" if len(nodes) > _NAMED else "")
