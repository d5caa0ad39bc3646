"""Whether groups find room on the nodes that are among the inputs. Pure.

The scheduler's own decision is taken, as ``explain`` takes it; only pods that are written one
by one can be asked about, since those of Jobs do not exist yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.tools.checking.model import Found, Group, Kept, Release
from kubegang.tools.checking.priorities import Priorities
from kubegang.tools.cluster.reading import StateReader
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.explain import explain_entity
from kubegang.tools.explaining.report import State
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.stage import Stage

_WITH_PRIORITY: Final = frozenset({"Pod", "PodGroup", "CompositePodGroup"})
_WAITS: Final[frozenset[State]] = frozenset({"unschedulable"})
_BACKOFF: Final = BackoffPolicy(initial_seconds=1.0, max_seconds=10.0)
"""Of no consequence here: only what is decided now counts."""


def groups_without_room(
    groups: Sequence[Group],
    kept: Sequence[Kept],
    *,
    release: Release,
    priorities: Priorities,
    deciders: Deciders,
    chance: Callable[[], Rng],
) -> Iterator[Found]:
    """Yield the groups that would wait; nothing where there are no nodes.

    Args:
        groups: all that there are.
        kept: all objects, as the API server keeps them.
        release: the version.
        priorities: what the names of priority classes mean.
        deciders: what decides.
        chance: gives each attempt the same source of chance.
    """
    asked = [group for group in groups if _can_be_asked(group)]
    if not asked or not any(one.written.gvk.kind == "Node" for one in kept):
        return
    stage = Stage(_state(kept, release, priorities), deciders, chance=chance)
    for group in asked:
        explanation = explain_entity(stage, group.key, backoff=_BACKOFF)
        if explanation.state in _WAITS and group.written is not None:
            text = f"{group.label} would wait on these nodes: {explanation.message}"
            yield Found("does-not-fit", group.written, group.policy, text)


def _can_be_asked(group: Group) -> bool:
    pods = [maker for maker in group.makers if maker.written.gvk.kind == "Pod"]
    needed = 1 if group.info is None else group.info.quorum
    return group.info is not None and not group.info.parent and len(pods) >= needed


def _state(kept: Sequence[Kept], release: Release, priorities: Priorities) -> ClusterState:
    reader = StateReader(release.profile.gates["apiserver"])
    for one in kept:
        obj = one.object
        if one.written.gvk.kind in _WITH_PRIORITY:
            obj = {**obj, "spec": dict(obj["spec"])}
            priorities.fill_in(obj["spec"])
        reader.add(one.written.gvk, obj)
    return reader.state(taken=reader.latest, release=release.name)
