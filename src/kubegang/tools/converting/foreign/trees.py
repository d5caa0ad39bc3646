"""Groups of groups for applications whose parts have minima of their own."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.tools.converting.batch import Batch, Item

TEMPLATE = "application"
"""The name of the composite group's template in the Workload that belongs to a tree."""

NEEDS_GATE = "CompositePodGroups need the feature gate of that name, which 1.37 has off by default"


def make_tree(
    batch: Batch, beside: Item, name: str, minima: Mapping[str, int], *, priority_class: str
) -> bool:
    """Add a composite group with a PodGroup for each part, and the Workload that trees need.

    Args:
        batch: all objects.
        beside: what they are made from.
        name: of the Workload and the composite group; PodGroups have the part's at its end.
        minima: how many pods of each part start together.
        priority_class: of all pods, or empty.

    Returns:
        Whether the names were free; otherwise the conversion is refused.
    """
    priority = {"priorityClassName": priority_class} if priority_class else {}
    policies = {
        part: {"schedulingPolicy": {"gang": {"minCount": minimum}}, **priority}
        for part, minimum in minima.items()
    }
    whole = {"schedulingPolicy": {"gang": {"minGroupCount": len(minima)}}, **priority}
    parts = [{"name": part, **policy} for part, policy in policies.items()]
    template = {"name": TEMPLATE, **whole, "podGroupTemplates": parts}
    made = [
        batch.make("Workload", name, {"compositePodGroupTemplates": [template]}, beside=beside),
        batch.make(
            "CompositePodGroup",
            name,
            {"workloadRef": _reference(name, TEMPLATE), **whole},
            beside=beside,
        ),
    ]
    for part, policy in policies.items():
        parent = {"parentCompositePodGroupName": name}
        spec = {"workloadRef": _reference(name, part), **parent, **policy}
        made.append(batch.make("PodGroup", leaf_name(name, part), spec, beside=beside))
    if made[1] is not None:
        batch.tell("note", made[1], "", NEEDS_GATE)
    return None not in made


def leaf_name(name: str, part: str) -> str:
    """Return what the PodGroup of one part is called."""
    return f"{name}-{part}"


def _reference(workload: str, template: str) -> dict[str, str]:
    return {"workloadName": workload, "templateName": template}
