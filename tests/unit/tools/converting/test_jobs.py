"""Gangs of Jobs: inferred from their shape in 1.36, written down in 1.37, absent in 1.35."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.tools.converting.converting import converted, objects, told

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: i
"""
GANG = "  scheduling:\n    schedulingPolicy:\n      gang: {}\n"
RACK = "    schedulingConstraints: {topology: [{key: rack}]}\n"


def with_scheduling(text: str = GANG) -> str:
    return JOB.replace("  template:\n", f"{text}  template:\n")


def spec_of(text: str, to: Any, source: str = "") -> Any:
    return objects(converted(text, to, source=source))[0]["spec"]


def test_the_gang_that_1_36_infers_is_written_down_for_1_37() -> None:
    conversion = converted(JOB, "v1beta1", source="v1alpha2")
    assert objects(conversion)[0]["spec"]["scheduling"] == {"schedulingPolicy": {"gang": {}}}


def test_a_gang_of_all_pods_of_an_indexed_job_needs_no_words_in_1_36() -> None:
    conversion = converted(with_scheduling(), "v1alpha2")
    assert conversion.output == JOB
    assert not conversion.findings


def test_what_1_36_cannot_infer_gets_a_group_of_its_own() -> None:
    conversion = converted(with_scheduling(GANG + RACK), "v1alpha2")
    job, group = objects(conversion)
    assert "scheduling" not in job["spec"]
    assert job["spec"]["template"]["spec"]["schedulingGroup"] == {"podGroupName": "train"}
    assert group["apiVersion"] == "scheduling.k8s.io/v1alpha2"
    assert group["spec"] == {
        "schedulingPolicy": {"gang": {"minCount": 4}},
        "schedulingConstraints": {"topology": [{"key": "rack"}]},
    }
    assert told(conversion, "note") == [("Job train", "spec.scheduling")]


def test_a_job_that_1_36_would_make_a_gang_by_mistake_is_put_in_a_basic_group() -> None:
    job, group = objects(converted(JOB, "v1alpha2", source="v1beta1"))
    assert job["spec"]["template"]["spec"]["schedulingGroup"] == {"podGroupName": "train"}
    assert group["spec"] == {"schedulingPolicy": {"basic": {}}}


def test_a_gang_of_a_job_is_a_workload_in_1_35() -> None:
    job, workload = objects(converted(JOB, "v1alpha1", source="v1alpha2"))
    ref = {"name": "train", "podGroup": "train"}
    assert job["spec"]["template"]["spec"]["workloadRef"] == ref
    assert workload["spec"]["podGroups"] == [{"name": "train", "policy": {"gang": {"minCount": 4}}}]


@pytest.mark.parametrize("to", ["v1alpha1", "v1alpha2", "v1beta1"])
def test_a_job_that_only_1_36_makes_a_gang_is_refused_if_its_release_is_not_known(to: Any) -> None:
    conversion = converted(JOB, to)
    assert told(conversion, "refused") == [("Job train", "spec.completionMode")]
    assert conversion.findings[0].where == "gang.yaml:8:3"


def test_a_job_of_another_shape_passes_untouched() -> None:
    text = JOB.replace("  completionMode: Indexed\n", "")
    for to in ("v1alpha1", "v1alpha2", "v1beta1"):
        assert converted(text, to).output == text


def test_a_cron_job_loses_the_gangs_that_only_1_36_makes() -> None:
    nested = JOB.split("spec:\n", 1)[1].replace("\n  ", "\n      ").rstrip()
    text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec:\n"
    text += f"  schedule: '@daily'\n  jobTemplate:\n    spec:\n      {nested.strip()}\n"
    field = "spec.jobTemplate.spec.completionMode"
    to_newer = converted(text, "v1beta1", source="v1alpha2")
    assert told(to_newer, "loss") == [("CronJob nightly", field)]
    to_older = converted(text, "v1alpha2", source="v1beta1", allow_loss=True)
    assert told(to_older, "refused") == [("CronJob nightly", field)]


def test_a_delegated_group_exists_in_1_37_only() -> None:
    text = with_scheduling().replace(
        "  name: train\n",
        "  name: train\n"
        "  annotations: {scheduling.k8s.io/group-template-name: workers}\n"
        "  ownerReferences:\n"
        "  - {apiVersion: example.com/v1, kind: Set, name: s, uid: u, controller: true}\n",
    )
    conversion = converted(text, "v1alpha2", allow_loss=True)
    assert [object for object, _ in told(conversion, "refused")] == ["Job train"]
