"""NodeDeclaredFeatures: nodes must be able to do what pods need."""

from __future__ import annotations

import pytest

from kubegang.api.core.types import Container, ContainerRestartRule, VolumeMount
from kubegang.api.scheduling_rules import NodeFeatureRules, SchedulingRules
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.nodedeclaredfeatures.plugin import (
    NodeDeclaredFeatures,
    is_schedulable_after_node_change,
)
from kubegang.testing.builders import PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import ALL_OFF, context, refused

RESTART = "RestartAllContainersOnContainerExits"
USERS = "UserNamespacesHostNetworkSupport"
MOUNTS = "VolumeBindMountOptions"
MISSING = "!node(s) didn't match Pod's required features"


def restarting(pod: PodBuilder) -> PodBuilder:
    rule = ContainerRestartRule("RestartAllContainers")
    return pod.with_spec(containers=(Container("main", restart_policy_rules=(rule,)),))


@pytest.mark.parametrize(
    ("pod", "feature"),
    [
        (restarting(make_pod()), RESTART),
        (make_pod().with_spec(host_network=True, host_users=False), USERS),
        (
            make_pod().with_spec(
                containers=(Container("main", volume_mounts=(VolumeMount(("ro",)),)),)
            ),
            MOUNTS,
        ),
    ],
)
def test_a_node_must_have_declared_what_the_pod_needs(pod: PodBuilder, feature: str) -> None:
    core = DecidingCore(make_node("able").declaring(feature, "Other"), make_node("unable"))
    plugin = NodeDeclaredFeatures(context())
    assert refused(plugin, core.snapshot, pod) == {"unable": MISSING}


def test_most_pods_need_nothing_special() -> None:
    core = DecidingCore(make_node())
    pods = (make_pod(), make_pod().with_spec(host_network=True), make_pod().claims("c"))
    for pod in pods:
        assert pod.info().features == ()
        assert refused(NodeDeclaredFeatures(context()), core.snapshot, pod) == {}


def test_a_release_knows_its_own_features_and_may_name_what_is_missing() -> None:
    rules = SchedulingRules(node_features=NodeFeatureRules(known=(RESTART,), names_missing=True))
    plugin = NodeDeclaredFeatures(PluginContext(gates=ALL_OFF, rules=rules))
    core = DecidingCore(make_node("n"))
    text = f"!node declared features check failed - unsatisfied requirements: {RESTART}"
    assert refused(plugin, core.snapshot, restarting(make_pod())) == {"n": text}
    users = make_pod().with_spec(host_network=True, host_users=False)
    assert refused(plugin, core.snapshot, users) == {}


def test_a_node_matters_if_it_is_new_or_declares_something_else() -> None:
    pod = make_pod().info()
    before, after = make_node().info(), make_node().declaring(RESTART).info()
    assert is_schedulable_after_node_change(pod, None, before)
    assert is_schedulable_after_node_change(pod, before, after)
    assert not is_schedulable_after_node_change(pod, before, before)
