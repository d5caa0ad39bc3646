"""How fast the API server answers beside kube-apiserver and etcd, row by row, in one run.

Each plane runs its API server alone, with its state on disk, and gets the same requests from
the same client, a light one, on the same cores. Other work on the machine changes the figures,
so only the ratios of one run mean anything; the rows of processor time, of the API server with
its storage, change least.

    python bench/apiserver.py [--nodes N] [--pods N] [--watchers N] [--only PLANE]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
import uvloop
from control_plane import PeakMemory, Plane, kubegang_plane, kubernetes_plane
from lightclient import Connection, LightApi
from load import many
from rich.console import Console
from rich.table import Table

PODS = "/api/v1/namespaces/default/pods"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
JSON_LIST_TIMES = 5
WATCHERS_OF_PODS = 100
CHANGES_WATCHED = 200
TOLD_TIMES = 10
SILENCE_SECONDS = 60.0

Rows = dict[str, float]


def pod(index: int) -> dict[str, Any]:
    """Return a pod that asks for little."""
    requests = {"cpu": f"{100 + 50 * (index % 20)}m", "memory": f"{128 + 64 * (index % 20)}Mi"}
    container = {
        "name": "c",
        "image": "registry.example/app:1",
        "resources": {"requests": requests},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{index}", "labels": {"app": f"a{index % 100}"}},
        "spec": {"containers": [container]},
    }


def node(index: int) -> dict[str, Any]:
    """Return a node with room for many pods."""
    room = {"cpu": "64", "memory": "256Gi", "pods": "500"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{index}", "labels": {"rack": f"r{index % 50}"}},
        "status": {"capacity": room, "allocatable": room},
    }


class Meter:
    """Measures what is done: how often a second, and what it costs the servers."""

    def __init__(self, servers: Mapping[str, int]) -> None:
        self._servers = servers
        self.rows: Rows = {}

    async def measure(self, what: str, count: float, work: Awaitable[Any]) -> None:
        """Do some work and note its figures."""
        started, before = time.monotonic(), self._processor_seconds()
        await work
        self.rows[f"{what}/s"] = count / (time.monotonic() - started)
        self.rows[f"… server µs each ({what})"] = (self._processor_seconds() - before) / count * 1e6

    def _processor_seconds(self) -> float:
        return sum(map(processor_seconds, self._servers.values()))


def processor_seconds(pid: int) -> float:
    """Return how long a process has kept processors busy, with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def single_requests(api: LightApi, meter: Meter, *, nodes: int, pods: int) -> None:
    """Measure single requests over 64 connections, each kind by itself."""
    await many(api.post("/api/v1/nodes", node(i)) for i in range(nodes))

    async def measure(what: str, requests: Iterable[Awaitable[Any]]) -> None:
        await meter.measure(what, pods, many(requests))

    await measure("pods created", (api.post(PODS, pod(i)) for i in range(pods)))
    await measure("pods read", (api.get(f"{PODS}/p{i}") for i in range(pods)))
    await measure("pods bound", (bind(api, i, nodes) for i in range(pods)))
    await measure("status patches", (patch(api, i) for i in range(pods)))


async def bind(api: LightApi, index: int, nodes: int) -> None:
    """Bind a pod, as a scheduler does."""
    target = {"apiVersion": "v1", "kind": "Node", "name": f"n{index % nodes}"}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": f"p{index}"}}
    await api.post(f"{PODS}/p{index}/binding", {**body, "target": target})


async def patch(api: LightApi, index: int, word: str = "Running") -> None:
    """Change a pod's status, as a kubelet does."""
    await api.merge(f"{PODS}/p{index}/status", {"status": {"phase": "Running", "message": word}})


async def lists(api: LightApi, meter: Meter) -> None:
    """List all pods, one request after the other."""

    async def read() -> None:
        for _ in range(JSON_LIST_TIMES):
            await api.get(PODS)

    await meter.measure("lists of all pods", JSON_LIST_TIMES, read())


