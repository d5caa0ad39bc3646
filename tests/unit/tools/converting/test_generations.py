"""Between the generations: what becomes of what, with comments and order kept."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.manifests import ManifestError
from tests.unit.tools.converting.converting import converted, objects, told

FIRST = """\
# A gang for training.
apiVersion: scheduling.k8s.io/v1alpha1  # the first alpha
kind: Workload
metadata:
  name: train   # as the Job
spec:
  # who makes it
  controllerRef: {apiGroup: batch, kind: Job, name: train}
  podGroups:
    # the workers
    - name: workers
      policy:
        gang:
          minCount: 4  # all of them
    - name: ps
      policy: {basic: {}}
---
# The first worker.
apiVersion: v1
kind: Pod
metadata:
  name: w-0
spec:
  workloadRef:
    name: train
    podGroup: workers
    podGroupReplicaKey: a
  # the only container
  containers:
    - name: c
      image: "on"
---
apiVersion: v1
kind: ConfigMap
metadata: {name:   odd}
data:   {a:    b}
"""

SECOND = """\
# A gang for training.
apiVersion: scheduling.k8s.io/v1alpha2  # the first alpha
kind: Workload
metadata:
  name: train   # as the Job
spec:
  # who makes it
  controllerRef: {apiGroup: batch, kind: Job, name: train}
  podGroupTemplates:
    # the workers
    - name: workers
      schedulingPolicy:
        gang:
          minCount: 4  # all of them
    - name: ps
      schedulingPolicy: {basic: {}}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: train-workers-a
spec:
  podGroupTemplateRef:
    workload:
      workloadName: train
      podGroupTemplateName: workers
  schedulingPolicy:
    gang:
      minCount: 4
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: train-ps
spec:
  podGroupTemplateRef:
    workload:
      workloadName: train
      podGroupTemplateName: ps
  schedulingPolicy:
    basic: {}
---
# The first worker.
apiVersion: v1
kind: Pod
metadata:
  name: w-0
spec:
  schedulingGroup:
    podGroupName: train-workers-a
  # the only container
  containers:
    - name: c
      image: "on"
---
apiVersion: v1
kind: ConfigMap
metadata: {name:   odd}
data:   {a:    b}
"""

GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata:
  name: train
spec:
  # all or nothing
  schedulingPolicy: {gang: {minCount: 2}}
  disruptionMode:
    all: {}
  # one rack
  schedulingConstraints:
    topology: [{key: rack}]
  preemptionPolicy: Never
"""


def test_groups_of_a_workload_become_objects_and_comments_stay() -> None:
    assert converted(FIRST, "v1alpha2").output == SECOND


def test_objects_of_groups_go_back_into_their_workload_byte_for_byte() -> None:
    assert converted(SECOND, "v1alpha1").output == FIRST


def test_files_of_the_version_asked_for_come_out_byte_for_byte() -> None:
    assert converted(FIRST, "v1alpha1").output == FIRST
    assert converted(SECOND, "v1alpha2").output == SECOND


def test_losses_are_listed_with_their_places_and_hold_up_the_output() -> None:
    conversion = converted(GROUP, "v1alpha2")
    assert not conversion.converted
    assert conversion.output == ""
    assert [(one.level, one.where, one.field) for one in conversion.findings] == [
        ("loss", "gang.yaml:13:3", "spec.preemptionPolicy")
    ]


def test_accepted_losses_leave_the_rest() -> None:
    output = converted(GROUP, "v1alpha2", allow_loss=True).output
    assert (
        output
        == """\
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: train
spec:
  # all or nothing
  schedulingPolicy: {gang: {minCount: 2}}
  disruptionMode: PodGroup
  # one rack
  schedulingConstraints:
    topology: [{key: rack}]
"""
    )


def test_a_group_of_its_own_becomes_a_workload_in_the_first_alpha() -> None:
    conversion = converted(GROUP, "v1alpha1", allow_loss=True)
    assert objects(conversion) == [
        {
            "apiVersion": "scheduling.k8s.io/v1alpha1",
            "kind": "Workload",
            "metadata": {"name": "train"},
            "spec": {"podGroups": [{"name": "train", "policy": {"gang": {"minCount": 2}}}]},
        }
    ]
    assert {field for _, field in told(conversion, "loss")} == {
        "spec.disruptionMode",
        "spec.preemptionPolicy",
        "spec.schedulingConstraints",
    }


