"""Deployments and ReplicaSets in virtual time, with the controllers that ``kubegang up`` runs."""

from __future__ import annotations

from kubegang.client.resources import DEPLOYMENTS, PODS, REPLICASETS
from tests.component.workloadobjects import LABELS, NS, Operators, played, workload

OLD, NEW = "registry.example/app:1", "registry.example/app:2"


@played
async def test_a_deployment_makes_one_replica_set_and_its_pods(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=3))
    await op.settle()

    # The hash is the one that kube-controller-manager 1.37.2 gives this template.
    assert await op.names("ReplicaSet") == ["web-6c55b65c49"]
    status = await op.status("Deployment")
    assert (status["replicas"], status["availableReplicas"]) == (3, 3)
    assert await op.condition("Deployment", "Available") == ("True", "MinimumReplicasAvailable")
    assert await op.condition("Deployment", "Progressing") == ("True", "NewReplicaSetAvailable")
    deployment = await op.get("Deployment")
    assert deployment["metadata"]["annotations"] == {"deployment.kubernetes.io/revision": "1"}


@played
async def test_a_new_template_replaces_pods_within_surge_and_unavailability(op: Operators) -> None:
    rolling = {"maxSurge": 1, "maxUnavailable": 1}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    await op.create(workload("Deployment", replicas=4, strategy=strategy))
    await op.settle()
    await op.set_image("Deployment", NEW)
    assert await op.sizes() == {"1": 3, "2": 2}

    await op.start_all()
    assert await op.sizes() == {"1": 1, "2": 4}
    await op.settle()

    assert await op.sizes() == {"1": 0, "2": 4}
    assert await op.images() == ["2", "2", "2", "2"]
    told = await op.events("ScalingReplicaSet")
    assert told[0] == "Scaled up replica set web-6c55b65c49 from 0 to 4"


@played
async def test_recreate_waits_until_the_last_old_pod_is_gone(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=2, strategy={"type": "Recreate"}))
    for pod in await op.pods():
        await op.start(pod)
        held = {"metadata": {"finalizers": ["example.com/held"]}}
        await op.api.patch(PODS, pod["metadata"]["name"], NS, patch=held)
    await op.set_image("Deployment", NEW)
    assert await op.sizes() == {"1": 0}

    for pod in await op.all("Pod"):
        released = {"metadata": {"finalizers": None}}
        await op.api.patch(PODS, pod["metadata"]["name"], NS, patch=released)
    await op.wait(2)

    assert await op.sizes() == {"1": 0, "2": 2}


@played
async def test_a_broken_image_stops_the_rollout_and_times_out(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=4, progressDeadlineSeconds=60))
    await op.settle()
    await op.set_image("Deployment", NEW)
    await op.wait(30)
    assert await op.sizes() == {"1": 3, "2": 2}
    assert await op.condition("Deployment", "Progressing") == ("True", "ReplicaSetUpdated")

    await op.wait(60)

    assert await op.condition("Deployment", "Progressing") == ("False", "ProgressDeadlineExceeded")
    assert await op.condition("Deployment", "Available") == ("True", "MinimumReplicasAvailable")

    await op.set_image("Deployment", OLD)
    assert await op.sizes() == {"1": 4, "2": 0}
    sets = {entry["spec"]["replicas"]: entry for entry in await op.all("ReplicaSet")}
    annotations = sets[4]["metadata"]["annotations"]
    assert annotations["deployment.kubernetes.io/revision"] == "3"
    assert annotations["deployment.kubernetes.io/revision-history"] == "1"


@played
async def test_scaling_in_the_middle_of_a_rollout_keeps_the_proportion(op: Operators) -> None:
    rolling = {"maxSurge": 3, "maxUnavailable": 2}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    await op.create(workload("Deployment", replicas=10, strategy=strategy))
    await op.settle()
    await op.set_image("Deployment", NEW)
    assert await op.sizes() == {"1": 8, "2": 5}

    await op.change("Deployment", replicas=15)

    # The example in Kubernetes' documentation of proportional scaling.
    assert await op.sizes() == {"1": 11, "2": 7}


@played
async def test_a_paused_deployment_takes_a_template_only_when_it_goes_on(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=2))
    await op.settle()
    await op.change("Deployment", paused=True)
    await op.set_image("Deployment", NEW)
    assert await op.condition("Deployment", "Progressing") == ("Unknown", "DeploymentPaused")
    assert await op.sizes() == {"1": 2}

    await op.change("Deployment", paused=None)
    await op.settle()

    assert await op.sizes() == {"1": 0, "2": 2}


