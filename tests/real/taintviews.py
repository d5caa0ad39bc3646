"""What pods with tainted devices and rules look like, in words that two clusters share."""

from __future__ import annotations

import re

from tests.component.claimobjects import Json

TOLD = "DeviceTaintManagerEviction"
MARKED = "Marking for deletion"

_EVICTED = re.compile(r"[0-9]+ pods?(?= evicted since)")


def pod_view(pod: Json) -> Json:
    """Return what became of a pod."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return {
        "phase": pod["status"].get("phase"),
        "going": "deletionTimestamp" in pod["metadata"],
        "told": [_without_time(one) for one in conditions if one["type"] == "DisruptionTarget"],
    }


def told_of_pods(events: list[Json]) -> list[Json]:
    """Return what was told of pods.

    Whether a pod that was deleted is cancelled later is chance: it is, if one of its claims
    changed, perhaps for another pod's sake, just after and not just before it was deleted.
    """
    marked = {e["involvedObject"]["name"] for e in events if e["message"] == MARKED}
    kept = [
        e for e in events if e["message"] == MARKED or e["involvedObject"]["name"] not in marked
    ]
    return sorted((_of_event(event) for event in kept), key=str)


def _of_event(event: Json) -> Json:
    about = {key: value for key, value in event["involvedObject"].items() if key != "namespace"}
    about["uid"] = "uid" in about
    kept = ("type", "message", "source", "reportingComponent", "count")
    return {"about": about, **{key: event.get(key) for key in kept}}


def rule_view(rule: Json) -> Json:
    """Return what is reported of a rule."""
    conditions = (rule.get("status") or {}).get("conditions") or ()
    if rule["apiVersion"].endswith("v1alpha3"):
        # 1.35 counts a pod that is going again with each change of its claims, by whomever.
        conditions = [{**c, "message": _EVICTED.sub("some", c["message"])} for c in conditions]
    managers = [
        [entry["manager"], entry["operation"], entry.get("subresource")]
        for entry in rule["metadata"].get("managedFields") or ()
        if entry.get("subresource") == "status"
    ]
    return {
        "generation": rule["metadata"].get("generation"),
        "conditions": [_without_time(one) for one in conditions],
        "managers": managers,
    }


def _without_time(condition: Json) -> Json:
    return {key: value for key, value in condition.items() if key != "lastTransitionTime"}
