"""What the queue waits for in the releases."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.events import Action, ClusterEvent
from kubegang.scheduler.queue.rules import HintIndex, QueueRules
from kubegang.testing.deciding import default_profile, framework_of

TAINTS = ClusterEvent("Node", Action.UPDATE_NODE_TAINT)


def interested(version: str) -> dict[str, bool]:
    """Return the plugins that wait for changed taints, and whether they ask further."""
    profile = default_profile(version=version)
    index = HintIndex({"s": QueueRules.of(profile, framework_of(profile))})
    return {
        plugin: any(hint.is_schedulable_after for hint in hints)
        for _, plugin, hints in index.interested(TAINTS)
    }


@pytest.mark.parametrize("version", ["1.36", "1.35"])
def test_taints_wake_whoever_waits_for_new_nodes_before_1_37(version: str) -> None:
    waiting = interested(version)
    assert waiting["TaintToleration"] is True
    assert waiting["NodeResourcesFit"] is False
    assert waiting["NodePorts"] is False


def test_taints_wake_only_whoever_asks_for_them_in_1_37() -> None:
    assert "TaintToleration" in interested("1.37")
    assert "NodeResourcesFit" not in interested("1.37")