async def events_to_watchers(api: LightApi, meter: Meter, *, watchers: int, changes: int) -> None:
    """Let many watch all pods while some change; every watcher must hear of every change."""

    async def change() -> None:
        await many(patch(api, i, "changed") for i in range(changes))

    streams = await watching(api, PODS, watchers=watchers)
    work = heard(streams, changes, change())
    await meter.measure(f"events to {watchers} watchers", watchers * changes, work)
    hang_up(streams)


async def many_watchers(api: LightApi, meter: Meter, *, watchers: int) -> None:
    """Hold many watches; tell how long an event takes to reach them all."""
    streams = await watching(api, CONFIG_MAPS, watchers=watchers)

    async def change() -> None:
        for number in range(TOLD_TIMES):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"told{number}"}}
            await heard(streams, number + 1, api.post(CONFIG_MAPS, body))

    await meter.measure(f"watchers told, of {watchers}", watchers * TOLD_TIMES, change())
    hang_up(streams)


async def watching(api: LightApi, path: str, *, watchers: int) -> list[Connection]:
    """Begin watches from now on."""
    version = orjson.loads(await api.get(f"{path}?limit=1"))["metadata"]["resourceVersion"]
    query = f"{path}?watch=true&resourceVersion={version}&timeoutSeconds=600"
    streams: list[Connection] = []

    async def begin() -> None:
        streams.append(await api.watch(query))

    await many(begin() for _ in range(watchers))
    return streams


async def heard(streams: list[Connection], events: int, act: Awaitable[None]) -> None:
    """Act, and return when each watch has had so many events since it began."""
    done = asyncio.get_running_loop().create_future()
    left = sum(stream.events < events for stream in streams)

    def watch_for(stream: Connection) -> Callable[[], None]:
        def notice() -> None:
            nonlocal left
            if stream.events >= events:
                stream.on_events = lambda: None
                left -= 1
                if left == 0:
                    done.set_result(None)

        return notice

    for stream in streams:
        stream.on_events = watch_for(stream)
    await act
    async with asyncio.timeout(SILENCE_SECONDS):
        await done


def hang_up(streams: list[Connection]) -> None:
    """End watches."""
    for stream in streams:
        stream.transport.close()


async def measure(plane: Plane, arguments: argparse.Namespace) -> Rows:
    """Return the figures of a plane."""
    memory = PeakMemory(plane.servers)
    meter = Meter(plane.servers)
    async with LightApi(plane.kubeconfig) as api:
        await single_requests(api, meter, nodes=arguments.nodes, pods=arguments.pods)
        await lists(api, meter)
        changes = min(CHANGES_WATCHED, arguments.pods)
        await events_to_watchers(api, meter, watchers=WATCHERS_OF_PODS, changes=changes)
        await many_watchers(api, meter, watchers=arguments.watchers)
    peaks = memory.stop()
    return meter.rows | {f"peak memory of {name}, MiB": mib for name, mib in peaks.items()}


def report(results: dict[str, Rows]) -> None:
    """Print the figures side by side, and the ratio of ours to the real one's."""
    table = Table("", *results, "ratio")
    for title in dict.fromkeys(title for rows in results.values() for title in rows):
        values = [rows.get(title, 0.0) for rows in results.values()]
        ratio = f"{values[0] / values[1]:.2f}" if len(values) == 2 and all(values) else ""
        table.add_row(title, *(f"{value:,.1f}" if value else "-" for value in values), ratio)
    Console().print(table)


def main() -> None:
    """Measure the planes asked for, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--only", choices=["kubegang", "kubernetes"])
    arguments = parser.parse_args()
    results: dict[str, Rows] = {}
    for name, start in (("kubegang", kubegang_plane), ("kubernetes", kubernetes_plane)):
        if arguments.only not in (None, name):
            continue
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as text, start(Path(text)) as plane:
            results[name] = uvloop.run(measure(plane, arguments))
    report(results)


if __name__ == "__main__":
    main()
