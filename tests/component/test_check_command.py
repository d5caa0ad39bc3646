"""kubegang check as a command: forms of output, exit status, bad input, live clusters."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from kubegang.app.checking import CheckOptions, check_live
from kubegang.app.errors import BadInputError
from kubegang.cli.main import commands
from kubegang.tools.checking.rules import RULES
from tests.component.test_tools_on_live_clusters import in_cluster
from tests.component.toolscenes import gang, node, pod

ROOT = Path(__file__).resolve().parent.parent.parent
SNIPPET = re.compile(
    r"^```sh\nkubegang (?P<line>[^\n]*)\n```\n\n```\n(?P<said>.*?)```$", re.M | re.S
)
BROKEN = yaml.safe_dump_all([gang("g", 0), pod("a", group="h")], sort_keys=False)
WARNED = yaml.safe_dump_all([gang("g", 2), pod("a", group="g")], sort_keys=False)
UNKNOWN = "apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: w}\n"

pytestmark = pytest.mark.usefixtures("own_logging")


def run(*arguments: str, text: str = "") -> Result:
    words = ["check", *arguments, "--kubernetes-version", "1.37"]
    return CliRunner().invoke(commands, words, input=text)


@pytest.mark.parametrize(
    ("text", "fail_on", "status"),
    [
        (BROKEN, "error", 1),
        (BROKEN, "never", 0),
        (WARNED, "error", 0),
        (WARNED, "warning", 1),
        ("", "info", 0),
    ],
)
def test_the_status_follows_the_worst_finding(text: str, fail_on: str, status: int) -> None:
    assert run("-", "--fail-on", fail_on, text=text).exit_code == status


def test_the_table_names_places_rules_and_counts() -> None:
    said = run("-", text=BROKEN).stdout

    rows = [line.split()[:4] for line in said.splitlines()]
    assert ["error", "field-refused", "1.37", "stdin:8:7"] in rows
    assert said.endswith("2 objects, Kubernetes 1.37: 1 error, 1 warning, 1 for information\n")


def test_json_has_everything() -> None:
    report = json.loads(run("-", "-o", "json", text=BROKEN).stdout)

    assert report["versions"] == ["1.37"]
    assert {one["rule"] for one in report["findings"]} == {
        "field-refused",
        "group-not-found",
        "batching-off",
    }
    assert report["verdicts"][0]["object"] == "PodGroup h"
    assert yaml.safe_load(run("-", "-o", "yaml", text=BROKEN).stdout) == report


def test_sarif_has_rules_levels_and_places() -> None:
    log = json.loads(run("-", "-o", "sarif", text=BROKEN).stdout)

    (made,) = log["runs"]
    rules = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    first = made["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert (log["version"], set(rules) <= set(RULES)) == ("2.1.0", True)
    assert rules[first["ruleIndex"]] == first["ruleId"] == "field-refused"
    assert (first["level"], place["artifactLocation"]["uri"]) == ("error", "stdin")
    assert place["region"] == {"startLine": 8, "startColumn": 7}


def test_github_gets_one_command_for_each_finding() -> None:
    lines = run("-", "-o", "github", text=BROKEN).stdout.splitlines()

    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    assert lines[0].startswith(
        "::error file=stdin,line=8,col=7,title=kubegang%3A field-refused::spec.schedulingPolicy"
    )


def test_unknown_kinds_are_named_and_passed_over_only_if_asked() -> None:
    refused = run("-", text=UNKNOWN)
    passed = run("-", "--ignore-unknown", text=UNKNOWN)

    assert isinstance(refused.exception, BadInputError)
    assert str(refused.exception) == (
        "stdin:2:1: unknown kind 'Widget' in example.dev/v1; --ignore-unknown passes over such "
        "objects"
    )
    assert (passed.exit_code, "not looked at: Widget (example.dev/v1)" in passed.stdout) == (
        0,
        True,
    )


def test_broken_yaml_points_to_line_and_column() -> None:
    refused = run("-", text="apiVersion: v1\nkind: [Pod\nmetadata: {}\n")

    assert isinstance(refused.exception, BadInputError)
    assert str(refused.exception).startswith("stdin:3:9: did not find expected")


def test_files_and_cluster_exclude_each_other() -> None:
    assert isinstance(run().exception, BadInputError)
    assert isinstance(run("-", "--cluster").exception, BadInputError)


def test_node_files_give_the_nodes(tmp_path: Path) -> None:
    nodes = "apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\nnodePools:\n"
    (tmp_path / "nodes.yaml").write_text(f"{nodes}- {{name: gpu, count: 1}}\n", encoding="utf-8")
    group = yaml.safe_dump(gang("g", 1, key="rack"))
    (tmp_path / "group.yaml").write_text(group, encoding="utf-8")

    said = run(str(tmp_path)).stdout

    assert "1 node without the label rack can never be used: gpu-0" in said


def test_a_live_cluster_is_checked_by_its_own_version_and_not_written_to() -> None:
    objects = (node("n1", cpu="4"), gang("g", 3), *[pod(n, group="g", cpu="2") for n in "abc"])
    live, server = in_cluster(*objects, forbidden="/api/v1/services")

    report = check_live(CheckOptions(), live)

    (verdict,) = report.verdicts
    assert report.versions == ("1.37",)
    assert (verdict.gang, verdict.minimum, verdict.homogeneous) == (True, 3, True)
    assert [one.rule for one in report.findings if one.severity != "info"] == ["does-not-fit"]
    assert report.findings[0].place == ""
    assert report.unseen == ("services: nodes is forbidden",)
    assert server.writes == []


def test_the_page_shows_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "reference" / "check.md").read_text(encoding="utf-8")
    snippets = list(SNIPPET.finditer(text))

    assert snippets
    for snippet in snippets:
        result = CliRunner().invoke(commands, shlex.split(snippet["line"]))
        assert result.stdout == snippet["said"], snippet["line"]
