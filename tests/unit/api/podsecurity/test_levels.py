"""What labels of a namespace ask for (k8s.io/pod-security-admission 0.37.2)."""

from __future__ import annotations

import pytest

from kubegang.api.podsecurity.levels import Level, policy_of

PREFIX = "pod-security.kubernetes.io/"
OLD = {"enforce-version": "v1.20"}


@pytest.mark.parametrize(
    ("labels", "warn"),
    [
        ({}, Level("privileged", "latest")),
        ({"enforce": "baseline", **OLD}, Level("baseline", "v1.20")),
        ({"enforce": "baseline", **OLD, "warn-version": "v1.30"}, Level("baseline", "v1.30")),
        ({"enforce": "baseline", **OLD, "warn": "restricted"}, Level("restricted", "latest")),
        ({"enforce": "baseline", "warn": "privileged"}, Level("privileged", "latest")),
        ({"enforce": "nonsense"}, Level("privileged", "latest")),
        ({"enforce": "baseline", "warn": "nonsense"}, Level("privileged", "latest")),
    ],
)
def test_what_is_enforced_is_warned_of_unless_said_otherwise(
    labels: dict[str, str], warn: Level
) -> None:
    assert policy_of({f"{PREFIX}{name}": value for name, value in labels.items()}).warn == warn


def test_a_level_that_does_not_exist_is_the_strictest_where_it_is_enforced() -> None:
    policy = policy_of({f"{PREFIX}{mode}": "nonsense" for mode in ("enforce", "audit", "warn")})

    assert (policy.enforce.name, policy.audit.name) == ("restricted", "privileged")
    assert [error.field for error in policy.errors] == [
        f"metadata.labels[{PREFIX}{mode}]" for mode in ("enforce", "audit", "warn")
    ]


@pytest.mark.parametrize(
    ("version", "is_fine"),
    [
        ("latest", True),
        ("v1.0", True),
        (f"v1.{2**63 - 1}", True),
        (f"v1.{2**63}", False),
        ("v1." + "9" * 5000, False),
        ("v1.05", False),
        ("1.5", False),
        ("", False),
    ],
)
def test_a_version_is_a_minor_release_that_go_can_count(version: str, *, is_fine: bool) -> None:
    policy = policy_of({f"{PREFIX}enforce-version": version})
    assert (not policy.errors) is is_fine
    assert policy.enforce.minor(37) in (0, 37)
