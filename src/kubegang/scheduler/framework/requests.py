"""What a pod asks of its node, added up over its containers.

The rule of the Pod API: containers run together, so their requests add up; init containers
run one after another before them, so only the largest counts, together with the sidecars
already started by then; requests of the pod as a whole override the sum; overhead comes on
top. Amounts are added in thousandths, since the API server keeps no finer ones, and rounded
up at the end. Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Final

from kubegang.api.core.types import Amount, Container, PodSpec
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.framework.extendedresources import ExtendedRequest, may_be_devices
from kubegang.scheduler.framework.pods import Requests

_MAX_INT64: Final = 2**63 - 1
_SCORE_MILLI_CPU: Final = 100
_SCORE_MEMORY_BYTES: Final = 200 * 1024 * 1024
_SCORE_DEFAULTS: Final = {"cpu": _SCORE_MILLI_CPU, "memory": _SCORE_MEMORY_BYTES * 1000}
"""In thousandths: so containers that ask for nothing do not all look free to scoring."""

_Sum = dict[str, int]


def pod_requests(spec: PodSpec) -> Requests:
    """Return what a pod of this spec asks for."""
    totals = _pod_total(spec, {})
    for_score = _pod_total(spec, _SCORE_DEFAULTS)
    items = tuple(
        sorted(
            (resource, in_scheduler_units(resource, milli))
            for resource, milli in totals.items()
            if milli > 0
        )
    )
    return _interned(
        Requests(
            items=items,
            score_milli_cpu=in_scheduler_units("cpu", for_score["cpu"]),
            score_memory_bytes=in_scheduler_units("memory", for_score["memory"]),
        )
    )


def extended_requests(spec: PodSpec) -> tuple[ExtendedRequest, ...]:
    """Return what a pod asks for of resources that devices may stand behind, by container."""
    starting = spec.init_containers
    containers = (*starting, *(spec.containers or ()))
    return tuple(
        request
        for position, container in enumerate(containers)
        for request in _of_container(container, position, is_init=position < len(starting))
    )


def _of_container(
    container: Container, position: int, *, is_init: bool
) -> Iterator[ExtendedRequest]:
    asked = container.resources.requests
    is_short = is_init and container.restart_policy != "Always"
    for place, resource in enumerate(sorted(asked)):
        amount = in_scheduler_units(resource, amount_milli(asked[resource]))
        if amount > 0 and may_be_devices(resource):
            yield ExtendedRequest(container.name, position, is_short, resource, place, amount)


def in_scheduler_units(resource: str, milli: int) -> int:
    """Return thousandths as milli-CPU for cpu, else as whole units, rounded up."""
    units = milli if resource == "cpu" else -(-milli // 1000)
    return min(units, _MAX_INT64)


@functools.lru_cache(maxsize=4096)
def amount_milli(amount: Amount) -> int:
    """Return a quantity in thousandths, rounded up.

    Raises:
        QuantityError: it is not a quantity.
    """
    quantity = Quantity.parse(amount)
    milli = quantity.milli_value()
    # The quantity stops at int64; amounts so large have no fraction worth keeping.
    return milli if abs(milli) < _MAX_INT64 else quantity.value() * 1000


@functools.lru_cache(maxsize=4096)
def _interned(requests: Requests) -> Requests:
    return requests


def _pod_total(spec: PodSpec, defaults: Mapping[str, int]) -> _Sum:
    running: _Sum = {}
    for container in spec.containers or ():
        _add(running, _container_sum(container, defaults))
    sidecars: _Sum = {}
    starting: _Sum = {}
    for container in spec.init_containers:
        wanted = _container_sum(container, defaults)
        if container.restart_policy == "Always":
            _add(running, wanted)
            _add(sidecars, wanted)
            _raise_to(starting, sidecars)
        else:
            _add(wanted, sidecars)
            _raise_to(starting, wanted)
    _raise_to(running, starting)
    if spec.resources is not None:
        for resource, amount in spec.resources.requests.items():
            if resource in ("cpu", "memory") or resource.startswith("hugepages-"):
                running[resource] = amount_milli(amount)
    _add(running, {resource: amount_milli(amount) for resource, amount in spec.overhead.items()})
    return {**dict.fromkeys(defaults, 0), **running}


def _container_sum(container: Container, defaults: Mapping[str, int]) -> _Sum:
    requests = container.resources.requests
    return {**defaults, **{name: amount_milli(amount) for name, amount in requests.items()}}


def _add(total: _Sum, more: Mapping[str, int]) -> None:
    for resource, milli in more.items():
        total[resource] = total.get(resource, 0) + milli


def _raise_to(total: _Sum, floor: Mapping[str, int]) -> None:
    for resource, milli in floor.items():
        if milli > total.get(resource, 0):
            total[resource] = milli
