"""Kueue: plain pods that labels and annotations make a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.tools.converting.batch import Batch
from kubegang.tools.converting.edits import Map, member, members, remove
from kubegang.tools.converting.foreign.linking import lose_mark, make_group, tie
from kubegang.tools.converting.podplaces import PodPlace, pod_places

PREFIX = "kueue.x-k8s.io/"
NAME = f"{PREFIX}pod-group-name"
COUNT = f"{PREFIX}pod-group-total-count"
TOPOLOGY = f"{PREFIX}podset-required-topology"
GATES = (f"{PREFIX}admission", f"{PREFIX}topology")
MANAGED = f"{PREFIX}managed"

_WHY: Mapping[str, str] = {
    f"{PREFIX}queue-name": "the group is scheduled by Kubernetes and passes no quota of Kueue",
    f"{PREFIX}priority-class": "a WorkloadPriorityClass orders Kueue's queues only",
    f"{PREFIX}podset-preferred-topology": "a preferred topology has no counterpart",
    f"{PREFIX}podset-unconstrained-topology": "accounting of Kueue's topology has no counterpart",
    f"{PREFIX}retriable-in-group": "failed pods are replaced by whoever made them, or not",
    f"{PREFIX}pod-group-serving": "whether a group serves has no counterpart",
    f"{PREFIX}pod-group-fast-admission": "a group needs no admission before its pods exist",
}


def bring_in_kueue(batch: Batch) -> None:
    """Bring marked pods to the 1.37 form, with a PodGroup for each group."""
    groups: dict[tuple[str, str], list[PodPlace]] = {}
    for place in pod_places(batch):
        name = place.marks("labels").get(NAME)
        if name:
            groups.setdefault((place.item.namespace, str(name)), []).append(place)
    for (_, name), places in groups.items():
        _bring_in(batch, name, places)


def _bring_in(batch: Batch, name: str, places: list[PodPlace]) -> None:
    first = places[0]
    counts = {str(place.marks("annotations").get(COUNT)) for place in places}
    topologies = {str(place.marks("annotations").get(TOPOLOGY, "")) for place in places}
    count = counts.pop()
    if counts or not count.isdecimal() or int(count) < 1:
        message = "need the same number of pods, 1 or more, on every pod of the group"
        batch.tell("refused", first.item, first.field(f"metadata.annotations[{COUNT}]"), message)
        return
    topology = topologies.pop()
    if topologies:
        message = "differs between the pods of the group, and a group has one constraint"
        batch.tell("refused", first.item, first.field(f"metadata.annotations[{TOPOLOGY}]"), message)
        return
    make_group(batch, first.item, name, minimum=int(count), topology=topology)
    for place in places:
        _clean(batch, place)
        tie(batch, place, name, ())


def _clean(batch: Batch, place: PodPlace) -> None:
    place.take("labels", NAME)
    place.take("labels", MANAGED)
    place.take("annotations", COUNT)
    place.take("annotations", TOPOLOGY)
    for kind in ("labels", "annotations"):
        for key in [key for key in place.marks(kind) if key.startswith(PREFIX)]:
            lose_mark(batch, place, kind, key, _WHY.get(key, "has no counterpart"))
    _drop_gates(place)


def _drop_gates(place: PodPlace) -> None:
    """Take off what only Kueue would ever take off: its gates and its finalizer."""
    gates = place.spec.get("schedulingGates")
    if isinstance(gates, list):
        kept = [gate for gate in members(gates) if gate.get("name") not in GATES]
        _keep(place.spec, "schedulingGates", kept, gates)
    metadata = member(place.pod, "metadata")
    finalizers = metadata.get("finalizers")
    if isinstance(finalizers, list):
        _keep(metadata, "finalizers", [one for one in finalizers if one != MANAGED], finalizers)


def _keep(holder: Map, key: str, kept: Sequence[object], listed: list[object]) -> None:
    if not kept:
        remove(holder, key)
    elif len(kept) < len(listed):
        listed[:] = kept
