"""How fast the API server answers beside kube-apiserver and etcd, row by row, in one run.

Each plane runs its API server alone, with its state on disk, and gets the same requests from
the same client on the same cores. Other work on the machine changes the figures, so only the
ratios of one run mean anything.

    python bench/apiserver.py [--nodes N] [--pods N] [--watchers N] [--only PLANE]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
from control_plane import PeakMemory, Plane, kubegang_plane, kubernetes_plane
from load import Api, many
from rich.console import Console
from rich.table import Table

PODS = "/api/v1/namespaces/default/pods"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
JSON_LIST_TIMES = 5
WATCHERS_OF_PODS = 100
CHANGES_WATCHED = 200
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


async def per_second(requests: Iterable[Awaitable[Any]], count: int) -> float:
    """Send requests over 64 connections; return how many were answered a second."""
    started = time.monotonic()
    await many(requests)
    return count / (time.monotonic() - started)


async def requests_per_second(api: Api, *, nodes: int, pods: int) -> Rows:
    """Measure single requests, each kind by itself."""
    await many(api.post("/api/v1/nodes", node(i)) for i in range(nodes))
    rows: Rows = {}
    rows["pods created/s"] = await per_second((api.post(PODS, pod(i)) for i in range(pods)), pods)
    rows["pods read/s"] = await per_second((api.get(f"{PODS}/p{i}") for i in range(pods)), pods)
    rows["pods bound/s"] = await per_second((bind(api, i, nodes) for i in range(pods)), pods)
    rows["status patches/s"] = await per_second((patch(api, i) for i in range(pods)), pods)
    return rows


async def bind(api: Api, index: int, nodes: int) -> None:
    """Bind a pod, as a scheduler does."""
    target = {"apiVersion": "v1", "kind": "Node", "name": f"n{index % nodes}"}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": f"p{index}"}}
    await api.post(f"{PODS}/p{index}/binding", {**body, "target": target})


async def patch(api: Api, index: int, word: str = "Running") -> None:
    """Change a pod's status, as a kubelet does."""
    await api.merge(f"{PODS}/p{index}/status", {"status": {"phase": "Running", "message": word}})


async def lists_per_second(api: Api) -> Rows:
    """List all pods, one request after the other."""
    started = time.monotonic()
    for _ in range(JSON_LIST_TIMES):
        async with api.s.get(PODS) as answer:
            await answer.read()
    return {"lists of all pods/s": JSON_LIST_TIMES / (time.monotonic() - started)}


async def events_to_watchers(api: Api, *, watchers: int, changes: int) -> Rows:
    """Let many watch all pods while some change; every watcher must hear of every change."""

    async def change() -> None:
        await many(patch(api, i, "changed") for i in range(changes))

    seconds = await watched(api, PODS, watchers=watchers, events=changes, act=change)
    return {f"events/s to {watchers} watchers": watchers * changes / seconds}


async def many_watchers(api: Api, *, watchers: int) -> Rows:
    """Hold many watches; tell how long an event takes to reach them all."""

    async def change() -> None:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "told"}}
        await api.post(CONFIG_MAPS, body)

    seconds = await watched(api, CONFIG_MAPS, watchers=watchers, events=1, act=change)
    return {f"watchers told/s, of {watchers}": watchers / seconds}


async def watched(
    api: Api, path: str, *, watchers: int, events: int, act: Callable[[], Awaitable[None]]
) -> float:
    """Return the seconds from an act until each watcher has seen so many events of it."""
    version = (await api.get(f"{path}?limit=1"))["metadata"]["resourceVersion"]
    query = f"{path}?watch=true&resourceVersion={version}&timeoutSeconds=600"
    timeout = aiohttp.ClientTimeout(total=None, sock_read=SILENCE_SECONDS)
    connector = aiohttp.TCPConnector(limit=0, ssl=api.ssl)
    session = aiohttp.ClientSession(api.base, headers=api.h, connector=connector, timeout=timeout)
    async with session:
        streams = await asyncio.gather(*(session.get(query) for _ in range(watchers)))
        started = time.monotonic()
        counting = [asyncio.create_task(count_lines(stream, events)) for stream in streams]
        await act()
        await asyncio.gather(*counting)
        seconds = time.monotonic() - started
        for stream in streams:
            stream.close()
    return seconds


async def count_lines(stream: aiohttp.ClientResponse, wanted: int) -> None:
    """Read a watch until it has sent so many events."""
    seen = 0
    async for chunk in stream.content.iter_any():
        seen += chunk.count(b"\n")
        if seen >= wanted:
            return
    sys.exit(f"a watch ended after {seen} of {wanted} events")


async def measure(plane: Plane, arguments: argparse.Namespace) -> Rows:
    """Return the figures of a plane."""
    memory = PeakMemory(plane.servers)
    where: Any = SimpleNamespace(kubeconfig=plane.kubeconfig)
    async with Api(where) as api:
        rows = await requests_per_second(api, nodes=arguments.nodes, pods=arguments.pods)
        rows |= await lists_per_second(api)
        rows |= await events_to_watchers(
            api, watchers=WATCHERS_OF_PODS, changes=min(CHANGES_WATCHED, arguments.pods)
        )
        rows |= await many_watchers(api, watchers=arguments.watchers)
    peaks = memory.stop()
    return rows | {f"peak memory of {name}, MiB": mib for name, mib in peaks.items()}


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
            results[name] = asyncio.run(measure(plane, arguments))
    report(results)


if __name__ == "__main__":
    main()
