"""Every namespace's accounts and certificate, tokens in Secrets, gathered roles, quotas.

On a whole cluster in virtual time where roles decide, so the controllers' own rights count.
"""

from __future__ import annotations

import random
from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.apimachinery.errors import ForbiddenError
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.options import UpOptions
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, PODS, SERVICEACCOUNTS
from kubegang.controllers.clusterroleaggregation.controller import CLUSTERROLES
from kubegang.controllers.resourcequota.controller import RESOURCEQUOTAS
from kubegang.controllers.rootca.controller import NAME as ROOT_CA
from kubegang.controllers.serviceaccount.tokens import SECRETS, TYPE
from kubegang.store.memory import MemoryStore

START = 1_795_000_000.0
SETTLED_SECONDS = 5.0
REVIEWS = Resource("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", namespaced=False)

Story = Callable[[EmbeddedCluster, VirtualClock], Awaitable[None]]


def play(story: Story) -> None:
    async def main() -> None:
        clock = VirtualClock(START)
        cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=profile_named("1.37"),
                config=KubeSchedulerConfiguration(),
                components=("apiserver", "controllers"),
                options=UpOptions(),
            ),
            store=MemoryStore(),
            clock=clock,
            rng=random.Random(1),
        )
        async with cluster.running():
            await clock.sleep(SETTLED_SECONDS)
            await story(cluster, clock)

    run_virtual(main())


def named(resource: Resource, name: str, namespace: str = "", **members: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    metadata |= members.pop("metadata", {})
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": metadata,
        **members,
    }


async def secret_of(client: Client, name: str, account: str) -> dict[str, Any]:
    annotations = {"kubernetes.io/service-account.name": account}
    secret = named(SECRETS, name, "default", type=TYPE, metadata={"annotations": annotations})
    return await client.create(SECRETS, secret, "default")


def test_a_namespace_gets_an_account_and_the_certificate_and_gets_them_back() -> None:
    async def story(cluster: EmbeddedCluster, clock: VirtualClock) -> None:
        client = cluster.client
        await client.create(NAMESPACES, named(NAMESPACES, "team"))
        await clock.sleep(SETTLED_SECONDS)
        first = await client.get(SERVICEACCOUNTS, "default", "team")
        await client.delete(SERVICEACCOUNTS, "default", "team")
        await client.delete(CONFIGMAPS, ROOT_CA, "team")
        await clock.sleep(SETTLED_SECONDS)
        second = await client.get(SERVICEACCOUNTS, "default", "team")
        assert first["metadata"]["uid"] != second["metadata"]["uid"]
        assert list((await client.get(CONFIGMAPS, ROOT_CA, "team"))["data"]) == ["ca.crt"]

    play(story)


def test_a_secret_is_filled_with_a_token_that_lasts_as_long_as_the_secret() -> None:
    async def story(cluster: EmbeddedCluster, clock: VirtualClock) -> None:
        client = cluster.client
        await secret_of(client, "kept", "default")
        await secret_of(client, "lost", "nobody")
        await clock.sleep(SETTLED_SECONDS)
        data = (await client.get(SECRETS, "kept", "default"))["data"]
        token = b64decode(data["token"]).decode()
        assert b64decode(data["namespace"]) == b"default"
        left = [one["metadata"]["name"] for one in (await client.list(SECRETS)).items]
        assert left == ["kept"]

        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}
        review["spec"] = {"token": token}  # type: ignore[assignment]
        status = (await client.create(REVIEWS, dict(review)))["status"]
        assert status["user"]["username"] == "system:serviceaccount:default:default"
        await client.delete(SECRETS, "kept", "default")
        status = (await client.create(REVIEWS, dict(review)))["status"]
        assert status["error"] == (
            "[invalid bearer token, service account token has been invalidated]"
        )

    play(story)


def test_view_gathers_the_rules_of_every_role_that_is_labelled_for_it() -> None:
    async def story(cluster: EmbeddedCluster, clock: VirtualClock) -> None:
        client = cluster.client
        label = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
        rule = {"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}
        role = named(CLUSTERROLES, "things", metadata={"labels": label}, rules=[rule])
        await client.create(CLUSTERROLES, role)
        await clock.sleep(SETTLED_SECONDS)
        for name in ("view", "edit", "admin"):
            assert rule in (await client.get(CLUSTERROLES, name))["rules"]
        await client.delete(CLUSTERROLES, "things")
        await clock.sleep(SETTLED_SECONDS)
        assert rule not in (await client.get(CLUSTERROLES, "view"))["rules"]

    play(story)


def test_a_quota_is_counted_when_it_is_made_and_when_something_goes() -> None:
    async def story(cluster: EmbeddedCluster, clock: VirtualClock) -> None:
        client = cluster.client
        container = {"name": "c", "image": "a", "resources": {"requests": {"cpu": "300m"}}}
        spec = {"containers": [container], "schedulerName": "none"}
        await client.create(PODS, named(PODS, "before", "default", spec=spec), "default")
        hard = {"pods": "2", "requests.cpu": "1", "count/configmaps": "5"}
        quota = named(RESOURCEQUOTAS, "q", "default", spec={"hard": hard})
        await client.create(RESOURCEQUOTAS, quota, "default")
        await clock.sleep(SETTLED_SECONDS)
        status = (await client.get(RESOURCEQUOTAS, "q", "default"))["status"]
        assert status["used"] == {"pods": "1", "requests.cpu": "300m", "count/configmaps": "1"}

        await client.create(PODS, named(PODS, "after", "default", spec=spec), "default")
        with pytest.raises(ForbiddenError, match="exceeded quota: q, requested: pods=1"):
            await client.create(PODS, named(PODS, "third", "default", spec=spec), "default")
        await client.delete(PODS, "before", "default")
        await clock.sleep(SETTLED_SECONDS)
        status = (await client.get(RESOURCEQUOTAS, "q", "default"))["status"]
        assert status["used"]["requests.cpu"] == "300m"

    play(story)
