"""Sessions with kubectl print what they print against a real kube-apiserver 1.37.2."""

from __future__ import annotations

import pytest

from tests.conformance.kubectl.running import Kubectl, Result
from tests.conformance.kubectl.scenario import Scenario, expected, names


@pytest.mark.parametrize("name", names())
def test_a_session_prints_what_the_real_server_makes_it_print(
    kubectl: Kubectl, word: str, name: str
) -> None:
    scenario = Scenario(name)
    scenario.write_files(kubectl, word)

    # Every step is run even if one differs, since a later one may say why.
    differences = [
        (step["run"], result, expected(step))
        for step in scenario.steps
        if (result := scenario.run(step, kubectl, word)) != expected(step)
    ]

    assert not differences, report(differences)


def report(differences: list[tuple[str, Result, Result]]) -> str:
    return "\n\n".join(
        f"kubectl {command}\n  found  {found}\n  wanted {wanted}"
        for command, found, wanted in differences
    )
