"""Security contexts of pods and containers, and the profiles they name.

Pure.
"""

from __future__ import annotations

import re

from kubegang.api.validation.checks import Errors, one_of, required_one_of, unix_id
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.pods.context import PodContext
from kubegang.api.validation.pods.paths import relative_below
from kubegang.api.validation.pods.windows import validate_windows_options
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SYSCTL_MAX = 253
_PROFILE_MAX = 4095
_SYSCTL_PATTERN = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = re.compile(_SYSCTL_PATTERN)

_PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")

# Which namespace a kernel setting belongs to decides whether a pod that shares that
# namespace with the host may set it.
_IPC_SETTINGS = frozenset(
    {
        "kernel.sem",
        "kernel.shm",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
        "kernel.shm_rmid_forced",
        "kernel.msg",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
    }
)
_IPC_PREFIX = "fs.mqueue."
_NET_PREFIX = "net."


def validate_pod_security(spec: JsonObject, path: Path, gates: FeatureGates) -> Errors:
    """Check a pod's security context."""
    security = spec.get("securityContext")
    if not security:
        return
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from unix_id(path.child(name), security.get(name))
    for position, group in enumerate(security.get("supplementalGroups") or ()):
        yield from unix_id(path.child("supplementalGroups").index(position), group)
    if security.get("sysctls"):
        yield from _sysctls(security, spec, path.child("sysctls"))
    policy = security.get("fsGroupChangePolicy")
    yield from one_of(path.child("fsGroupChangePolicy"), policy, ("Always", "OnRootMismatch"))
    yield from _seccomp(security.get("seccompProfile"), path.child("seccompProfile"))
    yield from validate_windows_options(
        security.get("windowsOptions"), path.child("windowsOptions")
    )
    yield from _app_armor(security.get("appArmorProfile"), path.child("appArmorProfile"))
    policy = security.get("supplementalGroupsPolicy")
    yield from one_of(path.child("supplementalGroupsPolicy"), policy, ("Merge", "Strict"))
    policy = security.get("seLinuxChangePolicy")
    mounting = ("MountOption",) if gates.enabled_if_known("SELinuxMount") else ()
    yield from one_of(path.child("seLinuxChangePolicy"), policy, (*mounting, "Recursive"))


def validate_container_security(
    security: JsonObject | None, path: Path, context: PodContext
) -> Errors:
    """Check a container's security context."""
    if not security:
        return
    for name in ("runAsUser", "runAsGroup"):
        yield from unix_id(path.child(name), security.get(name))
    if (mount := security.get("procMount")) is not None:
        if mount not in ("Default", "Unmasked"):
            yield not_supported(path.child("procMount"), mount, ("Default", "Unmasked"))
        if mount == "Unmasked" and context.host_users:
            detail = "`hostUsers` must be false to use `Unmasked`"
            yield invalid_value(path.child("procMount"), mount, detail)
    yield from _seccomp(security.get("seccompProfile"), path.child("seccompProfile"))
    if security.get("allowPrivilegeEscalation") is False:
        yield from _no_escalation(security, path)
    yield from validate_windows_options(
        security.get("windowsOptions"), path.child("windowsOptions")
    )
    yield from _app_armor(security.get("appArmorProfile"), path.child("appArmorProfile"))


def _no_escalation(security: JsonObject, path: Path) -> Errors:
    refused = "cannot set `allowPrivilegeEscalation` to false and"
    if security.get("privileged"):
        detail = f"{refused} `privileged` to true"
        yield invalid_form(path, "SecurityContext", security, detail)
    for capability in (security.get("capabilities") or {}).get("add") or ():
        if capability == "CAP_SYS_ADMIN":
            detail = f"{refused} `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid_form(path, "SecurityContext", security, detail)


def _sysctls(security: JsonObject, spec: JsonObject, path: Path) -> Errors:
    seen = set()
    for position, sysctl in enumerate(security["sysctls"]):
        name = sysctl.get("name") or ""
        where = path.index(position).child("name")
        if not name:
            yield required(where)
        elif len(name) > _SYSCTL_MAX or not _SYSCTL.fullmatch(name):
            detail = (
                f"must have at most {_SYSCTL_MAX} characters and match regex ^{_SYSCTL_PATTERN}$"
            )
            yield invalid_value(where, name, detail)
        elif name in seen:
            yield duplicate(where, name)
        seen.add(name)
        yield from _host_sysctl(name, spec, where)


def _host_sysctl(name: str, spec: JsonObject, path: Path) -> Errors:
    dotted = _dotted(name).partition("*")[0]
    if spec.get("hostNetwork") and dotted.startswith(_NET_PREFIX):
        yield invalid_value(path, name, "may not be specified when 'hostNetwork' is true")
    elif spec.get("hostIPC") and (dotted in _IPC_SETTINGS or dotted.startswith(_IPC_PREFIX)):
        yield invalid_value(path, name, "may not be specified when 'hostIPC' is true")


def _dotted(name: str) -> str:
    """Write a sysctl with dots; the first separator tells which sort the name uses."""
    first = next((letter for letter in name if letter in "./"), ".")
    if first == ".":
        return name
    return name.translate(str.maketrans("./", "/."))


def _seccomp(profile: JsonObject | None, path: Path) -> Errors:
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    if not kind:
        yield required(path.child("type"), "type is required when seccompProfile is set")
    else:
        yield from one_of(path.child("type"), kind, _PROFILE_TYPES)
    where = path.child("localhostProfile")
    if kind == "Localhost":
        if local is None:
            yield required(where, "must be set when seccomp type is Localhost")
        else:
            yield from relative_below(where, local)
    elif local is not None:
        detail = "can only be set when seccomp type is Localhost"
        yield invalid_form(where, "SeccompProfile", profile, detail)


def _app_armor(profile: JsonObject | None, path: Path) -> Errors:
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    where = path.child("localhostProfile")
    if kind == "Localhost":
        yield from _app_armor_local(local, where)
    elif not kind:
        yield required(path.child("type"), "type is required when appArmorProfile is set")
    else:
        yield from required_one_of(path.child("type"), kind, _PROFILE_TYPES)
        if kind in _PROFILE_TYPES and local is not None:
            yield invalid_value(where, local, "can only be set when AppArmor type is Localhost")


def _app_armor_local(local: str | None, path: Path) -> Errors:
    if not local:
        yield required(path, "must be set when AppArmor type is Localhost")
        return
    if local != local.strip():
        yield invalid_value(path, local, "must not be padded with whitespace")
    if len(local) > _PROFILE_MAX:
        yield too_long(path, _PROFILE_MAX)
