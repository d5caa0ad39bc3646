"""What each node lacks, and what it has too many of. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.daemonset.fitting import Fit, fit_of
from kubegang.controllers.daemonset.pods import (
    ByNode,
    is_pod_available,
    oldest_first,
    surge,
)
from kubegang.controllers.revisions.data import revision_of_pod
from kubegang.controllers.workloads.availability import is_going, is_ready, phase
from kubegang.controllers.workloads.objects import name_of


class Plan(msgspec.Struct):
    """What to do.

    Attributes:
        nodes: those that get a pod.
        surplus: pods that go.
        failed: pods that have failed; they go too, but not at once again and again.
        succeeded: pods that have ended without need.
    """

    nodes: list[str] = []
    surplus: list[JsonObject] = []
    failed: list[JsonObject] = []
    succeeded: list[JsonObject] = []


def plan(
    daemon_set: JsonObject,
    nodes: Sequence[JsonObject],
    present: ByNode,
    *,
    revision: str,
    now: float,
) -> Plan:
    """Return what brings every node to its one pod.

    Args:
        daemon_set: the set.
        nodes: all nodes.
        present: its pods by node.
        revision: the label of pods of the present template.
        now: seconds since the epoch.
    """
    made = Plan()
    for node in nodes:
        _add(made, daemon_set, node, pods=present.get(name_of(node)), revision=revision, now=now)
    made.surplus += _unplaced(nodes, present)
    return made


def _add(
    made: Plan,
    daemon_set: JsonObject,
    node: JsonObject,
    *,
    pods: list[JsonObject] | None,
    revision: str,
    now: float,
) -> None:
    fit: Fit = fit_of(daemon_set, node)
    if pods is None:
        if fit.runs:
            made.nodes.append(name_of(node))
        return
    staying = [pod for pod in pods if not is_going(pod)]
    if not fit.stays:
        made.surplus += staying
        return
    made.failed += [pod for pod in staying if phase(pod) == "Failed"]
    made.succeeded += [pod for pod in staying if phase(pod) == "Succeeded"]
    running = oldest_first(pod for pod in staying if phase(pod) not in ("Failed", "Succeeded"))
    if not surge(daemon_set, 1):
        made.surplus += running[1:]
    elif running:
        made.surplus += _superseded(daemon_set, running, revision, now)
    elif fit.runs:
        made.nodes.append(name_of(node))


def _superseded(
    daemon_set: JsonObject, running: Iterable[JsonObject], revision: str, now: float
) -> list[JsonObject]:
    """Return all but one old and one new pod, and the old one once it is of no more use."""
    new = [pod for pod in running if revision_of_pod(pod) == revision]
    old = [pod for pod in running if revision_of_pod(pod) != revision]
    gone = new[1:] + old[1:]
    if new and old and (not is_ready(old[0]) or is_pod_available(daemon_set, new[0], now)):
        gone.append(old[0])
    return gone


def _unplaced(nodes: Sequence[JsonObject], present: ByNode) -> list[JsonObject]:
    """Return pods that wait for nodes that are gone; nobody else would delete those."""
    known = {name_of(node) for node in nodes}
    return [
        pod
        for node, pods in present.items()
        if node not in known
        for pod in pods
        if not pod["spec"].get("nodeName")
    ]
