"""Which pods become groups in one version, and by which conditions. Pure.

What a Job gets is worked out by the Job controllers' own functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from kubegang.api.scheduling.decoding import (
    decode_composite_pod_group,
    decode_pod_group,
    decode_workload,
)
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.controllers.job import scheduling, shape
from kubegang.controllers.owners import controller_reference
from kubegang.scheduler.framework.groupconversion import composite_pod_group_info, pod_group_info
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey
from kubegang.scheduler.framework.workloadgroups import WorkloadInfo, group_name, workload_info
from kubegang.tools.checking.makers import Makers
from kubegang.tools.checking.model import Group, Kept, Maker, Release, label_of
from kubegang.tools.checking.priorities import Priorities

_GROUP: Final = "scheduling.k8s.io"
_JOB_GATE: Final = "WorkloadWithJob"
_BY_SHAPE: Final = GroupVersion.parse(shape.API_VERSION)
_BY_SPEC: Final = GroupVersion.parse(scheduling.API_VERSION)

POLICY: Final = "spec.schedulingPolicy.gang.minCount"
COMPOSITE_POLICY: Final = "spec.schedulingPolicy.gang.minGroupCount"
JOB_POLICY: Final = "spec.scheduling.schedulingPolicy"


class JobAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a Job controller does about one Job.

    Attributes:
        pod_group: the PodGroup that it makes, or ``None``.
        conditions: what it asks, with the fields.
        why: in one sentence, where there are no conditions.
        names_group: whether the pods name a group, which has a verdict of its own then.
    """

    pod_group: JsonObject | None = None
    conditions: tuple[shape.Condition, ...] = ()
    why: str = ""
    names_group: bool = False

    @property
    def is_gang(self) -> bool:
        """Whether the group holds its pods together."""
        made = self.pod_group
        return made is not None and "gang" in made["spec"]["schedulingPolicy"]


def ask_job_controller(job: JsonObject, release: Release) -> JobAnswer:
    """Return what the Job controller of a version makes for a Job."""
    gates, served = release.profile.gates["controllers"], release.profile.served
    if _JOB_GATE not in gates:
        return JobAnswer(why=f"no controller of {release.name} makes groups for Jobs")
    if not gates.enabled(_JOB_GATE):
        return JobAnswer(why=f"the controllers' gate {_JOB_GATE} is off")
    if _BY_SHAPE in served:
        conditions = shape.conditions_of(job)
        made = None
        if shape.is_gang(job):
            made = shape.pod_group_for(job, _stored(shape.workload_for(job)))
        return JobAnswer(pod_group=made, conditions=conditions)
    if _BY_SPEC in served:
        return _by_spec(job)
    return JobAnswer(why="the API server does not serve PodGroups")


def _by_spec(job: JsonObject) -> JobAnswer:
    managed = scheduling.management(job)
    policy = scheduling.wanted_min_count(job)
    named = bool(job["spec"]["template"]["spec"].get("schedulingGroup"))
    conditions = (
        shape.Condition(
            "spec.template.spec.schedulingGroup", "no group named by its pods", not named
        ),
        shape.Condition(
            "metadata.ownerReferences", "no controller above it", named or managed == "both"
        ),
        shape.Condition(JOB_POLICY, "a gang in spec.scheduling", policy is not None),
    )
    if managed != "both":
        return JobAnswer(conditions=conditions)
    workload = _stored(scheduling.workload_for(job))
    template = workload["spec"]["podGroupTemplates"][0]
    return JobAnswer(
        pod_group=scheduling.pod_group_for(job, workload, template), conditions=conditions
    )


