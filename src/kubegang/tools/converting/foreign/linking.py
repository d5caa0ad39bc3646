"""What the modules for other schedulers share: PodGroups with ``minMember``, and pods' ties."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.tools.converting.batch import Batch, Item
from kubegang.tools.converting.edits import made, put, remove, rename
from kubegang.tools.converting.podplaces import PodPlace
from kubegang.tools.converting.raising import HUB

NO_MINIMUM = (
    "no minMember of 1 or more: such a group starts with any number of pods, which no gang says; "
    "set minMember to the number of pods that must start together"
)


def to_pod_group(batch: Batch, item: Item, lost: Mapping[str, str]) -> None:
    """Make an object with ``spec.minMember`` a PodGroup, in place.

    Args:
        batch: all objects.
        item: the object.
        lost: why fields have no counterpart; those not named are lost as well.
    """
    spec, minimum = item.spec, item.spec.get("minMember")
    if not isinstance(minimum, int) or minimum < 1:
        batch.tell("refused", item, "spec.minMember", NO_MINIMUM)
        return
    rename(spec, "minMember", "schedulingPolicy")
    put(spec, "schedulingPolicy", {"gang": {"minCount": int(minimum)}})
    for key in [key for key in spec if key not in _KEPT]:
        batch.lose(item, spec, key, field="spec", why=lost.get(key, "has no counterpart"))
    if spec.get("priorityClassName") == "":
        remove(spec, "priorityClassName")
    batch.leave_out_status(item)
    put(item.body, "apiVersion", HUB)


_KEPT = ("schedulingPolicy", "schedulingConstraints", "priorityClassName")


def tie(batch: Batch, place: PodPlace, group: str, schedulers: tuple[str, ...]) -> None:
    """Let a pod name a PodGroup, and leave its former scheduler."""
    if "schedulingGroup" in place.spec:
        message = "names two groups, one of them of another scheduler"
        batch.tell("refused", place.item, place.field("spec.schedulingGroup"), message)
        return
    put(place.spec, "schedulingGroup", {"podGroupName": group})
    leave(batch, place, schedulers)


def leave(batch: Batch, place: PodPlace, schedulers: tuple[str, ...]) -> None:
    """Let a pod leave its former scheduler."""
    scheduler = str(place.spec.get("schedulerName") or "")
    field = place.field("spec.schedulerName")
    if scheduler in schedulers:
        remove(place.spec, "schedulerName")
        batch.tell("note", place.item, field, f"left out: {scheduler} knows no such groups")
    elif scheduler not in {"", "default-scheduler", "kubegang"}:
        message = f"kept: {scheduler} must be a scheduler that knows PodGroups of Kubernetes"
        batch.tell("note", place.item, field, message)


def lose_mark(batch: Batch, place: PodPlace, kind: str, key: str, why: str) -> None:
    """Take off a label or annotation that has no counterpart, and tell it."""
    if key in place.marks(kind):
        field = place.field(f"metadata.{kind}[{key}]")
        place.take(kind, key)
        batch.tell("loss", place.item, field, why)


def make_group(batch: Batch, beside: Item, name: str, *, minimum: int, topology: str = "") -> None:
    """Add the PodGroup of pods that were only marked as a group."""
    spec: dict[str, object] = {"schedulingPolicy": {"gang": {"minCount": minimum}}}
    if topology:
        spec["schedulingConstraints"] = {"topology": [{"key": topology}]}
    batch.make("PodGroup", name, spec, beside=beside)


def topology_of(key: str) -> object:
    """Return ``schedulingConstraints`` for one label key."""
    return made({"topology": [{"key": key}]})
