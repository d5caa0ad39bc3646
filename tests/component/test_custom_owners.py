"""Objects of custom kinds as the controllers see them: owners, and what a namespace holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.definitions import follow_definitions
from kubegang.apiserver.policybootstrap import ensure_policy
from kubegang.app.policy import policy_of
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import run_virtual
from kubegang.client.interface import Resource
from kubegang.client.resources import CUSTOMRESOURCEDEFINITIONS, NAMESPACES
from tests.component.apiharness import Api
from tests.component.controllersharness import RELEASE, ControlledCluster
from tests.component.customshapes import custom, job_set
from tests.component.jobobjects import NS, Users, config_map

SETS = job_set()
RESOURCE = Resource(SETS["spec"]["group"], "v1alpha2", "jobsets", "JobSet")

Scenario = Callable[[Users], Coroutine[Any, Any, None]]


def scenario_test(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario on a cluster that follows definitions, with all controllers, a test."""

    async def main() -> None:
        api = await Api.start(version=RELEASE, roles=True)
        await ensure_policy(api.backend, policy_of(profile_named(RELEASE)))
        follower = asyncio.create_task(follow_definitions(api.backend))
        cluster = ControlledCluster(api)
        try:
            await cluster.start()
            users = Users(cluster)
            await users.api.create(CUSTOMRESOURCEDEFINITIONS, SETS)
            await users.wait(2)
            await scenario(users)
        finally:
            await cluster.kill()
            follower.cancel()

    def test() -> None:
        run_virtual(main())

    test.__name__ = scenario.__name__
    return test


async def owner(users: Users) -> JsonObject:
    """Make an object of the kind, and a ConfigMap that it owns."""
    made = await users.api.create(RESOURCE, custom(SETS, "owner", {}), NS)
    await users.submit(config_map("child", made))
    await users.wait(1)
    return made


@scenario_test
async def test_dependents_go_after_their_owner(users: Users) -> None:
    await owner(users)
    assert await users.config_maps() == ["child"]

    await users.api.delete(RESOURCE, "owner", NS, propagation_policy="Background")
    await users.wait(2)
    assert await users.config_maps() == []


@scenario_test
async def test_in_the_foreground_the_owner_goes_last(users: Users) -> None:
    await owner(users)

    await users.api.delete(RESOURCE, "owner", NS, propagation_policy="Foreground")
    await users.wait(2)
    assert await users.config_maps() == []
    with pytest.raises(NotFoundError):
        await users.api.get(RESOURCE, "owner", NS)


@scenario_test
async def test_dependents_go_with_the_definition_of_their_owner(users: Users) -> None:
    await owner(users)

    await users.api.delete(CUSTOMRESOURCEDEFINITIONS, SETS["metadata"]["name"])
    await users.wait(30)
    assert await users.config_maps() == []


@scenario_test
async def test_a_namespace_takes_them_with_it(users: Users) -> None:
    await users.api.create(NAMESPACES, {"metadata": {"name": "going"}})
    await users.api.create(RESOURCE, custom(SETS, "inside", {}), "going")

    await users.api.delete(NAMESPACES, "going")
    await users.wait(30)
    with pytest.raises(NotFoundError):
        await users.api.get(NAMESPACES, "going")
