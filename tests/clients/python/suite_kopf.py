"""``kopf``: an operator that makes pods for objects of a kind of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import kopf
import pytest
from kubernetes_asyncio import client, config
from shapes import config_map, custom, definition

FINALIZER = "kopf.zalando.org/KopfFinalizerMarker"
PATIENCE_SECONDS = 30
BETWEEN_LOOKS_SECONDS = 0.1


@pytest.fixture
async def api(kubeconfig: str) -> AsyncIterator[client.ApiClient]:
    async with await config.new_client_from_config(kubeconfig) as made:
        yield made


@pytest.fixture
async def kind(api: client.ApiClient) -> AsyncIterator[str]:
    """A kind that is served while the test runs."""
    definitions = client.ApiextensionsV1Api(api)
    made = await definitions.create_custom_resource_definition(definition("Kettle"))
    yield "kettles"
    await definitions.delete_custom_resource_definition(made.metadata.name)


class Seen:
    """What the operator was told, in its order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def register(self, registry: kopf.OperatorRegistry) -> None:
        """Subscribe to everything about the kind."""
        where = ("clients.example.com", "v1", "kettles")
        kopf.on.create(*where, registry=registry)(self.created)
        kopf.on.field(*where, field="spec.size", registry=registry)(self.resized)
        kopf.on.delete(*where, registry=registry)(self.deleted)
        kopf.on.event("", "v1", "configmaps", registry=registry)(self.child)

    async def created(self, body: kopf.Body, patch: kopf.Patch, **_: Any) -> dict[str, str]:
        """Make a child, and tell so in the status."""
        self.told.append(("created", body["metadata"]["name"]))
        child = config_map(f"{body['metadata']['name']}-child", size=str(body["spec"]["size"]))
        kopf.adopt(child, owner=body)
        async with await config.new_client_from_config() as api:
            await client.CoreV1Api(api).create_namespaced_config_map(
                body["metadata"]["namespace"], child
            )
        patch.status["phase"] = "Up"
        return {"child": child["metadata"]["name"]}

    async def resized(self, old: int | None, new: int, **_: Any) -> None:
        """Note a new size."""
        if old is not None:
            self.told.append(("resized", f"{old}-{new}"))

    async def deleted(self, name: str, **_: Any) -> None:
        """Note a deletion."""
        self.told.append(("deleted", name))

    async def child(self, type: str, name: str, **_: Any) -> None:  # kopf's name
        """Note what happens to children."""
        if name.endswith("-child"):
            self.told.append((f"child {type}", name))


@contextlib.asynccontextmanager
async def operating(seen: Seen, namespace: str) -> AsyncIterator[None]:
    """Run the operator inside the block."""
    registry = kopf.OperatorRegistry()
    kopf.on.login(registry=registry)(kopf.login_with_kubeconfig)
    seen.register(registry)
    ready, stop = asyncio.Event(), asyncio.Event()
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    running = asyncio.create_task(
        kopf.operator(
            registry=registry,
            settings=settings,
            namespaces=[namespace],
            standalone=True,
            ready_flag=ready,
            stop_flag=stop,
        )
    )
    await ready.wait()
    try:
        yield
    finally:
        stop.set()
        await running


async def eventually(holds: Callable[[], bool], seen: Seen) -> None:
    """Return when a condition holds."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds():  # noqa: ASYNC110 - it is told by a server
                await asyncio.sleep(BETWEEN_LOOKS_SECONDS)  # noqa: TID251 - real processes
    except TimeoutError:
        raise AssertionError(f"only {seen.told}") from None


async def test_an_operator_follows_an_object_from_create_to_delete(
    api: client.ApiClient, kind: str, namespace: str
) -> None:
    objects = client.CustomObjectsApi(api)
    where = {"group": "clients.example.com", "version": "v1", "plural": kind}
    seen = Seen()
    async with operating(seen, namespace):
        await objects.create_namespaced_custom_object(
            namespace=namespace, body=custom("Kettle", "one", size=2), **where
        )
        await eventually(lambda: ("child ADDED", "one-child") in seen.told, seen)
        await eventually(lambda: ("created", "one") in seen.told, seen)
        await objects.patch_namespaced_custom_object(
            namespace=namespace,
            name="one",
            body={"spec": {"size": 3}},
            _content_type="application/merge-patch+json",
            **where,
        )
        await eventually(lambda: ("resized", "2-3") in seen.told, seen)
        found = await objects.get_namespaced_custom_object(namespace=namespace, name="one", **where)
        await objects.delete_namespaced_custom_object(namespace=namespace, name="one", **where)
        # The child goes after its owner, so the finalizer was taken off.
        await eventually(lambda: ("child DELETED", "one-child") in seen.told, seen)

    assert found["metadata"]["finalizers"] == [FINALIZER]
    assert found["status"]["phase"] == "Up"
    assert ("deleted", "one") in seen.told
    assert seen.told.count(("created", "one")) == 1
