"""``kubegang run`` from files to report, all components in virtual time."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.controllers.parts import resource_of, served_once
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.served import scheme_of
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.cli.main import commands
from kubegang.client.resources import JOBS, NODES
from kubegang.nodesim.node_file import nodes_of, parse_node_file
from kubegang.store.memory import MemoryStore

pytestmark = pytest.mark.usefixtures("own_logging")

CLUSTER: JsonObject = {
    "apiVersion": "kubegang.dev/v1alpha1",
    "kind": "SimulatedCluster",
    "nodePools": [{"name": "gpu", "count": 4, "allocatable": {"nvidia.com/gpu": "8"}}],
}


def gang_job(name: str, *, pods: int = 3, duration: str = "60s", **metadata: str) -> JsonObject:
    container = {
        "name": "worker",
        "image": "registry.example/train:1",
        "resources": {"limits": {"nvidia.com/gpu": "8"}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, **metadata},
        "spec": {
            "completions": pods,
            "parallelism": pods,
            "completionMode": "Indexed",
            "scheduling": {"schedulingPolicy": {"gang": {}}},
            "template": {
                "metadata": {"annotations": {"kubegang.dev/run-duration": duration}},
                "spec": {"restartPolicy": "Never", "containers": [container]},
            },
        },
    }


def pod(name: str, **spec: object) -> JsonObject:
    container = {"name": "main", "image": "registry.example/app:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


def run(objects: Sequence[JsonObject], *arguments: str) -> Result:
    """Run objects given on standard input."""
    return CliRunner().invoke(commands, ["run", "-", *arguments], input=yaml.safe_dump_all(objects))


def report(objects: Sequence[JsonObject], *arguments: str) -> JsonObject:
    result = run(objects, "-o", "json", *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    found: JsonObject = json.loads(result.stdout)
    return found


def told(found: JsonObject) -> list[tuple[float, str, str]]:
    return [(e["at"], e["subjects"][0]["name"], e["kind"]) for e in found["timeline"]]


def test_a_second_gang_starts_whole_once_the_first_has_ended() -> None:
    found = report([CLUSTER, gang_job("first"), gang_job("second")])

    assert told(found)[:4] == [
        (0.0, "first", "submitted"),
        (0.0, "first", "started"),
        (0.0, "second", "submitted"),
        (0.0, "second", "waits"),
    ]
    assert [(name, kind) for _, name, kind in told(found)[4:]] == [
        ("first", "succeeded"),
        ("second", "started"),
        ("second", "succeeded"),
    ]
    assert found["jobs"] == {"succeeded": 2}
    assert found["pending"] == []


def test_what_stays_pending_is_explained_with_numbers_and_ends_with_1() -> None:
    objects = [CLUSTER, gang_job("large", pods=5)]

    result = run(objects)
    (pending,) = report(objects)["pending"]

    assert result.exit_code == 1
    assert "5 pods at once in the cluster; 4 find room" in result.stdout
    assert (pending["pods"], pending["needed"], pending["scheduled"]) == (5, 5, 0)
    assert pending["refused"][0]["reasons"] == [
        {"reason": "Insufficient nvidia.com/gpu", "nodes": 4}
    ]
    assert "minCount (5) cannot be satisfied: 4 scheduled" in pending["upstreamMessage"]


def test_yaml_and_json_say_the_same() -> None:
    objects = [CLUSTER, gang_job("first")]

    assert yaml.safe_load(run(objects, "-o", "yaml").stdout) == report(objects)


def test_wide_names_nodes_and_pods() -> None:
    result = run([CLUSTER, pod("notebook", nodeName="gpu-2")], "-o", "wide")

    assert "gpu-2   notebook (running)" in result.stdout
    assert result.exit_code == 0


def test_a_run_stops_when_its_time_is_up() -> None:
    found = report([CLUSTER, gang_job("long", duration="10h")], "--until", "2h")

    assert (found["stopped"], found["duration"]) == ("until", 7200.0)
    assert found["pods"] == {"running": 3}


def test_a_cron_job_runs_until_the_time_is_up() -> None:
    hourly = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "hourly"},
        "spec": {
            "schedule": "0 * * * *",
            "jobTemplate": {"spec": gang_job("made", pods=2, duration="10m")["spec"]},
        },
    }

    found = report([CLUSTER, hourly], "--until", "2h30m")
    assert (found["stopped"], found["jobs"]) == ("until", {"succeeded": 2})

    hourly["spec"]["suspend"] = True  # type: ignore[index]
    assert report([CLUSTER, hourly])["stopped"] == "settled"


def test_waiting_for_a_known_end_is_no_standstill() -> None:
    found = report([CLUSTER, gang_job("long", duration="10h")])

    assert (found["stopped"], found["jobs"]) == ("settled", {"succeeded": 1})
    assert found["duration"] >= 36000.0


def test_priority_classes_and_namespaces_come_first_wherever_they_stand() -> None:
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 7,
    }
    member = pod("p", priorityClassName="urgent")
    member["metadata"]["namespace"] = "team-a"

    found = report([member, CLUSTER, urgent])

    assert found["pods"] == {"running": 1}


def test_a_configuration_among_the_files_is_used(tmp_path: Path) -> None:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 1,
    }
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(configuration), encoding="utf-8")
    objects = [CLUSTER, gang_job("first"), gang_job("second")]

    beside = report(objects, str(path))
    by_flag = report(objects, "--config", str(path))

    start = next(at for at, name, kind in told(beside) if (name, kind) == ("second", "started"))
    assert 60.0 <= start <= 62.0
    assert beside == by_flag


def test_without_the_gate_a_job_is_no_gang() -> None:
    job = gang_job("large", pods=5)
    del job["spec"]["scheduling"]

    found = report([CLUSTER, job], "--feature-gates", "WorkloadWithJob=false")

    assert found["pods"] == {"succeeded": 5}


def test_nodes_may_be_given_by_number() -> None:
    found = report([pod("p")], "--nodes", "3")

    assert (found["nodes"], found["pods"]) == (3, {"running": 1})


def test_without_nodes_the_report_says_how_to_get_some() -> None:
    result = run([pod("p")])

    assert "there are no nodes: give --nodes N" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param({"parallelism": -1}, "spec.parallelism: Invalid value: -1", id="number"),
        pytest.param({"completionMode": "Sorted"}, "spec.completionMode: ", id="word"),
    ],
)
def test_an_object_that_the_api_refuses_is_told_with_its_place(
    change: JsonObject, want: str
) -> None:
    job = gang_job("bad")
    job["spec"] |= change
    lines = yaml.safe_dump_all([CLUSTER, job]).splitlines()
    (field,) = change
    line = next(n for n, text in enumerate(lines, 1) if text.strip().startswith(f"{field}:"))

    result = run([CLUSTER, job])

    assert isinstance(result.exception, BadInputError)
    assert f"stdin:{line}:3: Job bad: {want}" in str(result.exception)
    assert result.stdout == ""


def test_bad_input_is_one_clear_line_and_exit_status_2(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("kind: [\n", encoding="utf-8")

    ended = subprocess.run(
        [sys.executable, "-m", "kubegang.cli.main", "run", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"kubegang: {path}:2:1: ")
    assert len(ended.stderr.splitlines()) == 1


def test_the_same_input_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "all.yaml"
    jobs = [gang_job(f"job-{number}", pods=1 + number % 4) for number in range(6)]
    path.write_text(yaml.safe_dump_all([CLUSTER, *jobs]), encoding="utf-8")
    command = [sys.executable, "-m", "kubegang.cli.main", "run", str(path), "-o", "json"]

    first, second = (
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    )

    assert first == second


def test_a_saved_cluster_goes_on_where_it_was(tmp_path: Path) -> None:
    """Uids, owners, selectors and statuses of a dump are taken over; nothing is made twice."""
    path = tmp_path / "dump.json"
    saved = run_virtual(_saved_cluster())
    path.write_text(json.dumps(saved), encoding="utf-8")

    result = CliRunner().invoke(commands, ["run", str(path), "-o", "json"])
    found = json.loads(result.stdout)

    assert found["warnings"] == []
    assert found["jobs"] == {"succeeded": 2}
    assert found["pods"] == {"succeeded": 6}
    assert [(name, kind) for _, name, kind in told(found)] == [
        ("second", "waits"),
        ("first", "succeeded"),
        ("second", "started"),
        ("second", "succeeded"),
    ]


def test_an_owner_that_is_not_in_the_files_is_left_out_with_a_warning() -> None:
    orphan = pod("p", nodeName="gpu-0")
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "gone", "uid": "1-2-3"}
    orphan["metadata"]["ownerReferences"] = [owner]

    found = report([CLUSTER, orphan])

    assert found["pods"] == {"running": 1}
    assert "the owner Job gone is not in the files" in found["warnings"][0]


async def _saved_cluster() -> JsonObject:
    """Return everything in a cluster where one gang runs and another waits."""
    clock = VirtualClock(0.0)
    profile = resolve_profile(UpOptions())
    cluster = EmbeddedCluster(
        EmbeddedSettings(profile=profile, config=scheduler_configuration("", profile)),
        store=MemoryStore(),
        clock=clock,
        rng=random.Random(1),
    )
    items: list[JsonObject] = []
    async with cluster.running():
        for node in nodes_of(parse_node_file(CLUSTER)):
            await cluster.client.create(NODES, node)
        await clock.sleep(1.0)
        for job in (gang_job("first"), gang_job("second")):
            await cluster.client.create(JOBS, job, "default")
        await clock.sleep(20.0)
        for row in served_once(scheme_of(profile)):
            items += (await cluster.client.list(resource_of(row))).items
    return {"apiVersion": "v1", "kind": "List", "items": items}
