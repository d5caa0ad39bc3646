"""The overview that the page and ``kubegang top`` show: gangs, nodes, and what they say."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kubegang.apimachinery.objects import JsonObject
from kubegang.cli.rendering.tables import print_parts
from kubegang.cli.rendering.topview import top_parts
from kubegang.tools.overview.overview import overview_of
from kubegang.tools.overview.report import Gang, Overview
from tests.component.toolscenes import RACK, explained, gang, node, pod, source


def overview(*objects: JsonObject, version: str = "1.37") -> Overview:
    return overview_of(source(*objects, version=version).stage(), version=version)


def gangs(*objects: JsonObject, version: str = "1.37") -> dict[str, Gang]:
    return {one.unit.name: one for one in overview(*objects, version=version).gangs}


def running(obj: JsonObject) -> JsonObject:
    status = {"phase": "Running", "startTime": "2026-01-01T00:00:10Z"}
    return {**obj, "status": status}


def job(name: str, **status: object) -> JsonObject:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template},
        "status": status,
    }


def owned_by(name: str, obj: JsonObject) -> JsonObject:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": name, "controller": True}
    return {**obj, "metadata": {**obj["metadata"], "ownerReferences": [owner]}}


WAITING = (
    node("n1", cpu="4"),
    gang("g", 3),
    *[pod(f"p{i}", group="g", cpu="2") for i in range(3)],
)


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_a_gang_waits_for_the_reason_that_explain_gives(version: str) -> None:
    objects = (
        node("n1", cpu="4"),
        gang("g", 3, version=version),
        *[pod(f"p{i}", group="g", cpu="2", version=version) for i in range(3)],
    )

    found = gangs(*objects, version=version)["g"]
    reason = explained(source(*objects, version=version), "pod/p0")

    assert (found.state, found.message) == (reason.state, reason.message)
    assert (found.scheduled, found.exist) == (0, 3)
    assert found.message


def test_members_are_counted_for_quorum() -> None:
    found = gangs(gang("g", 3), pod("p0", group="g", cpu="1"))["g"]

    assert (found.state, found.needed, found.exist) == ("waiting", 3, 1)


def test_a_gang_whose_pods_run_says_where() -> None:
    objects = [node(f"n{i}", labels={RACK: "a" if i < 2 else "b"}, cpu="4") for i in range(4)]
    pods = [running(pod(f"p{i}", on=f"n{i}", group="g", cpu="2")) for i in range(2)]

    found = gangs(*objects, gang("g", 2), *pods)["g"]

    assert (found.state, found.message, found.place) == ("running", "", "a")


def test_a_gang_over_two_racks_is_in_none() -> None:
    objects = [node(f"n{i}", labels={RACK: "ab"[i]}, cpu="4") for i in range(2)]
    pods = [running(pod(f"p{i}", on=f"n{i}", group="g", cpu="2")) for i in range(2)]

    assert gangs(*objects, gang("g", 2), *pods)["g"].place == ""


def test_a_gang_is_starting_until_all_its_pods_run() -> None:
    pods = [running(pod("p0", on="n1", group="g", cpu="1")), pod("p1", on="n1", group="g", cpu="1")]

    assert gangs(node("n1", cpu="4"), gang("g", 2), *pods)["g"].state == "starting"


def test_further_members_that_find_no_room_do_not_make_a_running_gang_wait() -> None:
    pods = [running(pod("p0", on="n1", group="g", cpu="4")), pod("p1", group="g", cpu="4")]

    found = gangs(node("n1", cpu="4"), gang("g", 1), *pods)["g"]

    assert (found.state, found.scheduled, found.exist) == ("running", 1, 2)


def test_what_fits_starts_next() -> None:
    assert gangs(node("n1", cpu="4"), pod("alone", cpu="1"))["alone"].state == "would-start"


@pytest.mark.parametrize(
    "status", [{"succeeded": 2}, {"conditions": [{"type": "Failed", "status": "True"}]}]
)
def test_a_group_whose_job_has_ended_is_finished_and_comes_last(status: JsonObject) -> None:
    done = (job("done", **status), owned_by("done", gang("a-group", 2)))

    found = overview(*done, *WAITING)

    assert [(one.unit.name, one.state) for one in found.gangs] == [
        ("g", "unschedulable"),
        ("done", "finished"),
    ]


def test_a_group_without_pods_whose_job_goes_on_waits() -> None:
    found = gangs(job("busy"), owned_by("busy", gang("a-group", 2)))["busy"]

    assert (found.state, found.message) == ("waiting", "0 of 2 members exist; missing 2")


def test_the_queue_is_in_the_order_of_priority_and_then_of_age() -> None:
    def aged(name: str, second: int, priority: int = 0) -> JsonObject:
        made = pod(name, cpu="9", priority=priority)
        made["metadata"] |= {"uid": name, "creationTimestamp": f"2026-01-01T00:00:{second:02}Z"}
        made["metadata"]["namespace"] = "default"
        made["spec"]["schedulerName"] = "default-scheduler"
        return made

    found = overview(aged("young", 9), aged("old", 1), aged("first", 30, priority=5))

    assert [one.unit.name for one in found.gangs] == ["first", "old", "young"]


def test_nodes_are_by_domain_with_what_is_used() -> None:
    nodes = [node(f"n{i}", labels={RACK: f"r{i % 2}"}, cpu="4", gpu="8") for i in (10, 2, 1)]

    found = overview(*nodes, running(pod("p", on="n2", cpu="3", gpu="8")))

    assert found.keys == (RACK,)
    assert [(one.path, [n.name for n in one.nodes]) for one in found.domains] == [
        (("r0",), ["n2", "n10"]),
        (("r1",), ["n1"]),
    ]
    assert [
        (use.resource, use.used, use.allocatable, use.share) for use in found.domains[0].uses
    ] == [
        ("cpu", "3", "8", 0.375),
        ("nvidia.com/gpu", "8", "16", 0.5),
        ("pods", "1", "220", 0.0045),
    ]
    (on_n2,) = found.domains[0].nodes[0].pods
    assert (on_n2.name, on_n2.unit.name, on_n2.runs) == ("p", "p", True)


def test_cordons_and_taints_are_shown() -> None:
    closed = node("n1", cpu="4")
    closed["spec"] = {
        "unschedulable": True,
        "taints": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}],
    }

    (found,) = overview(closed).domains[0].nodes

    assert (found.unschedulable, found.taints) == (True, ("dedicated=ml:NoSchedule",))


def test_an_empty_cluster_has_an_overview() -> None:
    found = overview()

    assert (found.keys, found.domains, found.gangs) == ((), (), ())


def drawn(found: Overview, *, gangs: int | None = None) -> list[str]:
    console = Console(file=io.StringIO())
    with console.capture() as capture:
        print_parts(top_parts(found, gangs=gangs), console)
    del capture
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_terminal_shows_the_same() -> None:
    on_node = running(pod("alone", on="n1", cpu="3"))

    lines = drawn(overview(*WAITING, on_node))

    assert lines[0] == "Kubernetes 1.37: 1 node, 1 waiting"
    (waits,) = (line for line in lines if line.startswith("g "))
    assert "waits: no room   0/3, needs 3   0" in waits
    assert "needs 3 pods at once in the cluster" in waits
    (runs,) = (line for line in lines if line.startswith("alone"))
    assert runs.split()[:3] == ["alone", "runs", "1/1"]
    assert lines[-1] == "all       1       3/4 cpu, 1/110 pods"


def test_a_small_terminal_shows_who_waits_and_how_many_there_are_besides() -> None:
    lines = drawn(overview(*WAITING, running(pod("alone", on="n1", cpu="3"))), gangs=1)

    assert [line for line in lines if line.startswith("alone")] == []
    assert "1 more" in lines
