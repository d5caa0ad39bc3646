"""The controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets, put together."""

from __future__ import annotations

from kubegang.app.controllers.parts import Builders, Parts, Run
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
from kubegang.controllers.daemonset.controller import DaemonSetController
from kubegang.controllers.deployment.controller import DeploymentController
from kubegang.controllers.replicaset.controller import ReplicaSetController
from kubegang.controllers.statefulset.controller import StatefulSetController


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
        waits_for_selected=parts.profile.controller_rules.deployments_wait_for_selected,
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


WORKLOAD_BUILDERS: Builders = {
    "daemonset-controller": _daemon_sets,
    "deployment-controller": _deployments,
    "replicaset-controller": _replica_sets,
    "replicationcontroller-controller": _replication_controllers,
    "statefulset-controller": _stateful_sets,
}
