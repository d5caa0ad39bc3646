"""How many pods the controllers of a budget's pods want.

Known controllers are asked for their ``spec.replicas``: ReplicaSets, the Deployments above
them, StatefulSets, ReplicationControllers. Others would need a scale subresource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.client.informer import Informer
from kubegang.controllers.owners import controller_of

_REPLICA_SETS = (("apps", "ReplicaSet"), ("extensions", "ReplicaSet"))

Kind = tuple[str, str]
"""Group and kind."""

ResourceName = Callable[[str, str, str], str]
"""Returns ``jobs.batch`` for group, version and kind, empty if no such kind is served."""


class NoScaleError(Exception):
    """It cannot be known how many pods there should be; the message is upstream's."""


class PodOwners:
    """Looks up the controllers of pods and how many pods they want."""

    def __init__(
        self, informers: Mapping[Kind, Informer[JsonObject]], *, resource_name: ResourceName
    ) -> None:
        """Take the informers of what can own pods, by group and kind.

        Args:
            informers: of ReplicaSets, Deployments, StatefulSets and ReplicationControllers.
            resource_name: how errors name other kinds.
        """
        self._informers = informers
        self._resource_name = resource_name

    def all(self) -> Iterable[Informer[JsonObject]]:
        """Return all informers."""
        return self._informers.values()

    def scale(self, pods: Iterable[JsonObject]) -> tuple[int, list[str]]:
        """Return how many pods the controllers want together, and the names of pods without.

        Raises:
            NoScaleError: a controller is not there, or has no number of pods.
        """
        wanted: dict[str, int] = {}
        unmanaged = []
        for pod in pods:
            reference = controller_of(pod)
            if reference is None:
                unmanaged.append(pod["metadata"]["name"])
            elif reference["uid"] not in wanted:
                uid, replicas = self._found(reference, pod)
                wanted[uid] = replicas
        return sum(wanted.values()), unmanaged

    def _found(self, reference: JsonObject, pod: JsonObject) -> tuple[str, int]:
        namespace = pod["metadata"]["namespace"]
        owner = self._owner(reference, namespace)
        if owner is not None and _kind_of(reference) in _REPLICA_SETS:
            above = controller_of(owner)
            if above is not None and _kind_of(above) == ("apps", "Deployment"):
                owner = self._owner(above, namespace)
        if owner is not None:
            return owner["metadata"]["uid"], int(owner["spec"].get("replicas", 1))
        self._check_scalable(reference)
        raise NoScaleError(f'found no controllers for pod "{pod["metadata"]["name"]}"')

    def _owner(self, reference: JsonObject, namespace: str) -> JsonObject | None:
        """Return a controller that we know, if it still is the one that is meant."""
        informer = self._informers.get(_kind_of(reference))
        owner = informer.get(namespace, reference["name"]) if informer is not None else None
        if owner is None or owner["metadata"]["uid"] != reference["uid"]:
            return None
        return owner

    def _check_scalable(self, reference: JsonObject) -> None:
        if _kind_of(reference) in self._informers:
            return
        group, version = GroupVersion.parse(reference["apiVersion"])
        resource = self._resource_name(group, version, reference["kind"])
        if not resource:
            raise NoScaleError(
                f'no matches for kind "{reference["kind"]}" in version "{reference["apiVersion"]}"'
            )
        raise NoScaleError(f"{resource} does not implement the scale subresource")


def _kind_of(reference: JsonObject) -> Kind:
    return GroupVersion.parse(reference["apiVersion"]).group, reference["kind"]
