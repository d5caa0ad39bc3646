"""Small Jobs and pods for the tests of the Job controller's decisions."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.job.indexes import COMPLETION_INDEX
from kubegang.controllers.job.tally import TRACKING_FINALIZER

CREATED = "2026-11-01T00:00:00Z"


def job(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "ml", "uid": "job-uid"},
        "spec": {
            "parallelism": 2,
            "completions": 2,
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}},
            **spec,
        },
        "status": status or {},
    }


def pod(
    name: str,
    phase: str = "Running",
    *,
    index: int | None = None,
    deleted: bool = False,
    finalizer: bool = True,
    ended: str = "",
    node: str = "n1",
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "ml",
        "uid": name,
        "creationTimestamp": CREATED,
        "finalizers": [TRACKING_FINALIZER] if finalizer else [],
        "annotations": {} if index is None else {COMPLETION_INDEX: str(index)},
    }
    if deleted:
        metadata["deletionTimestamp"] = CREATED
    state = {"terminated": {"finishedAt": ended}} if ended else {}
    return {
        "metadata": metadata,
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "containerStatuses": [{"name": "c", "state": state}]},
    }
