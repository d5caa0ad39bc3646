"""explain, dump and what-if as commands: input, output, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.errors import BadInputError, ClusterUnreachableError
from kubegang.cli.main import commands
from tests.component.toolscenes import gang, node, pod, written

pytestmark = pytest.mark.usefixtures("own_logging")

FULL = (node("n1", cpu="4"), gang("g", 3), *[pod(f"p{i}", group="g", cpu="2") for i in range(3)])
FITTING = (node("n1", cpu="8"), *FULL[1:])

SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "s", "uid": "s"},
    "data": {"password": "aHVudGVyMg=="},
}


def run(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(commands, list(arguments), input=text)


def dumped(*objects: JsonObject) -> str:
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def test_explain_ends_with_1_while_it_waits_and_with_0_once_it_starts() -> None:
    waits = run("explain", "podgroup/g", "-f", "-", text=dumped(*FULL))
    starts = run("explain", "podgroup/g", "-f", "-", text=dumped(*FITTING))

    assert waits.exit_code == 1
    assert "PodGroup default/g waits: no room" in waits.stdout
    assert "lower minCount of PodGroup g from 3 to 2" in waits.stdout
    assert (starts.exit_code, "starts with the next attempt" in starts.stdout) == (0, True)


def test_explain_as_json_has_the_same_numbers_as_as_yaml() -> None:
    arguments = ("explain", "podgroup/g", "-f", "-")

    as_json = json.loads(run(*arguments, "-o", "json", text=dumped(*FULL)).stdout)
    as_yaml = yaml.safe_load(run(*arguments, "-o", "yaml", text=dumped(*FULL)).stdout)

    assert as_json == as_yaml
    (part,) = as_json["parts"]
    assert part["quorum"]["needed"] == 3
    assert part["totals"] == [
        {"resource": "cpu", "needed": "6", "exists": "4", "free": "4", "suffices": False}
    ]


def test_broken_yaml_is_told_with_line_and_column() -> None:
    result = run("explain", "pod/p", "-f", "-", text="kind: Pod\nmetadata: {name: [}\n")

    assert isinstance(result.exception, BadInputError)
    assert str(result.exception).startswith("stdin:2:")


def test_broken_json_is_told_with_line_and_column() -> None:
    result = run("explain", "pod/p", "-f", "-", text='{"kind": "List",\n "items": [}')

    assert isinstance(result.exception, BadInputError)
    assert str(result.exception).startswith("stdin:2:")


def test_a_field_of_the_wrong_type_is_told_with_its_place() -> None:
    broken = pod("p", cpu="1") | {"spec": {"containers": 5}}

    result = run("explain", "pod/p", "-f", "-", text=yaml.safe_dump(broken))

    assert isinstance(result.exception, BadInputError)
    assert str(result.exception).startswith("stdin:7:3: Pod in version")


@pytest.mark.parametrize("name", ["g", "cow/g", "podgroup/"])
def test_a_name_that_is_none_is_bad_input(name: str) -> None:
    result = run("explain", name, "-f", "-", text=dumped(*FULL))

    assert isinstance(result.exception, BadInputError)
    assert "need KIND/NAME" in str(result.exception)


def test_what_is_not_there_is_bad_input() -> None:
    result = run("explain", "pod/nobody", "-f", "-", text=dumped(*FULL))

    assert str(result.exception) == "there is no Pod default/nobody"


def test_a_cluster_that_does_not_answer_is_told(tmp_path: Path) -> None:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")

    result = run("explain", "pod/p", "--kubeconfig", str(path))

    assert isinstance(result.exception, ClusterUnreachableError)


def test_a_dump_holds_no_secret_and_is_read_again() -> None:
    secretive = pod("p9", cpu="1")
    secretive["metadata"]["uid"] = "p9"
    secretive["metadata"]["annotations"] = {"vault/token": "hunter2"}
    secretive["spec"]["containers"][0] |= {
        "env": [{"name": "PASSWORD", "value": "hunter2"}],
        "args": ["--password=hunter2"],
    }

    result = run("dump", "-f", "-", text=dumped(*FULL, secretive, SECRET))

    assert result.exit_code == 0
    assert "hunter2" not in result.stdout
    assert "aHVudGVyMg" not in result.stdout
    assert "PASSWORD" in result.stdout
    explained = run("explain", "podgroup/g", "-f", "-", text=result.stdout)
    assert "needs 3 pods at once in the cluster; 2 find room" in explained.stdout


def test_an_anonymous_dump_gives_the_same_answer_under_other_names() -> None:
    result = run("dump", "--anonymize", "-o", "yaml", "-f", "-", text=dumped(*FULL))

    assert "n1" not in result.stdout
    explained = run("explain", "podgroup/podgroup-1", "-f", "-", text=result.stdout)
    assert "needs 3 pods at once in the cluster; 2 find room" in explained.stdout


def test_what_if_says_what_a_node_more_would_start() -> None:
    result = run("what-if", "--add-nodes", "1=n1", "-f", "-", text=dumped(*FULL))

    assert result.exit_code == 0
    assert "Supposed: add 1 node of n1" in result.stdout
    assert "As 1.37: 3 pods would start, 0 evictions, 0 pods would stay pending." in result.stdout


def test_what_if_ends_with_1_while_something_stays_pending() -> None:
    result = run("what-if", "-o", "json", "-f", "-", text=dumped(*FULL))

    (plan,) = json.loads(result.stdout)["plans"]
    assert result.exit_code == 1
    assert (plan["binds"], plan["pending"][0]["pods"]) == ([], 3)


def test_what_if_submits_a_manifest_by_each_release_side_by_side(tmp_path: Path) -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {
            "completions": 3,
            "parallelism": 3,
            "completionMode": "Indexed",
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [
                        {
                            "name": "main",
                            "image": "registry.example/train:1",
                            "resources": {"limits": {"cpu": "2"}},
                        }
                    ],
                }
            },
        },
    }
    path = written(tmp_path / "job.yaml", job)
    arguments = ("what-if", "--submit", path, "--as", "1.35", "--as", "1.36", "-o", "json")

    plans = json.loads(run(*arguments, "-f", "-", text=dumped(node("n1", cpu="4"))).stdout)["plans"]

    # In 1.36 a Job of this shape becomes a gang; in 1.35 its pods are ordinary ones.
    assert [(len(p["binds"]), sum(one["pods"] for one in p["pending"])) for p in plans] == [
        (2, 1),
        (0, 3),
    ]


def test_what_if_drains_a_node_and_says_who_comes_back() -> None:
    held = [
        pod("owned", on="n1", owner=("ReplicaSet", "web"), cpu="2"),
        pod("bare", on="n1", cpu="1"),
        pod("agent", on="n1", owner=("DaemonSet", "agents"), cpu="1"),
    ]
    text = dumped(node("n1", cpu="4"), node("n2", cpu="4"), *held)

    (plan,) = json.loads(
        run("what-if", "--drain", "n1", "-o", "json", "-f", "-", text=text).stdout
    )["plans"]

    assert [(one["pod"], one["returns"]) for one in plan["evictions"]] == [
        ("default/owned", True),
        ("default/bare", False),
    ]
    assert [(one["pod"], one["node"]) for one in plan["binds"]] == [("default/owned-again", "n2")]


def test_what_if_evicts_weaker_pods_for_a_raised_priority() -> None:
    text = dumped(node("n1", cpu="4"), pod("low", on="n1", cpu="3"), pod("high", cpu="2"))

    result = run("what-if", "--set-priority", "pod/high=10", "-o", "json", "-f", "-", text=text)

    (plan,) = json.loads(result.stdout)["plans"]
    assert [(one["pod"], one["preemptor"]) for one in plan["evictions"]] == [
        ("default/low", "Pod default/high")
    ]
    assert [(one["pod"], one["node"]) for one in plan["binds"]] == [("default/high", "n1")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--cordon", "nowhere"), "there is no node nowhere"),
        (("--drain", "nowhere"), "there is no node nowhere"),
        (("--add-nodes", "1=nonsense"), "need the name of a node"),
        (("--set-priority", "pod/p0=high"), "need a number or a PriorityClass"),
        (("--set-priority", "pod/nobody=1"), "there is no Pod default/nobody"),
    ],
)
def test_what_is_supposed_of_nothing_is_bad_input(arguments: tuple[str, ...], said: str) -> None:
    result = run("what-if", *arguments, "-f", "-", text=dumped(*FULL))

    assert isinstance(result.exception, BadInputError)
    assert said in str(result.exception)
