"""What is reported of a DeviceTaintRule; texts seen on kube-controller-manager 1.37.2."""

from __future__ import annotations

import pytest

from kubegang.controllers.devicetainteviction.conditions import Counts, eviction_condition
from tests.component.taintobjects import taint_rule


@pytest.mark.parametrize(
    ("effect", "counts", "said"),
    [
        (
            "NoExecute",
            Counts(pods=2, namespaces=1),
            ("True", "PodsPendingEviction", "2 pods need to be evicted in 1 namespace."),
        ),
        (
            "NoExecute",
            Counts(pods=2, namespaces=2, evicted=1),
            (
                "True",
                "PodsPendingEviction",
                "2 pods need to be evicted in 2 different namespaces. "
                "1 pod evicted since starting the controller.",
            ),
        ),
        ("NoExecute", Counts(), ("False", "NotStarted", "")),
        (
            "NoExecute",
            Counts(evicted=3),
            ("False", "Completed", "3 pods evicted since starting the controller."),
        ),
        (
            "NoSchedule",
            Counts(),
            ("False", "OtherEffect", "Eviction only happens for the NoExecute effect."),
        ),
        (
            "None",
            Counts(published=2),
            (
                "False",
                "NoEffect",
                "2 published devices selected. 0 allocated devices selected. "
                "0 pods would be evicted in 0 different namespaces if the effect was NoExecute. "
                "This information will not be updated again. "
                "Recreate the DeviceTaintRule to trigger an update.",
            ),
        ),
    ],
    ids=["pending", "some went", "nobody", "all went", "another effect", "no effect"],
)
def test_a_rule_is_reported_in_upstreams_words(
    effect: str, counts: Counts, said: tuple[str, str, str]
) -> None:
    rule = taint_rule("r", effect=effect)
    rule["metadata"]["generation"] = 2
    condition = eviction_condition(rule, counts)
    assert (condition["status"], condition["reason"], condition["message"]) == said
    assert (condition["type"], condition["observedGeneration"]) == ("EvictionInProgress", 2)
