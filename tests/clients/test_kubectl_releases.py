"""kubectl prints in 1.36 and 1.35 what it prints against their real kube-apiservers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.releases import SESSIONS, expectations, session
from tests.conformance.conftest import in_own_namespace
from tests.conformance.kubectl.running import Kubectl
from tests.conformance.test_kubectl_golden import report

pytestmark = pytest.mark.clients


@pytest.mark.parametrize("release", ["1.36", "1.35"])
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_prints_what_the_release_makes_it_print(
    api_of: Callable[[str], Path], tmp_path: Path, word: str, name: str, release: str
) -> None:
    kubectl = in_own_namespace(Kubectl(api_of(release), tmp_path, f"test-{word}"))
    scenario = session(name)
    scenario.write_files(kubectl, word)

    differences = [
        (step["run"], result, wanted)
        for step, wanted in zip(scenario.steps, expectations(release, name), strict=True)
        if (result := scenario.run(step, kubectl, word)) != wanted
    ]

    assert not differences, report(differences)
