"""Components that disagree about gates, release by release, on the same small cluster.

Every row was measured on the real programs (1.35.4, 1.36.3 and 1.37.2), whose controllers
worked under accounts of their own.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest

from kubegang.api.profile import Component, VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.configuration import scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.profiles import v1_35, v1_36, v1_37
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import JOBS, PODS, pod_groups_in
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START
from tests.component.jobobjects import CONTAINER, NS, bare_pod

GANG: JsonObject = {"schedulingPolicy": {"gang": {"minCount": 2}}}
WORKLOADS = Resource("scheduling.k8s.io", "v1alpha1", "workloads", "Workload")
TOPOLOGY, CLAIMS = "TopologyAwareWorkloadScheduling", "DRAWorkloadResourceClaims"
JOB_GATE, GANG_GATE, TREES = "WorkloadWithJob", "GangScheduling", "CompositePodGroup"
BOTH = ("schedulingConstraints", "resourceClaims")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What there is after a while.

    Attributes:
        job_pods: how many pods the Job has, and how many of them are in a group.
        groups: how many groups the Job got.
        kept: what the API server stored of a group's constraints and claims.
        scheduled: which have a node of a plain pod, a gang of two and a gang's lonely member.
        stuck: whether a group that was deleted is still there.
    """

    job_pods: tuple[int, int] = (2, 2)
    groups: int = 1
    kept: tuple[str, ...] = BOTH
    scheduled: tuple[str, ...] = ("f1", "f2", "plain")
    stuck: bool = False


NOTHING = Seen(job_pods=(0, 0), groups=0, kept=(), scheduled=())
NO_GROUPS = Seen(job_pods=(2, 0), groups=0)
OLD = Seen(job_pods=(2, 0), groups=0, kept=())
ALL_PODS = ("f1", "f2", "member", "plain")


class Look:
    """Makes a few objects and looks at what becomes of them."""

    def __init__(self, client: Client, clock: VirtualClock, profile: VersionProfile) -> None:
        self._client = client
        self._clock = clock
        self._release = profile.name
        self._groups = pod_groups_in(profile.schedulers[0].pod_group_version)
        self._served = profile.gates["apiserver"].enabled("GenericWorkload")

    async def look(self) -> Seen:
        await self._client.create(JOBS, self._job(), NS)
        await self._client.create(PODS, bare_pod("plain"), NS)
        kept = await self._make_groups() if self._served else ()
        for name, group in (("member", "lonely"), ("f1", "full"), ("f2", "full")):
            await self._make_member(name, group)
        await self._clock.sleep(20)
        return await self._see(kept)

    def _job(self) -> JsonObject:
        template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
        spec: JsonObject = {"parallelism": 2, "completions": 2, "template": template}
        if self._release == "1.37":
            spec["scheduling"] = GANG
        else:
            # Of its shape a gang is made.
            spec["completionMode"] = "Indexed"
        metadata = {"name": "train"}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}

    async def _make_groups(self) -> tuple[str, ...]:
        if self._release == "1.35":
            for name in ("lonely", "full"):
                policy = {"policy": {"gang": {"minCount": 2}}}
                spec = {"podGroups": [{"name": name, **policy}]}
                await self._client.create(WORKLOADS, _object(WORKLOADS, name, spec), NS)
            return ()
        for name in ("lonely", "full", "unwanted"):
            await self._client.create(self._groups, _object(self._groups, name, GANG), NS)
        await self._client.delete(self._groups, "unwanted", NS)
        rich = {
            **GANG,
            "schedulingConstraints": {"topology": [{"key": "rack"}]},
            "resourceClaims": [{"name": "x", "resourceClaimName": "c"}],
        }
        made = await self._client.create(self._groups, _object(self._groups, "rich", rich), NS)
        return tuple(part for part in BOTH if part in made["spec"])

    async def _make_member(self, name: str, group: str) -> None:
        pod = bare_pod(name)
        if self._release == "1.35":
            pod["spec"]["workloadRef"] = {"name": group, "podGroup": group}
        else:
            pod["spec"]["schedulingGroup"] = {"podGroupName": group}
        await self._client.create(PODS, pod, NS)

    async def _see(self, kept: tuple[str, ...]) -> Seen:
        pods = (await self._client.list(PODS, NS)).items
        of_job = [pod for pod in pods if pod["metadata"].get("ownerReferences")]
        found = await self._names_of_groups()
        named = {"plain", "member", "f1", "f2"}
        placed = {p["metadata"]["name"] for p in pods if p["spec"].get("nodeName")}
        return Seen(
            job_pods=(len(of_job), sum("schedulingGroup" in pod["spec"] for pod in of_job)),
            groups=len(set(found) - {"lonely", "full", "unwanted", "rich"}),
            kept=kept,
            scheduled=tuple(sorted(placed & named)),
            stuck="unwanted" in found,
        )

    async def _names_of_groups(self) -> Sequence[str]:
        if not self._served or self._release == "1.35":
            return ()
        groups = (await self._client.list(self._groups, NS)).items
        return [group["metadata"]["name"] for group in groups]


