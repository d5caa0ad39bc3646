"""Groups take the priority of their pods, without which 1.37 would start none of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.tools.converting.converting import converted, objects, told

WORKLOAD = """\
apiVersion: scheduling.k8s.io/v1alpha1
kind: Workload
metadata: {name: g}
spec: {podGroups: [{name: g, policy: {gang: {minCount: 2}}}]}
"""


def pod(name: str, priority_class: str) -> str:
    return f"""\
---
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  workloadRef: {{name: g, podGroup: g}}
  priorityClassName: {priority_class}
  containers: [{{name: c, image: i}}]
"""


@pytest.mark.parametrize("to", ["v1alpha2", "v1beta1"])
def test_a_group_takes_the_class_of_its_pods(to: Any) -> None:
    text = WORKLOAD + pod("a", "high") + pod("b", "high")
    conversion = converted(text, to)
    assert objects(conversion)[1]["spec"]["priorityClassName"] == "high"
    assert converted(conversion.output, "v1alpha1").output.replace('"', "") == text


def test_pods_of_different_classes_are_refused_where_none_would_start() -> None:
    text = WORKLOAD + pod("a", "high") + pod("b", "low")
    assert converted(text, "v1alpha2").converted
    conversion = converted(text, "v1beta1", allow_loss=True)
    assert not conversion.converted
    assert told(conversion, "refused") == [("PodGroup g", "spec.priorityClassName")]


def test_a_class_that_never_preempts_is_repeated_in_the_group() -> None:
    cls = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: calm}\n"
    text = WORKLOAD + pod("a", "calm") + cls + "value: 5\npreemptionPolicy: Never\n"
    assert objects(converted(text, "v1beta1"))[1]["spec"]["preemptionPolicy"] == "Never"
    assert "preemptionPolicy" not in objects(converted(text, "v1alpha2"))[1]["spec"]
