"""The main job, shown and checked: two training jobs as gangs on a simulated GPU cluster.

Starts the control plane on a free port, submits everything through the API, follows it to
the end and prints what happened. Ends with 0 only if all that it says was checked.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Resource
from kubegang.client.kubeconfig import load_kubeconfig
from kubegang.client.resources import JOBS, NODES, PODGROUPS, PODS

HERE = Path(__file__).resolve().parent
NAMESPACE = "default"
RACK = "topology.kubernetes.io/rack"
JOB_LABEL = "batch.kubernetes.io/job-name"
START_SECONDS, DEMO_SECONDS = 60, 60
FIRST, SECOND = "train-large", "train-next"
FIRST_PODS, SECOND_PODS = 6, 4

console = Console(highlight=False, soft_wrap=True)


class DemoFailedError(Exception):
    """Something that the demo promises did not happen."""


class Follower:
    """Sees every change of every pod, in order, and notes what matters."""

    def __init__(self) -> None:
        self.started_at = asyncio.get_running_loop().time()
        self.nodes: dict[str, str] = {}
        self.phases: dict[str, str] = {}
        self.jobs: dict[str, str] = {}
        self.partial: list[str] = []
        self.changed = asyncio.Event()

    def see(self, pod: JsonObject) -> None:
        """Take in one state of one pod."""
        name = pod["metadata"]["name"]
        self.jobs[name] = (pod["metadata"].get("labels") or {}).get(JOB_LABEL, "")
        node = pod["spec"].get("nodeName", "")
        if node:
            self.nodes[name] = node
        self.phases[name] = (pod.get("status") or {}).get("phase", "")
        self.changed.set()

    def bound(self, job: str) -> list[str]:
        """Return the pods of a job that have a node."""
        return [pod for pod, owner in self.jobs.items() if owner == job and pod in self.nodes]

    def seconds(self) -> float:
        """Return how long the demo has been following."""
        return asyncio.get_running_loop().time() - self.started_at

    def say(self, text: str) -> None:
        """Print one line of the time line."""
        console.print(f"  [dim]{self.seconds():5.1f} s[/dim]  {text}")

    async def wait_for(self, what: str, condition: Any) -> None:
        """Wait until ``condition()`` holds; it is asked after every change."""
        while not condition():
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), DEMO_SECONDS)
            except TimeoutError:
                raise DemoFailedError(f"waited {DEMO_SECONDS} s for: {what}") from None


def check(claim: str, *, holds: bool, found: object = "") -> None:
    """Print a claim with its mark, or end the demo."""
    if not holds:
        raise DemoFailedError(f"not true: {claim} {found}")
    console.print(f"  [green]✓[/green] {claim}")


@contextlib.asynccontextmanager
async def control_plane() -> AsyncIterator[ApiClient]:
    """Start ``kubegang up`` on a free port and yield a client for it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kubegang.cli.main",
        "up",
        "--in-memory",
        "--listen=127.0.0.1:0",
        f"--nodes={HERE / 'two-racks.yaml'}",
        f"--config={HERE / 'fast-retries.yaml'}",
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            kubeconfig = await _read_start_up(process)
        transport = HttpTransport(load_kubeconfig(Path(kubeconfig)))
        client = ApiClient(transport, user_agent="kubegang-demo")
        try:
            yield client
        finally:
            await client.close()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def _read_start_up(process: asyncio.subprocess.Process) -> str:
    """Pass on what ``up`` prints until it is ready; return the kubeconfig's path."""
    kubeconfig = ""
    if process.stdout is None:
        raise DemoFailedError("the control plane has no output")
    async for raw in process.stdout:
        line = raw.decode().rstrip()
        console.print(f"  [dim]{line}[/dim]")
        if "export KUBECONFIG=" in line:
            kubeconfig = line.partition("export KUBECONFIG=")[2].strip("'\"")
        if "ready" in line.split() or line.startswith("ready"):
            return kubeconfig
    raise DemoFailedError("the control plane ended before it was ready")


async def submit(client: ApiClient, file: str) -> None:
    """Create every object of a manifest."""
    resources: dict[str, Resource] = {"Job": JOBS, "Pod": PODS}
    for document in yaml.safe_load_all((HERE / file).read_text(encoding="utf-8")):
        await client.create(resources[document["kind"]], document, NAMESPACE)


async def follow(client: ApiClient, follower: Follower) -> None:
    """Feed every change of every pod to the follower, until cancelled."""
    listing = await client.list(PODS, NAMESPACE)
    version = listing.resource_version
    while True:
        async for event in client.watch(PODS, NAMESPACE, resource_version=version):
            version = event.object["metadata"]["resourceVersion"]
            if event.type in ("ADDED", "MODIFIED"):
                follower.see(event.object)


async def group_condition(client: ApiClient, job: str) -> JsonObject | None:
    """Return the scheduling condition of the PodGroup that a job got."""
    groups = await client.list(PODGROUPS, NAMESPACE)
    for group in groups.items:
        if any(o["name"] == job for o in group["metadata"].get("ownerReferences", [])):
            conditions = (group.get("status") or {}).get("conditions") or []
            kind = "PodGroupInitiallyScheduled"
            return next((c for c in conditions if c["type"] == kind), None)
    return None


