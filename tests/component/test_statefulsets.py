"""StatefulSets in virtual time."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import PODS, STATEFULSETS
from tests.component.workloadobjects import NS, Operators, played, workload

NEW = "registry.example/app:2"

CLAIM = {
    "metadata": {"name": "data"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


def stateful(**spec: Any) -> JsonObject:
    """Return a StatefulSet."""
    return workload("StatefulSet", **spec)


@played
async def test_pods_come_one_after_the_other(op: Operators) -> None:
    await op.create(stateful(replicas=3))
    assert await op.names("Pod") == ["web-0"]
    await op.start_all()
    assert await op.names("Pod") == ["web-0", "web-1"]
    await op.settle()

    assert await op.names("Pod") == ["web-0", "web-1", "web-2"]
    pod = (await op.all("Pod"))[0]
    assert pod["spec"]["hostname"] == "web-0"
    assert pod["spec"]["subdomain"] == "web"
    assert pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"] == "0"
    # The revision's name is the one that kube-controller-manager 1.37.2 gives this template.
    status = await op.status("StatefulSet")
    assert status["currentRevision"] == status["updateRevision"] == "web-7d4d66674"


@played
async def test_parallel_pods_come_at_once(op: Operators) -> None:
    await op.create(stateful(replicas=3, podManagementPolicy="Parallel", ordinals={"start": 5}))

    assert await op.names("Pod") == ["web-5", "web-6", "web-7"]


@played
async def test_a_smaller_set_loses_its_last_pods_first(op: Operators) -> None:
    await op.create(stateful(replicas=3))
    await op.settle()
    held = {"metadata": {"finalizers": ["example.com/held"]}}
    await op.api.patch(PODS, "web-2", NS, patch=held)
    await op.change("StatefulSet", replicas=1)
    assert [pod["metadata"]["name"] for pod in await op.pods()] == ["web-0", "web-1"]

    await op.api.patch(PODS, "web-2", NS, patch={"metadata": {"finalizers": None}})
    await op.wait(2)

    assert await op.names("Pod") == ["web-0"]


@played
async def test_an_update_goes_from_the_last_pod_to_the_first(op: Operators) -> None:
    await op.create(stateful(replicas=3))
    await op.settle()
    await op.set_image("StatefulSet", NEW)
    assert await op.images() == ["1", "1", "2"]
    await op.start_all()
    assert await op.images() == ["1", "2", "2"]
    await op.settle()

    assert await op.images() == ["2", "2", "2"]
    status = await op.status("StatefulSet")
    assert status["currentRevision"] == status["updateRevision"]
    assert len(await op.names("ControllerRevision")) == 2


@played
async def test_a_partition_keeps_the_pods_before_it(op: Operators) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    await op.create(stateful(replicas=3, updateStrategy=strategy))
    await op.settle()
    await op.set_image("StatefulSet", NEW)
    await op.settle()
    assert await op.images() == ["1", "1", "2"]

    # A pod before the partition comes back as it was.
    await op.api.delete(PODS, "web-0", NS)
    await op.wait(2)
    await op.settle()

    assert await op.images() == ["1", "1", "2"]


@played
async def test_several_pods_may_be_unavailable(op: Operators) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}
    await op.create(stateful(replicas=4, updateStrategy=strategy, podManagementPolicy="Parallel"))
    await op.settle()
    await op.set_image("StatefulSet", NEW)

    assert await op.images() == ["1", "1", "2", "2"]


@played
async def test_on_delete_leaves_it_to_the_user(op: Operators) -> None:
    await op.create(stateful(replicas=2, updateStrategy={"type": "OnDelete"}))
    await op.settle()
    await op.set_image("StatefulSet", NEW)
    assert await op.images() == ["1", "1"]

    await op.api.delete(PODS, "web-0", NS)
    await op.wait(2)

    assert await op.images() == ["1", "2"]


@played
async def test_going_back_uses_the_former_revision_again(op: Operators) -> None:
    await op.create(stateful(replicas=1))
    await op.settle()
    first = (await op.status("StatefulSet"))["currentRevision"]
    await op.set_image("StatefulSet", NEW)
    await op.settle()
    await op.set_image("StatefulSet", "registry.example/app:1")
    await op.settle()

    assert (await op.status("StatefulSet"))["currentRevision"] == first
    numbers = {
        entry["metadata"]["name"]: entry["revision"] for entry in await op.all("ControllerRevision")
    }
    assert numbers[first] == 3


@played
async def test_each_pod_has_a_claim_that_outlives_it(op: Operators) -> None:
    await op.create(stateful(replicas=2, volumeClaimTemplates=[CLAIM]))
    await op.settle()
    assert await op.names("PersistentVolumeClaim") == ["data-web-0", "data-web-1"]
    await op.change("StatefulSet", replicas=0)

    claims = await op.all("PersistentVolumeClaim")
    assert [claim["metadata"].get("ownerReferences") for claim in claims] == [None, None]
    assert claims[0]["metadata"]["labels"] == {"app": "web"}


@played
async def test_claims_go_with_the_pods_that_are_scaled_away(op: Operators) -> None:
    policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
    await op.create(
        stateful(
            replicas=2,
            volumeClaimTemplates=[CLAIM],
            persistentVolumeClaimRetentionPolicy=policy,
        )
    )
    await op.settle()
    owners = [
        claim["metadata"]["ownerReferences"][0]["kind"]
        for claim in await op.all("PersistentVolumeClaim")
    ]
    assert owners == ["StatefulSet", "StatefulSet"]
    await op.change("StatefulSet", replicas=1)
    await op.wait(5)
    assert await op.names("PersistentVolumeClaim") == ["data-web-0"]

    await op.api.delete(STATEFULSETS, "web", NS, propagation_policy="Background")
    await op.wait(5)
    assert await op.names("PersistentVolumeClaim") == []
