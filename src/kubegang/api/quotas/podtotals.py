"""What a pod as a whole requests and is limited to.

Containers run together, so theirs add up; init containers run one after another before them,
so only the largest counts, beside the sidecars started by then. What the pod says of itself as
a whole overrides the sum, and overhead comes on top. Pure.
"""

from __future__ import annotations

from typing import Literal

from kubegang.api.quotas.amounts import Amounts, added, amounts_of, greatest
from kubegang.apimachinery.objects import JsonObject

Side = Literal["requests", "limits"]


def pod_total(pod: JsonObject, side: Side) -> Amounts:
    """Return the sum of a pod's requests, or of its limits."""
    spec = pod.get("spec") or {}
    running = added(_amounts(container, side) for container in spec.get("containers") or ())
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _amounts(container, side)
        if container.get("restartPolicy") == "Always":
            sidecars = added((sidecars, own))
            starting = greatest((starting, sidecars))
        else:
            starting = greatest((starting, added((sidecars, own))))
    total = greatest((added((running, sidecars)), starting))
    total |= amounts_of((spec.get("resources") or {}).get(side))
    return _with_overhead(total, amounts_of(spec.get("overhead")), side)


def _with_overhead(total: Amounts, overhead: Amounts, side: Side) -> Amounts:
    """Add overhead; to limits only where there is one."""
    if side == "limits":
        overhead = {name: amount for name, amount in overhead.items() if name in total}
    return added((total, overhead))


def _amounts(container: JsonObject, side: Side) -> Amounts:
    return amounts_of((container.get("resources") or {}).get(side))
