"""Which checks of pod security are made from which release on, and of which volumes.

Both are those of k8s.io/pod-security-admission 0.37.2.
"""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.podsecurity.evaluating import violations
from kubegang.api.podsecurity.levels import BASELINE, RESTRICTED, Level
from kubegang.api.podsecurity.pods import CheckedPod

REFUSED, ALLOWED = True, False


def pod(container: dict[str, Any] | None = None, **spec: Any) -> CheckedPod:
    return CheckedPod({}, {"containers": [{"name": "c", **(container or {})}], **spec})


def context(**members: Any) -> dict[str, Any]:
    return {"securityContext": members}


def sysctl(name: str) -> CheckedPod:
    return pod(**context(sysctls=[{"name": name}]))


WINDOWS: dict[str, Any] = {"os": {"name": "windows"}}
OWN_USERS: dict[str, Any] = {"hostUsers": False}
PROBED = {"livenessProbe": {"tcpSocket": {"host": "other"}}}


@pytest.mark.parametrize(
    ("level", "reason", "checked", "since", "becomes"),
    [
        (BASELINE, "probe or lifecycle host", pod(PROBED), 34, REFUSED),
        (BASELINE, "seccompProfile", pod(context(seccompProfile={"type": "X"})), 19, REFUSED),
        (BASELINE, "forbidden sysctls", sysctl("net.ipv4.ip_local_reserved_ports"), 27, ALLOWED),
        (BASELINE, "forbidden sysctls", sysctl("net.ipv4.tcp_fin_timeout"), 29, ALLOWED),
        (BASELINE, "forbidden sysctls", sysctl("net.ipv4.tcp_rmem"), 32, ALLOWED),
        (BASELINE, "forbidden sysctls", sysctl("net.ipv4.tcp_notsent_lowat"), 37, ALLOWED),
        (
            BASELINE,
            "seLinuxOptions",
            pod(**context(seLinuxOptions={"type": "container_engine_t"})),
            31,
            ALLOWED,
        ),
        (BASELINE, "procMount", pod(context(procMount="Unmasked"), **OWN_USERS), 35, ALLOWED),
        (RESTRICTED, "allowPrivilegeEscalation != false", pod(), 8, REFUSED),
        (RESTRICTED, "allowPrivilegeEscalation != false", pod(**WINDOWS), 25, ALLOWED),
        (RESTRICTED, "unrestricted capabilities", pod(), 22, REFUSED),
        (RESTRICTED, "unrestricted capabilities", pod(**WINDOWS), 25, ALLOWED),
        (RESTRICTED, "seccompProfile", pod(), 19, REFUSED),
        (RESTRICTED, "seccompProfile", pod(**WINDOWS), 25, ALLOWED),
        (RESTRICTED, "runAsNonRoot != true", pod(**OWN_USERS), 35, ALLOWED),
        (RESTRICTED, "runAsUser=0", pod(context(runAsUser=0)), 23, REFUSED),
        (RESTRICTED, "runAsUser=0", pod(context(runAsUser=0), **OWN_USERS), 35, ALLOWED),
    ],
)
def test_a_check_changes_with_one_release(
    level: str, reason: str, checked: CheckedPod, since: int, *, becomes: bool
) -> None:
    def is_refused(version: str) -> bool:
        found = violations(checked, Level(level, version), newest=37)
        return reason in {one.reason for one in found}

    assert is_refused(f"v1.{since - 1}") is not becomes
    assert is_refused(f"v1.{since}") is becomes
    assert is_refused("latest") is is_refused("v1.37")


def test_the_latest_release_is_the_servers_own() -> None:
    checked = sysctl("net.ipv4.tcp_notsent_lowat")

    assert violations(checked, Level(BASELINE), newest=37) == []
    for version in ("latest", "v1.37", "v1.99"):
        assert violations(checked, Level(BASELINE, version), newest=36) != []


@pytest.mark.parametrize("version", ["v1.34", "v1.35", "latest"])
@pytest.mark.parametrize("users", [OWN_USERS, {}])
def test_a_masked_proc_is_asked_for_once_where_it_is_restricted(
    version: str, users: dict[str, Any]
) -> None:
    checked = pod(context(procMount="Unmasked"), **users)
    found = violations(checked, Level(RESTRICTED, version), newest=37)

    assert [one.reason for one in found].count("procMount") == 1


@pytest.mark.parametrize(
    ("replaced", "spec"),
    [
        ("hostPath volumes", {"volumes": [{"name": "v", "hostPath": {}}]}),
        ("non-default capabilities", {}),
    ],
)
def test_a_stricter_check_replaces_the_one_of_baseline(replaced: str, spec: dict[str, Any]) -> None:
    checked = pod(context(capabilities={"add": ["SYS_ADMIN"]}), **spec)
    reasons = [one.reason for one in violations(checked, Level(RESTRICTED), newest=37)]

    assert replaced not in reasons
    assert replaced in [one.reason for one in violations(checked, Level(BASELINE), newest=37)]


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        *(
            (name, [])
            for name in (
                "configMap",
                "csi",
                "downwardAPI",
                "emptyDir",
                "ephemeral",
                "image",
                "persistentVolumeClaim",
                "projected",
                "secret",
            )
        ),
        ("hostPath", ['volume "v" uses restricted volume type "hostPath"']),
        ("nfs", ['volume "v" uses restricted volume type "nfs"']),
    ],
)
def test_volumes_that_are_fine_where_it_is_restricted(source: str, kinds: list[str]) -> None:
    found = violations(pod(volumes=[{"name": "v", source: {}}]), Level(RESTRICTED), newest=37)
    assert [one.detail for one in found if one.reason == "restricted volume types"] == kinds
