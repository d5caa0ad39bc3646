"""DeviceTaintRules: administrators taint devices that drivers publish (KEP-5055)."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.errors import InvalidError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import DEVICETAINTRULES, RESOURCESLICES, device_taint_rules_in
from tests.component.deviceobjects import (
    DRIVER,
    add_devices,
    claim,
    claims,
    device_class,
    devices_of,
    published,
    wants,
)
from tests.component.schedulerharness import Cluster, run_scenario, scheduler_test


def rule(name: str, effect: str = "NoSchedule", **selector: str) -> JsonObject:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": name},
        "spec": {"deviceSelector": selector, "taint": {"key": "broken", "effect": effect}},
    }


async def create(cluster: Cluster, obj: JsonObject) -> JsonObject:
    return await cluster.user.create(DEVICETAINTRULES, obj)


@scheduler_test
async def test_a_rule_knows_when_its_taint_began_and_counts_its_changes(cluster: Cluster) -> None:
    made = await create(cluster, {**rule("r", driver=DRIVER), "status": {"conditions": []}})
    assert made["metadata"]["generation"] == 1
    assert made["spec"]["taint"]["timeAdded"] == made["metadata"]["creationTimestamp"]
    assert "conditions" not in made.get("status", {})

    made["spec"]["deviceSelector"] = {"pool": "a"}
    changed = await cluster.user.update(DEVICETAINTRULES, made)
    assert changed["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"taint": {"key": "a"}}, "is invalid: spec.taint.effect: Required value"),
        (
            {"taint": {"key": "a", "effect": "Never"}},
            'spec.taint.effect: Unsupported value: "Never"',
        ),
        ({"taint": {"key": "a b", "effect": "None"}}, 'spec.taint.key: Invalid value: "a b"'),
        (
            {"taint": {"key": "a", "effect": "None"}, "deviceSelector": {"device": "A"}},
            'spec.deviceSelector.device: Invalid value: "A"',
        ),
    ],
    ids=["no effect", "unknown effect", "key", "device"],
)
def test_a_rule_that_makes_no_sense_is_refused(spec: dict[str, Any], said: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        with pytest.raises(InvalidError, match="DeviceTaintRule") as refused:
            await create(cluster, {**rule("r"), "spec": spec})
        assert said in str(refused.value)

    run_scenario(scenario)


@pytest.mark.parametrize("release", ["1.35", "1.36"])
def test_earlier_releases_have_no_rules_in_v1(release: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        with pytest.raises(NotFoundError):
            await create(cluster, rule("r"))

    run_scenario(scenario, version=release)


@pytest.mark.parametrize(
    ("selector", "devices"),
    [
        ({"driver": DRIVER, "pool": "pool-n1", "device": "d0"}, ["d1"]),
        ({"driver": "other.example.com"}, ["d0"]),
        ({"pool": "pool-n2"}, ["d0"]),
        ({"driver": DRIVER}, []),
        ({}, []),
    ],
    ids=["one device", "another driver", "another pool", "a driver", "everything"],
)
def test_claims_get_no_device_that_a_rule_taints(
    selector: dict[str, str], devices: list[str]
) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, device_class("gpu"), published("n1", "d0", "d1"), claim("c"))
        await create(cluster, rule("r", **selector))
        await cluster.start()
        await cluster.add_pods("p", resourceClaims=claims(mine="c"))
        await cluster.wait(2)
        assert await devices_of(cluster, "c") == devices
        if not devices:
            said = (await cluster.condition("p"))["message"]
            assert said.startswith("0/1 nodes are available: 1 cannot allocate all claims.")

    run_scenario(scenario)


@scheduler_test
async def test_a_rule_without_a_selector_or_with_a_tolerated_taint_keeps_nobody_off(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", "n2")
    tolerant = wants(tolerations=[{"key": "broken", "operator": "Exists"}])
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c", tolerant))
    await create(cluster, rule("all"))
    about_nothing = rule("none")
    del about_nothing["spec"]["deviceSelector"]
    await create(cluster, about_nothing)
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait_for(["p"], at_most=2)


@scheduler_test
async def test_a_rule_that_goes_lets_waiting_pods_in(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
    await create(cluster, rule("r", driver=DRIVER))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(2)
    assert await cluster.placements() == {}

    await cluster.user.delete(DEVICETAINTRULES, "r")
    await cluster.wait_for(["p"], at_most=12)
    (kept,) = (await cluster.user.list(RESOURCESLICES)).items
    assert "taints" not in kept["spec"]["devices"][0]


def test_without_the_gate_rules_count_for_nothing() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
        await create(cluster, rule("r", driver=DRIVER))
        await cluster.start()
        await cluster.add_pods("p", resourceClaims=claims(mine="c"))
        await cluster.wait_for(["p"], at_most=2)

    run_scenario(scenario, gates="DRADeviceTaintRules=false")


@pytest.mark.parametrize(("release", "rules"), [("1.36", "v1beta2"), ("1.35", "v1alpha3")])
def test_earlier_releases_follow_rules_in_their_own_version(release: str, rules: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
        resource = device_taint_rules_in(rules)
        tainting = {**rule("r", driver=DRIVER), "apiVersion": resource.api_version}
        await cluster.user.create(resource, tainting)
        await cluster.start()
        await cluster.add_pods("p", resourceClaims=claims(mine="c"))
        await cluster.wait(2)
        assert await cluster.placements() == {}

        await cluster.user.delete(resource, "r")
        await cluster.wait_for(["p"], at_most=12)

    run_scenario(
        scenario,
        version=release,
        gates="DRADeviceTaints=true,DRADeviceTaintRules=true",
        runtime_config=f"resource.k8s.io/{rules}=true",
    )