async def story(client: ApiClient, follower: Follower) -> None:
    """Submit the jobs and follow them to their end."""
    console.print("\n[bold]What happens[/bold]")
    await submit(client, "plain-pods.yaml")
    await submit(client, "training-job.yaml")
    follower.say(f"submitted two plain pods and [bold]{FIRST}[/bold]: 6 pods x 8 GPUs, a gang")
    await follower.wait_for(f"{FIRST} starts", lambda: len(follower.bound(FIRST)) == FIRST_PODS)
    follower.say(f"[green]{FIRST} starts: 6 of 6 pods have a node[/green], 16 GPUs are left")

    await submit(client, "second-job.yaml")
    follower.say(f"submitted [bold]{SECOND}[/bold]: 4 pods x 8 GPUs, a gang; 2 would fit")
    reason = await wait_for_reason(client, follower)
    follower.say(
        f"[yellow]{SECOND} waits: {reason['message'].partition(', pod group')[0]}[/yellow]"
    )
    # The scheduler has said no, and no pod of the gang may have slipped through.
    if follower.bound(SECOND):
        raise DemoFailedError(f"{SECOND} was started in part: {follower.bound(SECOND)}")

    await follower.wait_for(f"{FIRST} ends", lambda: succeeded(follower, FIRST) == FIRST_PODS)
    follower.say(f"{FIRST} has succeeded, its GPUs are free")
    await follower.wait_for(f"{SECOND} starts", lambda: len(follower.bound(SECOND)) == SECOND_PODS)
    follower.say(f"[green]{SECOND} starts: 4 of 4 pods have a node[/green]")
    await follower.wait_for(f"{SECOND} ends", lambda: succeeded(follower, SECOND) == SECOND_PODS)
    follower.say(f"{SECOND} has succeeded")


async def wait_for_reason(client: ApiClient, follower: Follower) -> JsonObject:
    """Wait until the second job's PodGroup says why it waits."""
    while True:
        condition = await group_condition(client, SECOND)
        if condition is not None and condition["status"] == "False":
            return condition
        follower.changed.clear()
        async with asyncio.timeout(DEMO_SECONDS):
            await follower.changed.wait()


def succeeded(follower: Follower, job: str) -> int:
    """Return how many pods of a job have succeeded."""
    return sum(
        1
        for pod, owner in follower.jobs.items()
        if owner == job and follower.phases[pod] == "Succeeded"
    )


async def show_placement(client: ApiClient, follower: Follower) -> None:
    """Print which pod ran where, rack by rack."""
    nodes = await client.list(NODES)
    table = Table(title="Where the pods ran", title_justify="left")
    for column in ("rack", "node", FIRST, SECOND, "plain"):
        table.add_column(column)
    for node in sorted(
        nodes.items, key=lambda n: (n["metadata"]["labels"][RACK], n["metadata"]["name"])
    ):
        name = node["metadata"]["name"]
        here = [pod for pod, where in follower.nodes.items() if where == name]
        by_job = [
            ", ".join(short(pod) for pod in here if follower.jobs[pod] == job)
            for job in (FIRST, SECOND, "")
        ]
        table.add_row(node["metadata"]["labels"][RACK], name, *by_job)
    console.print()
    console.print(table)


def short(pod: str) -> str:
    """Return the index of a training pod, or the name of a plain one."""
    for job in (FIRST, SECOND):
        if pod.startswith(f"{job}-"):
            return "#" + pod.removeprefix(f"{job}-").partition("-")[0]
    return pod


async def check_end(client: ApiClient, follower: Follower) -> None:
    """Check everything that the demo has shown."""
    console.print("\n[bold]Checked[/bold]")
    jobs = {job["metadata"]["name"]: job for job in (await client.list(JOBS, NAMESPACE)).items}
    for name, pods in ((FIRST, FIRST_PODS), (SECOND, SECOND_PODS)):
        await wait_for_completion(client, name)
        jobs[name] = await client.get(JOBS, name, NAMESPACE)
        count = jobs[name]["status"].get("succeeded", 0)
        check(f"{name} is Complete with {pods} succeeded pods", holds=count == pods, found=count)
    per_node = [node for pod, node in follower.nodes.items() if follower.jobs[pod] == FIRST]
    check(f"no node ran two pods of {FIRST}", holds=len(set(per_node)) == FIRST_PODS)
    condition = await group_condition(client, SECOND)
    check(
        f"the PodGroup of {SECOND} says Scheduled",
        holds=condition is not None and condition["status"] == "True",
        found=condition,
    )
    plain = [pod for pod, job in follower.jobs.items() if not job]
    running = [pod for pod in plain if follower.phases[pod] == "Running"]
    check("both plain pods run", holds=len(running) == 2, found=running)


async def wait_for_completion(client: ApiClient, name: str) -> None:
    """Wait for a job's Complete condition; its last pod is counted a moment after it ended."""
    listing = await client.list(JOBS, NAMESPACE, field_selector=f"metadata.name={name}")
    if any(is_complete(job) for job in listing.items):
        return
    async with asyncio.timeout(DEMO_SECONDS):
        async for event in client.watch(
            JOBS,
            NAMESPACE,
            resource_version=listing.resource_version,
            field_selector=f"metadata.name={name}",
        ):
            if event.type == "MODIFIED" and is_complete(event.object):
                return


def is_complete(job: JsonObject) -> bool:
    """Return whether a job has the condition Complete."""
    conditions = (job.get("status") or {}).get("conditions") or []
    return any(c["type"] == "Complete" and c["status"] == "True" for c in conditions)


async def main() -> None:
    """Run the demo."""
    console.print("[bold]Starting the control plane: 2 racks, 8 nodes, 64 GPUs[/bold]")
    async with control_plane() as client:
        follower = Follower()
        following = asyncio.create_task(follow(client, follower))
        try:
            await story(client, follower)
            await show_placement(client, follower)
            await check_end(client, follower)
        finally:
            following.cancel()
    console.print("\n[bold green]The demo did what it promised.[/bold green]")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except DemoFailedError as error:
        console.print(f"[bold red]{error}[/bold red]")
        sys.exit(1)
