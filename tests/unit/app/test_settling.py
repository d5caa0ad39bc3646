"""A cluster has settled when nothing changes and no timer can change that."""

from __future__ import annotations

import pytest

from kubegang.app.settling import SettlingRule

RULE = SettlingRule(max_backoff=10.0)


@pytest.mark.parametrize(
    ("quiet", "waits", "due", "want"),
    [
        pytest.param(29.0, False, False, False, id="just changed"),
        pytest.param(31.0, False, False, True, id="nothing waits"),
        pytest.param(31.0, True, False, False, id="who waits may be tried again"),
        pytest.param(599.0, True, False, False, id="a Job's longest backoff is not over"),
        pytest.param(661.0, True, False, True, id="longer than every pause"),
        pytest.param(9e9, True, True, False, id="a pod will end"),
    ],
)
def test_the_rule(*, quiet: float, waits: bool, due: bool, want: bool) -> None:
    found = RULE.is_settled(quiet=quiet, something_waits=waits, something_is_due=due)

    assert found is want


def test_a_long_backoff_makes_it_wait_longer() -> None:
    assert SettlingRule(max_backoff=3600.0).quiet_seconds > 3600.0
