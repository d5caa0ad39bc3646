"""Other schedulers' objects: golden files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.converting.converting import converted, told

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("to", ["v1beta1", "v1alpha2", "v1alpha1"])
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.in.yaml")), ids=lambda path: path.stem)
def test_objects_become_what_the_golden_files_say(path: Path, to: Any) -> None:
    conversion = converted(path.read_text(), to, allow_loss=True)
    said = "".join(
        f"# {one.level}: {one.object} {one.field}: {one.message}\n" for one in conversion.findings
    )
    golden = path.with_name(path.name.replace(".in.yaml", f".{to}.yaml"))
    assert said + conversion.output == golden.read_text()


def group(api_version: str, spec: str) -> str:
    return f"apiVersion: {api_version}\nkind: PodGroup\nmetadata: {{name: g}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    "api_version",
    [
        "scheduling.volcano.sh/v1beta1",
        "scheduling.x-k8s.io/v1alpha1",
        "scheduling.run.ai/v2alpha2",
    ],
)
@pytest.mark.parametrize("spec", ['{minResources: {cpu: "1000"}}', "{minMember: 0}", "{queue: q}"])
def test_a_group_without_a_minimum_never_becomes_a_gang(api_version: str, spec: str) -> None:
    # volcano#5075: 1,000 CPU on a cluster of 10, and yet every pod starts.
    conversion = converted(group(api_version, spec), "v1beta1", allow_loss=True)
    assert not conversion.converted
    assert told(conversion, "refused") == [("PodGroup g", "spec.minMember")]
    assert "set minMember" in conversion.findings[-1].message


def test_losses_of_other_schedulers_hold_up_the_output() -> None:
    text = group("scheduling.volcano.sh/v1beta1", "{minMember: 2, queue: research}")
    conversion = converted(text, "v1beta1")
    assert not conversion.converted
    assert told(conversion, "loss") == [("PodGroup g", "spec.queue")]


def pod(name: str, metadata: str) -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n{metadata}"
        "spec:\n  containers: [{name: c, image: i}]\n"
    )


def kueue(name: str, count: int) -> str:
    return pod(
        name,
        "  labels: {kueue.x-k8s.io/pod-group-name: g}\n"
        f'  annotations: {{kueue.x-k8s.io/pod-group-total-count: "{count}"}}\n',
    )


def test_pods_of_kueue_that_disagree_about_their_number_are_refused() -> None:
    conversion = converted(f"{kueue('a', 2)}---\n{kueue('b', 3)}", "v1beta1", allow_loss=True)
    assert [object for object, _ in told(conversion, "refused")] == ["Pod a"]


def test_a_pod_of_yunikorn_whose_task_groups_are_elsewhere_is_refused() -> None:
    marks = "  labels: {applicationId: app}\n"
    marks += "  annotations: {yunikorn.apache.org/task-group-name: w}\n"
    conversion = converted(pod("a", marks), "v1beta1", allow_loss=True)
    assert [object for object, _ in told(conversion, "refused")] == ["Pod a"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '[{"name": "w"}]', '[{"name": "w", "minMember": 0}]']
)
def test_task_groups_that_cannot_be_read_are_refused(text: str) -> None:
    marks = "  labels: {applicationId: app}\n"
    marks += f"  annotations: {{yunikorn.apache.org/task-groups: '{text}'}}\n"
    conversion = converted(pod("a", marks), "v1beta1", allow_loss=True)
    assert told(conversion, "refused") != []


def test_a_volcano_job_that_only_the_cluster_can_complete_is_refused() -> None:
    text = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  tasks:
  - replicas: 2
    template: {spec: {containers: [{name: c, image: i}]}}
"""
    conversion = converted(text, "v1beta1", allow_loss=True)
    assert ("Job j", "spec.template.spec.restartPolicy") in told(conversion, "refused")
