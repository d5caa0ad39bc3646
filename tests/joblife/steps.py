"""The steps of which the life of a Job is made."""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject

Happening = Literal[
    "run",
    "succeed",
    "fail",
    "fail-init",
    "disrupt",
    "misconfigure",
    "restart",
    "unready",
    "delete",
    "end-deletion",
    "unlabel",
    "relabel",
]
HAPPENINGS: tuple[Happening, ...] = (
    *("run", "succeed", "succeed", "fail", "fail", "fail-init", "disrupt", "misconfigure"),
    *("restart", "unready", "delete", "delete", "end-deletion", "unlabel", "relabel"),
)


class MovePods(msgspec.Struct, frozen=True, tag=True):
    """Something happens to some of the pods, counted from one end of them all."""

    what: Happening
    count: int
    from_the_end: bool = False
    exit_code: int = 1


class PatchJob(msgspec.Struct, frozen=True, tag=True):
    """A user changes the Job by a merge patch."""

    patch: JsonObject


class DeleteJob(msgspec.Struct, frozen=True, tag=True):
    """A user deletes the Job."""

    policy: str


class SubmitAgain(msgspec.Struct, frozen=True, tag=True):
    """A user submits the same Job once more."""


class CreateOther(msgspec.Struct, frozen=True, tag=True):
    """A user makes what was missing."""

    obj: JsonObject


class TouchGroup(msgspec.Struct, frozen=True, tag=True):
    """A user changes the scheduling object of the Job by a merge patch, or deletes it."""

    kind: Literal["Workload", "PodGroup"]
    patch: JsonObject | None


Step = MovePods | PatchJob | DeleteJob | SubmitAgain | CreateOther | TouchGroup


class Case(msgspec.Struct, frozen=True):
    """A Job and its life, in a namespace of its own."""

    seed: int
    others: list[JsonObject]
    job: JsonObject
    steps: list[Step]
