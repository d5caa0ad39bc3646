"""Gangs of Jobs (KEP-5547): inferred from the Job's shape in 1.36, ``spec.scheduling`` in 1.37.

1.35 forms no groups for Jobs. What a release cannot say on the Job is said by a PodGroup of its
own, which the pod template names: the controllers of 1.36 and 1.37 then leave the Job alone.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubegang.controllers.job.shape import is_gang
from kubegang.tools.converting.batch import Batch, Item
from kubegang.tools.converting.edits import Map, member, members, plain, put, remove
from kubegang.tools.converting.generations import RELEASE_OF, Release
from kubegang.tools.converting.report import Level

DELEGATION = "scheduling.k8s.io/group-template-name"
_UNKNOWN = (
    "its shape makes it a gang in 1.36 and in no other release, and the files do not say which "
    "release it is for: say it with --from"
)


class WantedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """What a Job's pods are to be scheduled as.

    Attributes:
        gang: all or nothing, not one by one.
        spec: of the PodGroup that says it.
        plain: nothing but that policy, of all pods at once.
    """

    gang: bool
    spec: dict[str, Any]
    plain: bool


def infers_gang(spec: Map) -> bool:
    """Return whether 1.36 makes a gang of a Job, whoever owns it."""
    if not isinstance(spec.get("parallelism", 1), int) or not member(spec, "template", "spec"):
        # Validation will say so.
        return False
    return not _names_group(spec) and is_gang({"spec": spec})


def convert_jobs(batch: Batch, source: Release | None) -> None:
    """Say the gangs of Jobs and of CronJobs' templates as the target's release says them."""
    target = RELEASE_OF[batch.target]
    if source == target:
        return
    for item in batch.of("batch", "Job"):
        if item.new:
            continue
        if source is None and "scheduling" not in item.spec and infers_gang(item.spec):
            batch.tell("refused", item, "spec.completionMode", _UNKNOWN)
            continue
        _convert_job(batch, item, source, target)
    for item in batch.of("batch", "CronJob"):
        _convert_cron_job(batch, item, source, target)


def _convert_job(batch: Batch, item: Item, source: Release | None, target: Release) -> None:
    spec = item.spec
    if _names_group(spec):
        if target != "1.37" and "scheduling" in spec:
            message = "left out: without effect, since the pod template names a group"
            batch.tell("note", item, "spec.scheduling", message)
            remove(spec, "scheduling")
        return
    if target == "1.37":
        if source == "1.36" and infers_gang(spec):
            _say_gang(batch, item)
        return
    if _is_owned(item) and DELEGATION in member(item.body, "metadata", "annotations"):
        message = "a group made from the template of a parent's Workload exists in 1.37 only"
        batch.tell("refused", item, f"metadata.annotations[{DELEGATION}]", message)
        return
    _realize(batch, item, _wanted(item, source), target)


def _say_gang(batch: Batch, item: Item) -> None:
    """Write what 1.36 infers; without a minimum the gang follows the parallelism."""
    if _is_owned(item):
        message = "1.37 forms no group for a Job that a controller owns"
        batch.tell("loss", item, "metadata.ownerReferences", message)
        return
    put(item.spec, "scheduling", {"schedulingPolicy": {"gang": {}}}, after="completionMode")
    if member(item.spec, "template", "spec").get("priorityClassName"):
        message = "in 1.37 the group takes this class; in 1.36 its priority is 0"
        batch.tell("note", item, "spec.template.spec.priorityClassName", message)


def _wanted(item: Item, source: Release | None) -> WantedGroup:
    spec = item.spec
    if source == "1.36" and infers_gang(spec):
        inferred = {"schedulingPolicy": {"gang": {"minCount": spec["parallelism"]}}}
        return WantedGroup(gang=True, spec=inferred, plain=True)
    scheduling = plain(member(spec, "scheduling"))
    if _is_owned(item):
        scheduling = {}
    if scheduling.get("disruptionMode") == {"single": {}}:
        del scheduling["disruptionMode"]
    parallelism = spec.get("parallelism", 1)
    gang = member(scheduling, "schedulingPolicy").get("gang")
    policy: dict[str, Any] = {"basic": {}}
    if gang is not None:
        # At least one, as the controller of 1.37 resolves it.
        minimum = member(scheduling, "schedulingPolicy", "gang").get("minCount")
        policy = {"gang": {"minCount": minimum or parallelism or 1}}
    group: dict[str, Any] = {**scheduling, "schedulingPolicy": policy}
    if name := member(spec, "template", "spec").get("priorityClassName"):
        group["priorityClassName"] = str(name)
    more = {"schedulingConstraints", "disruptionMode", "resourceClaims"} & group.keys()
    whole = gang is None or policy["gang"]["minCount"] == parallelism
    return WantedGroup(
        gang=gang is not None,
        spec=group,
        plain=not more and whole and not (gang is not None and "priorityClassName" in group),
    )


def _realize(batch: Batch, item: Item, wanted: WantedGroup, target: Release) -> None:
    inferred = target == "1.36" and infers_gang(item.spec)
    needs_group = not wanted.plain or (wanted.gang != inferred)
    if needs_group and not member(item.body, "metadata").get("name"):
        message = "needs a PodGroup of its own, and a generated name is not known"
        batch.tell("refused", item, "metadata.generateName", message)
        return
    if needs_group and batch.make("PodGroup", item.name, wanted.spec, beside=item) is not None:
        put(member(item.spec, "template", "spec"), "schedulingGroup", {"podGroupName": item.name})
        message = (
            f"PodGroup {item.name} is an object of its own in {target}: it does not follow the "
            "Job's parallelism and stays when the Job is deleted"
        )
        batch.tell("note", item, "spec.scheduling", message)
    remove(item.spec, "scheduling")


def _convert_cron_job(batch: Batch, item: Item, source: Release | None, target: Release) -> None:
    spec = member(item.spec, "jobTemplate", "spec")
    field = "spec.jobTemplate.spec"
    if not spec or _names_group(spec):
        return
    if infers_gang(spec) and "1.36" in {source, target}:
        message = "1.36 makes gangs of the Jobs of this CronJob, and no other release does"
        level: Level = "loss" if source == "1.36" else "refused"
        batch.tell(level, item, f"{field}.completionMode", message)
    elif infers_gang(spec) and source is None and "scheduling" not in spec:
        batch.tell("refused", item, f"{field}.completionMode", _UNKNOWN)
    if target != "1.37" and "scheduling" in spec:
        message = "left out: 1.37 forms no groups for Jobs of CronJobs, so it had no effect"
        batch.tell("note", item, f"{field}.scheduling", message)
        remove(spec, "scheduling")


def _names_group(spec: Map) -> bool:
    pod = member(spec, "template", "spec")
    return "schedulingGroup" in pod or "workloadRef" in pod


def _is_owned(item: Item) -> bool:
    owners = members(member(item.body, "metadata").get("ownerReferences"))
    return any(owner.get("controller") for owner in owners)
