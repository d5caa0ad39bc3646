"""Which nodes a DaemonSet's pods belong on."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.daemonset.failures import FailureBackoff
from kubegang.controllers.daemonset.fitting import (
    Fit,
    fit_of,
    node_of,
    with_daemon_tolerations,
    with_node,
)


def daemon_set(**spec: Any) -> JsonObject:
    return {"spec": {"template": {"spec": spec}}}


def node(*taints: JsonObject, **labels: str) -> JsonObject:
    return {"metadata": {"name": "n", "labels": labels}, "spec": {"taints": list(taints)}}


def terms(*entries: JsonObject) -> JsonObject:
    required = {"nodeSelectorTerms": list(entries)}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def expression(key: str, operator: str, *values: str) -> JsonObject:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("effect", "fit"),
    [
        ("NoSchedule", Fit(runs=False, stays=True)),
        ("NoExecute", Fit(runs=False, stays=False)),
        ("PreferNoSchedule", Fit(runs=True, stays=True)),
    ],
)
def test_taints_keep_pods_off_or_drive_them_away(effect: str, fit: Fit) -> None:
    assert fit_of(daemon_set(), node({"key": "k", "effect": effect})) == fit


def test_node_conditions_are_always_tolerated() -> None:
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}

    assert fit_of(daemon_set(), node(taint)).runs


@pytest.mark.parametrize(
    ("term", "runs"),
    [
        ({"matchExpressions": [expression("zone", "In", "a", "b")]}, True),
        ({"matchExpressions": [expression("zone", "NotIn", "a")]}, False),
        ({"matchExpressions": [expression("size", "Gt", "3")]}, True),
        ({"matchExpressions": [expression("size", "Gt", "small")]}, False),
        ({"matchExpressions": [expression("zone", "Lt", "3")]}, False),
        ({"matchExpressions": [expression("size", "Lt", "3")]}, False),
        ({"matchExpressions": [expression("other", "DoesNotExist")]}, True),
        ({"matchFields": [expression("metadata.name", "In", "n")]}, True),
        ({}, False),
    ],
)
def test_required_terms_choose_nodes(term: JsonObject, *, runs: bool) -> None:
    found = fit_of(daemon_set(affinity=terms(term)), node(zone="a", size="5"))

    assert found.runs is runs


def test_a_node_selector_and_a_node_name_must_hold_too() -> None:
    assert not fit_of(daemon_set(nodeSelector={"zone": "b"}), node(zone="a")).stays
    assert not fit_of(daemon_set(nodeName="other"), node()).stays


def test_pods_on_the_hosts_network_tolerate_its_absence() -> None:
    keys = [one["key"] for one in with_daemon_tolerations({"hostNetwork": True})]

    assert keys[-1] == "node.kubernetes.io/network-unavailable"


def test_a_pod_is_bound_to_its_node_by_its_affinity() -> None:
    own = terms({"matchExpressions": [expression("zone", "Exists")]})
    pod = {"spec": {"affinity": with_node(own, "n7")}}

    assert node_of(pod) == "n7"
    assert "n7" not in str(own)


def test_failures_wait_twice_as_long_each_time() -> None:
    backoff = FailureBackoff()

    assert backoff.wait("k", 0.0) == 0.0
    assert backoff.wait("k", 0.5) == 1.0
    assert backoff.wait("k", 1.0) == 0.0
    assert backoff.wait("k", 2.5) == 2.0
    assert backoff.wait("other", 2.5) == 0.0
