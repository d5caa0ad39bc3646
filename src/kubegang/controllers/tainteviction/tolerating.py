"""How long a pod may stay on a tainted node. Pure.

Source: the field descriptions of taints and tolerations; measured on 1.37.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kubegang.apimachinery.gointegers import parse_int64
from kubegang.apimachinery.objects import JsonObject

NO_EXECUTE = "NoExecute"


def no_execute_taints(node: JsonObject) -> list[JsonObject]:
    """Return the taints of a node that drive pods away."""
    taints = node["spec"].get("taints") or ()
    return [taint for taint in taints if taint["effect"] == NO_EXECUTE]


def may_stay_seconds(pod: JsonObject, taints: Sequence[JsonObject]) -> float | None:
    """Return how long a pod may stay: infinity for ever, ``None`` if a taint is not tolerated.

    Every taint must be tolerated; the shortest of the tolerations in use counts, and one
    without ``tolerationSeconds`` sets no limit of its own.
    """
    tolerations = pod["spec"].get("tolerations") or ()
    limits = [math.inf]
    for taint in taints:
        matching = [one for one in tolerations if _tolerates(one, taint)]
        if not matching:
            return None
        limits += [
            max(float(one["tolerationSeconds"]), 0.0)
            for one in matching[:1]
            if one.get("tolerationSeconds") is not None
        ]
    return min(limits)


def _tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    match toleration.get("operator") or "Equal":
        case "Exists":
            return True
        case "Equal":
            return bool(toleration.get("value", "") == taint.get("value", ""))
        case "Lt" | "Gt" as comparison:
            return _compares(comparison, taint.get("value", ""), toleration.get("value", ""))
    return False


def _compares(comparison: str, of_taint: str, of_toleration: str) -> bool:
    """Return whether the taint's number is less or greater than the toleration's."""
    found, limit = parse_int64(of_taint), parse_int64(of_toleration)
    if found is None or limit is None:
        return False
    return found < limit if comparison == "Lt" else found > limit
