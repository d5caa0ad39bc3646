"""Says whether our scheduler did what the real one did, and if not, where they parted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from tests.differential.blurring import Blur
from tests.differential.scenario import Outcome, Picture, Recording, Scenario
from tests.differential.twins import Twins

CHANCES: Final = 24
"""How often ours is played with other seeds, for what the guide does not reach: which of
several equally cheap victims go, and where whole seconds end."""

Verdict = Literal["agrees", "events differ", "differs", "undecided"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one scenario.

    Attributes:
        differences: of the play that came nearest.
    """

    name: str
    theme: str
    verdict: Verdict
    differences: tuple[str, ...] = ()


class Judge:
    """Looks at plays of ours until one agrees with a real outcome of the same scenario.

    A scenario that came out differently on real Kubernetes itself, ties apart, is undecided
    unless ours agrees with one of its outcomes.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._nearest: tuple[str, ...] | None = None
        self._blur = Blur(scenario)
        self._twins = Twins(scenario)

    def agrees(self, model: Outcome, ours: Outcome) -> bool:
        """Return whether ours did what the real one did that guided it."""
        found = differences(self._comparable(model), self._comparable(ours))
        if self._nearest is None or _rank(found) < _rank(self._nearest):
            self._nearest = found
        return not found

    def _comparable(self, outcome: Outcome) -> Outcome:
        return self._twins.outcome(self._blur.outcome(outcome))

    def verdict(self, recording: Recording) -> Comparison:
        """Return what became of the scenario."""
        found = self._nearest or ()
        return Comparison(
            name=recording.scenario.name,
            theme=recording.scenario.theme,
            verdict=_verdict(recording, found),
            differences=found,
        )


def _rank(found: Sequence[str]) -> tuple[int, int]:
    return sum(not line.startswith("events") for line in found), len(found)


def _verdict(recording: Recording, found: Sequence[str]) -> Verdict:
    if not found:
        return "agrees"
    if all(line.startswith("events") for line in found):
        return "events differ"
    return "undecided" if is_unsteady(recording.outcomes) else "differs"


def is_unsteady(outcomes: Sequence[Outcome]) -> bool:
    """Return whether real Kubernetes disagrees with itself about more than which node."""
    if any(outcome.restless for outcome in outcomes):
        return True
    return len({msgspec.json.encode(_without_nodes(outcome)) for outcome in outcomes}) > 1


def _without_nodes(outcome: Outcome) -> list[object]:
    seen: list[object] = []
    for picture in outcome.pictures:
        for name, pod in picture.pods.items():
            place = bool(pod.node), bool(pod.nominated)
            seen.append((name, place, pod.gone, pod.ending, pod.scheduled, pod.disrupted))
        seen.append(picture.groups)
    return seen


def differences(real: Outcome, ours: Outcome) -> tuple[str, ...]:
    """Return what differs, a line each, in the order in which it happened."""
    found: list[str] = []
    if real.refused != ours.refused:
        found.append(f"refused: real {real.refused}, ours {ours.refused}")
    for number, (theirs, own) in enumerate(zip(real.pictures, ours.pictures, strict=False)):
        found += [f"picture {number}: {line}" for line in _in_pictures(theirs, own)]
    told = _told_by_conditions(real) | _told_by_conditions(ours)
    missing = set(real.events) - set(ours.events) - told
    found += [f"events, only real: {line}" for line in sorted(missing)]
    extra = set(ours.events) - set(real.events) - told
    found += [f"events, only ours: {line}" for line in sorted(extra)]
    return tuple(found)


def _told_by_conditions(outcome: Outcome) -> set[str]:
    """Return the failures that conditions tell as well.

    Whether a failure is told by an event depends on how often it was met: the first one of a
    pod that did not change since another failure only counts as a repeat of that.
    """
    return {
        f"Pod/{name} Warning FailedScheduling Scheduling: {pod.scheduled.partition(': ')[2]}"
        for picture in outcome.pictures
        for name, pod in picture.pods.items()
    }


def _in_pictures(real: Picture, ours: Picture) -> list[str]:
    found = []
    for name in sorted(real.pods.keys() | ours.pods.keys()):
        theirs, own = real.pods.get(name), ours.pods.get(name)
        if theirs != own:
            found.append(f"pod {name}: real {_short(theirs)}, ours {_short(own)}")
    for name in sorted(real.groups.keys() | ours.groups.keys()):
        said, own_said = real.groups.get(name), ours.groups.get(name)
        if said != own_said:
            found.append(f"group {name}: real {said!r}, ours {own_said!r}")
    for name in sorted(real.claims.keys() | ours.claims.keys()):
        given, own_given = real.claims.get(name), ours.claims.get(name)
        if given != own_given:
            found.append(f"claim {name}: real {given!r}, ours {own_given!r}")
    return found


def _short(state: object) -> str:
    return "not there" if state is None else str(msgspec.to_builtins(state))
