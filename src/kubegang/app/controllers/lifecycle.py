"""The controllers of budgets, of nodes and of what is left on them, put together."""

from __future__ import annotations

from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.client.resources import (
    DEPLOYMENTS,
    LEASES,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODS,
    REPLICASETS,
    REPLICATIONCONTROLLERS,
    STATEFULSETS,
)
from kubegang.controllers.disruption.controller import DisruptionController
from kubegang.controllers.disruption.owners import PodOwners
from kubegang.controllers.nodelifecycle.controller import NodeLifecycle
from kubegang.controllers.nodelifecycle.podreadiness import PodReadiness
from kubegang.controllers.podgc.controller import PodGarbageCollector
from kubegang.controllers.tainteviction.controller import TaintEviction

NODE_LIFECYCLE = "node-lifecycle-controller"
POD_GARBAGE = "pod-garbage-collector-controller"

_SCALABLE = (REPLICATIONCONTROLLERS, DEPLOYMENTS, REPLICASETS, STATEFULSETS)


def _disruption(parts: Parts) -> Run:
    def resource_name(group: str, version: str, kind: str) -> str:
        for row in parts.scheme.resources():
            if (row.group, row.version, row.kind) == (group, version, kind):
                return str(row.group_resource)
        return ""

    known = {(one.group, one.kind): parts.informers.of(one) for one in _SCALABLE}
    return DisruptionController(
        parts.client,
        budgets=parts.informers.of(PODDISRUPTIONBUDGETS),
        pods=parts.informers.of(PODS),
        owners=PodOwners(known, resource_name=resource_name),
        recorder=parts.recorder("controllermanager"),
        queue=parts.queue(),
        clock=parts.clock,
    ).run


def _node_lifecycle(parts: Parts) -> Run:
    recorder = parts.recorder("node-controller")
    return NodeLifecycle(
        parts.client,
        nodes=parts.informers.of(NODES),
        leases=parts.informers.of(LEASES),
        pods=PodReadiness(
            parts.client, pods=parts.informers.of(PODS), recorder=recorder, clock=parts.clock
        ),
        recorder=recorder,
        queue=parts.queue(),
        clock=parts.clock,
        monitors=parts.heartbeats,
    ).run


def _taint_eviction(parts: Parts) -> Run:
    return TaintEviction(
        parts.client,
        pods=parts.informers.of(PODS),
        nodes=parts.informers.of(NODES),
        recorder=parts.recorder("taint-eviction-controller"),
        queue=parts.queue(),
        clock=parts.clock,
    ).run


def _pod_garbage(parts: Parts) -> Run:
    return PodGarbageCollector(
        parts.client,
        pods=parts.informers.of(PODS),
        nodes=parts.informers.of(NODES),
        queue=parts.queue(),
        clock=parts.clock,
    ).run


LIFECYCLE_BUILDERS: Builders = {
    "disruption-controller": _disruption,
    NODE_LIFECYCLE: _node_lifecycle,
    "taint-eviction-controller": _taint_eviction,
    POD_GARBAGE: _pod_garbage,
}
