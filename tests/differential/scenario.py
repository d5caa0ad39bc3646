"""A scenario and what came of it: plain data, kept as YAML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject

GROUPS: Final = "groups"
"""The family of scenarios about single groups."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """What users do to a cluster, one step after the other.

    Attributes:
        seed: of the generator.
        release: 37, 36 or 35.
        theme: what the generator had in mind.
        steps: each with one verb; ``objects.py`` and ``player.py`` know them.
        family: what scenarios of the generator it belongs to; seeds count in each for itself.
    """

    seed: int
    release: int
    theme: str
    steps: tuple[JsonObject, ...]
    family: str = GROUPS

    @property
    def name(self) -> str:
        """``37-00012``, or ``37-trees-00012`` in another family."""
        family = "" if self.family == GROUPS else f"{self.family}-"
        return f"{self.release}-{family}{self.seed:05}"


class PodState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What can be seen of a pod when nothing moves any more.

    Attributes:
        node: where it is bound.
        gone: it was made and is no longer there.
        ending: it has a deletion mark.
        nominated: the node that is promised to it.
        scheduled: reason and message of the condition PodScheduled while it is not True.
        disrupted: reason and message of the condition DisruptionTarget.
    """

    node: str = ""
    gone: bool = False
    ending: bool = False
    nominated: str = ""
    scheduled: str = ""
    disrupted: str = ""


class Picture(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The cluster when nothing moves any more.

    Attributes:
        pods: by name.
        groups: status, reason and message of each condition, by group and type.
        claims: the devices of each claim and for whom they are reserved.
    """

    pods: dict[str, PodState]
    groups: dict[str, str] = {}
    claims: dict[str, str] = {}

    @property
    def places(self) -> dict[str, str]:
        """Return the node of every pod that has one, or that is promised one."""
        found = {name: pod.node or pod.nominated for name, pod in self.pods.items()}
        return {name: node for name, node in found.items() if node}


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a scenario.

    Attributes:
        pictures: one per ``settle`` step.
        events: what was told, each text once, sorted.
        refused: steps that the API refused, with its reason.
        restless: something still moved when patience was over.
    """

    pictures: tuple[Picture, ...]
    events: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    restless: bool = False


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario and what came of it on real Kubernetes, each time that it was played."""

    scenario: Scenario
    outcomes: tuple[Outcome, ...]


def load_recordings(path: Path) -> list[Recording]:
    """Read a file, or all files of a folder."""
    paths = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return [
        msgspec.convert(entry, Recording)
        for one in paths
        for entry in yaml.load_all(one.read_text(), Loader=yaml.CSafeLoader)
    ]


def save_recordings(path: Path, recordings: Iterable[Recording]) -> None:
    """Write a file: one document per scenario."""
    path.write_text("".join(dump(recording) for recording in recordings))


def dump(recording: Recording) -> str:
    """Return a recording as a YAML document, every step and pod on a line of its own."""
    scenario = recording.scenario
    lines = [
        "---",
        f"scenario: {{seed: {scenario.seed}, release: {scenario.release}, "
        f"theme: {_flow(scenario.theme)}, {_family(scenario)}steps: [",
        *_listed(scenario.steps),
        "]}",
        "outcomes:",
    ]
    for outcome in recording.outcomes:
        built = msgspec.to_builtins(outcome)
        rest = {key: value for key, value in built.items() if key != "pictures"}
        lines.append("- pictures:")
        for picture in built["pictures"]:
            lines += [f"  - {kind}: {{" + "" for kind in ("pods",)]
            lines += [f"    {name}: {_flow(pod)}," for name, pod in picture["pods"].items()]
            lines.append("    }")
            for kind in ("groups", "claims"):
                if kind in picture:
                    lines.append(f"    {kind}: {_flow(picture[kind])}")
        for key, value in rest.items():
            if isinstance(value, bool):
                lines.append(f"  {key}: {_flow(value)}")
            else:
                lines += [f"  {key}: [", *_listed(value), "  ]"]
    return "\n".join(lines) + "\n"


def _family(scenario: Scenario) -> str:
    return "" if scenario.family == GROUPS else f"family: {scenario.family}, "


class _Plain(yaml.CSafeDumper):
    """Writes out every time what occurs more than once."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _listed(values: Sequence[object]) -> list[str]:
    return [f"    {_flow(value)}," for value in values]


def _flow(value: object) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_Plain,
        default_flow_style=True,
        width=1 << 20,
        sort_keys=False,
        allow_unicode=True,
    )
    return text.removesuffix("...\n").strip()
