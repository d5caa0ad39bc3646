"""Whether the pods of a group are alike, and whether they mind where their siblings are.

What a scheduler may tell pods apart by is what its own plugins sign (KEP-5598). Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kubegang.scheduler.cycle.prechecks import broken_rule
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import AffinityTerm, LabelTerms
from kubegang.scheduler.runtime.framework import Framework
from kubegang.tools.checking.model import Found, Group, Maker, Release
from kubegang.tools.checking.priorities import Priorities

_SCORING_ONLY: Final = frozenset({"ImageLocality"})
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "NodeResourcesFit": ("requests", "spec.containers"),
    "NodeResourcesBalancedAllocation": ("requests", "spec.containers"),
    "NodeAffinity": ("node selection", "spec"),
    "NodeName": ("node name", "spec.nodeName"),
    "NodeUnschedulable": ("tolerations", "spec.tolerations"),
    "TaintToleration": ("tolerations", "spec.tolerations"),
    "NodePorts": ("host ports", "spec.containers"),
    "NodeVolumeLimits": ("volumes", "spec.volumes"),
    "VolumeBinding": ("volumes", "spec.volumes"),
    "VolumeRestrictions": ("volumes", "spec.volumes"),
    "VolumeZone": ("volumes", "spec.volumes"),
    "NodeDeclaredFeatures": ("needed node features", "spec"),
}
"""By plugin: what pods differ in if it signs them differently, and where that stands."""


class _Difference(NamedTuple):
    maker: Maker
    what: tuple[str, ...]
    field: str


def mixed_members(group: Group, release: Release, priorities: Priorities) -> Iterator[Found]:
    """Yield what the members must have in common and have not."""
    if not group.makers:
        return
    first = group.makers[0]
    for maker in group.makers[1:]:
        if maker.pod.scheduler_name != first.pod.scheduler_name:
            yield Found(
                "mixed-scheduler-names",
                maker.written,
                maker.at("spec.schedulerName"),
                f"{group.label}: pods of {maker.label} have schedulerName "
                f'"{maker.pod.scheduler_name}", those of {first.label} '
                f'"{first.pod.scheduler_name}"',
            )
            return
    if release.profile.schedulers[0].group_cycle == "entity":
        yield from _mixed_priorities(group, priorities)


def heterogeneous_members(group: Group, framework: Framework) -> Iterator[Found]:
    """Yield the first member of each further form, and what is different about it."""
    seen: set[Hashable] = set()
    for difference in _differences(group, framework):
        key = (difference.what, _owner_of(difference.maker))
        if key in seen:
            continue
        seen.add(key)
        first = group.makers[0].label
        yield Found(
            "heterogeneous",
            difference.maker.written,
            difference.maker.at(difference.field),
            f"{group.label}: pods of {difference.maker.label} differ from those of "
            f"{first} in {', '.join(difference.what)}; a placement is not promised even if one "
            "exists",
        )


def is_homogeneous(group: Group, framework: Framework) -> bool | None:
    """Return whether all members ask for the same; ``None`` without members."""
    if not group.makers:
        return None
    return next(_differences(group, framework), None) is None


def dependent_members(group: Group) -> Iterator[Found]:
    """Yield rules of members that count members."""
    seen: set[tuple[str, str]] = set()
    for maker in group.makers:
        for field, said, key, selector in _dependencies(maker.pod):
            counted = any(selects(selector, other.pod.labels) for other in group.makers)
            if counted and (field, said) not in seen:
                seen.add((field, said))
                yield Found(
                    "dependency-inside",
                    maker.written,
                    maker.at(field),
                    f"{group.label}: {said} over {key} counts pods of the group itself, so "
                    "whether it fits depends on the order in which they are tried",
                )


# --- steps -----------------------------------------------------------------------------------


def _mixed_priorities(group: Group, priorities: Priorities) -> Iterator[Found]:
    """Ask the scheduler's own rule, with its own answer to whose priority counts."""
    for maker in group.makers:
        if group.info is None or not broken_rule(
            group.info, [maker.pod], scheduled=(), group_has_policy=False
        ):
            continue
        yield Found(
            "mixed-priorities",
            maker.written,
            maker.at("spec.priorityClassName"),
            f"{group.label}: pods of {maker.label} have the priority "
            f"{priorities.told(maker.pod.priority)}, the group has "
            f"{priorities.told(group.info.priority)}",
        )
        return


def _differences(group: Group, framework: Framework) -> Iterator[_Difference]:
    if len(group.makers) < 2:
        return
    first = _form(group.makers[0].pod, framework)
    for maker in group.makers[1:]:
        form = _form(maker.pod, framework)
        if form == first:
            continue
        names = [name for name, part in form.items() if part != first.get(name)]
        words = [_WORDS.get(name, (name, "spec")) for name in names]
        yield _Difference(maker, tuple(dict.fromkeys(word for word, _ in words)), words[0][1])


def _form(pod: PodInfo, framework: Framework) -> dict[str, Hashable]:
    """Return what filters look at, by plugin; labels only matter where siblings are counted."""
    form: dict[str, Hashable] = {
        plugin.NAME: plugin.sign_pod(pod)
        for plugin in framework.sign_plugins or ()
        if plugin.NAME in _WORDS and plugin.NAME not in _SCORING_ONLY
    }
    form["pod affinity"] = pod.pod_affinity
    form["topology spread"] = pod.spread
    form["device claims"] = pod.device_claims
    return form


def _owner_of(maker: Maker) -> str:
    return "" if maker.written.gvk.kind == "Pod" else f"{maker.written.label} {maker.path}"


def _dependencies(pod: PodInfo) -> Iterator[tuple[str, str, str, LabelTerms]]:
    if pod.pod_affinity is not None:
        field = "spec.affinity.podAffinity"
        for term in _here(pod, pod.pod_affinity.required):
            yield field, "required pod affinity", term.topology_key, term.selector
        field = "spec.affinity.podAntiAffinity"
        for term in _here(pod, pod.pod_affinity.required_anti):
            yield field, "required pod anti-affinity", term.topology_key, term.selector
    for constraint in pod.spread:
        if constraint.hard:
            yield (
                "spec.topologySpreadConstraints",
                "a hard spread constraint",
                constraint.topology_key,
                constraint.selector,
            )


def _here(pod: PodInfo, terms: Iterable[AffinityTerm]) -> Iterator[AffinityTerm]:
    """Yield the terms that mean pods of the pod's own namespace."""
    for term in terms:
        if pod.namespace in term.namespaces or term.namespace_selector is not None:
            yield term
