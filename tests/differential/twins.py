"""Equal members of a group, told apart by what became of them instead of by their names.

1.35 and 1.36 try the members of a gang in an order of chance (measured on 1.35.4 and 1.36.3):
which of several equal ones gets which node, waits, or is the one too many, changes from play to
play. What must agree is what became of them all. So each outcome's equal members are named anew,
in the order of their stories; members that a later step names stay who they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from tests.differential.scenario import Outcome, Picture, PodState, Scenario

BY_CHANCE: Final = frozenset({35, 36})
"""Releases in which equal members have no order of their own."""


class Twins:
    """The sets of equal members of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.sets = tuple(_twins(scenario.steps)) if scenario.release in BY_CHANCE else ()

    def outcome(self, outcome: Outcome) -> Outcome:
        """Return the outcome with equal members named in the order of their stories."""
        names: dict[str, str] = {}
        for twins in self.sets:
            in_order = sorted(twins, key=lambda name: _story(name, outcome))
            names.update(zip(in_order, twins, strict=True))
        return _renamed(outcome, names) if names else outcome


def _twins(steps: Sequence[JsonObject]) -> Iterator[tuple[str, ...]]:
    alike: dict[bytes, list[str]] = defaultdict(list)
    named = {name for step in steps if "pods" not in step for name in _texts(step)}
    for step in steps:
        if "group" in step and "pods" in step:
            rest = {key: value for key, value in step.items() if key != "pods"}
            form = msgspec.json.encode(rest, order="deterministic")
            alike[form] += [name for name in step["pods"] if name not in named]
    yield from (tuple(sorted(names)) for names in alike.values() if len(names) > 1)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _story(name: str, outcome: Outcome) -> tuple[bytes, tuple[str, ...]]:
    states = [picture.pods.get(name) for picture in outcome.pictures]
    about = f"Pod/{name} "
    told = [event.removeprefix(about) for event in outcome.events if event.startswith(about)]
    return msgspec.json.encode(states), tuple(told)


def _renamed(outcome: Outcome, names: Mapping[str, str]) -> Outcome:
    def in_text(text: str) -> str:
        return re.sub(r"[\w.-]+", lambda found: names.get(found[0], found[0]), text)

    def of_pod(pod: PodState) -> PodState:
        told = {"scheduled": in_text(pod.scheduled), "disrupted": in_text(pod.disrupted)}
        return msgspec.structs.replace(pod, **told)

    return msgspec.structs.replace(
        outcome,
        pictures=tuple(
            Picture(
                pods={names.get(name, name): of_pod(pod) for name, pod in picture.pods.items()},
                groups={name: in_text(text) for name, text in picture.groups.items()},
                claims={name: in_text(text) for name, text in picture.claims.items()},
            )
            for picture in outcome.pictures
        ),
        events=tuple(sorted({in_text(event) for event in outcome.events})),
    )
