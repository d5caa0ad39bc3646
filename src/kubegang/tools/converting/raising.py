"""Objects of 1.35 and 1.36 into the form of 1.37, in place."""

from __future__ import annotations

from kubegang.tools.converting.batch import SCHEDULING, Batch, Item
from kubegang.tools.converting.edits import Map, member, members, plain, put, remove, rename
from kubegang.tools.converting.generations import MODE_OF_WORD
from kubegang.tools.converting.podplaces import PodPlace, pod_places

HUB = f"{SCHEDULING}/v1beta1"

GroupKey = tuple[str, str, str, str]
"""Namespace, Workload, pod group in it and replica key: what is one group in 1.35."""


def group_name(workload: str, group: str, replica_key: str) -> str:
    """Return the name of the PodGroup for a group that 1.35 keeps inside a Workload."""
    natural = workload if group == workload else f"{workload}-{group}"
    return f"{natural}-{replica_key}" if replica_key else natural


def raise_first_alpha(batch: Batch) -> None:
    """Bring Workloads of v1alpha1 and the pods that name them to the form of 1.37.

    There every group is an object of its own. A group that no pod of the files names gets one
    too: in 1.35 it stands ready for pods that come later.
    """
    places = [place for place in pod_places(batch) if "workloadRef" in place.spec]
    named = {_key(place) for place in places}
    made: dict[GroupKey, str] = {}
    for item in batch.of(SCHEDULING, "Workload"):
        if item.gvk.version == "v1alpha1":
            made |= _raise_workload(batch, item, named)
    for place in places:
        _raise_reference(batch, place, made)


def raise_second_alpha(batch: Batch) -> None:
    """Bring Workloads and PodGroups of v1alpha2 to the form of 1.37."""
    for item in batch.of(SCHEDULING, "Workload", "PodGroup"):
        if item.gvk.version != "v1alpha2":
            continue
        put(item.body, "apiVersion", HUB)
        for template in members(item.spec.get("podGroupTemplates")):
            _raise_mode(template)
        if item.kind == "PodGroup":
            _raise_mode(item.spec)
            _raise_template_ref(item.spec)
            batch.leave_out_status(item)


def _key(place: PodPlace) -> GroupKey:
    ref = member(place.spec, "workloadRef")
    key = str(ref.get("podGroupReplicaKey") or "")
    return place.item.namespace, str(ref.get("name")), str(ref.get("podGroup")), key


def _raise_workload(batch: Batch, item: Item, named: set[GroupKey]) -> dict[GroupKey, str]:
    groups = members(item.spec.get("podGroups"))
    keys: dict[GroupKey, str] = {}
    for group in groups:
        if "policy" in group:
            rename(group, "policy", "schedulingPolicy")
        owner = (item.namespace, item.name, str(group.get("name")))
        for key in sorted(one for one in named if one[:3] == owner) or [(*owner, "")]:
            keys[key] = group_name(*key[1:])
            ref = {"workloadName": item.name, "templateName": owner[2]}
            policy = plain(group.get("schedulingPolicy"))
            spec = {"workloadRef": ref, "schedulingPolicy": policy}
            batch.make("PodGroup", keys[key], spec, beside=item)
    if "podGroups" in item.spec:
        rename(item.spec, "podGroups", "podGroupTemplates")
    put(item.body, "apiVersion", HUB)
    return keys


def _raise_reference(batch: Batch, place: PodPlace, made: dict[GroupKey, str]) -> None:
    key, field = _key(place), place.field("spec.workloadRef")
    if key not in made:
        message = (
            f"pod group {key[2]!r} of Workload {key[1]!r} is not among the files, so its policy "
            "is not known"
        )
        batch.tell("refused", place.item, field, message)
        return
    rename(place.spec, "workloadRef", "schedulingGroup")
    ref = member(place.spec, "schedulingGroup")
    rename(ref, "name", "podGroupName")
    put(ref, "podGroupName", made[key])
    for gone in [name for name in ref if name != "podGroupName"]:
        remove(ref, gone)


def _raise_mode(holder: Map) -> None:
    word = holder.get("disruptionMode")
    if isinstance(word, str) and word in MODE_OF_WORD:
        put(holder, "disruptionMode", {MODE_OF_WORD[word]: {}})


def _raise_template_ref(spec: Map) -> None:
    ref = member(spec, "podGroupTemplateRef", "workload")
    if "podGroupTemplateRef" not in spec:
        return
    rename(spec, "podGroupTemplateRef", "workloadRef")
    if "podGroupTemplateName" in ref:
        rename(ref, "podGroupTemplateName", "templateName")
    spec["workloadRef"] = ref
