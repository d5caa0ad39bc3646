"""Whether a node is one that a pod may run on, as a kubelet asks when it arrives. Pure.

Texts and order are the kubelet's (its source, 1.35 to 1.37). It asks for no more than this: a
cordon keeps nobody out who is bound, nor does a taint with another effect than NoExecute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubegang.api.core.affinity import NodeSelectorRequirement, NodeSelectorTerm, Toleration
from kubegang.apimachinery.gointegers import parse_int64
from kubegang.apimachinery.labels import Requirement
from kubegang.apimachinery.labelsyntax import Operator
from kubegang.nodesim.forms import SimulatedNode, SimulatedPod, Taint

OS_LABEL: Final = "kubernetes.io/os"
SIMULATED_OS: Final = "linux"

_OPERATORS: Final[Mapping[str, Operator]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
    "Gt": "gt",
    "Lt": "lt",
}


class Rejection(NamedTuple):
    """Why a pod may not run on its node, in one word and in a sentence."""

    reason: str
    message: str


def other_system(pod: SimulatedPod) -> Rejection | None:
    """Return why a pod is for another operating system, ``None`` if it is not."""
    if pod.metadata.labels.get(OS_LABEL, SIMULATED_OS) != SIMULATED_OS:
        return Rejection(
            "PodOSSelectorNodeLabelDoesNotMatch",
            f"Failed to admit pod as the `{OS_LABEL}` label doesn't match node label",
        )
    if pod.spec.os is not None and pod.spec.os.name != SIMULATED_OS:
        return Rejection(
            "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
        )
    return None


def unwanted_node(pod: SimulatedPod, node: SimulatedNode) -> Rejection | None:
    """Return that a pod wants other nodes, by selector or affinity."""
    labels, spec = node.metadata.labels, pod.spec
    wanted = all(labels.get(key) == value for key, value in spec.node_selector.items())
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = affinity and affinity.required_during_scheduling_ignored_during_execution
    if required:
        terms = required.node_selector_terms or ()
        wanted = wanted and any(_holds(term, node) for term in terms)
    if wanted:
        return None
    return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")


def untolerated_taint(pod: SimulatedPod, node: SimulatedNode) -> Rejection | None:
    """Return that a NoExecute taint keeps a pod off."""
    for taint in node.spec.taints:
        if taint.effect == "NoExecute" and not any(
            _tolerates(toleration, taint) for toleration in pod.spec.tolerations
        ):
            return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    return None


def failed(predicate: str, told: str) -> Rejection:
    """Return that one of the scheduler's rules does not hold."""
    return Rejection(predicate, f"Predicate {predicate} failed: {told}")


def _holds(term: NodeSelectorTerm, node: SimulatedNode) -> bool:
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {"metadata.name": node.metadata.name}
    return all(_matches(one, node.metadata.labels) for one in term.match_expressions) and all(
        _matches(one, fields) for one in term.match_fields
    )


def _matches(expression: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
    operator = _OPERATORS.get(expression.operator)
    if operator is None:
        return False
    return Requirement(expression.key, operator, frozenset(expression.values)).matches(labels)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator or "Equal":
        case "Exists":
            return True
        case "Equal":
            return toleration.value == taint.value
        case "Lt" | "Gt" as comparison:
            return _compares(comparison, taint.value, toleration.value)
    return False


def _compares(comparison: str, of_taint: str, of_toleration: str) -> bool:
    found, limit = parse_int64(of_taint), parse_int64(of_toleration)
    if found is None or limit is None:
        return False
    return found < limit if comparison == "Lt" else found > limit
