"""Whatever files hold, a command answers or says what is wrong and where, and ends with 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from kubegang.app.errors import BadInputError
from kubegang.cli.main import commands
from tests.component.toolscenes import gang, node, pod, written

pytestmark = pytest.mark.usefixtures("own_logging")

COMMANDS = {
    "check": ("check", "--kubernetes-version=1.37", "FILE"),
    "convert": ("convert", "--to=v1beta1", "FILE"),
    "explain": ("explain", "podgroup/g", "-f", "FILE"),
    "what-if": ("what-if", "--cordon=n1", "-f", "FILE"),
    "submit": ("what-if", "--submit=FILE", "-f", "NODES"),
    "run": ("run", "FILE", "--until=1s"),
    "replay": ("replay", "FILE", "--nodes=1"),
}
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
BOMB = "".join(
    f"{name}: &{name} [{','.join([f'*{of}'] * 9)}]\n"
    for of, name in zip("abcdefg", "bcdefgh", strict=True)
)
BROKEN = {
    "not text": (f"{POD}spec: ".encode() + b"\xff\n", "{file}:4:7: not UTF-8 text"),
    "control characters": (f"{POD}a: \0\n".encode(), "{file}:4: control characters"),
    "an open bracket": (f"{POD}spec: {{a: [1, 2\n".encode(), "{file}:5:1: "),
    "a tab": (f"{POD}spec:\n\ta: 1\n".encode(), "{file}:5:1: "),
    "a key twice": (
        f"---\n{POD}---\n{POD}kind: Pod\n".encode(),
        '{file}:9: key "kind" already set in map',
    ),
    "aliases of aliases": (
        f"{POD}a: &a [{','.join(['x'] * 9)}]\n{BOMB}".encode(),
        "{file}:1: yaml: document contains excessive aliasing",
    ),
    "an alias of itself": (f"{POD}a: &a [*a]\n".encode(), "{file}:1: yaml: exceeded max depth"),
    "a deep nesting": (f"{POD}a: {'[' * 9999}".encode(), "{file}:4:"),
    "a deep nesting in JSON": (b'{"a":' * 99_999, "{file}:1:"),
    "JSON that ends early": (b'{"apiVersion": "v1",\n "kind": ', "{file}:3:1: "),
    "no object": (b"- a\n", "{file}:1: need an object with apiVersion and kind"),
    "a list of nothing": (
        b"apiVersion: v1\nkind: List\nitems: [null]\n",
        "{file}:1, items[0]: need an object",
    ),
}

SLOW = ("aliases of aliases",)


def run(command: str, file: str, nodes: str) -> Result:
    words = (one.replace("FILE", file).replace("NODES", nodes) for one in COMMANDS[command])
    return CliRunner().invoke(commands, list(words))


@pytest.fixture
def nodes(tmp_path: Path) -> str:
    return written(tmp_path / "nodes.yaml", node("n1", cpu="4"))


@pytest.mark.parametrize(
    ("what", "command"),
    [(what, command) for what in BROKEN for command in COMMANDS if what not in SLOW]
    + [(what, "check") for what in SLOW],
)
def test_what_cannot_be_read_is_told_with_its_place(
    command: str, what: str, nodes: str, tmp_path: Path
) -> None:
    body, message = BROKEN[what]
    file = tmp_path / "broken.yaml"
    file.write_bytes(body)

    done = run(command, str(file), nodes)

    assert isinstance(done.exception, BadInputError), done.exception
    assert str(done.exception).startswith(message.format(file=file))


WRONG = {
    "metadata: {name: [p]}": "4:12",
    "spec: {containers: [{name: a}, {name: b, image: 3}]}": "4:42",
    "spec: {containers: [{name: a, resources: {limits: {cpu: lots}}}]}": "4:52",
    "spec: {priority: high}": "4:8",
    "spec: {tolerations: {key: a}}": "4:8",
}


@pytest.mark.parametrize("command", ["explain", "what-if", "run"])
@pytest.mark.parametrize("line", WRONG)
def test_a_value_of_the_wrong_type_is_told_with_its_line_and_column(
    command: str, line: str, nodes: str, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(f"apiVersion: v1\nkind: Pod\n# wrong:\n{line}\n", encoding="utf-8")

    done = run(command, str(file), nodes)

    assert isinstance(done.exception, BadInputError), done.exception
    assert str(done.exception).startswith(f"{file}:{WRONG[line]}: ")


@pytest.mark.parametrize("command", ["check", "convert", "explain", "what-if", "run"])
def test_marks_and_line_ends_of_windows_make_no_difference(
    command: str, nodes: str, tmp_path: Path
) -> None:
    text = yaml.safe_dump_all([node("n1", cpu="4"), gang("g", 1), pod("p", group="g", cpu="1")])
    plain, windows = tmp_path / "plain.yaml", tmp_path / "windows.yaml"
    plain.write_bytes(text.encode())
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    expected, done = run(command, str(plain), nodes), run(command, str(windows), nodes)

    assert done.exit_code == expected.exit_code in {0, 1}
    assert done.stdout.replace("windows.yaml", "plain.yaml") == expected.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("check", "FILE"),
        ("explain", "pod/p", "-f", "FILE"),
        ("run", "FILE"),
        ("run", "-", "--nodes=FILE"),
        ("what-if", "--add-nodes=1=FILE", "-f", "NODES"),
    ],
)
def test_a_node_file_says_where_it_is_wrong(
    words: tuple[str, ...], nodes: str, tmp_path: Path
) -> None:
    file = tmp_path / "cluster.yaml"
    head = "apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\n"
    file.write_text(f"{head}nodePools:\n- name: a\n  count: two\n", encoding="utf-8")
    arguments = [one.replace("FILE", str(file)).replace("NODES", nodes) for one in words]

    done = CliRunner().invoke(commands, arguments)

    assert isinstance(done.exception, BadInputError), done.exception
    assert str(done.exception).startswith(f"{file}:5:3: Expected `int`, got `str`")


def test_null_means_nothing_as_for_the_api_server(nodes: str, tmp_path: Path) -> None:
    container = {"name": "c", "image": "i", "resources": {"limits": {"cpu": None}}}
    nulls = {"containers": [container], "initContainers": None, "tolerations": None}
    objects = (node("n1", cpu="4"), gang("g", 1), pod("p", group="g", spec=nulls))

    done = run("explain", written(tmp_path / "nulls.yaml", *objects), nodes)

    assert done.exit_code == 0, done.output


def test_other_schedulers_groups_of_any_shape_are_passed_over(nodes: str, tmp_path: Path) -> None:
    foreign = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup"}
    odd = {**foreign, "metadata": {"name": "g"}, "spec": "none"}
    objects = (node("n1", cpu="4"), gang("g", 1), pod("p", group="g", cpu="1"), odd)

    done = run("explain", written(tmp_path / "odd.yaml", *objects), nodes)

    assert done.exit_code == 0, done.output


def test_circles_of_groups_and_owners_come_to_an_end(nodes: str, tmp_path: Path) -> None:
    def above(name: str, parent: str) -> dict[str, object]:
        policy = {"gang": {"minGroupCount": 1}}
        spec = {"schedulingPolicy": policy, "parentCompositePodGroupName": parent}
        kind = {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup"}
        return {**kind, "metadata": {"name": name}, "spec": spec}

    group = gang("g", 1)
    group["spec"]["parentCompositePodGroupName"] = "a"
    group["apiVersion"] = "scheduling.k8s.io/v1alpha3"
    owned = [pod(name, owner=("Pod", other)) for name, other in (("x", "y"), ("y", "x"))]
    objects = (node("n1", cpu="4"), above("a", "b"), above("b", "a"), group, *owned)
    file = written(tmp_path / "circles.yaml", *objects, pod("p", group="g", cpu="1"))

    assert run("explain", file, nodes).exit_code == 1
    for command in ("what-if", "check", "run"):
        assert run(command, file, nodes).exit_code in {0, 1}, command


def test_standard_input_may_stand_for_several_things(nodes: str) -> None:
    text = yaml.safe_dump_all([gang("g", 1), pod("p", group="g", cpu="1")])
    words = ["what-if", "--submit=-", "--as=1.37", "--as=1.37", "-f", nodes]

    done = CliRunner().invoke(commands, words, input=text)

    assert done.stdout.count("As 1.37: 1 pod would start") == 2


def test_bytes_that_are_no_text_are_told_from_standard_input_too() -> None:
    done = CliRunner().invoke(commands, ["check", "-"], input=b"a: 1\nb: \xff\n")

    assert str(done.exception) == "stdin:2:4: not UTF-8 text"


def test_a_directory_without_manifests_and_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none", encoding="utf-8")

    done = CliRunner().invoke(commands, ["check", str(tmp_path)])
    missing = CliRunner().invoke(commands, ["explain", "pod/p", "-f", str(tmp_path / "none.yaml")])

    assert str(done.exception) == f"{tmp_path}: no .yaml, .yml, .json file in this directory"
    assert str(missing.exception) == f"{tmp_path / 'none.yaml'}: No such file or directory"


def test_the_process_ends_with_2_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_bytes(b"\xfe")
    program = [sys.executable, "-m", "kubegang.cli.main", "check", str(file)]

    done = subprocess.run(program, capture_output=True, text=True, check=False, env=os.environ)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"kubegang: {file}:1:1: not UTF-8 text\n"


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ("jobs: [{name: a, submitted: 0, duration: soon}]", "4:32: Expected `float`, got `str`"),
        (
            "jobs: [{name: a, submitted: 0, duration: 1, pods: 0}]",
            "4:45: jobs[0].pods: need 1 or more",
        ),
        ("jobs: []", "4:1: there are no jobs"),
        (
            "jobs: [{name: a, submitted: 0, duration: 1, requests: {cpu: x}}]",
            "4:56: jobs[0].requests[cpu]: ",
        ),
        (
            "jobs: [{name: a, submitted: 0, duration: 1, pods: 1000000}]",
            "4:45: jobs[0].pods: need 100000 or less",
        ),
    ],
)
def test_a_trace_says_where_it_is_wrong(jobs: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "trace.yaml"
    head = "apiVersion: kubegang.dev/v1alpha1\nkind: JobTrace\n# a trace\n"
    file.write_text(f"{head}{jobs}\n", encoding="utf-8")

    done = CliRunner().invoke(commands, ["replay", str(file), "--nodes=1"])

    assert isinstance(done.exception, BadInputError), done.exception
    assert str(done.exception).startswith(f"{file}:{message}")


def test_a_configuration_with_an_empty_document_behind_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    kind = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    file.write_text(f"{kind}---\n# nothing\n", encoding="utf-8")

    done = CliRunner().invoke(commands, ["run", str(file), "--nodes=1", "--until=1s"])

    assert done.exit_code == 0, done.exception


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f"{'a' * 200_000},1,1,1", "2: field larger"),
        ("a,1e300,1,1", "2: submission_time must be"),
        ("\ufeffa,1,1,x", "2: num_gpu must be"),
    ],
)
def test_a_table_of_jobs_says_in_which_line_it_is_wrong(
    row: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "trace.csv"
    file.write_text(f"job_id,submission_time,duration,num_gpu\n{row}\n", encoding="utf-8-sig")

    done = CliRunner().invoke(commands, ["replay", str(file), "--nodes=1"])

    assert isinstance(done.exception, BadInputError), done.exception
    assert str(done.exception).startswith(f"{file}:{message}")
