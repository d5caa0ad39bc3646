"""``kr8s``: objects that know how to create, patch, label, watch and wait for themselves."""

from __future__ import annotations

import asyncio

import kr8s
import pytest
from kr8s.asyncio.objects import (
    APIObject,
    ConfigMap,
    CustomResourceDefinition,
    Job,
    Node,
    Pod,
    new_class,
)
from shapes import config_map, custom, definition, job, pod

# kr8s says of every server newer than itself that it may not know it.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
async def api(kubeconfig: str, namespace: str) -> kr8s.asyncio.Api:
    return await kr8s.asyncio.api(kubeconfig=kubeconfig, namespace=namespace)


async def test_the_user_and_the_version_are_told(api: kr8s.asyncio.Api) -> None:
    assert (await api.version())["gitVersion"].startswith("v1.3")
    assert await api.whoami()


async def test_resources_are_found(api: kr8s.asyncio.Api) -> None:
    names = {resource["name"] for resource in await api.api_resources()}

    assert {"pods", "jobs", "nodes", "customresourcedefinitions"} <= names


async def test_an_object_lives_from_create_to_delete(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await ConfigMap(config_map("r-life", a="1"), namespace=namespace, api=api)
    await made.create()
    await made.patch({"data": {"b": "2"}})
    await made.label(x="y")
    await made.annotate(note="n")
    found = await ConfigMap.get("r-life", namespace=namespace, api=api)
    by_label = [item async for item in api.get("configmaps", label_selector="x=y")]
    await made.delete()

    assert dict(found.data) == {"a": "1", "b": "2"}
    assert found.annotations["note"] == "n"
    assert [item.name for item in by_label] == ["r-life"]
    assert not await made.exists()


async def test_a_json_patch_is_sent_as_such(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await ConfigMap(config_map("r-json", a="1"), namespace=namespace, api=api)
    await made.create()
    await made.patch([{"op": "replace", "path": "/data/a", "value": "2"}], type="json")

    assert dict(made.data) == {"a": "2"}


async def test_a_pod_is_waited_for_and_has_no_logs(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await Pod(pod("r-pod"), namespace=namespace, api=api)
    await made.create()
    await made.wait("condition=Ready", timeout=30)

    assert await made.ready()
    with pytest.raises(kr8s.ServerError, match="simulated node"):
        _ = [line async for line in made.logs()]
    await made.delete()
    await made.wait("delete", timeout=30)


async def test_a_job_is_waited_for(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await Job(job("r-job", 2), namespace=namespace, api=api)
    await made.create()
    await made.wait("condition=Complete", timeout=30)

    assert made.status.succeeded == 2


async def test_a_node_is_cordoned(api: kr8s.asyncio.Api) -> None:
    node = await anext(aiter(Node.list(api=api)))
    await node.cordon()
    cordoned = node.unschedulable
    await node.uncordon()

    assert (cordoned, node.unschedulable) == (True, False)


async def test_a_watch_tells_what_happens(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await ConfigMap(config_map("r-watch", a="1"), namespace=namespace, api=api)
    await made.create()
    kinds = []
    async with asyncio.timeout(30):
        async for kind, item in api.watch(
            "configmaps", namespace=namespace, field_selector="metadata.name=r-watch"
        ):
            kinds.append(kind)
            if kind == "ADDED":
                await item.label(x="y")
            elif kind == "MODIFIED":
                await item.delete()
            else:
                break

    assert kinds == ["ADDED", "MODIFIED", "DELETED"]


async def test_a_custom_kind_is_scaled(api: kr8s.asyncio.Api, namespace: str) -> None:
    defined = await CustomResourceDefinition(definition("Reed"), api=api)
    await defined.create()
    await defined.wait("condition=Established", timeout=30)
    reed: type[APIObject] = new_class(
        "Reed", "clients.example.com/v1", scalable=True, scalable_spec="size"
    )
    made = await reed(custom("Reed", "one"), namespace=namespace, api=api)
    await made.create()
    await made.patch({"status": {"phase": "Up"}}, subresource="status")
    await made.patch({"spec": {"replicas": 3}}, subresource="scale")
    found = await reed.get("one", namespace=namespace, api=api)
    await found.delete()
    await defined.delete()

    assert found.spec.size == 3
    assert found.status.phase == "Up"
