"""KAI Scheduler: its PodGroups, and the annotation by which pods belong to them."""

from __future__ import annotations

from kubegang.tools.converting.batch import Batch, Item
from kubegang.tools.converting.edits import member, put, remove
from kubegang.tools.converting.foreign.linking import lose_mark, tie, to_pod_group, topology_of
from kubegang.tools.converting.podplaces import pod_places

GROUP = "scheduling.run.ai"
ANNOTATION = "pod-group-name"
SUBGROUP = "kai.scheduler/subgroup-name"
QUEUES = ("kai.scheduler/queue", "runai/queue")
SCHEDULERS = ("kai-scheduler",)

_QUEUE_LOST = "Kubernetes has no queues with shares; quotas of namespaces come closest"
_LOST = {
    "queue": _QUEUE_LOST,
    "subGroups": "a group has one minimum; minima of parts need groups of their own",
    "minSubGroup": "a group counts pods, not parts",
    "preemptibility": "say it with the PriorityClass: groups of higher priority preempt",
    "topologyConstraint": "only one required level is known to Kubernetes",
}


def bring_in_kai(batch: Batch) -> None:
    """Bring PodGroups and annotated pods to the 1.37 form."""
    for item in batch.of(GROUP, "PodGroup"):
        _topology(batch, item)
        to_pod_group(batch, item, _LOST)
    for place in pod_places(batch):
        if ANNOTATION not in place.marks("annotations"):
            continue
        tie(batch, place, str(place.take("annotations", ANNOTATION)), SCHEDULERS)
        lose_mark(batch, place, "labels", SUBGROUP, "a group has no parts")
        for label in QUEUES:
            lose_mark(batch, place, "labels", label, _QUEUE_LOST)


def _topology(batch: Batch, item: Item) -> None:
    """Turn a required level into a constraint; KAI names levels by the key of the node label."""
    wanted = member(item.spec, "topologyConstraint")
    required = wanted.get("requiredTopologyLevel")
    if not required:
        return
    put(item.spec, "schedulingConstraints", topology_of(str(required)), after="topologyConstraint")
    if wanted.get("preferredTopologyLevel"):
        message = "a topology that is only preferred has no counterpart"
        field = "spec.topologyConstraint.preferredTopologyLevel"
        batch.tell("loss", item, field, message)
    if wanted.get("topology"):
        topology = wanted["topology"]
        message = f"{required} is taken as the key of a node label, as Topology {topology} has it"
        batch.tell("note", item, "spec.topologyConstraint.topology", message)
    remove(item.spec, "topologyConstraint")
