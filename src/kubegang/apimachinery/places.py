"""Where a field of a manifest was written: file, line and column for its path.

Only asked for once something is wrong, so that reading good files costs nothing more. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from kubegang.apimachinery.manifests import Manifest

_WHERE = re.compile(r"(?P<source>.*):(?P<line>\d+)(?P<inside>(?:, items\[\d+\])*)", re.DOTALL)
_STEP = re.compile(r"\[(?P<index>\d+)\]|\[(?P<key>[^\]]*)\]|(?P<name>[^.\[\]]+)")


def place_of(text: str, manifest: Manifest, field: str = "") -> str:
    """Return ``jobs.yaml:12:3``: where a field stands, or the last part of its path that does.

    Args:
        text: of the whole file.
        manifest: the object, as it was loaded from that text.
        field: a path as error texts have it, ``spec.containers[0].image``; empty for the
            object itself.
    """
    found = _WHERE.fullmatch(manifest.where)
    if found is None:
        return manifest.where
    line = int(found["line"])
    node = _document(text, line)
    if node is None:
        return f"{found['source']}:{line}:1"
    mark = node.start_mark
    for step in _steps(found["inside"] + "." + field):
        child = _child(node, step)
        if child is None:
            break
        mark, node = child[0].start_mark, child[1]
    return f"{found['source']}:{mark.line + 1}:{mark.column + 1}"


def _document(text: str, line: int) -> Node | None:
    return next((node for node in _documents(text) if node.start_mark.line + 1 == line), None)


@lru_cache(maxsize=4)
def _documents(text: str) -> tuple[Node, ...]:
    # Kept for a while: where one thing is wrong in a file, others often are.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return tuple(node for node in yaml.compose_all(text, Loader=loader) if node is not None)


def _steps(path: str) -> Iterator[str | int]:
    for match in _STEP.finditer(path.replace(", ", ".")):
        if match["index"] is not None:
            yield int(match["index"])
        else:
            yield match["key"] if match["key"] is not None else match["name"]


def _child(node: Node, step: str | int) -> tuple[Node, Node] | None:
    """Return the node to point at and the node to go on from."""
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        item: Node = node.value[step]
        return item, item
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key, value
    return None
