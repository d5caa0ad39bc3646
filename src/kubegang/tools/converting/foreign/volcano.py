"""Volcano: its PodGroups, and the annotation by which pods belong to them."""

from __future__ import annotations

from kubegang.tools.converting.batch import Batch
from kubegang.tools.converting.edits import remove
from kubegang.tools.converting.foreign.linking import tie, to_pod_group
from kubegang.tools.converting.podplaces import pod_places

GROUP = "scheduling.volcano.sh"
ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
SCHEDULERS = ("volcano",)

QUEUE_LOST = "Kubernetes has no queues with shares; quotas of namespaces come closest"
TOPOLOGY_LOST = (
    "a tier is a number of HyperNodes, and Kubernetes wants the key of a node label: say it in "
    "spec.schedulingConstraints"
)

_LOST = {
    "queue": QUEUE_LOST,
    "minResources": "resources are found out from the pods; nothing is refused early by a sum",
    "minTaskMember": "a group has one minimum; minima of single roles need groups of their own",
    "networkTopology": TOPOLOGY_LOST,
    "subGroupPolicy": "a group has no parts; 1.37 has CompositePodGroups, to be written by hand",
}


def bring_in_volcano_groups(batch: Batch) -> None:
    """Bring PodGroups and annotated pods to the 1.37 form."""
    for item in batch.of(GROUP, "PodGroup"):
        if item.spec.get("queue") == "default":
            # Where everything is that names no queue.
            remove(item.spec, "queue")
        to_pod_group(batch, item, _LOST)
    for place in pod_places(batch):
        names = place.take_all("annotations", ANNOTATIONS)
        if len(names) > 1:
            message = "the annotations name different groups"
            batch.tell("refused", place.item, place.field("metadata.annotations"), message)
        elif names:
            tie(batch, place, names.pop(), SCHEDULERS)