class Groups:
    """Collects the groups of one version and their members."""

    def __init__(self, release: Release, makers: Makers, priorities: Priorities) -> None:
        """Start empty."""
        self._release = release
        self._makers = makers
        self._priorities = priorities
        self._infos: dict[PodGroupKey, tuple[Kept, str, PodGroupInfo]] = {}
        self._workloads: dict[tuple[str, str], tuple[Kept, WorkloadInfo]] = {}
        self._members: dict[PodGroupKey, list[Maker]] = {}
        self.job_answers: dict[int, JobAnswer] = {}
        """What was asked about Jobs, by their position among all objects."""

    def add(self, kept: Kept) -> list[Maker]:
        """Take in an object; return the makers of pods that it is."""
        gvk = kept.written.gvk
        if (gvk.group, gvk.kind) == (_GROUP, "PodGroup"):
            self._add_group(kept, kept.object, POLICY)
        elif (gvk.group, gvk.kind) == (_GROUP, "CompositePodGroup"):
            self._add_composite(kept)
        elif (gvk.group, gvk.kind) == (_GROUP, "Workload") and self._groups_are_entries:
            info = workload_info(decode_workload(kept.object))
            self._workloads[info.namespace, info.name] = (kept, info)
        elif (gvk.group, gvk.kind) == ("batch", "Job"):
            return self._add_job(kept, kept.object, "")
        elif (gvk.group, gvk.kind) == ("batch", "CronJob"):
            return self._add_job(kept, _job_of(kept.object), "spec.jobTemplate")
        makers = list(self._makers.of(kept))
        for maker in makers:
            self._join(maker)
        return makers

    def all(self) -> Iterator[Group]:
        """Yield every group that an object describes or a pod names."""
        for key in dict.fromkeys([*self._infos, *self._members]):
            members = _without_templates(self._members.get(key, ()))
            if key in self._infos:
                kept, policy, info = self._infos[key]
                yield Group(
                    key=key,
                    label=kept.written.label,
                    written=kept.written,
                    policy=policy,
                    info=info,
                    makers=members,
                    children=sum(info.key == one.parent_key for _, _, one in self._infos.values()),
                    outer_keys=self._outer_keys(info),
                )
            else:
                yield self._of_workload(key, members)

    @property
    def _groups_are_entries(self) -> bool:
        return bool(self._release.profile.schedulers[0].workload_version)

    def _add_job(self, kept: Kept, job: JsonObject, path: str) -> list[Maker]:
        """Take in a Job that stands at a path of an object."""
        asked = ask_job_controller(job, self._release)
        template = job["spec"]["template"]
        answer = msgspec.structs.replace(
            asked,
            conditions=tuple(_below(path, one) for one in asked.conditions),
            names_group=bool(template["spec"].get("schedulingGroup")),
        )
        self.job_answers[kept.written.index] = answer
        name = ""
        # A basic group holds nothing together, so its pods are looked at one by one.
        if answer.is_gang and answer.pod_group is not None:
            name = answer.pod_group["metadata"]["name"]
            says = (job["spec"].get("scheduling") or {}).get("schedulingPolicy")
            policy = JOB_POLICY if says else "spec.parallelism"
            self._add_group(kept, answer.pod_group, _joined(path, policy))
        maker = self._makers.maker(kept, _joined(path, "spec.template"), template, group=name)
        self._join(maker)
        return [maker]

    def _add_group(self, kept: Kept, obj: JsonObject, policy: str) -> None:
        group = decode_pod_group({**obj, "spec": self._with_priority(obj["spec"])})
        info = pod_group_info(group, condition_type="")
        if info.min_count is None:
            policy = "spec.schedulingPolicy"
        if info.key in self._infos and kept.written.gvk.kind == "PodGroup":
            # In a live cluster both are here: the Job, which says why, and what was made for it.
            return
        self._infos[info.key] = (kept, policy, info)

    def _add_composite(self, kept: Kept) -> None:
        obj = {**kept.object, "spec": self._with_priority(kept.object["spec"])}
        info = composite_pod_group_info(decode_composite_pod_group(obj))
        policy = COMPOSITE_POLICY if info.min_count is not None else "spec.schedulingPolicy"
        self._infos[info.key] = (kept, policy, info)

    def _outer_keys(self, info: PodGroupInfo) -> tuple[str, ...]:
        """Return the topology keys of the groups above a group, innermost first."""
        keys: list[str] = []
        seen: set[PodGroupKey] = set()
        above = self._infos.get(info.parent_key) if info.parent_key is not None else None
        while above is not None and above[2].key not in seen:
            seen.add(above[2].key)
            if above[2].topology_key:
                keys.append(above[2].topology_key)
            parent = above[2].parent_key
            above = None if parent is None else self._infos.get(parent)
        return tuple(keys)

    def _with_priority(self, spec: JsonObject) -> JsonObject:
        filled = dict(spec)
        self._priorities.fill_in(filled)
        return filled

    def _join(self, maker: Maker) -> None:
        if maker.pod.pod_group is not None:
            self._members.setdefault(maker.pod.pod_group, []).append(maker)

    def _of_workload(self, key: PodGroupKey, members: Sequence[Maker]) -> Group:
        name = group_name(key)
        found = None if name is None else self._workloads.get((key.namespace, name.workload))
        info = None if found is None else found[1].group(key, members[0].pod)
        kind = "Workload" if name is not None else "PodGroup"
        return Group(
            key=key,
            label=label_of(kind, key.namespace, key.name),
            written=None if found is None or info is None else found[0].written,
            policy=_entry_policy(found[0].object, key) if found is not None else "",
            info=info,
            makers=tuple(members),
        )


def _job_of(cron_job: JsonObject) -> JsonObject:
    """Return a Job that a CronJob makes."""
    made, metadata = cron_job["spec"]["jobTemplate"], cron_job["metadata"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            **(made.get("metadata") or {}),
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "ownerReferences": [controller_reference(cron_job)],
        },
        "spec": made["spec"],
    }


def _below(path: str, condition: shape.Condition) -> shape.Condition:
    """Return a condition as the outer object has it; that has no field for the owner."""
    if path and condition.field.startswith("metadata."):
        return condition._replace(field=path)
    return condition._replace(field=_joined(path, condition.field))


def _joined(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field


def _without_templates(makers: Sequence[Maker]) -> tuple[Maker, ...]:
    """Leave out templates of which there are pods: a server has filled those in."""
    owners = {maker.root.index for maker in makers if maker.written.gvk.kind == "Pod"}
    return tuple(
        maker
        for maker in makers
        if maker.written.gvk.kind == "Pod" or maker.root.index not in owners
    )


def _stored(obj: JsonObject) -> JsonObject:
    """Return an object as the API server would answer: owners are referred to by uid."""
    return {**obj, "metadata": {**obj["metadata"], "uid": obj["metadata"]["name"]}}


def _entry_policy(workload: JsonObject, key: PodGroupKey) -> str:
    name = group_name(key)
    entries: Sequence[Mapping[str, object]] = workload["spec"].get("podGroups") or ()
    for position, entry in enumerate(entries):
        if name is not None and entry.get("name") == name.pod_group:
            return f"spec.podGroups[{position}].policy.gang.minCount"
    return "spec.podGroups"
