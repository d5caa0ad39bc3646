"""Components whose gates disagree: what becomes of Jobs, groups and pods.

Three mixes were measured on 1.37.2: GenericWorkload off in kube-apiserver, in
kube-controller-manager, and WorkloadWithJob off in the latter. The others follow from what
each component does with a gate that is off.
"""

from __future__ import annotations

import random

import msgspec
import pytest

from kubegang.api.profile import Component, VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.configuration import scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.gatemixes import warnings
from kubegang.app.profiles.gate_flags import GateFlagError
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Client
from kubegang.client.resources import JOBS, PODGROUPS, PODS
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START
from tests.component.jobobjects import CONTAINER, NS, bare_pod, job

GANG: JsonObject = {"schedulingPolicy": {"gang": {"minCount": 2}}}
EVERY = (
    "GenericWorkload",
    "TopologyAwareWorkloadScheduling",
    "DRAWorkloadResourceClaims",
    "WorkloadWithJob",
    "PodGroupPreemptionPolicy",
    "CompositePodGroup",
)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What there is after a while.

    Attributes:
        asked: what is left of the Job's own wish for a gang.
        job_pods: how many pods the Job has, and how many of them are in a group.
        policies: of the groups that the Job got.
        scheduled: which of the plain pod and the lonely member of a gang have a node.
        stuck: whether the gang that was deleted is still there.
    """

    asked: bool = True
    job_pods: tuple[int, int] = (2, 2)
    policies: tuple[str, ...] = ("gang",)
    scheduled: tuple[str, ...] = ("plain",)
    stuck: bool = False


def mix(component: Component, *gates: str) -> VersionProfile:
    """Return 1.37 with gates off in one component."""
    off = ",".join(f"{gate}=false" for gate in gates)
    return profile_named("1.37", component_gates={component: off})


async def look(client: Client, clock: VirtualClock, *, served: bool) -> Seen:
    """Make a Job, a plain pod and a gang of which one member is missing; see what happens."""
    template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
    await client.create(JOBS, job(parallelism=2, template=template, scheduling=GANG), NS)
    await client.create(PODS, bare_pod("plain"), NS)
    if served:
        for name in ("lonely", "unwanted"):
            body: JsonObject = {
                "apiVersion": "scheduling.k8s.io/v1beta1",
                "kind": "PodGroup",
                "metadata": {"name": name},
                "spec": GANG,
            }
            await client.create(PODGROUPS, body, NS)
        await client.delete(PODGROUPS, "unwanted", NS)
    member = bare_pod("member")
    member["spec"]["schedulingGroup"] = {"podGroupName": "lonely"}
    await client.create(PODS, member, NS)
    await clock.sleep(20)

    asked = (await client.get(JOBS, "train", NS))["spec"].get("scheduling") is not None
    pods = (await client.list(PODS, NS)).items
    of_job = [pod for pod in pods if pod["metadata"].get("ownerReferences")]
    groups = (await client.list(PODGROUPS, NS)).items if served else []
    names = {group["metadata"]["name"]: group for group in groups}
    return Seen(
        asked=asked,
        job_pods=(len(of_job), sum("schedulingGroup" in pod["spec"] for pod in of_job)),
        policies=tuple(
            next(iter(group["spec"]["schedulingPolicy"]))
            for name, group in names.items()
            if name not in ("lonely", "unwanted")
        ),
        scheduled=tuple(
            name
            for name in ("plain", "member")
            for pod in pods
            if pod["metadata"]["name"] == name and pod["spec"].get("nodeName")
        ),
        stuck="unwanted" in names,
    )


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
        served = profile.gates["apiserver"].enabled("GenericWorkload")
        async with cluster.running():
            return await look(cluster.client, clock, served=served)

    return run_virtual(main())


@pytest.mark.parametrize(
    ("profile", "seen"),
    [
        pytest.param(profile_named("1.37"), Seen(), id="all on"),
        pytest.param(
            mix("apiserver", *EVERY),
            Seen(asked=False, job_pods=(0, 0), policies=(), scheduled=()),
            id="API server without",
        ),
        pytest.param(
            mix("apiserver", "WorkloadWithJob"),
            # The controller's role comes from the API server, whose gates say what is in it.
            Seen(asked=False, job_pods=(0, 0), policies=()),
            id="API server drops spec.scheduling",
        ),
        pytest.param(
            mix("controllers", "WorkloadWithJob"),
            Seen(job_pods=(2, 0), policies=()),
            id="controllers make no groups",
        ),
        pytest.param(
            mix("controllers", *EVERY),
            Seen(job_pods=(2, 0), policies=(), stuck=True),
            id="controllers without",
        ),
        pytest.param(
            mix("scheduler", *EVERY),
            Seen(scheduled=("plain", "member")),
            id="scheduler without",
        ),
    ],
)
def test_a_mix_of_gates_does_what_the_real_one_does(profile: VersionProfile, seen: Seen) -> None:
    assert play(profile) == seen


def test_a_mix_with_which_nothing_starts_is_told() -> None:
    assert warnings(profile_named("1.37")) == []
    assert warnings(mix("apiserver", "CompositePodGroup")) == [
        "warning: no pod is scheduled: CompositePodGroup is on in the scheduler, and the API "
        "server serves no composite pod groups",
    ]
    assert warnings(mix("apiserver", *EVERY)) == [
        "warning: Jobs get no pods: WorkloadWithJob is on in the controllers, and the API server "
        "serves no pod groups",
        "warning: no pod is scheduled: GenericWorkload is on in the scheduler, and the API server "
        "serves no pod groups",
    ]


@pytest.mark.parametrize(
    ("release", "gates", "problem"),
    [
        (
            "1.37",
            "CompositePodGroup=true,TopologyAwareWorkloadScheduling=false",
            "CompositePodGroup is enabled, but depends on features that are disabled: "
            "[TopologyAwareWorkloadScheduling]",
        ),
        (
            "1.37",
            "GangScheduling=true",
            "--feature-gates: unrecognized feature gate: GangScheduling (it exists in Kubernetes "
            "1.35, 1.36)",
        ),
        (
            "1.35",
            "CompositePodGroup=true",
            "--feature-gates: unrecognized feature gate: CompositePodGroup (it exists in "
            "Kubernetes 1.37)",
        ),
    ],
)
def test_gates_that_cannot_be_are_refused(release: str, gates: str, problem: str) -> None:
    with pytest.raises(GateFlagError) as refused:
        profile_named(release, feature_gates=gates)
    assert str(refused.value) == problem
