"""What the Job controller of an earlier release does otherwise."""

from __future__ import annotations

import pytest

from kubegang.client.resources import JOBS
from tests.component.controllersharness import ControlledCluster, run_scenario
from tests.component.jobobjects import NS, Users, job


@pytest.mark.parametrize(("release", "kept"), [("1.35", True), ("1.36", False), ("1.37", False)])
def test_a_suspended_job_has_started_only_before_1_36(release: str, kept: bool) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        users = Users(cluster)
        await cluster.start()
        await users.submit(job())
        await users.wait(3)
        await users.api.patch(JOBS, "train", NS, patch={"spec": {"suspend": True}})
        await users.wait(3)
        status = (await users.api.get(JOBS, "train", NS))["status"]
        assert "Suspended" in [c["type"] for c in status["conditions"] if c["status"] == "True"]
        assert ("startTime" in status) == kept

    run_scenario(scenario, release=release)
