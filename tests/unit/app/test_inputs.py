"""Input files are read whole, and everything wrong with them is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubegang.app.configuration import resolve_profile
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import Inputs, read_inputs
from kubegang.app.options import UpOptions

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers:
  - {name: main, image: registry.example/app:1}
"""
CLUSTER = """\
apiVersion: kubegang.dev/v1alpha1
kind: SimulatedCluster
nodePools:
- {name: gpu, count: 2}
"""
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podMaxBackoffSeconds: 2
"""


def read(*paths: Path | str, stdin: str = "") -> Inputs:
    profile = resolve_profile(UpOptions())
    return read_inputs([str(path) for path in paths], profile, read_standard_input=lambda: stdin)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def names(inputs: Inputs) -> list[str]:
    return [found.object["metadata"]["name"] for found in inputs.objects]


def test_files_directories_and_standard_input_are_read_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    write(folder, "2.yaml", POD.replace("NAME", "b"))
    write(folder, "1.json", '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}')
    write(folder, "notes.txt", "not a manifest")
    cluster = write(tmp_path, "cluster.yaml", CLUSTER)

    found = read(cluster, folder, "-", stdin=POD.replace("NAME", "c"))

    assert names(found) == ["gpu-0", "gpu-1", "a", "b", "c"]
    assert found.objects[2].namespace == "default"


def test_a_scheduler_configuration_may_stand_among_the_files(tmp_path: Path) -> None:
    found = read(write(tmp_path, "c.yaml", CONFIGURATION), "-", stdin=POD.replace("NAME", "a"))

    assert found.configuration is not None
    assert found.configuration.pod_max_backoff_seconds == 2
    assert names(found) == ["a"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            "apiVersion: v1\nkind: Pod\nspec:\n  containerz: []\n",
            "stdin:4:3: unknown field 'spec.containerz' in Pod",
            id="unknown field",
        ),
        pytest.param(
            'apiVersion: batch/v1\nkind: Job\nspec:\n  parallelism: "3"\n',
            'stdin:4:3: Job in version "v1" cannot be handled as a Job: json: cannot unmarshal',
            id="wrong type",
        ),
        pytest.param(
            "apiVersion: batch/v2\nkind: Job\n",
            "stdin:1:1: Kubernetes 1.37 as started here has no kind 'Job' in batch/v2; "
            "it has Job in batch/v1",
            id="another version",
        ),
        pytest.param(
            "apiVersion: v1\nkind: Podd\n",
            "stdin:2:1: Kubernetes 1.37 as started here has no kind 'Podd' in v1",
            id="unknown kind",
        ),
        pytest.param(
            CLUSTER.replace("count", "cuont"),
            "stdin:4:3: Object contains unknown field `cuont`",
            id="node file",
        ),
        pytest.param(
            CLUSTER.replace("{name: gpu, count: 2}", '{name: gpu, taints: ["x"]}'),
            "stdin:4:24: nodePools[0].taints[0]: need key=value:Effect",
            id="taint of a node file",
        ),
        pytest.param(CLUSTER + "---\n" + CLUSTER, "stdin:6:1: Node gpu-0 is also in", id="twice"),
        pytest.param(
            CONFIGURATION + "---\n" + CLUSTER,
            "stdin:1:1: a KubeSchedulerConfiguration may be given in one file, alone",
            id="configuration beside others",
        ),
        pytest.param(
            CONFIGURATION.replace("Max", "Min"),
            'stdin:3: strict decoding error: unknown field "podMinBackoffSeconds"',
            id="configuration",
        ),
        pytest.param(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n"
            "    kubegang.dev/run-duration: 5 minutes\n",
            "stdin:5:5: annotation kubegang.dev/run-duration: need a duration such as 90s",
            id="annotation of a pod",
        ),
        pytest.param(
            "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    metadata:\n"
            "      annotations: {kubegang.dev/exit-code: x}\n",
            "stdin:6:21: annotation kubegang.dev/exit-code: need a number up to 255",
            id="annotation of a template",
        ),
        pytest.param("a: [1\nb: 2\n", "stdin:2:2: ", id="not YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, want: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read("-", stdin=text)

    assert str(caught.value).startswith(want)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    first = write(tmp_path, "a.yaml", "apiVersion: v1\nkind: Podd\n")
    second = write(tmp_path, "b.yaml", "apiVersion: v1\nkind: Pod\nspek: {}\n")

    with pytest.raises(BadInputError) as caught:
        read(first, second)

    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        f"{first}:2:1",
        f"{second}:3:1",
    ]


def test_too_many_mistakes_are_counted() -> None:
    wrong = "---\napiVersion: v1\nkind: Podd\n" * 25

    with pytest.raises(BadInputError) as caught:
        read("-", stdin=wrong)

    assert str(caught.value).splitlines()[-1] == "and 5 more mistakes"


def test_a_missing_file_and_an_empty_directory_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="No such file or directory"):
        read(tmp_path / "nope.yaml")
    with pytest.raises(BadInputError, match=r"no \.yaml, \.yml, \.json file in this directory"):
        read(tmp_path)