def test_groups_of_groups_are_refused_whatever_is_allowed() -> None:
    text = """\
apiVersion: scheduling.k8s.io/v1alpha3
kind: CompositePodGroup
metadata: {name: root}
spec:
  workloadRef: {workloadName: w, templateName: t}
  schedulingPolicy: {gang: {minGroupCount: 2}}
"""
    conversion = converted(text, "v1alpha2", allow_loss=True)
    assert not conversion.converted
    assert told(conversion, "refused") == [("CompositePodGroup root", "kind")]
    assert converted(text, "v1beta1").output == text


def test_a_pod_whose_workload_is_not_there_is_refused() -> None:
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  workloadRef: {name: w, podGroup: g}
  containers: [{name: c, image: i}]
"""
    conversion = converted(text, "v1beta1", allow_loss=True)
    assert [(one.level, one.where) for one in conversion.findings] == [("refused", "gang.yaml:5:3")]


def test_what_the_target_would_not_accept_is_refused_with_its_words() -> None:
    text = """\
apiVersion: scheduling.k8s.io/v1alpha2
kind: Workload
metadata: {name: w}
spec:
  podGroupTemplates:
  - {name: a, schedulingPolicy: {basic: {}}, priorityClassName: high}
  - {name: b, schedulingPolicy: {basic: {}}}
"""
    conversion = converted(text, "v1beta1")
    assert not conversion.converted
    assert "multiple priority" in conversion.findings[0].message


def test_unknown_kinds_are_named_and_left_alone_only_if_asked() -> None:
    text = "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: r}\nspec: {a:   1}\n"
    refused = converted(text, "v1beta1")
    assert not refused.converted
    assert "RayJob of ray.io/v1" in refused.findings[0].message
    assert converted(text, "v1beta1", ignore_unknown=True).output == text


def test_what_is_no_yaml_is_told_with_line_and_column() -> None:
    with pytest.raises(ManifestError, match=r"^gang\.yaml:2:\d+: "):
        converted("a: [1,\nb: }\n", "v1beta1")


def test_json_stays_json() -> None:
    text = '{"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "PodGroup", "metadata": '
    text += '{"name": "g"}, "spec": {"schedulingPolicy": {"basic": {}}}}'
    assert converted(text, "v1beta1").output.startswith('{\n  "apiVersion": "scheduling.k8s.io/v1b')


def test_a_typed_list_becomes_a_list_of_what_its_items_became() -> None:
    text = """\
apiVersion: scheduling.k8s.io/v1alpha1
kind: WorkloadList
items:
- metadata: {name: w}
  spec: {podGroups: [{name: w, policy: {gang: {minCount: 3}}}]}
"""
    found = objects(converted(text, "v1beta1"))
    assert [(one["kind"], one["metadata"]["name"]) for one in found] == [
        ("Workload", "w"),
        ("PodGroup", "w"),
    ]


def test_anchors_are_written_out_only_where_something_changes() -> None:
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  selector: {matchLabels: &app {app: d}}
  template:
    metadata: {labels: *app}
    spec:
      schedulingGroup: {podGroupName: g}
      containers: [{name: c, image: i}]
"""
    assert converted(text, "v1beta1").output == text
    group = GROUP.replace("train", "g")
    deployment = objects(converted(f"{group}---\n{text}", "v1alpha1", allow_loss=True))[1]
    template = deployment["spec"]["template"]
    assert template["metadata"] == {"labels": {"app": "d"}}
    assert template["spec"]["workloadRef"] == {"name": "g", "podGroup": "g"}


def test_names_that_older_yaml_reads_as_something_else_are_quoted() -> None:
    text = GROUP.replace("name: train", 'name: "on"').replace("  preemptionPolicy: Never\n", "")
    output = converted(text, "v1alpha1", allow_loss=True).output
    assert '- name: "on"' in output
