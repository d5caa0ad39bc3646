"""Apache YuniKorn: applications whose pods carry task groups in an annotation.

YuniKorn starts an application once places for the minima of all its task groups are held by
placeholder pods, so the whole application is one gang: a PodGroup, or where there are several
task groups and 1.37 a tree with a PodGroup for each.
"""

from __future__ import annotations

import json
from typing import Any

from kubegang.tools.converting.batch import Batch
from kubegang.tools.converting.foreign.linking import leave, lose_mark, make_group, tie
from kubegang.tools.converting.foreign.trees import leaf_name, make_tree
from kubegang.tools.converting.generations import RELEASE_OF
from kubegang.tools.converting.podplaces import PodPlace, pod_places

PREFIX = "yunikorn.apache.org/"
TASK_GROUPS = f"{PREFIX}task-groups"
TASK_GROUP_NAME = f"{PREFIX}task-group-name"
PARAMETERS = f"{PREFIX}schedulingPolicyParameters"
APPLICATION_MARKS = (f"{PREFIX}app-id", "applicationId")
QUEUE_MARKS = (f"{PREFIX}queue", "queue")
SCHEDULERS = ("yunikorn",)

WITH_TREES = "1.37"
"""The first release with groups of groups (KEP-5832)."""

_SOFT = "Soft: after a time-out YuniKorn starts the pods without a gang, Kubernetes never does"
_TIMEOUT = "a gang waits without holding resources, so no placeholder times out"
_QUEUE = "Kubernetes has no queues with shares; quotas of namespaces come closest"
_ALONE = "belongs to no task group, so it waits for none and none waits for it"
_SUM = "a group has one minimum: only the sum of the task groups' minima is kept"


def bring_in_yunikorn(batch: Batch) -> None:
    """Bring annotated pods to the 1.37 form, with a PodGroup for each application."""
    applications: dict[tuple[str, str], list[PodPlace]] = {}
    for place in pod_places(batch):
        marks = place.marks("annotations")
        if TASK_GROUPS not in marks and TASK_GROUP_NAME not in marks:
            continue
        name = _application(place)
        if name:
            applications.setdefault((place.item.namespace, name), []).append(place)
        else:
            message = "the pod names no application, so its gang has no name"
            batch.tell("refused", place.item, place.field("metadata.labels"), message)
    for (_, name), places in applications.items():
        _bring_in(batch, name, places)


def _application(place: PodPlace) -> str:
    for kind in ("labels", "annotations"):
        for key in APPLICATION_MARKS:
            if value := place.marks(kind).get(key):
                return str(value)
    return ""


def _bring_in(batch: Batch, name: str, places: list[PodPlace]) -> None:
    defining = [place for place in places if TASK_GROUPS in place.marks("annotations")]
    if not defining:
        message = f"the task groups of application {name} are not among the files"
        field = places[0].field(f"metadata.annotations[{TASK_GROUP_NAME}]")
        batch.tell("refused", places[0].item, field, message)
        return
    first = defining[0]
    field = first.field(f"metadata.annotations[{TASK_GROUPS}]")
    definitions = {str(place.marks("annotations")[TASK_GROUPS]) for place in defining}
    if len(definitions) > 1:
        batch.tell("refused", first.item, field, "differs between pods of the application")
        return
    minima = _minima(definitions.pop())
    if not minima:
        message = "need a JSON list of task groups, each with a name and a minMember of 1 or more"
        batch.tell("refused", first.item, field, message)
        return
    if len(minima) > 1 and RELEASE_OF[batch.target] == WITH_TREES:
        _bring_in_tree(batch, name, places, minima)
        return
    if len(minima) > 1:
        batch.tell("loss", first.item, field, _SUM)
    make_group(batch, first.item, name, minimum=sum(minima.values()))
    for place in places:
        _clean(batch, place, minima)
        tie(batch, place, name, SCHEDULERS)


def _bring_in_tree(batch: Batch, name: str, places: list[PodPlace], minima: dict[str, int]) -> None:
    """Make a composite group of the application, with a PodGroup for each task group."""
    first = next(place for place in places if TASK_GROUPS in place.marks("annotations"))
    classes = {str(place.spec.get("priorityClassName") or "") for place in places}
    if len(classes) > 1:
        message = "pods of one application have different PriorityClasses, and a tree has one"
        batch.tell("refused", first.item, first.field("spec.priorityClassName"), message)
        return
    if not make_tree(batch, first.item, name, minima, priority_class=classes.pop()):
        return
    for place in places:
        task = str(place.marks("annotations").get(TASK_GROUP_NAME) or "")
        _clean(batch, place, minima)
        if task:
            tie(batch, place, leaf_name(name, task), SCHEDULERS)
        else:
            batch.tell("note", place.item, place.field("metadata.annotations"), _ALONE)
            leave(batch, place, SCHEDULERS)


def _minima(text: str) -> dict[str, int]:
    """Return the minimum of each task group; empty if the text is no good list of them."""
    try:
        groups: Any = json.loads(text)
    except json.JSONDecodeError:
        return {}
    if not isinstance(groups, list):
        return {}
    minima: dict[str, int] = {}
    for group in groups:
        minimum = group.get("minMember") if isinstance(group, dict) else None
        if not isinstance(minimum, int) or minimum < 1 or not group.get("name"):
            return {}
        minima[str(group["name"])] = minimum
    return minima if len(minima) == len(groups) else {}


def _clean(batch: Batch, place: PodPlace, minima: dict[str, int]) -> None:
    place.take("annotations", TASK_GROUPS)
    member_of = place.marks("annotations").get(TASK_GROUP_NAME)
    if member_of is not None and str(member_of) not in minima:
        field = place.field(f"metadata.annotations[{TASK_GROUP_NAME}]")
        batch.tell("refused", place.item, field, f"there is no task group {member_of}")
    place.take("annotations", TASK_GROUP_NAME)
    _parameters(batch, place)
    for kind in ("labels", "annotations"):
        for key in QUEUE_MARKS:
            lose_mark(batch, place, kind, key, _QUEUE)


def _parameters(batch: Batch, place: PodPlace) -> None:
    """Tell what a gang's style says; YuniKorn's default is Soft."""
    field = place.field(f"metadata.annotations[{PARAMETERS}]")
    text = str(place.take("annotations", PARAMETERS) or "")
    words = dict(word.partition("=")[::2] for word in text.split())
    if words.get("gangSchedulingStyle", "Soft") != "Hard":
        batch.tell("loss", place.item, field, _SOFT)
    if "placeholderTimeoutInSeconds" in words:
        batch.tell("loss", place.item, field, _TIMEOUT)
