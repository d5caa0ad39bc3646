"""Claims for extended resources are counted under the name of the release."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import InternalError
from kubegang.app.shownmetrics import ShownMetrics
from tests.component.deviceobjects import add_devices, published
from tests.component.schedulerharness import Cluster, run_scenario
from tests.component.test_scheduler_extended_resources import ask, container, offering

BEFORE = 'scheduler_resourceclaim_creates_total{status="%s"} 1.0'
SHARED = (
    "dynamic_resource_allocation_resourceclaim_creates_total"
    '{admin_access="false",owner_api_group="",owner_api_kind="Pod",status="%s"} 1.0'
)


@pytest.mark.parametrize(("release", "sample"), [("1.36", BEFORE), ("1.37", SHARED)], ids=str)
def test_claims_that_are_made_or_not_are_counted(release: str, sample: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, published("n1", "d0"), offering())
        cluster.client.fail(InternalError("disk full"), method="POST", path="/resourceclaims")
        await cluster.start()
        await ask(cluster, "p", container("c", 1))
        await cluster.wait_for(["p"], at_most=10)

        shown = ShownMetrics(cluster.registry, cluster.profile).text().decode()
        counted = [line for line in shown.splitlines() if "resourceclaim_creates_total{" in line]
        assert sorted(counted) == [sample % "failure", sample % "success"]

    run_scenario(scenario, version=release)
