"""Which pods use which claim, and which pods of a node have volumes at all. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeVar

from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.framework.storage import ClaimKey

KeyT = TypeVar("KeyT", ClaimKey, NodeName)

_NOBODY: Final[Mapping[PodUid, PodInfo]] = {}


class VolumeUsers:
    """Pods with volumes that count on a node; pods without any are never looked at."""

    def __init__(self) -> None:
        self._by_claim: dict[ClaimKey, dict[PodUid, PodInfo]] = {}
        self._by_node: dict[NodeName, dict[PodUid, PodInfo]] = {}

    def of_claim(self, key: ClaimKey) -> Sequence[PodInfo]:
        """Return the pods that name a claim."""
        return tuple(self._by_claim.get(key, _NOBODY).values())

    def on(self, node: NodeName) -> Sequence[PodInfo]:
        """Return the pods of a node that have volumes."""
        return tuple(self._by_node.get(node, _NOBODY).values())

    def nodes(self) -> Collection[NodeName]:
        """Return the nodes that have such pods."""
        return self._by_node.keys()

    def picture(self) -> dict[ClaimKey | NodeName, list[PodUid]]:
        """Return who is listed where, for comparison."""
        listings: dict[ClaimKey | NodeName, list[PodUid]] = {}
        for claim, pods in self._by_claim.items():
            listings[claim] = sorted(pods)
        for node, pods in self._by_node.items():
            listings[node] = sorted(pods)
        return listings

    def count(self, pod: PodInfo, node: NodeName, *, change: int) -> None:
        """List a pod that has volumes (1), or take it out again (-1)."""
        _change(self._by_node, node, pod, change=change)
        for key in {
            ClaimKey(pod.namespace, volume.claim)
            for volume in pod.volumes
            if volume.claim is not None and not volume.ephemeral
        }:
            _change(self._by_claim, key, pod, change=change)


def _change(
    listings: dict[KeyT, dict[PodUid, PodInfo]], key: KeyT, pod: PodInfo, *, change: int
) -> None:
    if change > 0:
        listings.setdefault(key, {})[pod.uid] = pod
        return
    listing = listings[key]
    del listing[pod.uid]
    if not listing:
        del listings[key]