@played
async def test_old_replica_sets_beyond_the_limit_are_deleted(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=1, revisionHistoryLimit=1))
    await op.settle()
    for tag in ("2", "3", "4"):
        await op.set_image("Deployment", f"registry.example/app:{tag}")
        await op.settle()

    assert await op.sizes() == {"3": 0, "4": 1}


@played
async def test_a_taken_name_is_counted_and_another_one_found(op: Operators) -> None:
    other = workload("ReplicaSet", "web-6c55b65c49", replicas=0)
    other["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    other["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    await op.create(other)
    await op.create(workload("Deployment", replicas=1))
    await op.wait(5)

    assert (await op.status("Deployment"))["collisionCount"] == 1
    mine = [name for name in await op.names("ReplicaSet") if name != "web-6c55b65c49"]
    assert len(mine) == 1


@played
async def test_what_was_orphaned_is_adopted_again(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=2))
    await op.settle()
    pods = await op.names("Pod")
    await op.api.delete(DEPLOYMENTS, "web", NS, propagation_policy="Orphan")
    await op.wait(2)
    owners = [entry["metadata"].get("ownerReferences") for entry in await op.all("ReplicaSet")]
    assert owners == [None]

    made = await op.create(workload("Deployment", replicas=2))

    (replica_set,) = await op.all("ReplicaSet")
    assert replica_set["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
    assert await op.names("Pod") == pods


@played
async def test_a_deleted_deployment_takes_everything_along(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=2))
    await op.api.delete(DEPLOYMENTS, "web", NS, propagation_policy="Background")
    await op.wait(5)

    assert await op.names("ReplicaSet") == []
    assert await op.names("Pod") == []


@played
async def test_a_replica_set_loses_pods_that_cost_least(op: Operators) -> None:
    await op.create(workload("ReplicaSet", replicas=3))
    await op.settle()
    kept = (await op.names("Pod"))[1]
    cost = {"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "10"}}}
    await op.api.patch(PODS, kept, NS, patch=cost)

    await op.change("ReplicaSet", replicas=1)

    assert await op.names("Pod") == [kept]


@played
async def test_a_pod_that_lost_its_label_is_let_go_and_replaced(op: Operators) -> None:
    await op.create(workload("ReplicaSet", replicas=1))
    (name,) = await op.names("Pod")
    await op.api.patch(PODS, name, NS, patch={"metadata": {"labels": {"app": "other"}}})
    await op.wait(2)

    assert len(await op.pods()) == 2
    freed = await op.api.get(PODS, name, NS)
    assert "ownerReferences" not in freed["metadata"]

    await op.api.patch(PODS, name, NS, patch={"metadata": {"labels": dict(LABELS)}})
    await op.wait(2)
    assert len(await op.pods()) == 1


@played
async def test_pods_that_are_refused_are_told_and_tried_again(op: Operators) -> None:
    broken = workload("ReplicaSet", replicas=2)
    broken["spec"]["template"]["spec"]["priorityClassName"] = "none-such"
    await op.create(broken)
    await op.wait(10)

    assert await op.condition("ReplicaSet", "ReplicaFailure") == ("True", "FailedCreate")
    assert (await op.events("FailedCreate"))[0].startswith("Error creating: pods ")


@played
async def test_a_pod_counts_as_available_after_its_ready_seconds(op: Operators) -> None:
    await op.create(workload("ReplicaSet", replicas=1, minReadySeconds=30))
    await op.start_all()
    status = await op.status("ReplicaSet")
    assert (status["readyReplicas"], status.get("availableReplicas", 0)) == (1, 0)

    await op.wait(31)

    assert (await op.status("ReplicaSet"))["availableReplicas"] == 1


@played
async def test_a_replication_controller_keeps_its_pods(op: Operators) -> None:
    spec = workload("ReplicaSet", replicas=2)["spec"]
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "web"},
        "spec": {**spec, "selector": dict(LABELS)},
    }
    await op.create(controller)
    await op.settle()

    status = await op.status("ReplicationController")
    assert (status["replicas"], status["readyReplicas"]) == (2, 2)
    assert "terminatingReplicas" not in status


@played
async def test_the_scale_subresource_sizes_a_deployment(op: Operators) -> None:
    await op.create(workload("Deployment", replicas=1))
    scale = {"spec": {"replicas": 3}}
    await op.api.patch(DEPLOYMENTS, "web", NS, patch=scale, subresource="scale")
    await op.settle()

    assert await op.sizes() == {"1": 3}
    (replica_set,) = await op.all("ReplicaSet")
    name = replica_set["metadata"]["name"]
    seen = await op.api.patch(REPLICASETS, name, NS, patch={}, subresource="scale")
    assert seen["status"]["replicas"] == 3
