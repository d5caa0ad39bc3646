"""Whether groups find room on the nodes that are among the inputs. Pure.

The scheduler's own decision is taken, as ``explain`` takes it, on the pods that are written one
by one and on those that their owners would make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.checking.expecting import Expecting, may_be_asked, pod_of
from kubegang.tools.checking.makers import Makers
from kubegang.tools.checking.model import Found, Group, Kept, Maker, Release
from kubegang.tools.checking.priorities import Priorities
from kubegang.tools.cluster.reading import StateReader
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.explain import explain_briefly
from kubegang.tools.explaining.report import State
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.stage import Stage

_WITH_PRIORITY: Final = frozenset({"Pod", "PodGroup", "CompositePodGroup"})
_WAITS: Final[frozenset[State]] = frozenset({"unschedulable"})


class Fitting:
    """Asks the scheduler of one version about groups and templates, each for itself."""

    def __init__(
        self,
        kept: Sequence[Kept],
        *,
        release: Release,
        priorities: Priorities,
        deciders: Deciders,
        chance: Callable[[], Rng],
    ) -> None:
        """Take the cluster.

        Args:
            kept: all objects, as the API server keeps them.
            release: the version.
            priorities: what the names of priority classes mean.
            deciders: what decides.
            chance: gives each attempt the same source of chance.
        """
        self._kept = kept
        self._release = release
        self._priorities = priorities
        self._deciders = deciders
        self._chance = chance

    def without_room(
        self, groups: Sequence[Group], templates: Sequence[Maker], makers: Makers
    ) -> Iterator[Found]:
        """Yield the groups and templates that would wait; nothing where there are no nodes.

        Args:
            groups: all that there are.
            templates: all that stands for pods, those of groups included.
            makers: knows how many pods owners make.
        """
        if not any(one.written.gvk.kind == "Node" for one in self._kept):
            return
        expecting = Expecting(groups, makers, {one.written.index: one for one in self._kept})
        asked = [
            (group, pods) for group in groups if (pods := expecting.pods_of(group)) is not None
        ]
        with_pods = {one.root.index for one in templates if one.written.gvk.kind == "Pod"}
        alone = [one for one in templates if may_be_asked(one) and one.root.index not in with_pods]
        made = [pod for _, pods in asked for pod in pods] + [pod_of(one, 0) for one in alone]
        if not asked and not alone:
            return
        stage = Stage(self._state(made, groups), self._deciders, chance=self._chance)
        for group, _ in asked:
            if group.written is not None and (why := _why(stage, group.key)):
                text = f"{group.label} would wait on these nodes: {why}"
                yield Found("does-not-fit", group.written, group.policy, text)
        for one in alone:
            if why := _why(stage, pod_of(one, 0).uid):
                text = f"pods of {one.label} would wait on these nodes: {why}"
                yield Found("does-not-fit", one.written, one.at("spec"), text)

    def _state(self, made: Sequence[PodInfo], groups: Sequence[Group]) -> ClusterState:
        reader = StateReader(self._release.profile.gates["apiserver"])
        for one in self._kept:
            obj = one.object
            if one.written.gvk.kind in _WITH_PRIORITY:
                obj = {**obj, "spec": dict(obj["spec"])}
                self._priorities.fill_in(obj["spec"])
            reader.add(one.written.gvk, obj)
        state = reader.state(taken=reader.latest, release=self._release.name)
        # Controllers make the groups of Jobs, so that no object says what they are.
        by_jobs = {
            group.key: group.info
            for group in groups
            if group.info is not None
            and group.written is not None
            and group.written.gvk.group == "batch"
        }
        return msgspec.structs.replace(state, pods=(*state.pods, *made), changed_groups=by_jobs)


def _why(stage: Stage, key: EntityKey) -> str:
    """Return why a group or pod would wait; empty if it would start."""
    explanation = explain_briefly(stage, key)
    return explanation.message if explanation.state in _WAITS else ""
