"""``kubegang up`` as a program: start, stop, crash, and what is said about bad input."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubegang.apimachinery.errors import ApiError
from kubegang.app.errors import BadInputError
from kubegang.cli.main import commands
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Request, UnreachableError
from kubegang.client.kubeconfig import load_kubeconfig
from kubegang.client.resources import CONFIGMAPS, NODES, PODS
from tests.system.upprocess import PROGRAM, Up, up

SIGTERM_SECONDS = 5
OUTAGE = ("cannot reach the API server, trying again", "the API server answers again")
NOWHERE = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


async def wait_for_phase(cluster: Up, phase: str) -> None:
    client = cluster.client()
    try:
        listing = await client.list(PODS, "default")
        if any(pod["status"]["phase"] == phase for pod in listing.items):
            return
        async for event in client.watch(PODS, "default", resource_version=listing.resource_version):
            if event.object["status"]["phase"] == phase:
                return
    finally:
        await client.close()


async def readyz(cluster: Up) -> tuple[int, str]:
    transport = HttpTransport(load_kubeconfig(cluster.kubeconfig))
    try:
        answer = await transport.send(Request("GET", "/readyz"))
    finally:
        await transport.close()
    return answer.status, answer.body.decode()


async def test_a_pod_runs_and_sigterm_ends_everything_in_time(tmp_path: Path) -> None:
    with up(tmp_path, "--in-memory", "--nodes=1") as cluster:
        client = cluster.client()
        await client.create(PODS, POD, "default")
        await client.close()
        await wait_for_phase(cluster, "Running")
        mode = stat.S_IMODE(cluster.kubeconfig.stat().st_mode)
        children = cluster.children()

        cluster.process.send_signal(signal.SIGTERM)
        cluster.process.wait(timeout=SIGTERM_SECONDS)

    assert cluster.process.returncode == 0
    assert mode == 0o600
    assert len(children) == 5
    assert "state: in memory" in cluster.lines
    assert cluster.children() == []


async def test_a_single_process_does_the_same(tmp_path: Path) -> None:
    with up(tmp_path, "--in-memory", "--nodes=1", "--single-process") as cluster:
        client = cluster.client()
        await client.create(PODS, POD, "default")
        await client.close()
        await wait_for_phase(cluster, "Running")
        children = cluster.children()
        pages = [line for line in cluster.lines if line.startswith("page, good for one login: ")]

        cluster.process.send_signal(signal.SIGINT)
        cluster.process.wait(timeout=SIGTERM_SECONDS)

    assert cluster.process.returncode == 0
    assert children == []
    assert len(pages) == 1


async def test_a_component_that_crashes_is_told_and_restarted(tmp_path: Path) -> None:
    with up(tmp_path, "--in-memory", "--nodes=1") as cluster:
        assert (await readyz(cluster))[0] == 200

        # The API server is started first; any of the others will do.
        os.kill(cluster.children()[1], signal.SIGKILL)
        cause = cluster.read_until_matching(r"\w+ was killed by SIGKILL")
        state = await readyz(cluster)
        restarting = cluster.read_until_matching(r"restarting \w+ in 0.5 s")

        client = cluster.client()
        await client.create(PODS, POD, "default")
        await client.close()
        await wait_for_phase(cluster, "Running")

    name = cause.split()[0]
    assert state[0] == 500
    assert f"{name} crashed: {name} was killed by SIGKILL" in state[1]
    assert restarting.split()[1] == name


def test_without_its_state_a_dead_api_server_ends_everything(tmp_path: Path) -> None:
    with up(tmp_path, "--in-memory", "--components=apiserver") as cluster:
        os.kill(cluster.children()[0], signal.SIGKILL)
        cluster.process.wait(timeout=SIGTERM_SECONDS)

        assert cluster.process.returncode == 1
        assert cluster.read_until_matching("kubegang: .*") == (
            "kubegang: apiserver was killed by SIGKILL"
        )


async def test_state_is_kept_over_a_restart_and_the_nodes_too(tmp_path: Path) -> None:
    arguments = (f"--data-dir={tmp_path / 'data'}", "--nodes=2")
    with up(tmp_path, *arguments) as cluster:
        client = cluster.client()
        await client.create(PODS, POD, "default")
        await client.close()
        await wait_for_phase(cluster, "Running")
    with up(tmp_path, *arguments) as cluster:
        client = cluster.client()
        pod = await client.get(PODS, "p", "default")
        nodes = await client.list(NODES)
        await client.close()

    assert pod["spec"]["nodeName"] in {node["metadata"]["name"] for node in nodes.items}
    assert len(nodes.items) == 2


@pytest.fixture
def broken_manifest(tmp_path: Path) -> Path:
    path = tmp_path / "broken.yaml"
    path.write_text("apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\nnodePools: [\n")
    return path


def refusal(*arguments: str) -> str:
    """Return the one line with which ``up`` refuses to start."""
    done = subprocess.run(
        [*PROGRAM, "up", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.usefixtures("own_logging")
@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(
            ("--in-memory", "--nodes={broken}"), r"broken\.yaml:4:1: ", id="broken manifest"
        ),
        pytest.param(
            ("--in-memory", "--nodes=/nowhere.yaml"),
            r"/nowhere\.yaml: No such file",
            id="missing file",
        ),
        pytest.param(
            ("--in-memory", "--config={broken}"), r"broken\.yaml:\d+: ", id="broken configuration"
        ),
        pytest.param(("--feature-gates=Foo=true",), "unrecognized feature gate: Foo", id="gate"),
        pytest.param(("--kubernetes-version=1.20",), "unknown Kubernetes version", id="version"),
        pytest.param(("--components=kubelet",), "--components: need some of", id="component"),
        pytest.param(("--controllers=foo",), "--controllers: unknown controller", id="controller"),
        pytest.param(("--in-memory", "--listen=6443"), "need HOST:PORT", id="address"),
        pytest.param(
            ("--in-memory", "--enable-admission-plugins=Foo", "--listen=127.0.0.1:0"),
            "Foo",
            id="admission plug-in",
        ),
        pytest.param(("--data-dir=/proc/nowhere",), "--data-dir /proc/nowhere: ", id="data dir"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...], want: str, broken_manifest: Path
) -> None:
    given = [argument.format(broken=broken_manifest) for argument in arguments]

    # In this process: starting Python takes longer than looking at the arguments.
    refused = CliRunner().invoke(commands, ["up", *given]).exception

    assert isinstance(refused, BadInputError)
    (line,) = str(refused).splitlines()
    assert re.search(want, line)


def test_components_without_a_cluster_end_with_status_three(tmp_path: Path) -> None:
    nowhere = tmp_path / "kubeconfig"
    nowhere.write_text(NOWHERE)

    done = subprocess.run(
        [*PROGRAM, "up", "--components=scheduler", f"--kubeconfig={nowhere}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 3
    assert done.stderr.startswith("kubegang: cannot use the cluster: https://127.0.0.1:1: ")


def test_a_port_and_a_data_directory_in_use_are_told(tmp_path: Path) -> None:
    data = f"--data-dir={tmp_path / 'data'}"
    with up(tmp_path, data, "--components=apiserver") as cluster:
        address = cluster.lines[-1].removeprefix("ready: https://")

        port = refusal("--in-memory", f"--listen={address}")
        directory = refusal(data, "--listen=127.0.0.1:0")

    assert port.startswith("kubegang: ")
    assert f"cannot listen on {address}: Address already in use" in port
    assert f"is in use by another kubegang (process {cluster.process.pid})" in directory


async def test_no_acknowledged_write_is_lost_when_everything_is_killed(tmp_path: Path) -> None:
    """Writes in a burst, SIGKILL at a moment that differs each time, start, look."""
    rounds = int(os.environ.get("KUBEGANG_KILL_ROUNDS", "3"))
    arguments = (f"--data-dir={tmp_path / 'data'}", "--components=apiserver")
    acknowledged: dict[str, str] = {}
    for number in range(rounds):
        with up(tmp_path, *arguments) as cluster:
            client = cluster.client()
            found = {
                item["metadata"]["name"]: item["metadata"]["resourceVersion"]
                for item in (await client.list(CONFIGMAPS, "default")).items
            }
            assert {name: found.get(name) for name in acknowledged} == acknowledged
            await burst(cluster, number, kill_after=40 + 61 * number, seen=acknowledged)
            await client.close()
    versions = list(acknowledged.values())
    assert len(set(versions)) == len(versions)
    assert len(acknowledged) >= rounds * 40


async def burst(cluster: Up, number: int, *, kill_after: int, seen: dict[str, str]) -> None:
    """Create ConfigMaps over several connections until the server is killed."""
    client = cluster.client()
    done = 0

    async def write(worker: int) -> None:
        nonlocal done
        for index in range(10_000):
            name = f"c-{number}-{worker}-{index}"
            obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
            try:
                made = await client.create(CONFIGMAPS, obj, "default")
            except (ApiError, UnreachableError):
                return
            seen[name] = made["metadata"]["resourceVersion"]
            done += 1
            if done == kill_after:
                cluster.kill_everything()

    await asyncio.gather(*(write(worker) for worker in range(16)))
    await client.close()


@pytest.mark.parametrize("until", ["it loads", "state: .*"])
def test_sigterm_ends_it_in_order_also_while_it_starts(tmp_path: Path, until: str) -> None:
    cluster = Up("--in-memory", "--listen=127.0.0.1:0", kubeconfig=tmp_path / "kubeconfig")
    if until == "it loads":
        while not catches(cluster.process.pid, signal.SIGTERM):
            assert cluster.process.poll() is None
    else:
        cluster.read_until_matching(until)
    cluster.process.send_signal(signal.SIGTERM)
    cluster.process.wait(timeout=SIGTERM_SECONDS)
    assert cluster.process.returncode == 0
    assert cluster.children() == []
    assert not [line for line in cluster.rest() if "Traceback" in line]


def catches(pid: int, number: signal.Signals) -> bool:
    """Return whether a process has a handler for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)


async def test_an_outage_is_told_once_by_each_component_and_once_when_it_is_over(
    tmp_path: Path,
) -> None:
    components = "--components=apiserver,controllers,scheduler,nodes"
    with up(tmp_path, f"--data-dir={tmp_path / 'data'}", "--nodes=1", components) as cluster:
        os.kill(cluster.component("apiserver"), signal.SIGKILL)
        told: dict[str, list[str]] = {}
        # Who happened to ask for nothing meanwhile has noticed nothing.
        while not told or not all(OUTAGE[1] in said for said in told.values()):
            line = cluster.read_until_matching(rf".*({'|'.join(OUTAGE)}).*component=\w+.*")
            (name,) = re.findall(r"component=(\w+)", line)
            told.setdefault(name, []).extend(re.findall("|".join(OUTAGE), line))

    assert told == {name: list(OUTAGE) for name in told}
