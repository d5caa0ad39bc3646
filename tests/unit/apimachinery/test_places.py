"""A field of a manifest is found where it was written."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.manifests import load_manifests
from kubegang.apimachinery.places import place_of

TEXT = """\
# jobs
apiVersion: batch/v1
kind: Job
spec:
  parallelism: -1
  template:
    spec:
      containers:
      - name: a
      - name: b
        resources: {limits: {nvidia.com/gpu: x}}
---
kind: List
apiVersion: v1
items:
- {apiVersion: v1, kind: Pod, metadata: {name: a}}
- apiVersion: v1
  kind: Pod
  spec: {containers: []}
"""


@pytest.mark.parametrize(
    ("document", "field", "want"),
    [
        pytest.param(0, "", "f.yaml:2:1", id="the object"),
        pytest.param(0, "spec.parallelism", "f.yaml:5:3", id="a member"),
        pytest.param(0, "spec.template.spec.containers[1].name", "f.yaml:10:9", id="in a list"),
        pytest.param(
            0,
            "spec.template.spec.containers[1].resources.limits[nvidia.com/gpu]",
            "f.yaml:11:30",
            id="a map key with dots",
        ),
        pytest.param(0, "spec.template.metadata.name", "f.yaml:6:3", id="not there: what is"),
        pytest.param(0, "spec.parallelism[0]", "f.yaml:5:3", id="no list"),
        pytest.param(1, "metadata.name", "f.yaml:16:42", id="an item of a List"),
        pytest.param(2, "spec.containers", "f.yaml:19:10", id="a later item"),
    ],
)
def test_a_field_is_found(document: int, field: str, want: str) -> None:
    manifest = load_manifests(TEXT, "f.yaml")[document]

    assert place_of(TEXT, manifest, field) == want


def test_what_stands_in_no_file_is_named_by_its_source() -> None:
    manifest = load_manifests("{apiVersion: v1, kind: Node}", "f")[0]

    assert place_of("", type(manifest)(manifest.object, "--nodes"), "spec") == "--nodes"
