"""What the Deployment controller of an earlier release does otherwise."""

from __future__ import annotations

import pytest

from kubegang.client.resources import PODS
from tests.component.controllersharness import ControlledCluster, run_scenario
from tests.component.workloadobjects import NS, Operators, workload

NEW = "registry.example/app:2"


@pytest.mark.parametrize(("release", "waits"), [("1.35", False), ("1.36", True), ("1.37", True)])
def test_recreate_waits_for_a_relabelled_pod_since_1_36(release: str, waits: bool) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        await cluster.start()
        op = Operators(cluster)
        await op.create(workload("Deployment", replicas=1, strategy={"type": "Recreate"}))
        (pod,) = await op.pods()
        await op.start(pod)
        held = {"metadata": {"finalizers": ["example.com/held"]}}
        await op.api.patch(PODS, pod["metadata"]["name"], NS, patch=held)
        await op.set_image("Deployment", NEW)
        assert await op.sizes() == {"1": 0}

        other = {"metadata": {"labels": {"app": "other"}}}
        await op.api.patch(PODS, pod["metadata"]["name"], NS, patch=other)
        await op.wait(5)
        assert await op.sizes() == ({"1": 0} if waits else {"1": 0, "2": 1})

    run_scenario(scenario, release=release)
