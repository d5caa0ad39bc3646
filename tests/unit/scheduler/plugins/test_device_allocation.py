"""What is written for claims, and what is said when they cannot be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from typing import Any

import msgspec
import pytest

from kubegang.api.meta import decode
from kubegang.api.resource.types import DeviceClass, ResourceClaim, ResourceSlice
from kubegang.scheduler.framework.devices import Allocated, DeviceId
from kubegang.scheduler.plugins.dynamicresources.allocator import allocate
from kubegang.scheduler.plugins.dynamicresources.pools import PublishedDevices
from kubegang.scheduler.plugins.dynamicresources.requests import (
    AllocationError,
    AllocationRules,
    DeviceFeatures,
    NodeAllocationError,
)
from kubegang.scheduler.plugins.dynamicresources.search import SearchLimitError
from kubegang.scheduler.snapshot.devices import KnownDevices
from kubegang.testing.builders import make_node

Wire = dict[str, Any]

DRIVER = "gpu.example.com"
NOTHING = Allocated()
ALL_ON = DeviceFeatures()
RULES = AllocationRules()
RULES_OF_1_36 = AllocationRules(
    config_for_all_names_none=False,
    runtime_errors_name_the_device=False,
    limit_names_the_request=False,
)


def device(name: str, **more: Any) -> Wire:
    return {"name": name, **more}


def published(
    *devices: Wire, name: str = "s0", pool: str = "p0", slices: int = 1, **place: Any
) -> Wire:
    described = {"name": pool, "generation": 1, "resourceSliceCount": slices}
    spec = {"driver": DRIVER, "pool": described, "devices": list(devices)}
    return {"metadata": {"name": name}, "spec": spec | (place or {"nodeName": "n"})}


def claim(*requests: Wire, name: str = "c", **more: Any) -> Wire:
    devices = {"requests": list(requests), **more}
    return {"metadata": {"namespace": "ns", "name": name}, "spec": {"devices": devices}}


def wants(name: str = "r", **more: Any) -> Wire:
    return {
        "name": name,
        "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1} | more,
    }


def selecting(expression: str) -> list[Wire]:
    return [{"cel": {"expression": expression}}]


def outcome(
    claims: Sequence[Wire],
    slices: Sequence[Wire],
    *,
    classes: Sequence[Wire] = ({"metadata": {"name": "gpu"}},),
    allocated: Allocated = NOTHING,
    features: DeviceFeatures = ALL_ON,
    rules: AllocationRules = RULES,
    most_steps: float = math.inf,
) -> list[Wire] | None:
    shares = count()
    found = allocate(
        [decode(one, ResourceClaim) for one in claims],
        node=make_node("n").label("zone", "a").info(),
        published=PublishedDevices(decode(one, ResourceSlice) for one in slices),
        classes={one["metadata"]["name"]: decode(one, DeviceClass) for one in classes},
        allocated=allocated,
        features=features,
        rules=rules,
        new_share_id=lambda: f"share-{next(shares)}",
        most_steps=most_steps,
    )
    return None if found is None else msgspec.json.decode(msgspec.json.encode(found))


def fault(claims: Sequence[Wire], slices: Sequence[Wire] = (), **more: Any) -> str:
    with pytest.raises(AllocationError) as error:
        outcome(claims, slices, **more)
    return str(error.value)


def names(results: list[Wire] | None) -> list[list[str]] | None:
    if results is None:
        return None
    return [[r["device"] for r in result["devices"]["results"]] for result in results]


def test_a_device_of_the_node_ties_the_claim_to_the_node() -> None:
    assert outcome([claim(wants())], [published(device("d0"))]) == [
        {
            "devices": {
                "results": [{"request": "r", "driver": DRIVER, "pool": "p0", "device": "d0"}]
            },
            "nodeSelector": {
                "nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
                ]
            },
        }
    ]


def test_a_device_of_some_nodes_ties_the_claim_to_these_nodes() -> None:
    in_zone = {"key": "zone", "operator": "In", "values": ["a"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [in_zone]}]}
    slices = [
        published(device("d0"), nodeSelector=selector),
        published(device("d1"), pool="p1", name="s1", nodeSelector=selector),
    ]
    found = outcome([claim(wants(count=2))], slices)
    assert found is not None
    assert found[0]["nodeSelector"] == selector


def test_a_device_of_all_nodes_ties_the_claim_to_none() -> None:
    found = outcome([claim(wants())], [published(device("d0"), allNodes=True)])
    assert found is not None
    assert "nodeSelector" not in found[0]


def test_a_node_far_from_a_pool_gets_nothing_of_it() -> None:
    assert outcome([claim(wants())], [published(device("d0"), nodeName="other")]) is None


def test_nodes_can_be_named_per_device() -> None:
    devices = [device("d0", nodeName="other"), device("d1", nodeName="n")]
    slices = [published(*devices, perDeviceNodeSelection=True)]
    assert names(outcome([claim(wants())], slices)) == [["d1"]]


def test_pools_slices_and_devices_are_tried_in_order_and_binding_conditions_last() -> None:
    slices = [
        published(device("d3"), name="z", pool="p1"),
        published(device("d2"), name="s1", slices=2),
        published(device("d1"), device("d0"), name="s0", slices=2),
        published(device("d4", bindingConditions=["ready"]), name="first", pool="a"),
    ]
    found = outcome([claim(wants(count=5))], slices)
    assert names(found) == [["d1", "d0", "d2", "d3", "d4"]]


def test_claims_of_one_pod_do_not_share_a_device() -> None:
    slices = [published(device("d0"), device("d1"))]
    both = [claim(wants(), name="c0"), claim(wants(), name="c1")]
    assert names(outcome(both, slices)) == [["d0"], ["d1"]]
    assert outcome([*both, claim(wants(), name="c2")], slices) is None


def test_admin_access_takes_what_others_have() -> None:
    taken = Allocated(devices={DeviceId(DRIVER, "p0", "d0")})
    slices = [published(device("d0"))]
    assert outcome([claim(wants())], slices, allocated=taken) is None
    found = outcome([claim(wants(adminAccess=True))], slices, allocated=taken)
    assert found is not None
    assert found[0]["devices"]["results"][0]["adminAccess"] is True


def test_alternatives_are_tried_in_order() -> None:
    big = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2, "name": "big"}
    small = big | {"count": 1, "name": "small"}
    request = {"name": "r", "firstAvailable": [big, small]}
    found = outcome([claim(request)], [published(device("d0"))])
    assert found is not None
    assert found[0]["devices"]["results"][0]["request"] == "r/small"


def test_configuration_of_classes_comes_first_and_names_no_request_if_it_is_for_all() -> None:
    setting = {"opaque": {"driver": DRIVER, "parameters": {"x": 1}}}
    other = {"opaque": {"driver": DRIVER, "parameters": {"x": 2}}}
    found = outcome(
        [claim(wants("r0"), wants("r1"), config=[{"requests": ["r1"], **other}, setting])],
        [published(device("d0"), device("d1"))],
        classes=[{"metadata": {"name": "gpu"}, "spec": {"config": [setting]}}],
    )
    assert found is not None
    assert found[0]["devices"]["config"] == [
        {"source": "FromClass", **setting},
        {"source": "FromClaim", "requests": ["r1"], **other},
        {"source": "FromClaim", **setting},
    ]


def test_taints_must_be_tolerated() -> None:
    slices = [published(device("d0", taints=[{"key": "k", "effect": "NoSchedule"}]))]
    tolerations = [{"key": "k", "operator": "Exists"}]
    assert outcome([claim(wants())], slices) is None
    found = outcome([claim(wants(tolerations=tolerations))], slices)
    assert found is not None
    assert found[0]["devices"]["results"][0]["tolerations"] == tolerations


def test_partitions_share_their_counters() -> None:
    def part(name: str) -> Wire:
        takes = [{"counterSet": "card", "counters": {"memory": {"value": "30Gi"}}}]
        return device(name, consumesCounters=takes)

    card = [{"name": "card", "counters": {"memory": {"value": "80Gi"}}}]
    slices = [
        published(part("d0"), part("d1"), part("d2"), slices=2),
        published(name="counters", slices=2, allNodes=True, sharedCounters=card),
    ]
    assert names(outcome([claim(wants(count=2))], slices)) == [["d0", "d1"]]
    assert outcome([claim(wants(count=3))], slices) is None
    taken = Allocated(devices={DeviceId(DRIVER, "p0", "d1")})
    assert names(outcome([claim(wants())], slices, allocated=taken)) == [["d0"]]
    assert outcome([claim(wants(count=2))], slices, allocated=taken) is None


def test_a_device_is_shared_until_its_capacity_is_taken() -> None:
    whole = {"memory": {"value": "80Gi", "requestPolicy": {"default": "10Gi"}}}
    slices = [published(device("d0", allowMultipleAllocations=True, capacity=whole))]
    some: Wire = {"capacity": {"requests": {"memory": "40Gi"}}}
    found = outcome([claim(wants(**some), name="c0"), claim(wants(), name="c1")], slices)
    assert found is not None
    shares = [result["devices"]["results"][0] for result in found]
    assert [share["consumedCapacity"] for share in shares] == [
        {"memory": "40Gi"},
        {"memory": "10Gi"},
    ]
    assert [share["shareID"] for share in shares] == ["share-0", "share-1"]

    devices = KnownDevices()
    for number, result in enumerate(found):
        meta = {"uid": f"u{number}", "name": f"c{number}"}
        devices.set(decode({"metadata": meta, "status": {"allocation": result}}, ResourceClaim))
    held = devices.allocated()
    assert outcome([claim(wants(**some))], slices, allocated=held) is None
    assert names(outcome([claim(wants())], slices, allocated=held)) == [["d0"]]


def test_what_a_pool_lacks_keeps_everything_else_waiting_only_for_all_devices() -> None:
    slices = [published(device("d0"), slices=2), published(device("d1"), pool="p1", name="s1")]
    assert names(outcome([claim(wants())], slices)) == [["d1"]]
    assert fault([claim(wants(allocationMode="All"))], slices) == (
        "claim ns/c, request r: asks for all devices, but resource pool gpu.example.com/p0 is "
        "currently being updated"
    )


def test_an_invalid_pool_is_the_reason_on_its_node_only() -> None:
    slices = [published(device("d0"), device("d0"))]
    with pytest.raises(NodeAllocationError, match="invalid resource pools were encountered"):
        outcome([claim(wants())], slices)


def test_a_class_that_is_not_there_is_named() -> None:
    assert fault([claim(wants(deviceClassName="none"))]) == (
        "claim ns/c, request r: could not retrieve device class none: "
        'deviceclass.resource.k8s.io "none" not found'
    )


def test_expressions_that_fail_end_the_attempt() -> None:
    slices = [published(device("d0"))]
    text = fault([claim(wants(selectors=selecting(f'device.attributes["{DRIVER}"].x')))], slices)
    assert text.startswith(
        "claim ns/c: selector #0 on device gpu.example.com/p0/d0: CEL runtime error: no such key: x"
    )
    text = fault([claim(wants(selectors=selecting("device.foo")))], slices)
    assert text.startswith("claim ns/c: selector #0: CEL compile error: compilation failed: ")


def test_all_devices_and_a_constraint_that_they_break_are_an_error() -> None:
    devices = [device(f"d{n}", attributes={"m": {"string": str(n)}}) for n in range(2)]
    constraint = {"matchAttribute": f"{DRIVER}/m"}
    assert fault(
        [claim(wants(allocationMode="All"), constraints=[constraint])], [published(*devices)]
    ) == (
        "claim ns/c, request r: cannot add device gpu.example.com/p0/d1 because a claim "
        "constraint would not be satisfied"
    )


def test_a_claim_has_at_most_32_devices() -> None:
    assert fault([claim(wants("r0", count=20), wants("r1", count=13))]) == (
        "claim ns/c, request r1: adding 13 devices exceeds the claim limit of 32, with 20 "
        "already accounted for"
    )


@pytest.mark.parametrize(
    ("features", "request_", "text"),
    [
        (
            ALL_ON._replace(prioritized_list=False),
            {"name": "r", "firstAvailable": [{"name": "s", **wants()["exactly"]}]},
            "claim ns/c, request r: has subrequests, but the DRAPrioritizedList feature is "
            "disabled",
        ),
        (
            ALL_ON._replace(admin_access=False),
            wants(adminAccess=False),
            "claim ns/c, request r: admin access is requested, but the feature is disabled",
        ),
        (
            ALL_ON._replace(consumable_capacity=False),
            wants(capacity={"requests": {"memory": "1Gi"}}),
            "claim ns/c, request r: has capacity requests, but the DRAConsumableCapacity "
            "feature is disabled",
        ),
    ],
)
def test_what_needs_a_gate_that_is_off_is_refused(
    features: DeviceFeatures, request_: Wire, text: str
) -> None:
    assert fault([claim(request_)], features=features) == text


def test_release_1_36_writes_and_says_it_in_its_own_way() -> None:
    slices = [published(device("d0"))]
    setting = {"opaque": {"driver": DRIVER, "parameters": {"x": 1}}}
    found = outcome(
        [claim(wants(), config=[{"requests": ["r"], **setting}])], slices, rules=RULES_OF_1_36
    )
    assert found is not None
    assert found[0]["devices"]["config"] == [{"source": "FromClaim", "requests": ["r"], **setting}]
    lost = claim(wants(selectors=selecting(f'device.attributes["{DRIVER}"].x')))
    assert fault([lost], slices, rules=RULES_OF_1_36) == (
        "claim ns/c: selector #0: CEL runtime error: no such key: x"
    )
    many = claim(wants("r0", count=20), wants("r1", count=13))
    assert fault([many], slices, rules=RULES_OF_1_36) == (
        "claim ns/c: number of requested devices 33 exceeds the claim limit of 32"
    )


def test_a_search_counts_the_devices_it_looks_at_and_ends_at_its_limit() -> None:
    taken = Allocated(frozenset(DeviceId(DRIVER, "p0", name) for name in ("d0", "d1")))
    asked = [claim(wants())], [published(device("d0"), device("d1"), device("d2"))]
    # One for the request, one for each device, and one to see that nothing is left to find.
    assert names(outcome(*asked, allocated=taken, most_steps=5)) == [["d2"]]
    with pytest.raises(SearchLimitError):
        outcome(*asked, allocated=taken, most_steps=4)
