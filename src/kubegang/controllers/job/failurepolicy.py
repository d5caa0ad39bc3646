"""What a pod's failure means under ``spec.podFailurePolicy``: the first rule that fits decides.

Source: batch/v1 PodFailurePolicy, KEP-3329. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.jobs import limits_each_index


class Meaning(msgspec.Struct, frozen=True):
    """What one failed pod means for its Job.

    Attributes:
        counts: whether it counts towards the limits.
        action: of the rule that fits, empty if none does.
        message: why the whole Job fails, if the action is FailJob.
    """

    counts: bool = True
    action: str = ""
    message: str = ""


def meaning_of(job: JsonObject, pod: JsonObject) -> Meaning:
    """Return what the failure of a pod means."""
    rules = (job["spec"].get("podFailurePolicy") or {}).get("rules") or ()
    for number, rule in enumerate(rules):
        if rule["action"] == "FailIndex" and not limits_each_index(job):
            continue
        fits = _reason(rule, pod)
        if fits:
            action = rule["action"]
            message = f"{fits} matching {action} rule at index {number}"
            return Meaning(action != "Ignore", action, message if action == "FailJob" else "")
    return Meaning()


def _reason(rule: JsonObject, pod: JsonObject) -> str:
    """Return why a rule fits a pod, empty if it does not."""
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    if rule.get("onExitCodes"):
        for container, code in _exit_codes(pod):
            if _fits_code(rule["onExitCodes"], container, code):
                return f"Container {container} for pod {name} failed with exit code {code}"
        return ""
    patterns = [(p["type"], p.get("status", "True")) for p in rule.get("onPodConditions") or ()]
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if (condition["type"], condition["status"]) in patterns:
            return f"Pod {name} has condition {condition['type']}"
    return ""


def _exit_codes(pod: JsonObject) -> Iterator[tuple[str, int]]:
    """Yield the containers that ended badly, with their exit codes."""
    status = pod.get("status") or {}
    for field in ("containerStatuses", "initContainerStatuses"):
        for container in status.get(field) or ():
            ended = (container.get("state") or {}).get("terminated") or {}
            if ended.get("exitCode"):
                yield container["name"], int(ended["exitCode"])


def _fits_code(wanted: JsonObject, container: str, code: int) -> bool:
    if wanted.get("containerName") not in (None, container):
        return False
    return bool((code in wanted["values"]) == (wanted["operator"] == "In"))
