"""``kubernetes_asyncio``: typed calls and watches on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from kubernetes_asyncio import client, config, watch
from kubernetes_asyncio.client.exceptions import ApiException
from shapes import config_map, job, pod


@pytest.fixture
async def api(kubeconfig: str) -> AsyncIterator[client.ApiClient]:
    async with await config.new_client_from_config(kubeconfig) as made:
        yield made


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(api)


async def test_an_object_is_created_read_replaced_patched_and_deleted(
    core: client.CoreV1Api, namespace: str
) -> None:
    created = await core.create_namespaced_config_map(namespace, config_map("ka-life", a="1"))
    created.data["b"] = "2"
    await core.replace_namespaced_config_map("ka-life", namespace, created)
    merged = await core.patch_namespaced_config_map("ka-life", namespace, {"data": {"a": None}})
    patched = await core.patch_namespaced_config_map(
        "ka-life", namespace, [{"op": "add", "path": "/data/c", "value": "3"}]
    )
    await core.delete_namespaced_config_map("ka-life", namespace)

    assert merged.data == {"b": "2"}
    assert patched.data == {"b": "2", "c": "3"}
    with pytest.raises(ApiException) as error:
        await core.read_namespaced_config_map("ka-life", namespace)
    assert error.value.status == 404


async def test_an_apply_takes_and_shares_fields(core: client.CoreV1Api, namespace: str) -> None:
    async def apply(manager: str, *, force: bool = False, **data: str) -> client.V1ConfigMap:
        return await core.patch_namespaced_config_map(
            "ka-applied",
            namespace,
            config_map("ka-applied", **data),
            field_manager=manager,
            force=force,
            _content_type="application/apply-patch+yaml",
        )

    await apply("one", a="1", b="2")
    with pytest.raises(ApiException) as error:
        await apply("two", a="3")
    forced = await apply("two", force=True, a="3")
    less = await apply("one", b="2")

    assert error.value.status == 409
    assert "Apply failed with 1 conflict" in error.value.body
    assert forced.data == {"a": "3", "b": "2"}
    assert less.data == {"a": "3", "b": "2"}


async def test_a_watch_follows_a_job_to_its_end(api: client.ApiClient, namespace: str) -> None:
    batch = client.BatchV1Api(api)
    await batch.create_namespaced_job(namespace, job("ka-job", 2))
    async with watch.Watch() as follower:
        async for event in follower.stream(
            batch.list_namespaced_job,
            namespace,
            field_selector="metadata.name=ka-job",
            timeout_seconds=30,
        ):
            status = event["object"].status
            if status.succeeded == 2:
                break
        else:
            raise AssertionError("the Job did not complete")


async def test_a_pod_has_no_logs_and_says_so(core: client.CoreV1Api, namespace: str) -> None:
    await core.create_namespaced_pod(namespace, pod("ka-pod"))
    async with watch.Watch() as follower:
        async for event in follower.stream(
            core.list_namespaced_pod,
            namespace,
            field_selector="metadata.name=ka-pod",
            timeout_seconds=30,
        ):
            if event["object"].status.phase == "Running":
                break
    with pytest.raises(ApiException) as error:
        await core.read_namespaced_pod_log("ka-pod", namespace)

    assert "simulated node" in error.value.body


async def test_many_requests_at_once_are_all_answered(
    core: client.CoreV1Api, namespace: str
) -> None:
    names = [f"ka-many-{index}" for index in range(50)]
    await asyncio.gather(
        *(
            core.create_namespaced_config_map(namespace, config_map(name, many="1"))
            for name in names
        )
    )
    listed = await core.list_namespaced_config_map(namespace)

    assert set(names) <= {item.metadata.name for item in listed.items}
