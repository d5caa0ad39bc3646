"""Taints and tolerations."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.nodes import Taint
from kubegang.scheduler.framework.taints import count_disliked, keeps_off, tolerates
from kubegang.scheduler.framework.terms import Toleration

TAINT = Taint("gpu", "a100", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        pytest.param(Toleration("gpu", "Equal", "a100", "NoSchedule"), True, id="equal"),
        pytest.param(Toleration("gpu", "Equal", "h100", "NoSchedule"), False, id="other-value"),
        pytest.param(Toleration("gpu", "Equal", "a100", "NoExecute"), False, id="other-effect"),
        pytest.param(Toleration("gpu", "Equal", "a100", ""), True, id="any-effect"),
        pytest.param(Toleration("gpu", "Exists", "", "NoSchedule"), True, id="exists"),
        pytest.param(Toleration("", "Exists", "", ""), True, id="everything"),
        pytest.param(Toleration("cpu", "Exists", "", ""), False, id="other-key"),
        pytest.param(Toleration("gpu", "Lt", "5", ""), False, id="operator-of-a-gate"),
    ],
)
def test_a_toleration_matches_key_effect_and_value(toleration: Toleration, want: bool) -> None:
    assert tolerates([toleration], TAINT) is want


@pytest.mark.parametrize(
    ("effect", "want"), [("NoSchedule", True), ("NoExecute", True), ("PreferNoSchedule", False)]
)
def test_only_two_effects_keep_pods_off(effect: str, want: bool) -> None:
    assert keeps_off([Taint("k", "", effect)], []) is want


def test_disliked_taints_are_counted_unless_tolerated() -> None:
    taints = [Taint(key, "", "PreferNoSchedule") for key in "abc"] + [Taint("d", "", "NoSchedule")]
    assert count_disliked(taints, []) == 3
    assert count_disliked(taints, [Toleration("a", "Exists", "", "")]) == 2
    assert count_disliked(taints, [Toleration("b", "Exists", "", "NoSchedule")]) == 3
