"""Changes from the page on an API server with roles: what each of its two users may do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubegang.apimachinery.errors import ConflictError, ForbiddenError, NotFoundError
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.clusterlive import READ
from kubegang.app.pageacts import ClusterActs
from kubegang.app.policy import CHANGING_PAGE_USER, PAGE_USER, ensure_roles
from kubegang.base.clock import run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.resources import JOBS, NODES, PODS, WORKLOADS
from kubegang.web.acts import AskedCordon, AskedDeletion, Deletion, GangName
from tests.component.test_page_views import GANG, GROUPS, Scene
from tests.component.toolscenes import node, pod

GROUP = GangName("PodGroup", "default", "g")
JOB = GangName("Job", "default", "train")
Story = Callable[[Scene, ClusterActs], Awaitable[None]]


def play(story: Story, *, user: str = CHANGING_PAGE_USER) -> Scene:
    """Play on a cluster with a node, a gang and a pod of nobody's."""
    scene = Scene()

    async def in_virtual_time() -> None:
        await bootstrap(scene.cluster.app.state.backend)
        await ensure_roles(scene.cluster.app, scene.profile)
        await scene.add(node("n1", cpu="4"), *GANG, pod("alone"))
        transport = AsgiTransport(scene.server, user=user, groups=("system:authenticated",))
        client = ApiClient(transport, user_agent="tests")
        await story(scene, ClusterActs(client, (*READ, GROUPS, WORKLOADS)))

    run_virtual(in_virtual_time())
    return scene


def asked(gang: GangName, shown: Deletion) -> AskedDeletion:
    return AskedDeletion(gang, tuple(one.uid for one in shown.deleted))


async def add_job(scene: Scene) -> None:
    template = {"spec": pod("p", cpu="1")["spec"] | {"restartPolicy": "Never"}}
    job = {"metadata": {"name": "train"}, "spec": {"template": template}}
    job |= {"apiVersion": "batch/v1", "kind": "Job"}
    made = await scene.admin.create(JOBS, job, "default")
    owned = pod("train-0", owner=("Job", "train"))
    owned["metadata"]["ownerReferences"][0] |= {
        "apiVersion": "batch/v1",
        "uid": made["metadata"]["uid"],
    }
    await scene.add(owned)


def test_a_node_is_cordoned_and_uncordoned() -> None:
    seen: list[Any] = []

    async def story(scene: Scene, acts: ClusterActs) -> None:
        for unschedulable in (True, True, False):
            await acts.cordon(AskedCordon("n1", unschedulable=unschedulable))
            seen.append((await scene.admin.get(NODES, "n1"))["spec"].get("unschedulable"))

    play(story)

    assert seen == [True, True, None]


def test_a_gang_is_deleted_with_the_pods_that_were_shown_and_no_others() -> None:
    async def story(scene: Scene, acts: ClusterActs) -> None:
        shown = await acts.deletion(GROUP)
        assert [(one.kind, one.name) for one in shown.deleted] == [
            ("PodGroup", "g"),
            ("Pod", "p0"),
            ("Pod", "p1"),
        ]
        await acts.delete(asked(GROUP, shown))
        assert [one["metadata"]["name"] for one in (await scene.admin.list(PODS)).items] == [
            "alone"
        ]

    scene = play(story)

    assert [line.rpartition("/")[2] for line in scene.server.writes] == ["g", "p0", "p1"]


def test_of_a_gang_that_a_job_owns_the_job_is_deleted() -> None:
    async def story(scene: Scene, acts: ClusterActs) -> None:
        await add_job(scene)
        shown = await acts.deletion(JOB)
        assert [one.kind for one in shown.deleted] == ["Job"]
        assert [one.name for one in shown.follows] == ["train-0"]
        await acts.delete(asked(JOB, shown))
        with pytest.raises(NotFoundError):
            await scene.admin.get(JOBS, "train", "default")

    scene = play(story)

    assert scene.server.writes == ["DELETE /apis/batch/v1/namespaces/default/jobs/train"]


def test_a_gang_with_a_pod_that_was_not_shown_is_left_alone() -> None:
    async def story(scene: Scene, acts: ClusterActs) -> None:
        shown = await acts.deletion(GROUP)
        await scene.add(pod("p2", group="g"))
        with pytest.raises(ConflictError, match="has changed since it was shown"):
            await acts.delete(asked(GROUP, shown))

    assert play(story).server.writes == []


def test_what_is_not_there_is_told() -> None:
    async def story(_scene: Scene, acts: ClusterActs) -> None:
        with pytest.raises(NotFoundError, match='nodes "n2" not found'):
            await acts.cordon(AskedCordon("n2", unschedulable=True))
        with pytest.raises(NotFoundError, match='"train" not found'):
            await acts.delete(AskedDeletion(JOB, ("1",)))

    play(story)


def test_the_page_that_only_reads_has_no_right_to_change_anything() -> None:
    async def story(scene: Scene, acts: ClusterActs) -> None:
        await add_job(scene)
        with pytest.raises(ForbiddenError, match="cannot patch resource"):
            await acts.cordon(AskedCordon("n1", unschedulable=True))
        for gang in (GROUP, JOB):
            with pytest.raises(ForbiddenError, match="cannot delete resource"):
                await acts.delete(asked(gang, await acts.deletion(gang)))

    play(story, user=PAGE_USER)
