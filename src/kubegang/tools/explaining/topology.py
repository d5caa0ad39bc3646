"""What is odd about the labels that a group's topology constraint goes by. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kubegang.tools.explaining.case import Case
from kubegang.tools.workunits import count_of

_NAMED: Final = 3


def warnings_about(case: Case) -> Iterator[str]:
    """Yield a conflict between members, and nodes whose label is missing or empty."""
    key = case.group.topology_key if case.group is not None else ""
    if not key:
        return
    domains: dict[str, list[str]] = {}
    for pod in case.placed:
        known = case.stage.cache.pod(pod.uid)
        node = None if known is None else case.stage.cache.node(known.node)
        if node is not None:
            domains.setdefault(_shown(node.labels.get(key)), []).append(pod.name)
    if len(domains) > 1:
        told = ", ".join(f"{_named(pods)} in {domain}" for domain, pods in domains.items())
        yield f"conflict: members run in {len(domains)} domains of {key}: {told}"
    infos = case.stage.snapshot.nodes.infos
    missing = [node.name for node in infos if key not in node.labels]
    empty = [node.name for node in infos if node.labels.get(key) == ""]
    if missing:
        nodes = count_of(len(missing), "node")
        yield f"{nodes} without the label {key} can never be used: {_named(missing)}"
    if empty:
        nodes = count_of(len(empty), "node")
        yield f"{nodes} with an empty label {key} make a domain of their own: {_named(empty)}"


def _shown(value: str | None) -> str:
    return "none" if value is None else f'"{value}"'


def _named(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
