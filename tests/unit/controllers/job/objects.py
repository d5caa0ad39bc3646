"""Small Jobs and pods for the tests of the Job controller's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.apimachinery.times import parse_time
from kubegang.controllers.job.indexes import COMPLETION_INDEX
from kubegang.controllers.job.pods import TRACKING_FINALIZER
from kubegang.controllers.job.tally import Tally, tally

CREATED = "2026-11-01T00:00:00Z"
NOW = parse_time("2026-11-01T01:00:00Z")


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


def indexed(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return job(status, completionMode="Indexed", **spec)


def pod(
    name: str,
    phase: str = "Running",
    *,
    index: int | None = None,
    deleted: bool = False,
    finalizer: bool = True,
    ended: str = "",
    code: int = 0,
    node: str = "n1",
    conditions: Sequence[dict[str, Any]] = (),
    restarts: int = 0,
    annotations: dict[str, str] | None = None,
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "ml",
        "uid": name,
        "creationTimestamp": CREATED,
        "finalizers": [TRACKING_FINALIZER] if finalizer else [],
        "annotations": {
            **(annotations or {}),
            **({} if index is None else {COMPLETION_INDEX: str(index)}),
        },
    }
    if deleted:
        metadata["deletionTimestamp"] = CREATED
    state: dict[str, Any] = {}
    if ended or code:
        state = {"terminated": {"exitCode": code, "finishedAt": ended or CREATED}}
    return {
        "metadata": metadata,
        "spec": {"nodeName": node} if node else {},
        "status": {
            "phase": phase,
            "conditions": list(conditions),
            "containerStatuses": [{"name": "c", "state": state, "restartCount": restarts}],
        },
    }


def count(
    subject: dict[str, Any], pods: Sequence[dict[str, Any]], *, released: Sequence[str] = ()
) -> Tally:
    return tally(subject, pods, released=released)


def ready(since: str = CREATED) -> dict[str, Any]:
    return {"type": "Ready", "status": "True", "lastTransitionTime": since}
