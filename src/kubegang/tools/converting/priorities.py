"""Groups that come into being take the priority of their pods.

1.37 starts no pod of a group in which priorities differ, and refuses a group whose class has
``preemptionPolicy: Never`` unless the group says so too (both measured on 1.37.2).
"""

from __future__ import annotations

from kubegang.tools.converting.batch import SCHEDULING, Batch, Item
from kubegang.tools.converting.edits import member, put
from kubegang.tools.converting.generations import RELEASE_OF
from kubegang.tools.converting.podplaces import pod_places

Classes = dict[tuple[str, str], set[str]]
"""The pods' PriorityClasses by namespace and group; the empty text for pods without."""


def classes_of_groups(batch: Batch) -> Classes:
    """Return the PriorityClasses of the pods that name each PodGroup."""
    classes: Classes = {}
    for place in pod_places(batch):
        group = member(place.spec, "schedulingGroup").get("podGroupName")
        if group:
            found = classes.setdefault((place.item.namespace, str(group)), set())
            found.add(str(place.spec.get("priorityClassName") or ""))
    return classes


def agree_on_priorities(batch: Batch) -> None:
    """Give groups that were made or changed their pods' class; refuse what cannot start."""
    if RELEASE_OF[batch.target] == "1.35":
        return
    classes = classes_of_groups(batch)
    for item in batch.of(SCHEDULING, "PodGroup"):
        if item.changed:
            _take_class(batch, item, classes.get((item.namespace, item.name), set()))
            _take_never(batch, item)


def _take_class(batch: Batch, item: Item, found: set[str]) -> None:
    own = str(item.spec.get("priorityClassName") or "")
    if not found - {own}:
        return
    if not own and len(found) == 1:
        name = next(iter(found))
        put(item.spec, "priorityClassName", name)
        batch.tell("note", item, "spec", f"takes the PriorityClass {name} of its pods")
    elif RELEASE_OF[batch.target] == "1.37":
        names = ", ".join(sorted(name or "none" for name in {own, *found}))
        message = f"group and pods have different PriorityClasses ({names}): 1.37 starts none"
        batch.tell("refused", item, "spec.priorityClassName", message)


def _take_never(batch: Batch, item: Item) -> None:
    name = item.spec.get("priorityClassName")
    if not name or RELEASE_OF[batch.target] != "1.37" or "preemptionPolicy" in item.spec:
        return
    for known in batch.of(SCHEDULING, "PriorityClass"):
        if known.name == name and known.body.get("preemptionPolicy") == "Never":
            put(item.spec, "preemptionPolicy", "Never")
