"""Where objects hold a pod: pods themselves and the templates of what makes pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kubegang.tools.converting.batch import Batch, Item
from kubegang.tools.converting.edits import Map, member, remove

_TEMPLATE = ("spec", "template")

PATHS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", "Pod"): (),
    ("", "PodTemplate"): ("template",),
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
    ("batch", "Job"): _TEMPLATE,
}
"""Path to the pod or template by group and kind."""


class PodPlace(msgspec.Struct, frozen=True):
    """A pod, or a template for pods, in an object.

    Attributes:
        path: of the template in the object, with a dot at its end; empty for a pod.
    """

    item: Item
    pod: Map
    path: str

    @property
    def spec(self) -> Map:
        """The pod's ``spec``."""
        return member(self.pod, "spec")

    def marks(self, kind: str) -> Map:
        """Return its ``labels`` or ``annotations``."""
        return member(self.pod, "metadata", kind)

    def take(self, kind: str, key: str) -> Any:
        """Take off a label or annotation and return its value, None if it is not there."""
        marks = self.marks(kind)
        value = marks.get(key)
        remove(marks, key)
        if not marks:
            remove(member(self.pod, "metadata"), kind)
        return value

    def take_all(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Take off several labels or annotations and return their values."""
        present = [key for key in keys if key in self.marks(kind)]
        return {str(self.take(kind, key)) for key in present}

    def field(self, name: str) -> str:
        """Return the path of a field of the pod in the object."""
        return f"{self.path}{name}"


def pod_places(batch: Batch) -> Iterator[PodPlace]:
    """Yield all pods and templates, in the order of the files."""
    for item in list(batch.items):
        path = PATHS.get((item.gvk.group, item.kind))
        if path is None or item.dropped:
            continue
        pod = member(item.body, *path)
        if pod:
            yield PodPlace(item, pod, "".join(f"{step}." for step in path))
