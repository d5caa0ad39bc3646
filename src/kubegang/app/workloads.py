"""The controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets, put together."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.schema import Schema
from kubegang.app.clusterkeys import NO_KEYS, ClusterKeys
from kubegang.app.informers import SharedInformers
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.resources import (
    CONTROLLERREVISIONS,
    DAEMONSETS,
    DEPLOYMENTS,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PODS,
    REPLICASETS,
    REPLICATIONCONTROLLERS,
    STATEFULSETS,
)
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.daemonset.controller import DaemonSetController
from kubegang.controllers.deployment.controller import DeploymentController
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.replicaset.controller import ReplicaSetController
from kubegang.controllers.statefulset.controller import StatefulSetController

Run = Callable[[], Coroutine[Any, Any, None]]


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the controllers of one process share.

    Attributes:
        client: with which a controller writes.
        recorder: makes a recorder of events, by the component's name in events.
        queue: makes a work queue.
        heartbeats: whether nodes say that they live, so that silence means something.
        keys: the cluster's own, as far as they are known.
    """

    client: Client
    profile: VersionProfile
    informers: SharedInformers
    recorder: Callable[[str], EventRecorder]
    queue: Callable[[], WorkQueue[Any]]
    clock: Clock
    heartbeats: bool = True
    keys: ClusterKeys = NO_KEYS

    def has(self, gate: str) -> bool:
        """Return whether a gate of the controllers exists in this release and is on."""
        return self.profile.gates["controllers"].enabled_if_known(gate)

    def hasher(self) -> TemplateHasher:
        """Return what hashes pod templates as this release does."""
        version = self.profile.name

        def load() -> Schema:
            return load_facts(version).definition("io.k8s.api.core.v1.PodTemplateSpec")

        return TemplateHasher(load)


def _replica_sets(parts: Parts) -> Run:
    return ReplicaSetController(
        parts.client,
        REPLICASETS,
        sets=parts.informers.of(REPLICASETS),
        pods=parts.informers.of(PODS),
        recorder=parts.recorder("replicaset-controller"),
        queue=parts.queue(),
        clock=parts.clock,
        counts_terminating=parts.has("DeploymentReplicaSetTerminatingReplicas"),
    ).run


def _replication_controllers(parts: Parts) -> Run:
    return ReplicaSetController(
        parts.client,
        REPLICATIONCONTROLLERS,
        sets=parts.informers.of(REPLICATIONCONTROLLERS),
        pods=parts.informers.of(PODS),
        recorder=parts.recorder("replication-controller"),
        queue=parts.queue(),
        clock=parts.clock,
        # Their status has no such field.
        counts_terminating=False,
    ).run


def _deployments(parts: Parts) -> Run:
    return DeploymentController(
        parts.client,
        deployments=parts.informers.of(DEPLOYMENTS),
        replica_sets=parts.informers.of(REPLICASETS),
        pods=parts.informers.of(PODS),
        recorder=parts.recorder("deployment-controller"),
        queue=parts.queue(),
        hasher=parts.hasher(),
        clock=parts.clock,
        counts_terminating=parts.has("DeploymentReplicaSetTerminatingReplicas"),
    ).run


def _stateful_sets(parts: Parts) -> Run:
    return StatefulSetController(
        parts.client,
        sets=parts.informers.of(STATEFULSETS),
        pods=parts.informers.of(PODS),
        revisions=parts.informers.of(CONTROLLERREVISIONS),
        claims=parts.informers.of(PERSISTENTVOLUMECLAIMS),
        recorder=parts.recorder("statefulset-controller"),
        queue=parts.queue(),
        clock=parts.clock,
        allows_several=parts.has("MaxUnavailableStatefulSet"),
    ).run


def _daemon_sets(parts: Parts) -> Run:
    return DaemonSetController(
        parts.client,
        sets=parts.informers.of(DAEMONSETS),
        pods=parts.informers.of(PODS),
        nodes=parts.informers.of(NODES),
        revisions=parts.informers.of(CONTROLLERREVISIONS),
        recorder=parts.recorder("daemonset-controller"),
        queue=parts.queue(),
        hasher=parts.hasher(),
        clock=parts.clock,
    ).run


BUILDERS: Mapping[str, Callable[[Parts], Run]] = {
    "daemonset-controller": _daemon_sets,
    "deployment-controller": _deployments,
    "replicaset-controller": _replica_sets,
    "replicationcontroller-controller": _replication_controllers,
    "statefulset-controller": _stateful_sets,
}
"""By name, as kube-controller-manager has them."""
