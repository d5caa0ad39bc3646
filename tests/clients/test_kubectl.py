"""Longer sessions with kubectl print what they print against a real kube-apiserver 1.37.2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.kubectl.running import Kubectl
from tests.conformance.kubectl.scenario import Scenario, expected, names
from tests.conformance.test_kubectl_golden import report

GOLDEN = Path(__file__).with_name("golden")

pytestmark = pytest.mark.clients


@pytest.mark.parametrize("name", names(GOLDEN))
def test_a_session_prints_what_the_real_server_makes_it_print(
    kubectl: Kubectl, word: str, name: str
) -> None:
    scenario = Scenario(name, GOLDEN)
    scenario.write_files(kubectl, word)

    differences = [
        (step["run"], result, expected(step))
        for step in scenario.steps
        if (result := scenario.run(step, kubectl, word)) != expected(step)
    ]

    assert not differences, report(differences)
