"""Soft spread constraints: fewer matching pods around are better. And the plugin's arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.pods import ControllerKey
from kubegang.scheduler.framework.podterms import equal_labels
from kubegang.scheduler.framework.workloads import ControllerInfo, ServiceInfo
from kubegang.scheduler.plugins.podtopologyspread.plugin import PodTopologySpread
from kubegang.testing.builders import PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import HOSTNAME, ZONE, evenly, pods_labelled
from tests.unit.scheduler.plugins.asking import context, scored

APP = pods_labelled(app="x")
X = make_pod("x").label("app", "x")
NODES = [make_node("a").zone("za"), make_node("b").zone("zb"), make_node("c").zone("zb")]


def pods_on(**counts: int) -> list[PodBuilder]:
    return [
        X.named(f"{node}-{index}").on(node)
        for node, count in counts.items()
        for index in range(count)
    ]


def test_the_emptiest_domain_scores_most() -> None:
    core = DecidingCore(NODES, pods_on(a=1, b=2, c=1))
    pod = X.spread(evenly(APP, ZONE, soft=True))
    # Two zones weigh ln 4: 1 pod comes to 1, 3 pods to 4.
    assert [round(count * math.log(4)) for count in (1, 3)] == [1, 4]
    assert scored(PodTopologySpread(context()), core.snapshot, pod) == [100, 25, 25]


def test_an_empty_cluster_scores_alike() -> None:
    core = DecidingCore(NODES)
    pod = X.spread(evenly(APP, ZONE, soft=True))
    assert scored(PodTopologySpread(context()), core.snapshot, pod) == [100, 100, 100]


def test_skew_that_is_allowed_waters_differences_down() -> None:
    core = DecidingCore(NODES, pods_on(b=1))
    pod = X.spread(evenly(APP, ZONE, skew=5, soft=True))
    # Each node gets 4 for the skew: 4, 5 and 5.
    assert scored(PodTopologySpread(context()), core.snapshot, pod) == [100, 80, 80]


def test_hosts_are_counted_one_by_one() -> None:
    core = DecidingCore(NODES, pods_on(b=2, c=1))
    pod = X.spread(evenly(APP, HOSTNAME, soft=True))
    assert scored(PodTopologySpread(context()), core.snapshot, pod) == [100, 0, 33]


def test_nodes_without_a_label_score_nothing() -> None:
    core = DecidingCore(NODES, make_node("d"), pods_on(b=1))
    pod = X.spread(evenly(APP, ZONE, soft=True), evenly(APP, HOSTNAME, soft=True))
    assert scored(PodTopologySpread(context()), core.snapshot, pod) == [100, 0, 66, 0]


def test_pods_without_soft_constraints_skip() -> None:
    core = DecidingCore(NODES, pods_on(b=1))
    plugin = PodTopologySpread(context())
    assert scored(plugin, core.snapshot, X) is None
    assert scored(plugin, core.snapshot, X.spread(evenly(APP, ZONE))) is None


def test_pods_of_a_service_are_spread_by_default() -> None:
    core = DecidingCore(NODES, make_node("d"), pods_on(b=3, c=1))
    core.builder.set_service(ServiceInfo("default", "s", {"app": "x"}))
    plugin = PodTopologySpread(context())
    # hostname: skew 3, four hosts weigh ln 6; zone: skew 5, za, zb and none weigh ln 5.
    hosts = [count * math.log(6) + 2 for count in (0, 3, 1, 0)]
    zones = [0 * math.log(5) + 4, 4 * math.log(5) + 4, 4 * math.log(5) + 4, 0]
    raw = [round(host + zone) for host, zone in zip(hosts, zones, strict=True)]
    want = [100 * (max(raw) + min(raw) - score) // max(raw) for score in raw]
    assert scored(plugin, core.snapshot, X) == want
    other = make_pod("y").label("app", "y")
    assert scored(plugin, core.snapshot, other) is None
    assert scored(plugin, core.snapshot, X.ns("other")) is None


@pytest.mark.parametrize(
    ("kind", "api_version"),
    [("ReplicaSet", "apps/v1"), ("StatefulSet", "apps/v1"), ("ReplicationController", "v1")],
)
def test_pods_of_a_controller_are_spread_by_default(kind: Any, api_version: str) -> None:
    core = DecidingCore(NODES, pods_on(b=1))
    plugin = PodTopologySpread(context())
    pod = X.owned_by(kind, "web", api_version=api_version)
    assert scored(plugin, core.snapshot, pod) is None, "not known yet"
    key = ControllerKey(kind, "default", "web")
    core.builder.set_controller(ControllerInfo(key, equal_labels({"app": "x"})))
    first, second, third = scored(plugin, core.snapshot, pod) or []
    assert first > third > second
    assert scored(plugin, core.snapshot, X.owned_by("Job", "web", api_version="batch/v1")) is None


def test_a_list_of_no_defaults_spreads_nothing() -> None:
    core = DecidingCore(NODES, pods_on(b=1))
    core.builder.set_service(ServiceInfo("default", "s", {"app": "x"}))
    plugin = PodTopologySpread(context({"defaultingType": "List"}))
    assert scored(plugin, core.snapshot, X) is None


SOFT = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway"}


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        pytest.param(
            {"defaultingType": "Some"},
            'defaultingType: Unsupported value: "Some": supported values: "System", "List"',
            id="type",
        ),
        pytest.param(
            {"defaultConstraints": [SOFT]},
            'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
            id="both",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [{**SOFT, "maxSkew": 0}]},
            "defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)",
            id="skew",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [{**SOFT, "topologyKey": ""}]},
            "defaultConstraints[0].topologyKey: Required value: can not be empty",
            id="no-key",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [{**SOFT, "topologyKey": "a b"}]},
            'defaultConstraints[0].topologyKey: Invalid value: "a b": name part must consist of',
            id="key",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [{**SOFT, "whenUnsatisfiable": "X"}]},
            'defaultConstraints[0].whenUnsatisfiable: Unsupported value: "X"',
            id="action",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [{**SOFT, "labelSelector": {}}]},
            "defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector",
            id="selector",
        ),
        pytest.param(
            {"defaultingType": "List", "defaultConstraints": [SOFT, SOFT]},
            f'defaultConstraints[1]: Duplicate value: "{{{ZONE}, ScheduleAnyway}}"',
            id="twice",
        ),
        pytest.param({"maxSkew": 1}, "unknown field `maxSkew`", id="unknown"),
    ],
)
def test_arguments_that_break_a_rule_are_refused(args: Mapping[str, Any], problem: str) -> None:
    with pytest.raises(PluginConfigError) as raised:
        PodTopologySpread(context(args))
    assert str(raised.value).startswith("arguments of plugin PodTopologySpread: ")
    assert problem in str(raised.value)
