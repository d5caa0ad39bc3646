"""What kube-scheduler leaves to chance, made alike before outcomes are compared.

A group with a topology key is tried in one domain after the other, in an order that differs
from attempt to attempt (measured on 1.37.2 and 1.36.3). When no domain holds it, conditions
and events speak of the first one. So only the reason of its members' conditions counts, and
what its own condition says beside that. 1.36 tries the members of every group in an order
of chance, and which of them fails for want of room depends on it (measured on 1.36.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from tests.differential.scenario import Outcome, Picture, PodState, Scenario

GATHERING: Final = 36
"""The release that tries members in an order of chance."""

_FIRST: Final = re.compile(r"first placement status: .*?(?=, pod group preemption: |$)")
_BLURRED: Final = "first placement status: …"


class Blur:
    """Knows for which pods and groups of a scenario chance decides what is said."""

    def __init__(self, scenario: Scenario) -> None:
        steps = scenario.steps
        self._groups = frozenset(
            name for step in steps if (name := _named(step)) and scenario.release == GATHERING
        ) | _of_trees_with_keys(steps)
        self._pods = frozenset(
            name
            for step in steps
            if "pods" in step and step.get("group") in self._groups
            for name in step["pods"]
        )

    def outcome(self, outcome: Outcome) -> Outcome:
        """Return the outcome without what is left to chance."""
        if not self._groups:
            return outcome
        return msgspec.structs.replace(
            outcome,
            pictures=tuple(self._picture(picture) for picture in outcome.pictures),
            events=tuple(event for event in outcome.events if not self._is_failure(event)),
        )

    def _picture(self, picture: Picture) -> Picture:
        return msgspec.structs.replace(
            picture,
            pods={name: self._pod(name, pod) for name, pod in picture.pods.items()},
            groups={name: self._group(name, text) for name, text in picture.groups.items()},
        )

    def _pod(self, name: str, pod: PodState) -> PodState:
        if name not in self._pods or not pod.scheduled:
            return pod
        return msgspec.structs.replace(pod, scheduled=pod.scheduled.partition(":")[0])

    def _group(self, name: str, text: str) -> str:
        return _FIRST.sub(_BLURRED, text) if name in self._groups else text

    def _is_failure(self, event: str) -> bool:
        about, _, rest = event.partition(" ")
        return about.removeprefix("Pod/") in self._pods and rest.startswith(
            "Warning FailedScheduling"
        )


def _named(step: JsonObject) -> str:
    """Return the group, or the group of groups, that a step makes or adds to."""
    return str(step.get("composite") or step.get("group") or "")


def _of_trees_with_keys(steps: Sequence[JsonObject]) -> frozenset[str]:
    """Return all members of trees of which some group has a topology key."""
    parents = {_named(step): step.get("parent", "") for step in steps if "pods" not in step}

    def root(name: str) -> str:
        while parents.get(name):
            name = parents[name]
        return name

    keyed = {root(_named(step)) for step in steps if "topology" in step}
    return frozenset(name for name in parents if name and root(name) in keyed)
