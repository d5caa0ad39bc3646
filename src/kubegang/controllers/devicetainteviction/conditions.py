"""What is reported of a rule: whether pods are being evicted for it, and how many. Pure.

Source: KEP-5055; texts measured on 1.37.2.
"""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.objects import JsonObject

IN_PROGRESS = "EvictionInProgress"

_NOT_AGAIN = (
    "if the effect was NoExecute. This information will not be updated again. "
    "Recreate the DeviceTaintRule to trigger an update."
)


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule comes to.

    Attributes:
        pods: how many have to go for it, or would have to.
        namespaces: in so many namespaces.
        published: so many published devices it is about.
        allocated: so many times one of them is allocated.
        evicted: so many pods went for it since the controller was started.
    """

    pods: int = 0
    namespaces: int = 0
    published: int = 0
    allocated: int = 0
    evicted: int = 0


def eviction_condition(rule: JsonObject, counts: Counts) -> JsonObject:
    """Return the condition of a rule, without its time."""
    status, reason, message = _said(rule["spec"]["taint"]["effect"], counts)
    if counts.evicted:
        went = f"{_counted(counts.evicted, 'pod')} evicted since starting the controller."
        message = f"{message} {went}" if message else went
    return {
        "type": IN_PROGRESS,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": rule["metadata"].get("generation") or 0,
    }


def _said(effect: str, counts: Counts) -> tuple[str, str, str]:
    """Return status, reason and message."""
    if effect == "None":
        would = f"{_counted(counts.pods, 'pod')} would be evicted in {_spread(counts)}"
        message = (
            f"{_counted(counts.published, 'published device')} selected. "
            f"{_counted(counts.allocated, 'allocated device')} selected. {would} {_NOT_AGAIN}"
        )
        return "False", "NoEffect", message
    if effect != "NoExecute":
        return "False", "OtherEffect", "Eviction only happens for the NoExecute effect."
    if counts.pods:
        need = "pod needs" if counts.pods == 1 else "pods need"
        message = f"{counts.pods} {need} to be evicted in {_spread(counts)}."
        return "True", "PodsPendingEviction", message
    return "False", "Completed" if counts.evicted else "NotStarted", ""


def _spread(counts: Counts) -> str:
    return "1 namespace" if counts.namespaces == 1 else f"{counts.namespaces} different namespaces"


def _counted(number: int, thing: str) -> str:
    return f"1 {thing}" if number == 1 else f"{number} {thing}s"
