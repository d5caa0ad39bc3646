"""The containers of a pod spec, whatever their sort, with their paths.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.apimachinery.field import Path
from kubegang.apimachinery.objects import JsonObject

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


def all_containers(spec: JsonObject) -> Iterator[JsonObject]:
    """Yield init containers, containers and ephemeral ones, in this order."""
    for name in CONTAINER_LISTS:
        yield from spec.get(name) or ()


def containers_with_paths(spec: JsonObject, path: Path) -> Iterator[tuple[JsonObject, Path]]:
    """Yield every container with its path."""
    for name in CONTAINER_LISTS:
        for position, container in enumerate(spec.get(name) or ()):
            yield container, path.child(name).index(position)
