"""Shared counters of partitionable devices: what is left, and what a search takes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from kubegang.api.resource.types import Device
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.framework.devices import DeviceId
from kubegang.scheduler.plugins.dynamicresources.pools import Candidate, Pool, PoolId

_Key = tuple[str, str]
"""The name of a counter set, and of a counter in it."""


class CounterLedger:
    """Keeps what the devices tried so far take, beside what is left of each pool."""

    def __init__(self, pools: tuple[Pool, ...], allocated: Set[DeviceId]) -> None:
        self._pools = {pool.id: pool for pool in pools}
        self._allocated = allocated
        self._left: dict[PoolId, Counter[_Key]] = {}

    def take(self, candidate: Candidate) -> bool:
        """Take what a device needs, if there is enough of everything in its pool.

        Counters that are overdrawn already hold up every device of the pool that takes any.
        """
        left = self._left_of(candidate.pool)
        left.subtract(_taken(candidate.device))
        if min(left.values(), default=0) >= 0:
            return True
        self.give_back(candidate)
        return False

    def give_back(self, candidate: Candidate) -> None:
        """Undo one ``take``."""
        self._left_of(candidate.pool).update(_taken(candidate.device))

    def _left_of(self, id_: PoolId) -> Counter[_Key]:
        left = self._left.get(id_)
        if left is None:
            left = self._left[id_] = self._available(self._pools[id_])
        return left

    def _available(self, pool: Pool) -> Counter[_Key]:
        left: Counter[_Key] = Counter(
            {
                (counters.name, name): _amount(counter.value)
                for counters in pool.counter_sets.values()
                for name, counter in counters.counters.items()
            }
        )
        for candidate in (*pool.candidates, *pool.elsewhere):
            if candidate.id in self._allocated:
                left.subtract(_taken(candidate.device))
        return left


def _taken(device: Device) -> Counter[_Key]:
    taken: Counter[_Key] = Counter()
    for consumption in device.consumes_counters:
        for name, counter in consumption.counters.items():
            taken[consumption.counter_set, name] += _amount(counter.value)
    return taken


def _amount(value: str | float) -> int:
    return Quantity.parse(value).nano_value()
