"""Checks that a snapshot's arrays say what its pods say. For tests and error reports. Pure."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.volumeusers import VolumeUsers


def validate_snapshot(snapshot: Snapshot) -> None:
    """Compare every count with a fresh sum over the pods.

    Raises:
        InvariantError: a count differs; the message says which.
    """
    nodes = snapshot.nodes
    expected = _count(snapshot)
    columns: dict[str, IntArray] = {
        "pods": nodes.pod_count,
        "milli-CPU for scores": nodes.score_milli_cpu,
        "memory for scores": nodes.score_memory_bytes,
        **{resource: nodes.requested(resource) for resource in nodes.resources},
    }
    for what, column in columns.items():
        wanted = np.array([expected[row, what] for row in range(nodes.size)], dtype=np.int64)
        for row in np.flatnonzero(column != wanted).tolist():
            raise InvariantError(
                f"node {nodes.names[row]} counts {column[row]} {what},"
                f" its pods come to {wanted[row]}"
            )
    _validate_indexes(snapshot)
    _validate_pod_counts(snapshot)
    _validate_volume_users(snapshot)


def _count(snapshot: Snapshot) -> Counter[tuple[int, str]]:
    counts: Counter[tuple[int, str]] = Counter()
    for entry in snapshot.placed_pods():
        row = snapshot.nodes.row(entry.node)
        if row is None:
            continue
        requests = entry.pod.requests
        counts[row, "pods"] += 1
        counts[row, "milli-CPU for scores"] += requests.score_milli_cpu
        counts[row, "memory for scores"] += requests.score_memory_bytes
        for resource, amount in requests.items:
            counts[row, resource] += amount
    return counts


def _validate_indexes(snapshot: Snapshot) -> None:
    nodes = snapshot.nodes
    for row, info in enumerate(nodes.infos):
        if nodes.names[row] != info.name or nodes.row(info.name) != row:
            raise InvariantError(f"row {row} is {nodes.names[row]} but holds node {info.name}")
    taken = sorted(
        (nodes.row(entry.node), port)
        for entry in snapshot.placed_pods()
        for port in entry.pod.host_ports
        if nodes.row(entry.node) is not None
    )
    if taken != nodes.taken_ports():
        raise InvariantError(f"taken ports are {nodes.taken_ports()}, pods take {taken}")
    if sorted(nodes.scan_order.tolist()) != list(range(nodes.size)):
        raise InvariantError("the scan order does not hold every row once")


def _validate_pod_counts(snapshot: Snapshot) -> None:
    counted, wanted = snapshot.counts.picture(), snapshot.counts.recounted().picture()
    for what in sorted(counted.keys() | wanted.keys()):
        if counted.get(what) != wanted.get(what):
            raise InvariantError(
                f"{what}: {counted.get(what)} by row, its pods come to {wanted.get(what)}"
            )
    if not snapshot.counts.sums_are_true():
        raise InvariantError("a sum over topology domains is not that of its rows")


def _validate_volume_users(snapshot: Snapshot) -> None:
    expected = VolumeUsers()
    for entry in snapshot.placed_pods():
        if entry.pod.volumes and snapshot.nodes.row(entry.node) is not None:
            expected.count(entry.pod, entry.node, change=1)
    counted, wanted = snapshot.storage.users.picture(), expected.picture()
    if counted != wanted:
        raise InvariantError(f"volume users are {counted}, pods come to {wanted}")
