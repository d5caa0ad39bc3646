"""Which checks count at which level of which release, and what they say of a pod.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubegang.api.podsecurity import baseline, restricted
from kubegang.api.podsecurity.levels import PRIVILEGED, RESTRICTED, Level
from kubegang.api.podsecurity.pods import Check, CheckedPod, Violation

_SYSCTLS_OF_1_0 = frozenset(
    (
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
    )
)
_SYSCTLS_OF_1_27 = _SYSCTLS_OF_1_0 | {"net.ipv4.ip_local_reserved_ports"}
_SYSCTLS_OF_1_29 = _SYSCTLS_OF_1_27 | {
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
}
_SYSCTLS_OF_1_32 = _SYSCTLS_OF_1_29 | {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}
_SYSCTLS_OF_1_37 = _SYSCTLS_OF_1_32 | {
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_notsent_lowat",
}


class _Row(NamedTuple):
    """A check: from which minor release on in which form, and which other it replaces."""

    forms: Mapping[int, Check]
    replaces: str = ""


_BASELINE: Mapping[str, _Row] = {
    "appArmorProfile": _Row({0: baseline.app_armor}),
    "capabilities_baseline": _Row({0: baseline.capabilities}),
    "hostNamespaces": _Row({0: baseline.host_namespaces}),
    "hostPathVolumes": _Row({0: baseline.host_paths}),
    "hostPorts": _Row({0: baseline.host_ports}),
    "hostProbesAndHostLifecycle": _Row({34: baseline.probe_hosts}),
    "privileged": _Row({0: baseline.privileged}),
    "procMount": _Row(
        {0: baseline.proc_mount, 35: restricted.not_with_own_users(baseline.proc_mount)}
    ),
    "seLinuxOptions": _Row(
        {
            0: baseline.se_linux(frozenset()),
            31: baseline.se_linux(frozenset({"container_engine_t"})),
        }
    ),
    "seccompProfile_baseline": _Row({0: baseline.seccomp_annotations, 19: baseline.seccomp}),
    "sysctls": _Row(
        {
            0: baseline.sysctls(_SYSCTLS_OF_1_0),
            27: baseline.sysctls(_SYSCTLS_OF_1_27),
            29: baseline.sysctls(_SYSCTLS_OF_1_29),
            32: baseline.sysctls(_SYSCTLS_OF_1_32),
            37: baseline.sysctls(_SYSCTLS_OF_1_37),
        }
    ),
    "windowsHostProcess": _Row({0: baseline.host_process}),
}
_RESTRICTED: Mapping[str, _Row] = {
    "allowPrivilegeEscalation": _Row(
        {
            8: restricted.privilege_escalation,
            25: restricted.not_on_windows(restricted.privilege_escalation),
        }
    ),
    "capabilities_restricted": _Row(
        {
            22: restricted.capabilities,
            25: restricted.not_on_windows(restricted.capabilities),
        },
        replaces="capabilities_baseline",
    ),
    "procMount_restricted": _Row({35: baseline.proc_mount}, replaces="procMount"),
    "restrictedVolumes": _Row({0: restricted.volumes}, replaces="hostPathVolumes"),
    "runAsNonRoot": _Row(
        {0: restricted.non_root, 35: restricted.not_with_own_users(restricted.non_root)}
    ),
    "runAsUser": _Row({23: restricted.user, 35: restricted.not_with_own_users(restricted.user)}),
    "seccompProfile_restricted": _Row(
        {19: restricted.seccomp, 25: restricted.not_on_windows(restricted.seccomp)},
        replaces="seccompProfile_baseline",
    ),
}
"""In the order of their names, as upstream runs them: first those of baseline."""


def violations(pod: CheckedPod, level: Level, *, newest: int) -> list[Violation]:
    """Return what a pod breaks of a level; ``newest`` is the server's own minor release."""
    if level.name == PRIVILEGED:
        return []
    checks = _checks(level.name, level.minor(newest))
    return [found for check in checks if (found := check(pod)) is not None]


@cache
def _checks(level: str, minor: int) -> Sequence[Check]:
    added = _forms(_RESTRICTED, minor) if level == RESTRICTED else {}
    replaced = {_RESTRICTED[name].replaces for name in added}
    kept = {name: form for name, form in _forms(_BASELINE, minor).items() if name not in replaced}
    return (*kept.values(), *added.values())


def _forms(rows: Mapping[str, _Row], minor: int) -> dict[str, Check]:
    """Return each check in the form of a release, without those that came later."""
    found: dict[str, Check] = {}
    for name, row in rows.items():
        since = [first for first in row.forms if first <= minor]
        if since:
            found[name] = row.forms[max(since)]
    return found
