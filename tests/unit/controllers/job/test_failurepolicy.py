"""What a failure means under a podFailurePolicy."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.controllers.job.failurepolicy import Meaning, meaning_of
from tests.unit.controllers.job.objects import indexed, job, pod

DISRUPTED = {"type": "DisruptionTarget", "status": "True"}


def rule(action: str, **members: Any) -> dict[str, Any]:
    return {"action": action, **members}


def codes(operator: str, *values: int, **members: Any) -> dict[str, Any]:
    return {"operator": operator, "values": list(values), **members}


def action_of(subject: dict[str, Any], rules: list[dict[str, Any]]) -> str:
    return meaning_of(job(podFailurePolicy={"rules": rules}), subject).action


@pytest.mark.parametrize(
    ("matcher", "code", "fits"),
    [
        pytest.param(codes("In", 1, 2), 2, True, id="in"),
        pytest.param(codes("In", 1, 2), 3, False, id="not in the list"),
        pytest.param(codes("NotIn", 1, 2), 3, True, id="not in"),
        pytest.param(codes("NotIn", 1), 0, False, id="success never fits"),
        pytest.param(codes("In", 1, containerName="c"), 1, True, id="the named container"),
        pytest.param(codes("In", 1, containerName="other"), 1, False, id="another container"),
    ],
)
def test_rules_look_at_exit_codes(matcher: dict[str, Any], code: int, *, fits: bool) -> None:
    subject = pod("a", "Failed", code=code, ended="2026-11-01T00:00:00Z")

    assert (action_of(subject, [rule("Count", onExitCodes=matcher)]) == "Count") == fits


def test_rules_look_at_conditions() -> None:
    ignore = rule("Ignore", onPodConditions=[DISRUPTED])

    disrupted = pod("a", "Failed", conditions=[DISRUPTED])
    assert meaning_of(job(podFailurePolicy={"rules": [ignore]}), disrupted) == Meaning(
        counts=False, action="Ignore"
    )
    assert action_of(pod("b", "Failed"), [ignore]) == ""


def test_the_first_rule_that_fits_counts() -> None:
    rules = [
        rule("Ignore", onExitCodes=codes("In", 7)),
        rule("Count", onExitCodes=codes("NotIn", 7)),
        rule("FailJob", onExitCodes=codes("In", 1)),
    ]

    assert action_of(pod("a", "Failed", code=1), rules) == "Count"


def test_failing_an_index_needs_limits_by_index() -> None:
    policy = {"rules": [rule("FailIndex", onExitCodes=codes("In", 1))]}
    subject = pod("a", "Failed", code=1, index=0)

    with_limit = indexed(podFailurePolicy=policy, backoffLimitPerIndex=1)
    assert meaning_of(with_limit, subject).action == "FailIndex"
    assert meaning_of(indexed(podFailurePolicy=policy), subject) == Meaning()


def test_init_containers_count_too() -> None:
    subject = pod("a", "Failed")
    subject["status"]["initContainerStatuses"] = [
        {"name": "i", "state": {"terminated": {"exitCode": 9}}}
    ]

    meaning = meaning_of(
        job(podFailurePolicy={"rules": [rule("FailJob", onExitCodes=codes("In", 9))]}), subject
    )

    assert meaning.message.startswith("Container i for pod ml/a failed with exit code 9 ")
