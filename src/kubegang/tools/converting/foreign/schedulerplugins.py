"""The coscheduling plugin of scheduler-plugins: PodGroups and a label on pods."""

from __future__ import annotations

from kubegang.tools.converting.batch import Batch
from kubegang.tools.converting.foreign.linking import tie, to_pod_group
from kubegang.tools.converting.podplaces import pod_places

GROUP = "scheduling.x-k8s.io"
LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
"""The label, and the one of releases before 0.22."""

SCHEDULERS = ("scheduler-plugins-scheduler",)

_LOST = {
    "minResources": "resources are found out from the pods; nothing is refused early by a sum",
    "scheduleTimeoutSeconds": "a gang waits without holding resources, so nothing times out",
}


def bring_in_scheduler_plugins(batch: Batch) -> None:
    """Bring PodGroups and labelled pods to the 1.37 form."""
    for item in batch.of(GROUP, "PodGroup"):
        to_pod_group(batch, item, _LOST)
    for place in pod_places(batch):
        names = place.take_all("labels", LABELS)
        if len(names) > 1:
            message = "the labels name different groups"
            batch.tell("refused", place.item, place.field("metadata.labels"), message)
        elif names:
            tie(batch, place, names.pop(), SCHEDULERS)
