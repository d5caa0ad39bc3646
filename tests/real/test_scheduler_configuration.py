"""The recordings of what kube-schedulers make of configuration files still hold."""

from __future__ import annotations

import json

import pytest

from tests.real.configuration_peer import CASES, GATES, RECORDED, said

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]


@pytest.mark.parametrize("version", GATES)
def test_the_real_scheduler_says_what_was_recorded(version: str) -> None:
    recorded = json.loads(RECORDED.read_text())[version]
    assert recorded.keys() == CASES.keys()
    for name, text in CASES.items():
        wanted, found = recorded[name], said(version, text)
        if "panic" not in wanted.get("refused", ""):
            assert found == wanted, name
