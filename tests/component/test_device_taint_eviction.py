"""Pods go when their devices are tainted with NoExecute; rules say what became of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubegang.api.controller_rules import ControllerRules, DeviceTaintRules
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.controllers.claims import DEVICE_TAINTS
from kubegang.client.resources import (
    CORE_EVENTS,
    DEVICETAINTRULES,
    NODES,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from tests.component.claimobjects import by_name, pod_with, reservation
from tests.component.controllersharness import (
    ControlledCluster,
    controllers_test,
    run_scenario,
)
from tests.component.taintobjects import (
    NS,
    allocated_claim,
    slice_of,
    taint,
    taint_rule,
)

SEEN_LATE = 1


async def make_user(
    cluster: ControlledCluster, name: str = "p", *, tolerations: tuple[JsonObject, ...] = ()
) -> JsonObject:
    """Make a pod on a node whose claim, of its own name, has device d0."""
    claim, status = allocated_claim(name, "d0", tolerations=tolerations)
    await cluster.user.create(RESOURCECLAIMS, claim, NS)
    pod = await cluster.user.create(PODS, pod_with(name, by_name("e", name), node="n1"), NS)
    status["reservedFor"] = [reservation(pod)]
    await cluster.user.patch(
        RESOURCECLAIMS, name, NS, patch={"status": status}, subresource="status"
    )
    return pod


async def prepare(cluster: ControlledCluster, *taints: JsonObject) -> None:
    """Publish device d0 and start the controller alone: nobody else reserves claims."""
    await cluster.user.create(
        NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    )
    await cluster.user.create(RESOURCESLICES, slice_of(d0=taints))
    await cluster.start(chosen=frozenset({DEVICE_TAINTS}))


async def is_going(cluster: ControlledCluster, name: str = "p") -> bool:
    try:
        pod = await cluster.user.get(PODS, name, NS)
    except NotFoundError:
        return True
    return "deletionTimestamp" in pod["metadata"]


async def condition_of(cluster: ControlledCluster, rule: str = "r") -> tuple[str, str, str]:
    found = await cluster.user.get(DEVICETAINTRULES, rule)
    (condition,) = found["status"]["conditions"]
    assert condition["type"] == "EvictionInProgress"
    assert condition["observedGeneration"] == found["metadata"]["generation"]
    return condition["status"], condition["reason"], condition["message"]


async def told(cluster: ControlledCluster) -> list[str]:
    events = (await cluster.user.list(CORE_EVENTS, NS)).items
    return [e["message"] for e in events if e["reason"] == "DeviceTaintManagerEviction"]


@controllers_test
async def test_a_pod_goes_when_its_driver_taints_its_device(cluster: ControlledCluster) -> None:
    await prepare(cluster, taint("hot", "NoSchedule"))
    await make_user(cluster)
    await cluster.wait(5)
    assert not await is_going(cluster)

    await cluster.user.patch(
        RESOURCESLICES, "s", patch={"spec": slice_of(d0=[taint("hot")])["spec"]}
    )
    await cluster.wait(SEEN_LATE)
    assert await is_going(cluster)
    pod = await cluster.user.get(PODS, "p", NS)
    (said,) = (c for c in pod["status"]["conditions"] if c["type"] == "DisruptionTarget")
    assert (said["status"], said["reason"], said["message"]) == (
        "True",
        "DeletionByDeviceTaintManager",
        "Device Taint manager: deleting due to NoExecute taint",
    )
    assert await told(cluster) == ["Marking for deletion"]


@pytest.mark.parametrize(
    ("toleration", "stays"),
    [
        ({"key": "hot", "operator": "Exists", "effect": "NoExecute"}, 100),
        ({"operator": "Exists", "effect": "NoExecute"}, 100),
        ({"key": "hot", "operator": "Exists"}, 0),
        ({"key": "hot", "operator": "Equal", "value": "very", "effect": "NoExecute"}, 0),
        ({"key": "old", "operator": "Exists", "effect": "NoExecute"}, 0),
        (
            {"key": "hot", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30},
            30,
        ),
    ],
    ids=["key", "everything", "no effect", "another value", "another key", "for a time"],
)
def test_a_pod_stays_as_long_as_its_claim_tolerates(toleration: dict[str, Any], stays: int) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        await prepare(cluster)
        await make_user(cluster, tolerations=(toleration,))
        await cluster.user.create(DEVICETAINTRULES, taint_rule("r", key="hot"))
        await cluster.wait(max(stays - 2, SEEN_LATE))
        assert await is_going(cluster) == (stays == 0)
        await cluster.wait(4)
        assert await is_going(cluster) == (stays < 100)

    run_scenario(scenario)


@controllers_test
async def test_a_rule_says_that_pods_are_pending_and_then_how_many_went(
    cluster: ControlledCluster,
) -> None:
    await prepare(cluster)
    patience = {"key": "admin", "operator": "Exists", "effect": "NoExecute"}
    await make_user(cluster, tolerations=({**patience, "tolerationSeconds": 20},))
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
    await cluster.wait(12)
    assert await condition_of(cluster) == (
        "True",
        "PodsPendingEviction",
        "1 pod needs to be evicted in 1 namespace.",
    )
    await cluster.wait(25)
    assert await condition_of(cluster) == (
        "False",
        "Completed",
        "1 pod evicted since starting the controller.",
    )


@controllers_test
async def test_a_rule_without_effect_says_what_would_happen(cluster: ControlledCluster) -> None:
    await prepare(cluster)
    await make_user(cluster)
    await cluster.wait(1)
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r", effect="None"))
    await cluster.wait(15)
    assert not await is_going(cluster)
    assert await condition_of(cluster) == (
        "False",
        "NoEffect",
        "1 published device selected. 1 allocated device selected. "
        "1 pod would be evicted in 1 namespace if the effect was NoExecute. "
        "This information will not be updated again. "
        "Recreate the DeviceTaintRule to trigger an update.",
    )


@controllers_test
async def test_a_rule_that_is_taken_back_lets_pods_stay(cluster: ControlledCluster) -> None:
    await prepare(cluster)
    patience = {"key": "admin", "operator": "Exists", "effect": "NoExecute"}
    await make_user(cluster, tolerations=({**patience, "tolerationSeconds": 20},))
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
    await cluster.wait(5)
    await cluster.user.delete(DEVICETAINTRULES, "r")
    await cluster.wait(30)
    assert not await is_going(cluster)
    assert await told(cluster) == ["Cancelling deletion"]


@controllers_test
async def test_a_taint_begins_when_its_effect_does(cluster: ControlledCluster) -> None:
    await prepare(cluster)
    made = await cluster.user.create(DEVICETAINTRULES, taint_rule("r", effect="None"))
    began = made["spec"]["taint"]["timeAdded"]
    await cluster.wait(60)

    patch: JsonObject = {"spec": {"deviceSelector": {"pool": "n1"}}}
    kept = await cluster.user.patch(DEVICETAINTRULES, "r", patch=patch)
    assert kept["spec"]["taint"]["timeAdded"] == began
    patch = {"spec": {"taint": {"effect": "NoExecute"}}}
    changed = await cluster.user.patch(DEVICETAINTRULES, "r", patch=patch)
    assert changed["spec"]["taint"]["timeAdded"] > began
    assert changed["metadata"]["generation"] == 3

    await cluster.wait(60)
    again = await cluster.user.patch(
        DEVICETAINTRULES, "r", patch={"spec": {"taint": {"timeAdded": None}}}
    )
    assert again["spec"]["taint"]["timeAdded"] > changed["spec"]["taint"]["timeAdded"]


def test_without_the_gate_nobody_goes() -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        await prepare(cluster, taint("hot"))
        await make_user(cluster)
        await cluster.wait(5)
        assert not await is_going(cluster)

    run_scenario(scenario, release="1.35")


async def reserve_for(
    cluster: ControlledCluster, pod: JsonObject, entry: JsonObject, *, made: bool
) -> None:
    """Make a claim on device d0 and reserve it; it may have been made for the pod."""
    claim, status = allocated_claim("c", "d0", tolerations=())
    if made:
        who = {"name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
        owner = {"apiVersion": "v1", "kind": "Pod", "controller": True, **who}
        claim["metadata"]["ownerReferences"] = [owner]
    await cluster.user.create(RESOURCECLAIMS, claim, NS)
    status["reservedFor"] = [entry]
    await cluster.user.patch(
        RESOURCECLAIMS, "c", NS, patch={"status": status}, subresource="status"
    )


@pytest.mark.parametrize(("release", "goes"), [("1.36", False), ("1.37", True)])
def test_devices_behind_extended_resources_count_since_1_37(release: str, goes: bool) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        await prepare(cluster, taint("hot"))
        asking = pod_with("p", node="n1")
        asking["spec"]["containers"][0]["resources"] = {"limits": {"example.com/gpu": "1"}}
        pod = await cluster.user.create(PODS, asking, NS)
        mapping = {"containerName": "c", "resourceName": "example.com/gpu", "requestName": "one"}
        extended = {"resourceClaimName": "c", "requestMappings": [mapping]}
        await cluster.user.patch(
            PODS,
            "p",
            NS,
            patch={"status": {"extendedResourceClaimStatus": extended}},
            subresource="status",
        )
        await reserve_for(cluster, pod, reservation(pod), made=True)
        await cluster.wait(5)
        assert await is_going(cluster) == goes

    run_scenario(scenario, release=release)


@controllers_test
async def test_members_go_when_a_device_of_their_groups_claim_is_tainted(
    cluster: ControlledCluster,
) -> None:
    await prepare(cluster, taint("hot"))
    entry = by_name("e", "c")
    member = await cluster.user.create(PODS, pod_with("p", entry, group="g", node="n1"), NS)
    await cluster.user.create(PODS, pod_with("alone", entry, node="n1"), NS)
    group = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "g"}
    await reserve_for(cluster, member, group, made=False)
    await cluster.wait(5)
    assert await is_going(cluster)
    assert not await is_going(cluster, "alone")


def follow_rules(cluster: ControlledCluster, rules: DeviceTaintRules) -> None:
    """Have the controller, not started yet, do as another release."""
    changed = ControllerRules(device_taints=rules)
    cluster.profile = msgspec.structs.replace(cluster.profile, controller_rules=changed)


@pytest.mark.parametrize("looks_on", [True, False])
def test_1_35_looks_at_no_user_behind_one_that_is_missing(*, looks_on: bool) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        follow_rules(cluster, DeviceTaintRules(looks_beyond_missing_pods=looks_on))
        await prepare(cluster)
        pod = await make_user(cluster)
        missing = {"resource": "pods", "name": "missing", "uid": "missing"}
        users = {"reservedFor": [missing, reservation(pod)]}
        await cluster.user.patch(
            RESOURCECLAIMS, "p", NS, patch={"status": users}, subresource="status"
        )
        await cluster.wait(SEEN_LATE)
        await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
        await cluster.wait(SEEN_LATE)
        assert await is_going(cluster) == looks_on

    run_scenario(scenario)


@pytest.mark.parametrize(("remembers", "went"), [(True, "1 pod"), (False, "2 pods")])
def test_1_35_counts_a_pod_again_that_is_on_its_way(*, remembers: bool, went: str) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        follow_rules(cluster, DeviceTaintRules(remembers_evicted=remembers))
        await prepare(cluster)
        await make_user(cluster)
        await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
        await cluster.wait(SEEN_LATE)
        note = {"metadata": {"labels": {"noted": "true"}}}
        await cluster.user.patch(RESOURCECLAIMS, "p", NS, patch=note)
        await cluster.wait(25)
        assert (await condition_of(cluster))[1:] == (
            "Completed",
            f"{went} evicted since starting the controller.",
        )

    run_scenario(scenario)


@controllers_test
async def test_a_pod_may_be_told_to_stay_longer_than_anybody_waits(
    cluster: ControlledCluster,
) -> None:
    await prepare(cluster)
    for_ages = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2**63 - 1}
    await make_user(cluster, tolerations=(for_ages,))
    await make_user(cluster, "q")
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
    await cluster.wait(SEEN_LATE)
    assert not await is_going(cluster)
    assert await is_going(cluster, "q")


PATIENCE: JsonObject = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20}


@controllers_test
async def test_a_pod_whose_claim_goes_stays(cluster: ControlledCluster) -> None:
    await prepare(cluster, taint("hot"))
    await make_user(cluster, tolerations=(PATIENCE,))
    await cluster.wait(5)
    await cluster.user.delete(RESOURCECLAIMS, "p", NS)
    await cluster.wait(30)
    assert not await is_going(cluster)
    assert await told(cluster) == ["Cancelling deletion"]


@controllers_test
async def test_a_pod_that_is_no_user_any_more_stays(cluster: ControlledCluster) -> None:
    await prepare(cluster, taint("hot"))
    await make_user(cluster, tolerations=(PATIENCE,))
    other = await make_user(cluster, "q", tolerations=(PATIENCE,))
    await cluster.wait(5)
    users = {"reservedFor": [reservation(other)]}
    await cluster.user.patch(RESOURCECLAIMS, "p", NS, patch={"status": users}, subresource="status")
    await cluster.wait(30)
    assert not await is_going(cluster)
    assert await is_going(cluster, "q")


@controllers_test
async def test_only_the_pod_that_was_meant_is_deleted(cluster: ControlledCluster) -> None:
    await prepare(cluster, taint("hot"))
    pod = await make_user(cluster)
    await cluster.wait(SEEN_LATE)
    (sent,) = cluster.client.sent(method="DELETE", path="/pods/p")
    assert isinstance(sent.body, dict)
    assert sent.body["preconditions"] == {"uid": pod["metadata"]["uid"]}


@controllers_test
async def test_a_pod_that_others_deleted_counts_without_a_word(cluster: ControlledCluster) -> None:
    await prepare(cluster)
    await make_user(cluster)
    await cluster.user.delete(PODS, "p", NS)
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
    await cluster.wait(15)
    assert await told(cluster) == []
    assert cluster.client.sent(method="DELETE", path="/pods/p") == []
    assert (await condition_of(cluster))[2] == "1 pod evicted since starting the controller."


@controllers_test
async def test_a_rule_is_reported_when_there_is_news_and_not_too_often(
    cluster: ControlledCluster,
) -> None:
    await prepare(cluster)
    await make_user(cluster)
    await cluster.user.create(DEVICETAINTRULES, taint_rule("r"))
    await cluster.wait(11)
    assert (await condition_of(cluster))[1] == "Completed"
    await cluster.user.delete(PODS, "p", NS, grace_period_seconds=0)

    # A restarted controller has evicted nobody yet, but says so when it is time.
    await cluster.kill()
    await cluster.start(chosen=frozenset({DEVICE_TAINTS}))
    await cluster.wait(2)
    assert (await condition_of(cluster))[1] == "Completed"
    await cluster.wait(10)
    assert (await condition_of(cluster))[1] == "NotStarted"
    written = len(cluster.client.sent(method="PATCH", path="/devicetaintrules/r"))

    await cluster.kill()
    await cluster.start(chosen=frozenset({DEVICE_TAINTS}))
    await cluster.wait(30)
    assert len(cluster.client.sent(method="PATCH", path="/devicetaintrules/r")) == written
