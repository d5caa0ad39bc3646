"""The pods that owners would make, as the scheduler would see them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid
from kubegang.tools.checking.makers import Makers
from kubegang.tools.checking.model import Group, Kept, Maker

MOST_PODS: Final = 5_000
"""So many at most are made up for one group; larger ones are not asked about."""


class Expecting:
    """Knows which pods of a group there would be before any of them runs."""

    def __init__(self, groups: Sequence[Group], makers: Makers, kept: Mapping[int, Kept]) -> None:
        """Take all groups.

        Args:
            groups: those of one version.
            makers: knows how many pods owners make.
            kept: the objects by their position.
        """
        self._children: dict[PodGroupKey, list[Group]] = {}
        for group in groups:
            parent = None if group.info is None else group.info.parent_key
            if parent is not None:
                self._children.setdefault(parent, []).append(group)
        self._makers = makers
        self._kept = kept

    def pods_of(self, root: Group) -> list[PodInfo] | None:
        """Return the pods of a whole tree that are not written one by one.

        ``None`` if too few can exist, or nobody knows how many.
        """
        if root.info is None or root.info.parent_key is not None:
            return None
        made: list[PodInfo] = []
        for group in self._tree(root):
            pods = self._of_leaf(group)
            if pods is None or len(made) + len(pods) > MOST_PODS:
                return None
            made += pods
        return made

    def _tree(self, root: Group) -> Iterator[Group]:
        seen = {root.key}
        rest = [root]
        while rest:
            group = rest.pop()
            yield group
            children = [one for one in self._children.get(group.key, ()) if one.key not in seen]
            seen |= {one.key for one in children}
            rest += children

    def _of_leaf(self, group: Group) -> list[PodInfo] | None:
        info = group.info
        if info is None:
            return None
        if info.is_composite:
            return [] if group.children >= info.quorum else None
        written = sum(maker.written.gvk.kind == "Pod" for maker in group.makers)
        templates = [maker for maker in group.makers if maker.written.gvk.kind != "Pod"]
        if any(_needs_more(maker.pod) for maker in templates):
            return None
        counts = self._counts(templates, info.quorum - written)
        if counts is None or written + sum(counts) < info.quorum:
            return None
        return [
            pod_of(maker, number)
            for maker, count in zip(templates, counts, strict=True)
            for number in range(count)
        ]

    def _counts(self, templates: Sequence[Maker], missing: int) -> list[int] | None:
        """Return how many pods of each template to expect; ``None`` if nobody knows."""
        limits = [self._makers.limit_of(self._kept[one.root.index]).most for one in templates]
        if len(templates) == 1:
            # Its pods are all alike, so those beyond the minimum make no difference.
            most = limits[0]
            return [max(missing if most is None else min(most, missing), 0)]
        if len({one.root.index for one in templates}) < len(templates):
            # Operators split what they make in ways of their own.
            return None
        known = [most for most in limits if most is not None]
        return known if len(known) == len(limits) and sum(known) <= MOST_PODS else None


def pod_of(maker: Maker, number: int) -> PodInfo:
    """Return one of the pods that a template stands for."""
    return msgspec.structs.replace(
        maker.pod,
        uid=PodUid(f"{maker.written.index}/{maker.path}/{number}"),
        name=f"{maker.pod.name}-{number}",
    )


def may_be_asked(maker: Maker) -> bool:
    """Return whether one pod of a template can be tried alone.

    Pods of DaemonSets wait for the node that they are meant for, which need not be here.
    """
    return (
        maker.written.gvk.kind not in ("Pod", "DaemonSet")
        and maker.pod.pod_group is None
        and not _needs_more(maker.pod)
    )


def _needs_more(pod: PodInfo) -> bool:
    """Return whether controllers would first make claims for it, which are not here."""
    return any(claim.template for claim in pod.device_claims) or any(
        volume.ephemeral for volume in pod.volumes
    )
