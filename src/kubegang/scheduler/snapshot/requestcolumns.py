"""What the pods of each node ask for together, in columns.

Counts are exact integers, so taking a step back restores every array bit for bit. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo, Requests
from kubegang.scheduler.snapshot.columns import Column, ResourceColumns


class RequestColumns:
    """Sums of requests per row; every method counts pods (sign 1) or takes that back (-1).

    Attributes:
        pods: how many pods there are.
        score_milli_cpu: milli-CPU as scoring counts it.
        score_memory_bytes: memory as scoring counts it.
        amounts: what they ask of each resource.
    """

    def __init__(self) -> None:
        self.pods: Column[np.int64] = Column(np.int64, 0, 0)
        self.score_milli_cpu: Column[np.int64] = Column(np.int64, 0, 0)
        self.score_memory_bytes: Column[np.int64] = Column(np.int64, 0, 0)
        self.amounts = ResourceColumns()

    def count(self, row: int, requests: Requests, sign: int) -> None:
        """Count one pod on a row."""
        for resource, amount in requests.items:
            self.amounts.kept(resource)[row] += sign * amount
        self.pods.view[row] += sign
        self.score_milli_cpu.view[row] += sign * requests.score_milli_cpu
        self.score_memory_bytes.view[row] += sign * requests.score_memory_bytes

    def count_many(self, rows: RowArray, requests: Requests, sign: int) -> None:
        """Count one such pod for every mention of a row."""
        for resource, amount in requests.items:
            np.add.at(self.amounts.kept(resource), rows, sign * amount)
        np.add.at(self.pods.view, rows, sign)
        np.add.at(self.score_milli_cpu.view, rows, sign * requests.score_milli_cpu)
        np.add.at(self.score_memory_bytes.view, rows, sign * requests.score_memory_bytes)

    def pad(self, additions: Sequence[tuple[Requests, IntArray]], sign: int) -> None:
        """Count on every row as many such pods as are given for it."""
        for requests, many in additions:
            for resource, amount in requests.items:
                column = self.amounts.kept(resource)
                column += sign * amount * many
            self.pods.view[:] += sign * many
            self.score_milli_cpu.view[:] += sign * requests.score_milli_cpu * many
            self.score_memory_bytes.view[:] += sign * requests.score_memory_bytes * many

    def resize(self, size: int) -> None:
        """Set the number of rows; on new ones nothing is counted."""
        for column in (self.pods, self.score_milli_cpu, self.score_memory_bytes, self.amounts):
            column.resize(size)

    def move(self, source: int, target: int) -> None:
        """Copy one row's counts to another row."""
        for column in (self.pods, self.score_milli_cpu, self.score_memory_bytes, self.amounts):
            column.move(source, target)


def rows_by_requests(pods: Sequence[tuple[int, PodInfo]]) -> Iterable[tuple[Requests, list[int]]]:
    """Return the rows of pods that ask for the same; equal requests are mostly one object."""
    groups: dict[int, tuple[Requests, list[int]]] = {}
    for row, pod in pods:
        group = groups.get(id(pod.requests))
        if group is None:
            group = groups[id(pod.requests)] = (pod.requests, [])
        group[1].append(row)
    return groups.values()
