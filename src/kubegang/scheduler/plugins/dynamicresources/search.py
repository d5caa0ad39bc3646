"""The search for devices: depth first, with everything that was taken kept in order.

Claims, their requests, and the devices of a request are taken in order, and every device that
fits is tried in the order of ``pools.py``; the first complete answer is the answer. Within a
request only combinations are tried, not permutations: the next device is looked for behind
the last one. An alternative of a request is tried after the ones before it failed.

Nothing here reads a clock: a search that may take only so long counts its steps instead, each
device that is looked at, so that the same search always ends in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from kubegang.api.resource.types import AllocationResult, ResourceClaim
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.framework.devices import Allocated, DeviceId
from kubegang.scheduler.plugins.dynamicresources.capacity import (
    CapacityError,
    has_room,
    taken_capacity,
)
from kubegang.scheduler.plugins.dynamicresources.constraints import Constraint, constraint_of
from kubegang.scheduler.plugins.dynamicresources.counters import CounterLedger
from kubegang.scheduler.plugins.dynamicresources.matching import Matcher, is_tainted
from kubegang.scheduler.plugins.dynamicresources.pools import Candidate, Pool
from kubegang.scheduler.plugins.dynamicresources.requests import (
    ALL,
    MAX_DEVICES,
    AllocationError,
    AllocationRules,
    DeviceFeatures,
    Wanted,
    claim_name,
)
from kubegang.scheduler.plugins.dynamicresources.results import Chosen, allocation_result


class SearchLimitError(Exception):
    """A search looked at as many devices as it may, and had found nothing."""


class Plan(NamedTuple):
    """A request or alternative, how many devices it takes, and which, if it takes all."""

    wanted: Wanted
    devices: int
    everything: tuple[Candidate, ...]


class _Outcome(Enum):
    FOUND = auto()
    NONE = auto()
    TOO_MANY = auto()
    """No answer can have so many devices: earlier devices need not be changed, only requests."""


class Search:
    """The state of one search: what was chosen so far, and what that takes."""

    def __init__(
        self,
        claims: Sequence[ResourceClaim],
        plans: list[list[tuple[Plan, ...]]],
        *,
        pools: tuple[Pool, ...],
        matcher: Matcher,
        allocated: Allocated,
        features: DeviceFeatures,
        rules: AllocationRules,
        most_steps: float,
    ) -> None:
        self._claims = claims
        self._steps_left = most_steps
        self._names = [claim_name(claim) for claim in claims]
        self._plans = plans
        self._candidates = [c for pool in pools if pool.usable for c in pool.candidates]
        self._constraints = [_constraints(claim) for claim in claims]
        self._ledger = CounterLedger(pools, allocated.every)
        self._matcher = matcher
        self._allocated = allocated
        self._features = features
        self._rules = rules
        self._chosen: list[list[Chosen]] = [[] for _ in claims]
        self._ways: list[list[Plan]] = [[ways[0] for ways in plan] for plan in plans]

    def run(self) -> bool:
        """Search; return whether all claims were fulfilled.

        Raises:
            SearchLimitError: it took too many steps.
        """
        return self._claim(0) is _Outcome.FOUND

    def results(self, node: str, new_share_id: Callable[[], str]) -> tuple[AllocationResult, ...]:
        """Return what was found."""
        return tuple(
            allocation_result(
                claim,
                self._chosen[position],
                requests=[way.wanted for way in self._ways[position]],
                node=node,
                binding_conditions=self._features.binding_conditions,
                names_for_all=not self._rules.config_for_all_names_none,
                new_share_id=new_share_id,
            )
            for position, claim in enumerate(self._claims)
        )

    def _claim(self, claim: int) -> _Outcome:
        if claim >= len(self._claims):
            return _Outcome.FOUND
        return self._request(claim, 0)

    def _request(self, claim: int, request: int) -> _Outcome:
        if request >= len(self._plans[claim]):
            # Another claim that gets too large is no reason to leave this one as it is.
            outcome = self._claim(claim + 1)
            return _Outcome.NONE if outcome is _Outcome.TOO_MANY else outcome
        ways = self._plans[claim][request]
        worst = _Outcome.TOO_MANY
        for way in ways:
            self._ways[claim][request] = way
            outcome = self._device(claim, request, position=0, start=0)
            if outcome is _Outcome.FOUND:
                return outcome
            if outcome is _Outcome.NONE:
                worst = outcome
        return worst

    def _device(self, claim: int, request: int, *, position: int, start: int) -> _Outcome:
        self._count_step()
        way = self._ways[claim][request]
        if way.wanted.mode == ALL and not way.everything:
            return _Outcome.NONE
        if position >= way.devices:
            return self._request(claim, request + 1)
        if way.devices - position > MAX_DEVICES - len(self._chosen[claim]):
            return _Outcome.TOO_MANY
        if way.wanted.mode == ALL:
            return self._this(claim, request, position=position)
        return self._any(claim, request, position=position, start=start)

    def _this(self, claim: int, request: int, *, position: int) -> _Outcome:
        """Take the device that comes next in a request for all."""
        way = self._ways[claim][request]
        candidate = way.everything[position]
        if not self._take(claim, way.wanted, candidate, must=True):
            return _Outcome.NONE
        outcome = self._device(claim, request, position=position + 1, start=0)
        if outcome is not _Outcome.FOUND:
            self._give_back(claim, way.wanted, candidate)
        return outcome

    def _any(self, claim: int, request: int, *, position: int, start: int) -> _Outcome:
        """Try the devices from ``start`` on, one after the other."""
        way = self._ways[claim][request]
        for index in range(start, len(self._candidates)):
            self._count_step()
            candidate = self._candidates[index]
            if self._in_use(claim, way.wanted, candidate.id):
                continue
            if not self._matcher.selects(self._names[claim], way.wanted, candidate):
                continue
            if not self._take(claim, way.wanted, candidate, must=False):
                continue
            outcome = self._device(claim, request, position=position + 1, start=index + 1)
            if outcome is _Outcome.FOUND:
                return outcome
            self._give_back(claim, way.wanted, candidate)
            if outcome is _Outcome.TOO_MANY:
                return outcome
        return _Outcome.NONE

    def _count_step(self) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise SearchLimitError

    def _in_use(self, claim: int, wanted: Wanted, id_: DeviceId) -> bool:
        if wanted.admin_access:
            return any(c.candidate.id == id_ and c.share is None for c in self._chosen[claim])
        return id_ in self._allocated.devices or any(
            c.candidate.id == id_ and c.share is None for chosen in self._chosen for c in chosen
        )

    def _shares(self, id_: DeviceId) -> list[Chosen]:
        """Return how this search uses a shared device so far."""
        return [
            c
            for chosen in self._chosen
            for c in chosen
            if c.candidate.id == id_ and c.share is not None
        ]

    def _counts(self, candidate: Candidate) -> bool:
        """Return whether taking a device takes counters: the first share does, no other."""
        if not candidate.device.consumes_counters:
            return False
        if not (self._features.consumable_capacity and candidate.device.allow_multiple_allocations):
            return True
        return candidate.id not in self._allocated.shared and not self._shares(candidate.id)

    def _room(self, claim: int, wanted: Wanted, candidate: Candidate) -> dict[str, Quantity] | None:
        """Return what would be taken of a device's capacity; ``None`` if it is too much."""
        if not self._features.consumable_capacity:
            return {}
        in_use = Counter(self._allocated.capacity.get(candidate.id, Counter()))
        for other in self._shares(candidate.id):
            in_use.update({n: q.nano_value() for n, q in (other.share or {}).items()})
        taken = share_of(self._names[claim], wanted, candidate, name=str(candidate.id))
        if taken is None or not has_room(taken, candidate.device.capacity, in_use=in_use):
            return None
        return taken

    def _take(self, claim: int, wanted: Wanted, candidate: Candidate, *, must: bool) -> bool:
        """Choose a device, unless something speaks against it."""
        if self._in_use(claim, wanted, candidate.id):
            return False
        counts = self._counts(candidate)
        if counts and not (self._features.partitionable_devices and self._ledger.take(candidate)):
            return False
        tainted = self._features.device_taints and is_tainted(candidate, wanted)
        if tainted or not self._constrain(claim, wanted, candidate):
            if counts:
                self._ledger.give_back(candidate)
            if must and not tainted:
                raise AllocationError(
                    f"claim {self._names[claim]}, request {wanted.name}: cannot add device "
                    f"{candidate.id} because a claim constraint would not be satisfied"
                )
            return False
        taken = self._room(claim, wanted, candidate)
        if taken is None:
            self._forget(claim, wanted, candidate, counts=counts)
            return False
        is_shared = (
            self._features.consumable_capacity and candidate.device.allow_multiple_allocations
        )
        self._chosen[claim].append(Chosen(wanted, candidate, taken if is_shared else None))
        return True

    def _constrain(self, claim: int, wanted: Wanted, candidate: Candidate) -> bool:
        added: list[Constraint] = []
        for constraint in self._constraints[claim]:
            if not constraint.add(wanted.names, candidate):
                for earlier in reversed(added):
                    earlier.remove(wanted.names, candidate)
                return False
            added.append(constraint)
        return True

    def _give_back(self, claim: int, wanted: Wanted, candidate: Candidate) -> None:
        self._chosen[claim].pop()
        self._forget(claim, wanted, candidate, counts=self._counts(candidate))

    def _forget(self, claim: int, wanted: Wanted, candidate: Candidate, *, counts: bool) -> None:
        for constraint in reversed(self._constraints[claim]):
            constraint.remove(wanted.names, candidate)
        if counts:
            self._ledger.give_back(candidate)


def share_of(
    claim: str, wanted: Wanted, candidate: Candidate, *, name: str
) -> dict[str, Quantity] | None:
    """Return what a request would take of a device's capacity.

    Raises:
        AllocationError: an amount cannot be computed with; ``name`` is the device in its text.
    """
    try:
        return taken_capacity(wanted.capacity, candidate.device.capacity)
    except CapacityError as error:
        raise AllocationError(
            f"claim {claim}, request {wanted.name}: checking capacity for device {name}: {error}"
        ) from error


def _constraints(claim: ResourceClaim) -> list[Constraint]:
    constraints: list[Constraint] = []
    for position, constraint in enumerate(claim.spec.devices.constraints):
        known = constraint_of(constraint)
        if known is None:
            raise AllocationError(
                f"claim {claim_name(claim)}, constraint #{position}: empty constraint "
                "(unsupported constraint type?)"
            )
        constraints.append(known)
    return constraints
