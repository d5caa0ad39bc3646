"""``lightkube``: typed resources, server-side apply, generic resources, waiting."""

from __future__ import annotations

import asyncio

import pytest
from lightkube import ApiError, AsyncClient, Client, KubeConfig
from lightkube.codecs import load_all_yaml
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import ConfigMap, Namespace, Pod
from lightkube.types import PatchType
from shapes import config_map, custom, definition, job, pod


@pytest.fixture
def api(kubeconfig: str, namespace: str) -> Client:
    return Client(
        config=KubeConfig.from_file(kubeconfig), namespace=namespace, field_manager="lightkube"
    )


@pytest.fixture
def in_the_background(kubeconfig: str, namespace: str) -> AsyncClient:
    return AsyncClient(config=KubeConfig.from_file(kubeconfig), namespace=namespace)


def test_an_object_lives_from_create_to_delete(api: Client) -> None:
    made = api.create(ConfigMap.from_dict(config_map("l-life", a="1")))
    made.data["b"] = "2"
    replaced = api.replace(made)
    merged = api.patch(ConfigMap, "l-life", {"data": {"a": None}}, patch_type=PatchType.MERGE)
    listed = list(api.list(ConfigMap, fields={"metadata.name": "l-life"}))
    api.delete(ConfigMap, "l-life")

    assert replaced.data == {"a": "1", "b": "2"}
    assert merged.data == {"b": "2"}
    assert len(listed) == 1
    with pytest.raises(ApiError) as error:
        api.get(ConfigMap, "l-life")
    assert error.value.status.reason == "NotFound"


def test_all_four_patch_types_are_taken(api: Client) -> None:
    api.create(ConfigMap.from_dict(config_map("l-patch", a="1")))
    api.patch(ConfigMap, "l-patch", {"data": {"b": "2"}}, patch_type=PatchType.STRATEGIC)
    api.patch(ConfigMap, "l-patch", {"data": {"c": "3"}}, patch_type=PatchType.MERGE)
    add = [{"op": "add", "path": "/data/d", "value": "4"}]
    api.patch(ConfigMap, "l-patch", add, patch_type=PatchType.JSON)
    applied = api.patch(
        ConfigMap,
        "l-patch",
        ConfigMap.from_dict(config_map("l-patch", e="5")),
        patch_type=PatchType.APPLY,
        field_manager="me",
    )

    assert applied.data == {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}


def test_an_apply_conflicts_unless_forced(api: Client) -> None:
    api.apply(ConfigMap.from_dict(config_map("l-apply", a="1")), field_manager="one")
    with pytest.raises(ApiError) as error:
        api.apply(ConfigMap.from_dict(config_map("l-apply", a="2")), field_manager="two")
    forced = api.apply(
        ConfigMap.from_dict(config_map("l-apply", a="2")), field_manager="two", force=True
    )

    assert error.value.status.code == 409
    assert forced.data == {"a": "2"}


def test_lists_are_read_in_chunks(api: Client) -> None:
    names = [f"l-chunk-{index}" for index in range(7)]
    for name in names:
        api.create(ConfigMap.from_dict(config_map(name, a="1")))

    listed = [item.metadata.name for item in api.list(ConfigMap, chunk_size=3)]

    assert set(names) <= set(listed)


def test_status_and_eviction_are_subresources(api: Client) -> None:
    made = pod("l-held")
    made["spec"]["schedulerName"] = "nobody"
    api.create(Pod.from_dict(made))
    api.patch(Pod.Status, "l-held", {"status": {"message": "held"}}, patch_type=PatchType.MERGE)
    held = api.get(Pod, "l-held")
    api.create(Pod.Eviction(metadata=ObjectMeta(name="l-held")), "l-held")

    assert held.status.message == "held"
    with pytest.raises(ApiError):
        api.get(Pod, "l-held")


async def test_a_job_is_waited_for(in_the_background: AsyncClient) -> None:
    await in_the_background.create(Job.from_dict(job("l-job", 2)))
    async with asyncio.timeout(30):
        done = await in_the_background.wait(Job, "l-job", for_conditions=["Complete"])

    assert done.status.succeeded == 2


async def test_a_pod_has_no_logs_and_says_so(in_the_background: AsyncClient) -> None:
    await in_the_background.create(Pod.from_dict(pod("l-pod")))
    async with asyncio.timeout(30):
        await in_the_background.wait(Pod, "l-pod", for_conditions=["Ready"])
    with pytest.raises(ApiError, match="simulated node"):
        _ = [line async for line in in_the_background.log("l-pod")]


def test_a_watch_starts_with_what_is_there(api: Client) -> None:
    api.create(ConfigMap.from_dict(config_map("l-watch", a="1")))
    kind, found = next(iter(api.watch(ConfigMap, fields={"metadata.name": "l-watch"})))

    assert (kind, found.data) == ("ADDED", {"a": "1"})


def test_manifests_with_several_objects_are_loaded_and_applied(api: Client) -> None:
    text = """
apiVersion: v1
kind: ConfigMap
metadata: {name: l-many-1}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: l-many-2}
"""
    applied = [api.apply(made) for made in load_all_yaml(text)]

    assert [made.metadata.name for made in applied] == ["l-many-1", "l-many-2"]


async def test_a_custom_kind_has_status_and_scale(
    api: Client, in_the_background: AsyncClient
) -> None:
    defined = api.create(CustomResourceDefinition.from_dict(definition("Lamp")))
    async with asyncio.timeout(30):
        await in_the_background.wait(
            CustomResourceDefinition, defined.metadata.name, for_conditions=["Established"]
        )
    lamp = create_namespaced_resource("clients.example.com", "v1", "Lamp", "lamps")
    api.create(lamp(custom("Lamp", "one")))
    api.patch(lamp.Status, "one", {"status": {"phase": "Up"}}, patch_type=PatchType.MERGE)
    api.patch(lamp.Scale, "one", {"spec": {"replicas": 2}}, patch_type=PatchType.MERGE)
    applied = api.apply(lamp(custom("Lamp", "one", notes=[{"name": "a"}])), field_manager="me")
    api.delete(CustomResourceDefinition, defined.metadata.name)

    assert applied.spec == {"size": 2, "notes": [{"name": "a"}]}
    assert applied.status == {"phase": "Up"}


def test_the_namespaces_of_every_cluster_are_there(api: Client) -> None:
    names = {item.metadata.name for item in api.list(Namespace)}

    assert {"default", "kube-system", "kube-public", "kube-node-lease"} <= names
