"""``kubegang upgrade`` as users run it."""

from __future__ import annotations

import json

import yaml
from click.testing import CliRunner, Result

from kubegang.app.datadir import DataDirectory
from kubegang.cli.upgrade import upgrade
from tests.releasewalk.state import directory, state_of_1_36

__all__ = ["directory", "state_of_1_36"]


def run(directory: DataDirectory, *arguments: str, answer: str = "") -> Result:
    command = [f"--data-dir={directory.root}", *arguments]
    return CliRunner().invoke(upgrade, command, input=answer)


def test_the_plan_names_what_must_go_and_with_which_commands(directory: DataDirectory) -> None:
    ended = run(directory, "--to=1.37", "-o", "json", "--feature-gates=GangScheduling=true")
    plan = json.loads(ended.stdout)
    assert ended.exit_code == 1
    assert (plan["fromVersion"], plan["toVersion"], plan["possible"]) == ("1.36", "1.37", False)
    assert plan["namedGatesGone"] == ["GangScheduling"]
    assert plan["commands"] == [
        f"kubegang up --data-dir {directory.root} --kubernetes-version 1.36"
        "   # unless it runs already",
        f"export KUBECONFIG={directory.root}/kubeconfig",
        "kubectl delete pods --namespace default p36",
        "kubectl delete podgroups.v1alpha2.scheduling.k8s.io --namespace default a",
        "kubectl delete workloads.v1alpha2.scheduling.k8s.io --namespace default a",
        f"kubegang up --data-dir {directory.root} --kubernetes-version 1.37"
        "   # once it was stopped",
    ]


def test_the_plan_names_the_gates_of_each_component(directory: DataDirectory) -> None:
    (step,) = yaml.safe_load(run(directory, "--to=1.37", "-o", "yaml").stdout)["steps"]
    assert step["gates"]["scheduler"] == {
        "drop": ["GangScheduling", "WorkloadAwarePreemption"],
        "add": ["PodGroupPreemptionPolicy", "CompositePodGroup"],
    }
    assert step["gates"]["kubelet"] == {"drop": [], "add": []}
    assert "SidecarContainers" in step["gatesGone"]
    assert step["servedDropped"] == ["scheduling.k8s.io/v1alpha2"]
    assert step["servedAdded"] == ["scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"]


def test_a_table_says_which_fields_will_not_be_shown(directory: DataDirectory) -> None:
    ended = run(directory, "--to=v1.35", "--plan")
    lines = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert ended.exit_code == 1
    assert "workloads.v1alpha2.scheduling.k8s.io default a" in lines
    assert "podgroups.v1alpha2.scheduling.k8s.io default a" in lines
    assert "Pod default p36 spec.schedulingGroup" in lines
    assert lines[-1] == "1.35: 1 object must be deleted first"


def test_nothing_changes_unless_somebody_agrees(directory: DataDirectory) -> None:
    for answer in ("n\n", ""):
        ended = run(directory, "--to=1.37", "--apply", answer=answer)
        assert ended.exit_code == 1
        assert "delete 2 objects and step" in ended.stderr
        assert "nothing was changed" in ended.stderr
    assert directory.noted_version() == "1.36"


def test_applying_it_leaves_nothing_in_the_way(directory: DataDirectory) -> None:
    assert run(directory, "--to=1.37", "--apply", answer="y\n").exit_code == 0
    assert directory.noted_version() == "1.37"
    again = run(directory, "--to=1.37")
    assert (again.exit_code, again.stdout) == (
        0,
        f"{directory.root} holds state of 1.37 already\n",
    )
    back = run(directory, "--to=1.35", "--apply", "--yes", "-o", "json")
    assert back.exit_code == 0
    assert [step["toVersion"] for step in json.loads(back.stdout)["steps"]] == ["1.36", "1.35"]
