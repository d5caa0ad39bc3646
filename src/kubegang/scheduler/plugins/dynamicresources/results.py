"""From chosen devices to ``status.allocation``. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kubegang.api.core.affinity import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubegang.api.resource.types import (
    AllocationResult,
    DeviceAllocationResult,
    DeviceRequestAllocationResult,
    ResourceClaim,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.plugins.dynamicresources.pools import Candidate
from kubegang.scheduler.plugins.dynamicresources.requests import AllocationError, Wanted


class Chosen(NamedTuple):
    """A device, and the request that it was chosen for; ``share`` if others can have it too."""

    wanted: Wanted
    candidate: Candidate
    share: Mapping[str, Quantity] | None


def allocation_result(
    claim: ResourceClaim,
    chosen: Sequence[Chosen],
    *,
    requests: Sequence[Wanted],
    node: str,
    binding_conditions: bool,
    names_for_all: bool,
    new_share_id: Callable[[], str],
) -> AllocationResult:
    """Return what is written into the claim's status.

    Args:
        claim: the claim.
        chosen: its devices, in the order in which they were chosen.
        requests: what was fulfilled: of each request, the alternative that was taken.
        node: the node for which the devices were chosen.
        binding_conditions: whether the gate DRADeviceBindingConditions is on.
        names_for_all: whether configuration for every request names them.
        new_share_id: gives a name to a share of a device.

    Raises:
        AllocationError: a slice has a node selector of a form that the API refuses.
    """
    try:
        selector = _node_selector([c.candidate for c in chosen], node)
    except AllocationError as error:
        raise AllocationError(
            f"create NodeSelector for claim {claim.metadata.name}: {error}"
        ) from error
    return AllocationResult(
        devices=DeviceAllocationResult(
            results=tuple(
                _device(
                    c,
                    binding_conditions=binding_conditions,
                    share_id=new_share_id() if c.share is not None else "",
                )
                for c in chosen
            ),
            config=tuple(
                entry if names_for_all else _for_all_left_out(entry, requests)
                for entry in _config(claim, requests)
            ),
        ),
        node_selector=selector,
    )


def _device(
    chosen: Chosen, *, binding_conditions: bool, share_id: str
) -> DeviceRequestAllocationResult:
    wanted, (id_, device, _), share = chosen
    return DeviceRequestAllocationResult(
        request=wanted.result_name,
        driver=id_.driver,
        pool=id_.pool,
        device=id_.device,
        admin_access=True if wanted.admin_access else None,
        tolerations=wanted.tolerations,
        binding_conditions=device.binding_conditions if binding_conditions else (),
        binding_failure_conditions=device.binding_failure_conditions if binding_conditions else (),
        share_id=share_id,
        consumed_capacity={name: amount.canonical() for name, amount in (share or {}).items()},
    )


def _config(claim: ResourceClaim, requests: Sequence[Wanted]) -> list[JsonObject]:
    """Return the classes' configuration, once per class, then the claim's own."""
    users: dict[str, list[Wanted]] = {}
    for wanted in requests:
        users.setdefault(wanted.device_class.metadata.name, []).append(wanted)
    config: list[JsonObject] = [
        {"source": "FromClass", "requests": [w.result_name for w in wanting], **entry}
        for wanting in users.values()
        for entry in wanting[0].device_class.spec.config
    ]
    for entry in claim.spec.devices.config:
        named = entry.get("requests") or []
        if not named or any(name in named for wanted in requests for name in wanted.names):
            config.append({"source": "FromClaim", **entry})
    return config


def _for_all_left_out(entry: JsonObject, requests: Sequence[Wanted]) -> JsonObject:
    # Configuration for every request names none: that means all.
    named = entry.get("requests") or []
    if named and not all(any(name in named for name in wanted.names) for wanted in requests):
        return entry
    return {key: value for key, value in entry.items() if key != "requests"}


def _node_selector(candidates: Sequence[Candidate], node: str) -> NodeSelector | None:
    """Return the nodes that can use the devices; ``None`` if all can."""
    fields: list[NodeSelectorRequirement] = []
    expressions: list[NodeSelectorRequirement] = []
    for candidate in candidates:
        per_device = candidate.published.per_device_node_selection
        place = candidate.device if per_device else candidate.published
        if place.node_name or candidate.device.binds_to_node:
            name = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node,))
            return NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(name,)),))
        terms = (place.node_selector and place.node_selector.node_selector_terms) or ()
        if len(terms) > 1:
            raise AllocationError(f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms")
        for term in terms:
            _add_new(fields, term.match_fields)
            _add_new(expressions, term.match_expressions)
    if not fields and not expressions:
        return None
    term = NodeSelectorTerm(match_expressions=tuple(expressions), match_fields=tuple(fields))
    return NodeSelector(node_selector_terms=(term,))


def _add_new(known: list[NodeSelectorRequirement], more: Sequence[NodeSelectorRequirement]) -> None:
    for requirement in more:
        if not any(_same(requirement, other) for other in known):
            known.append(requirement)


def _same(one: NodeSelectorRequirement, other: NodeSelectorRequirement) -> bool:
    return (
        one.key == other.key
        and one.operator == other.operator
        and set(one.values) == set(other.values)
    )
