"""Objects in the form of 1.37 into that of v1alpha2 or v1alpha1, in place."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.apimachinery.names import is_dns1123_label
from kubegang.tools.converting.batch import SCHEDULING, Batch, Item
from kubegang.tools.converting.edits import Map, made, member, members, plain, put, remove, rename
from kubegang.tools.converting.generations import WORD_OF_MODE
from kubegang.tools.converting.podplaces import PodPlace, pod_places
from kubegang.tools.converting.priorities import classes_of_groups
from kubegang.tools.converting.raising import group_name

_NEWEST = ("v1beta1", "v1alpha3")

_ABSENT_IN_FIRST: Mapping[str, str] = {
    "schedulingConstraints": "1.35 has no topology constraints of groups",
    "resourceClaims": "1.35 has no claims of groups",
    "disruptionMode": "1.35 preempts single pods, not groups",
    "priorityClassName": "1.35 has no priority of groups; that of the pods stays",
    "priority": "1.35 has no priority of groups; that of the pods stays",
    "preemptionPolicy": "1.35 has no preemption policy of groups",
}
_NOTHING_LOST: Mapping[str, object] = {
    "disruptionMode": {"single": {}},
    "priority": 0,
    "preemptionPolicy": "PreemptLowerPriority",
}
"""Values that say what an older release does anyway."""

_Names = dict[tuple[str, str], tuple[str, str, str] | None]
"""What stands for each PodGroup in 1.35; None if that was refused."""

_COMPOSITE = "groups of groups exist in 1.37 only, and nothing older behaves like them"


def lower_to_second_alpha(batch: Batch) -> None:
    """Bring Workloads and PodGroups from the form of 1.37 to v1alpha2."""
    for item in _newest(batch):
        put(item.body, "apiVersion", f"{SCHEDULING}/v1alpha2")
        batch.leave_out_status(item)
        for position, template in enumerate(members(item.spec.get("podGroupTemplates"))):
            _lower_common(batch, item, template, f"spec.podGroupTemplates[{position}]")
        if item.kind == "PodGroup":
            _lower_common(batch, item, item.spec, "spec")
            _lower_workload_ref(batch, item)


def lower_to_first_alpha(batch: Batch) -> None:
    """Bring groups from the form of 1.37 to v1alpha1: into Workloads, and pods to name those."""
    names: _Names = {}
    items = _newest(batch)
    classes = classes_of_groups(batch)
    for item in items:
        if item.kind == "PodGroup":
            _forget_class(item, classes.get((item.namespace, item.name), set()))
            names[item.namespace, item.name] = _lower_group(batch, item)
    for item in items:
        if item.kind == "Workload" and "podGroups" not in item.spec:
            _lower_workload(batch, item)
    for place in pod_places(batch):
        if "schedulingGroup" in place.spec:
            _lower_reference(batch, place, names)


def _newest(batch: Batch) -> list[Item]:
    """Return what is to be lowered; composite groups are refused."""
    found = [
        item
        for item in batch.of(SCHEDULING, "Workload", "PodGroup", "CompositePodGroup")
        if item.gvk.version in _NEWEST
    ]
    for item in found:
        if not item.spec:
            batch.tell("refused", item, "spec", "no spec")
        if item.kind == "CompositePodGroup":
            batch.tell("refused", item, "kind", _COMPOSITE)
        for field in ("compositePodGroupTemplates", "parentCompositePodGroupName"):
            if item.spec.get(field):
                batch.tell("refused", item, f"spec.{field}", _COMPOSITE)
    return [item for item in found if item.spec and item.kind != "CompositePodGroup"]


def _lower_common(batch: Batch, item: Item, holder: Map, field: str) -> None:
    mode = holder.get("disruptionMode")
    if isinstance(mode, dict) and len(mode) == 1 and next(iter(mode)) in WORD_OF_MODE:
        put(holder, "disruptionMode", WORD_OF_MODE[next(iter(mode))])
    if plain(holder.get("preemptionPolicy")) == _NOTHING_LOST["preemptionPolicy"]:
        remove(holder, "preemptionPolicy")
    why = "groups have no preemption policy before 1.37"
    batch.lose(item, holder, "preemptionPolicy", field=field, why=why)


def _lower_workload_ref(batch: Batch, item: Item) -> None:
    if "workloadRef" not in item.spec:
        return
    ref = item.spec["workloadRef"]
    rename(item.spec, "workloadRef", "podGroupTemplateRef")
    if "templateName" in ref:
        rename(ref, "templateName", "podGroupTemplateName")
    holder = made({"workload": {}})
    holder["workload"] = ref
    item.spec["podGroupTemplateRef"] = holder
    if batch.find("Workload", item.namespace, str(ref.get("workloadName"))) is None:
        message = "1.36 refuses the group until that Workload exists with this template"
        batch.tell("note", item, "spec.workloadRef", message)


def _lower_template(batch: Batch, item: Item, holder: Map, field: str) -> None:
    """Take out what a group of 1.35 does not have; losses that matter are told."""
    for key, why in _ABSENT_IN_FIRST.items():
        if key in _NOTHING_LOST and plain(holder.get(key)) == _NOTHING_LOST[key]:
            remove(holder, key)
        batch.lose(item, holder, key, field=field, why=why)


def _lower_workload(batch: Batch, item: Item) -> None:
    put(item.body, "apiVersion", f"{SCHEDULING}/v1alpha1")
    for position, template in enumerate(members(item.spec.get("podGroupTemplates"))):
        _lower_template(batch, item, template, f"spec.podGroupTemplates[{position}]")
        if "schedulingPolicy" in template:
            rename(template, "schedulingPolicy", "policy")
    if "podGroupTemplates" in item.spec:
        rename(item.spec, "podGroupTemplates", "podGroups")


def _lower_group(batch: Batch, item: Item) -> tuple[str, str, str] | None:
    """Return Workload, pod group and replica key that stand for a PodGroup in 1.35."""
    if item.spec.get("parentCompositePodGroupName"):
        return None
    batch.leave_out_status(item)
    _lower_template(batch, item, item.spec, "spec")
    ref = member(item.spec, "workloadRef")
    if ref:
        return _into_workload(
            batch, item, str(ref.get("workloadName")), str(ref.get("templateName"))
        )
    if batch.find("Workload", item.namespace, item.name) is not None:
        message = f"becomes a Workload of its own in 1.35, and there is a Workload {item.name}"
        batch.tell("refused", item, "metadata.name", message)
        return None
    policy = item.spec.get("schedulingPolicy")
    group = made({"name": item.name, "policy": {}})
    group["policy"] = policy
    item.spec.clear()
    item.spec["podGroups"] = made([])
    item.spec["podGroups"].append(group)
    put(item.body, "apiVersion", f"{SCHEDULING}/v1alpha1")
    put(item.body, "kind", "Workload")
    return item.name, item.name, ""


def _forget_class(item: Item, classes: set[str]) -> None:
    """Take off a class that all pods of the group have too: nothing is lost."""
    if classes == {item.spec.get("priorityClassName")}:
        remove(item.spec, "priorityClassName")


def _into_workload(
    batch: Batch, item: Item, workload: str, template: str
) -> tuple[str, str, str] | None:
    """Let a PodGroup be an entry of its Workload, apart from others by its replica key."""
    owner = batch.find("Workload", item.namespace, workload)
    templates = members(owner.spec.get("podGroupTemplates")) if owner is not None else []
    entry = next((one for one in templates if one.get("name") == template), None)
    if entry is None:
        message = f"template {template!r} of Workload {workload!r} is not among the files"
        batch.tell("refused", item, "spec.workloadRef", message)
        return None
    if plain(entry.get("schedulingPolicy")) != plain(item.spec.get("schedulingPolicy")):
        message = "differs from the template, and in 1.35 only the Workload has a policy"
        batch.tell("refused", item, "spec.schedulingPolicy", message)
        return None
    natural = group_name(workload, template, "")
    key = "" if item.name == natural else item.name.removeprefix(f"{natural}-")
    if key and is_dns1123_label(key):
        message = f"{key!r} cannot be the replica key that tells this group from others in 1.35"
        batch.tell("refused", item, "metadata.name", message)
        return None
    item.dropped = True
    return workload, template, key


def _lower_reference(batch: Batch, place: PodPlace, names: _Names) -> None:
    group = str(member(place.spec, "schedulingGroup").get("podGroupName") or "")
    found = names.get((place.item.namespace, group))
    if not group:
        message = "names no PodGroup"
        batch.tell("refused", place.item, place.field("spec.schedulingGroup"), message)
        return
    if (place.item.namespace, group) not in names:
        message = f"PodGroup {group!r} is not among the files, so its Workload is not known"
        batch.tell("refused", place.item, place.field("spec.schedulingGroup"), message)
    if found is None:
        return
    rename(place.spec, "schedulingGroup", "workloadRef")
    ref = member(place.spec, "workloadRef")
    rename(ref, "podGroupName", "name")
    put(ref, "name", found[0])
    put(ref, "podGroup", found[1])
    if found[2]:
        put(ref, "podGroupReplicaKey", found[2])