def _object(resource: Resource, name: str, spec: JsonObject) -> JsonObject:
    metadata = {"name": name}
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": metadata,
        "spec": spec,
    }


def play(profile: VersionProfile) -> Seen:
    async def main() -> Seen:
        clock = VirtualClock(START)
        cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=profile,
                config=scheduler_configuration("", profile),
                initial_nodes=nodes_of(default_cluster(1)),
            ),
            store=MemoryStore(),
            clock=clock,
            rng=random.Random(0),
        )
        async with cluster.running():
            return await Look(cluster.client, clock, profile).look()

    return run_virtual(main())


@pytest.mark.parametrize(
    ("release", "component", "off", "seen"),
    [
        ("1.36", "apiserver", (), Seen()),
        ("1.36", "apiserver", v1_36.GANG_GATES, NOTHING),
        ("1.36", "apiserver", (JOB_GATE,), Seen(job_pods=(0, 0), groups=0)),
        ("1.36", "apiserver", (GANG_GATE, "WorkloadAwarePreemption"), Seen()),
        ("1.36", "apiserver", (TOPOLOGY,), Seen(kept=("resourceClaims",))),
        ("1.36", "apiserver", (CLAIMS,), Seen(kept=("schedulingConstraints",))),
        (
            "1.36",
            "controllers",
            v1_36.GANG_GATES,
            msgspec.structs.replace(NO_GROUPS, stuck=True),
        ),
        ("1.36", "controllers", (JOB_GATE,), NO_GROUPS),
        ("1.36", "controllers", (CLAIMS,), Seen()),
        ("1.36", "scheduler", v1_36.GANG_GATES, Seen(scheduled=ALL_PODS)),
        (
            "1.36",
            "scheduler",
            (GANG_GATE, "WorkloadAwarePreemption"),
            Seen(scheduled=ALL_PODS),
        ),
        ("1.36", "scheduler", (TOPOLOGY,), Seen()),
        ("1.36", "scheduler", (CLAIMS,), Seen()),
        ("1.37", "apiserver", (), Seen()),
        ("1.37", "apiserver", v1_37.GANG_GATES, NOTHING),
        ("1.37", "apiserver", (JOB_GATE,), Seen(job_pods=(0, 0), groups=0)),
        ("1.37", "apiserver", (TOPOLOGY, TREES), Seen(kept=("resourceClaims",), scheduled=())),
        ("1.37", "apiserver", (CLAIMS,), Seen(kept=("schedulingConstraints",))),
        (
            "1.37",
            "controllers",
            v1_37.GANG_GATES,
            msgspec.structs.replace(NO_GROUPS, stuck=True),
        ),
        ("1.37", "controllers", (JOB_GATE,), NO_GROUPS),
        ("1.37", "controllers", (CLAIMS,), Seen()),
        ("1.37", "scheduler", v1_37.GANG_GATES, Seen(scheduled=ALL_PODS)),
        ("1.37", "scheduler", (TOPOLOGY, TREES), Seen()),
        ("1.37", "scheduler", (CLAIMS,), Seen()),
        ("1.35", "apiserver", (), OLD),
        ("1.35", "apiserver", v1_35.GANG_GATES, msgspec.structs.replace(OLD, scheduled=())),
        (
            "1.35",
            "scheduler",
            v1_35.GANG_GATES,
            msgspec.structs.replace(OLD, scheduled=ALL_PODS),
        ),
        (
            "1.35",
            "scheduler",
            (GANG_GATE,),
            msgspec.structs.replace(OLD, scheduled=ALL_PODS),
        ),
    ],
)
def test_a_mix_of_gates_comes_to_what_the_real_programs_make_of_it(
    release: str, component: Component, off: tuple[str, ...], seen: Seen
) -> None:
    gates = ",".join(f"{gate}=false" for gate in off)
    assert play(profile_named(release, component_gates={component: gates} if off else {})) == seen
