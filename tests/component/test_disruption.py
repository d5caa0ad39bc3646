"""PodDisruptionBudgets: what their status says, and that evictions keep to it."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.errors import TooManyRequestsError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.resources import (
    CORE_EVENTS,
    JOBS,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODS,
    REPLICASETS,
)
from tests.component.controllersharness import ControlledCluster, controllers_test
from tests.component.jobobjects import CONTAINER, NS, job

READY = {"type": "Ready", "status": "True"}


class Budgets:
    """A user with budgets and pods, and a kubelet that makes pods ready."""

    def __init__(self, cluster: ControlledCluster) -> None:
        self.cluster = cluster
        self.api = cluster.user

    async def budget(self, name: str = "b", **spec: Any) -> None:
        body: JsonObject = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"app": "a"}}, **spec},
        }
        await self.api.create(PODDISRUPTIONBUDGETS, body, NS)

    async def pod(self, name: str, *, ready: bool = True, owner: JsonObject | None = None) -> None:
        metadata: JsonObject = {"name": name, "labels": {"app": "a"}}
        if owner is not None:
            metadata["ownerReferences"] = [owner]
        spec = {"containers": [CONTAINER], "nodeName": "n"}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        await self.api.create(PODS, body, NS)
        if ready:
            await self.conditions(name, READY)

    async def conditions(self, name: str, *conditions: JsonObject) -> None:
        moment = format_time(self.cluster.clock.now())
        stamped = [{**one, "lastTransitionTime": moment} for one in conditions]
        patch = {"status": {"phase": "Running", "conditions": stamped}}
        await self.api.patch(
            PODS, name, NS, patch=patch, patch_type="strategic", subresource="status"
        )

    async def evict(self, name: str) -> None:
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        await self.api.create(PODS, body, NS, subresource="eviction", name=name)

    async def numbers(self, name: str = "b") -> tuple[int, int, int, int]:
        """Return how many are expected, desired and healthy, and may be disrupted."""
        await self.cluster.wait(1)
        status = (await self.api.get(PODDISRUPTIONBUDGETS, name, NS))["status"]
        fields = ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed")
        expected, desired, healthy, allowed = (status[field] for field in fields)
        return expected, desired, healthy, allowed

    async def condition(self, name: str = "b") -> tuple[str, str, str]:
        budget = await self.api.get(PODDISRUPTIONBUDGETS, name, NS)
        (one,) = budget["status"]["conditions"]
        return one["status"], one["reason"], one["message"]

    async def events(self, kind: str = "PodDisruptionBudget") -> set[str]:
        listing = await self.api.list(CORE_EVENTS, NS)
        return {
            f"{one['reason']}: {one['message']}"
            for one in listing.items
            if one["involvedObject"]["kind"] == kind
        }


async def begin(cluster: ControlledCluster) -> Budgets:
    await cluster.start()
    # Pods of a node that is not there are removed.
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    await cluster.user.create(NODES, node)
    return Budgets(cluster)


@controllers_test
async def test_a_budget_counts_ready_pods(cluster: ControlledCluster) -> None:
    budgets = await begin(cluster)
    await budgets.budget(minAvailable=2)
    assert await budgets.numbers() == (0, 2, 0, 0)
    assert await budgets.events() == {"NoPods: No matching pods found"}

    for name in ("p1", "p2", "p3"):
        await budgets.pod(name)
    await budgets.pod("unready", ready=False)
    assert await budgets.numbers() == (4, 2, 3, 1)
    assert await budgets.condition() == ("True", "SufficientPods", "")

    await budgets.conditions("p1", {"type": "Ready", "status": "False"})
    assert await budgets.numbers() == (4, 2, 2, 0)
    assert await budgets.condition() == ("False", "InsufficientPods", "")


@controllers_test
async def test_an_eviction_uses_the_budget_until_the_pod_is_replaced(
    cluster: ControlledCluster,
) -> None:
    budgets = await begin(cluster)
    await budgets.budget(minAvailable=2)
    for name in ("p1", "p2", "p3"):
        await budgets.pod(name)
    assert await budgets.numbers() == (3, 2, 3, 1)

    await budgets.evict("p1")
    with pytest.raises(TooManyRequestsError) as refused:
        await budgets.evict("p2")
    assert str(refused.value) == (
        "Cannot evict pod as it would violate the pod's disruption budget."
    )
    await cluster.user.delete(PODS, "p1", NS, grace_period_seconds=0)
    assert await budgets.numbers() == (2, 2, 2, 0)
    with pytest.raises(TooManyRequestsError) as refused:
        await budgets.evict("p2")
    details = refused.value.details
    assert details is not None
    assert [cause.message for cause in details.causes] == [
        "The disruption budget b needs 2 healthy pods and has 2 currently"
    ]
    await budgets.pod("p4")
    assert await budgets.numbers() == (3, 2, 3, 1)
    await budgets.evict("p2")


@controllers_test
async def test_a_percentage_is_of_what_the_controllers_want(cluster: ControlledCluster) -> None:
    budgets = await begin(cluster)
    body: JsonObject = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "rs"},
        "spec": {
            "replicas": 5,
            "selector": {"matchLabels": {"app": "a"}},
            "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}},
        },
    }
    await cluster.user.create(REPLICASETS, body, NS)
    await cluster.wait(1)
    await budgets.budget("share", minAvailable="50%")
    await budgets.budget("missing", maxUnavailable="30%")
    assert await budgets.numbers("share") == (5, 3, 0, 0)
    assert await budgets.numbers("missing") == (5, 3, 0, 0)

    await cluster.user.patch(REPLICASETS, "rs", NS, patch={"spec": {"replicas": 10}})
    await cluster.wait(2)
    assert await budgets.numbers("share") == (10, 5, 0, 0)
    assert await budgets.numbers("missing") == (10, 7, 0, 0)


@controllers_test
async def test_pods_of_a_job_have_no_scale(cluster: ControlledCluster) -> None:
    budgets = await begin(cluster)
    template = {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"restartPolicy": "Never", "containers": [CONTAINER]},
    }
    await cluster.user.create(JOBS, job("train", template=template), NS)
    await cluster.wait(1)
    await budgets.budget(maxUnavailable=1)
    assert await budgets.numbers() == (0, 0, 0, 0)
    problem = "jobs.batch does not implement the scale subresource"
    assert await budgets.condition() == ("False", "SyncFailed", problem)
    assert await budgets.events() == {
        "CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: "
        + problem
    }


@controllers_test
async def test_pods_without_a_controller_are_told_of(cluster: ControlledCluster) -> None:
    budgets = await begin(cluster)
    await budgets.pod("p1")
    await budgets.budget(maxUnavailable=1)
    assert await budgets.numbers() == (0, 0, 1, 0)
    (event,) = await budgets.events()
    assert event.startswith(
        "UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{"
        "MatchLabels:map[string]string{app: a,},MatchExpressions:[]LabelSelectorRequirement{},})"
    )


@controllers_test
async def test_two_budgets_for_one_pod_are_told_of(cluster: ControlledCluster) -> None:
    budgets = await begin(cluster)
    await budgets.budget("b", minAvailable=1)
    await budgets.budget("c", minAvailable=1)
    await budgets.pod("p1")
    await cluster.wait(1)
    assert await budgets.events("Pod") == {
        'MultiplePodDisruptionBudgets: Pod "default"/"p1" matches multiple PodDisruptionBudgets.'
        '  Chose "b" arbitrarily.'
    }


@controllers_test
async def test_an_eviction_that_never_came_counts_no_more_after_two_minutes(
    cluster: ControlledCluster,
) -> None:
    budgets = await begin(cluster)
    await budgets.budget(minAvailable=1)
    for name in ("p1", "p2"):
        await budgets.pod(name)
    assert await budgets.numbers() == (2, 1, 2, 1)
    moment = format_time(cluster.clock.now())
    patch = {"status": {"disruptionsAllowed": 0, "disruptedPods": {"p1": moment}}}
    await cluster.user.patch(PODDISRUPTIONBUDGETS, "b", NS, patch=patch, subresource="status")
    assert await budgets.numbers() == (2, 1, 1, 0)

    await cluster.wait(118)
    assert await budgets.numbers() == (2, 1, 1, 0)
    await cluster.wait(2)
    assert await budgets.numbers() == (2, 1, 2, 1)
    assert await budgets.events("Pod") == {
        "NotDeleted: Pod was expected by PDB default/b to be deleted but it wasn't"
    }


@controllers_test
async def test_a_mark_of_disruption_is_taken_back_when_nothing_happens(
    cluster: ControlledCluster,
) -> None:
    budgets = await begin(cluster)
    await budgets.pod("p1")
    mark = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    await budgets.conditions("p1", mark)
    await cluster.wait(119)
    assert await _mark(cluster) == ("True", "PreemptionByScheduler")
    await cluster.wait(2)
    assert await _mark(cluster) == ("False", "")


async def _mark(cluster: ControlledCluster) -> tuple[str, str]:
    pod = await cluster.user.get(PODS, "p1", NS)
    conditions = pod["status"]["conditions"]
    (mark,) = (one for one in conditions if one["type"] == "DisruptionTarget")
    return mark["status"], mark.get("reason", "")
