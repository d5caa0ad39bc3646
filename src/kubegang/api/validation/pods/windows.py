"""What Windows changes: its own options, and what only Linux or only Windows may set.

Pure.
"""

from __future__ import annotations

import re

from kubegang.api.validation.checks import Errors, absent, unset
from kubegang.api.validation.internal_form import invalid_json
from kubegang.api.validation.pods.walking import containers_with_paths
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_SPEC_KIB = 64
_DOMAIN_MAX = 256
_USER_MAX = 104

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NETBIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS_DOMAIN = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_USER_CHARACTERS = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_DOTS_AND_SPACES = re.compile(r"[. ]+")

_NO_WINDOWS = "cannot be set for a windows pod"
_NO_LINUX = "windows options cannot be set for a linux pod"

_POD_LINUX_ONLY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_CONTAINER_LINUX_ONLY = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def validate_os(spec: JsonObject, path: Path) -> Errors:
    """Check the operating system that a pod names, and that the pod suits it."""
    if spec.get("os") is None:
        return
    name = spec["os"].get("name") or ""
    if not name:
        yield required(path.child("os", "name"))
    elif name == "linux":
        yield from _linux(spec, path)
    elif name == "windows":
        yield from _windows(spec, path)
    else:
        yield not_supported(path.child("os"), name, ("linux", "windows"))


def validate_windows_options(options: JsonObject | None, path: Path) -> Errors:
    """Check the Windows options of a security context."""
    if options is None:
        return
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        for detail in is_dns1123_subdomain(name):
            yield invalid_value(path.child("gmsaCredentialSpecName"), name, detail)
    if (text := options.get("gmsaCredentialSpec")) is not None:
        where = path.child("gmsaCredentialSpec")
        if not text:
            yield invalid_value(where, text, "gmsaCredentialSpec cannot be an empty string")
        elif len(text.encode()) > _SPEC_KIB * 1024:
            detail = f"gmsaCredentialSpec size must be under {_SPEC_KIB} KiB"
            yield invalid_value(where, text, detail)
    if (user := options.get("runAsUserName")) is not None:
        yield from _user_name(user, path.child("runAsUserName"))


def validate_host_process(spec: JsonObject, path: Path) -> Errors:
    """Check Windows HostProcess containers: all or none, and on the host's network."""
    pod_flag = _host_process(spec)
    count = host_processes = 0
    for container, where in containers_with_paths(spec, path):
        count += 1
        flag = _host_process(container)
        if pod_flag is not None and flag is not None and pod_flag != flag:
            shown = str(pod_flag).lower()
            detail = f"pod hostProcess value must be identical if both are specified, was {shown}"
            member = where.child("securityContext", "windowsOptions", "hostProcess")
            yield invalid_value(member, flag, detail)
        host_processes += bool(pod_flag if flag is None else flag)
    if not host_processes:
        return
    if host_processes != count:
        detail = (
            "If pod contains any hostProcess containers then all containers must be "
            "HostProcess containers"
        )
        yield invalid_value(path, "", detail)
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield invalid_value(path.child("hostNetwork"), value=False, detail=detail)


def _host_process(holder: JsonObject) -> bool | None:
    options = (holder.get("securityContext") or {}).get("windowsOptions") or {}
    flag: bool | None = options.get("hostProcess")
    return flag


def _linux(spec: JsonObject, path: Path) -> Errors:
    if (spec.get("securityContext") or {}).get("windowsOptions") is not None:
        yield forbidden_field(path.child("securityContext", "windowsOptions"), _NO_LINUX)
    for container, where in containers_with_paths(spec, path):
        if (container.get("securityContext") or {}).get("windowsOptions") is not None:
            yield forbidden_field(where.child("securityContext", "windowsOptions"), _NO_LINUX)


def _windows(spec: JsonObject, path: Path) -> Errors:
    security = spec.get("securityContext") or {}
    where = path.child("securityContext")
    yield from absent(where, security, _NO_WINDOWS, names=_POD_LINUX_ONLY)
    yield from unset(where, security, _NO_WINDOWS, names=("sysctls",))
    yield from absent(path, spec, _NO_WINDOWS, names=("hostUsers", "shareProcessNamespace"))
    yield from unset(path, spec, _NO_WINDOWS, names=("hostPID", "hostIPC"))
    for container, container_path in containers_with_paths(spec, path):
        security = container.get("securityContext") or {}
        where = container_path.child("securityContext")
        yield from absent(where, security, _NO_WINDOWS, names=_CONTAINER_LINUX_ONLY)


def _user_name(text: str, path: Path) -> Errors:
    domain, backslash, user = text.rpartition("\\")
    if not text:
        yield invalid_value(path, text, "runAsUserName cannot be an empty string")
    elif _CONTROL.search(text):
        yield invalid_json(path, text, "runAsUserName cannot contain control characters")
    elif "\\" in domain:
        yield invalid_value(path, text, "runAsUserName cannot contain more than one backslash")
    else:
        if backslash:
            yield from _domain(domain, text, path)
        yield from _user(user, text, path)


def _domain(domain: str, text: str, path: Path) -> Errors:
    if len(domain) >= _DOMAIN_MAX:
        detail = f"runAsUserName's Domain length must be under {_DOMAIN_MAX} characters"
        yield invalid_value(path, text, detail)
    if not (_NETBIOS.fullmatch(domain) or _DNS_DOMAIN.fullmatch(domain)):
        detail = "runAsUserName's Domain doesn't match the NetBios nor the DNS format"
        yield invalid_value(path, text, detail)


def _user(user: str, text: str, path: Path) -> Errors:
    if not user:
        yield invalid_value(path, text, "runAsUserName's User cannot be empty")
    elif len(user) > _USER_MAX:
        detail = f"runAsUserName's User length must not be longer than {_USER_MAX} characters"
        yield invalid_value(path, text, detail)
    if _DOTS_AND_SPACES.fullmatch(user):
        detail = "runAsUserName's User cannot contain only periods or spaces"
        yield invalid_value(path, text, detail)
    if _USER_CHARACTERS.search(user):
        detail = (
            "runAsUserName's User cannot contain the following characters: "
            r'"/\:;|=,+*?<>@[]'
        )
        yield invalid_value(path, text, detail)
