"""Whether the ranking made for one pod of a group is used for the next (KEP-5598). Pure.

Asked of the scheduler's own plugins: a pod that one of them does not sign is ranked alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.signing import sign_pod
from kubegang.tools.checking.model import Group, Release

_GATE: Final = "OpportunisticBatching"


class Batching(NamedTuple):
    """Why it is not used, and the field that decides; both are empty if it is."""

    why: str = ""
    field: str = ""

    @property
    def on(self) -> bool:
        """Whether it is used."""
        return not self.why


def batching_of(group: Group, framework: Framework, release: Release) -> Batching:
    """Return whether the members of a group, which has some, are ranked together."""
    if not release.profile.gates["scheduler"].enabled_if_known(_GATE):
        return Batching(f"the scheduler's gate {_GATE} is off")
    profile = release.profile.schedulers[0]
    if profile.group_cycle != "member-by-member" and not profile.rules.batching.within_group:
        return Batching(f"{release.name} ranks each member of a group alone")
    if framework.sign_plugins is None:
        return Batching("a plugin of the profile signs no pods")
    for maker in group.makers:
        reasons = [
            _unsigned(plugin.NAME, maker.pod)
            for plugin in framework.sign_plugins
            if plugin.sign_pod(maker.pod) is None
        ]
        if reasons:
            # What the pod says itself comes first: that can be changed most easily.
            reasons.sort(key=lambda reason: not reason[1])
            field = reasons[0][1]
            said = "; ".join(text for text, _ in reasons)
            return Batching(said, maker.at(field) if field else "")
    if len({sign_pod(framework, maker.pod) for maker in group.makers}) > 1:
        return Batching("its pods differ in what plugins look at")
    return Batching()


def _unsigned(plugin: str, pod: PodInfo) -> tuple[str, str]:
    known = _REASONS.get(plugin)
    return (f"{plugin} signs no such pods", "spec") if known is None else known(pod)


def _by_spread(pod: PodInfo) -> tuple[str, str]:
    if pod.spread:
        return "its pods have topologySpreadConstraints", "spec.topologySpreadConstraints"
    return (
        "PodTopologySpread has default constraints (defaultingType System), which concern every "
        "pod; with defaultingType List and no defaultConstraints they do not",
        "",
    )


_REASONS: Final[Mapping[str, Callable[[PodInfo], tuple[str, str]]]] = {
    "PodTopologySpread": _by_spread,
    "InterPodAffinity": lambda _pod: ("its pods have pod affinity", "spec.affinity"),
    "DynamicResources": lambda _pod: ("its pods have device claims", "spec.resourceClaims"),
}
