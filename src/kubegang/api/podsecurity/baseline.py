"""The checks of the level baseline; what they ask for are facts of the Kubernetes standards.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.api.podsecurity.pods import (
    Check,
    CheckedPod,
    Violation,
    counted,
    member,
    quoted,
    setters,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject

_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_PROFILES = ("RuntimeDefault", "Localhost")
_CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def app_armor(pod: CheckedPod) -> Violation | None:
    """Profiles are the runtime's or the node's."""
    own = member(pod.context, "appArmorProfile")
    bad_pod = own is not None and own.get("type") not in _PROFILES
    values = {own.get("type") or ""} if own is not None and bad_pod else set()
    containers = []
    for name, context in pod.contexts():
        profile = context.get("appArmorProfile")
        if profile is not None and profile.get("type") not in _PROFILES:
            containers.append(name)
            values.add(profile.get("type") or "")
    annotations = sorted(
        f"{key}={go_quote(value)}"
        for key, value in pod.annotations.items()
        if key.startswith(_APPARMOR) and not _is_fine_app_armor(value)
    )
    who = setters(pod=bad_pod, containers=containers)
    if annotations:
        noun = "annotation" if len(annotations) == 1 else "annotations"
        who = f"{who} and {noun}" if who else noun
    if not who:
        return None
    shown = [*sorted(values), *annotations]
    noun = "profile" if len(shown) == 1 else "profiles"
    detail = f"{who} must not set AppArmor profile type to {quoted(shown)}"
    return Violation(f"forbidden AppArmor {noun}", detail)


def _is_fine_app_armor(value: str) -> bool:
    return value in ("", "runtime/default") or value.startswith("localhost/")


def capabilities(pod: CheckedPod) -> Violation | None:
    """Only capabilities that runtimes give anyway may be added."""
    bad, added = [], set()
    for name, context in pod.contexts():
        extra = set(member(context, "capabilities", "add") or ()) - _CAPABILITIES
        if extra:
            bad.append(name)
            added |= extra
    if not bad:
        return None
    detail = f"must not include {quoted(sorted(added))} in securityContext.capabilities.add"
    return Violation("non-default capabilities", f"{counted('container', bad)} {detail}")


def host_namespaces(pod: CheckedPod) -> Violation | None:
    """The node's network, processes and memory are its own."""
    shared = [f"{name}=true" for name in _NAMESPACES if pod.spec.get(name)]
    return Violation("host namespaces", ", ".join(shared)) if shared else None


def host_paths(pod: CheckedPod) -> Violation | None:
    """No volumes from the node's files."""
    names = [
        volume.get("name") or ""
        for volume in pod.spec.get("volumes") or ()
        if volume.get("hostPath") is not None
    ]
    return Violation("hostPath volumes", counted("volume", names)) if names else None


def host_ports(pod: CheckedPod) -> Violation | None:
    """No ports of the node."""
    bad, ports = [], set()
    for container in pod.containers():
        numbers = [
            port["hostPort"] for port in container.get("ports") or () if port.get("hostPort")
        ]
        if numbers:
            bad.append(container.get("name") or "")
            ports |= {str(number) for number in numbers}
    if not bad:
        return None
    verb = "uses" if len(bad) == 1 else "use"
    noun = "hostPort" if len(ports) == 1 else "hostPorts"
    detail = f"{counted('container', bad)} {verb} {noun} {', '.join(sorted(ports))}"
    return Violation("hostPort", detail)


def probe_hosts(pod: CheckedPod) -> Violation | None:
    """Probes and hooks ask the pod itself (since 1.34)."""
    bad, hosts = set(), set()
    for container in pod.containers():
        found = set(_asked_hosts(container))
        if found:
            bad.add(container.get("name") or "")
            hosts |= found
    if not bad:
        return None
    verb = "uses" if len(bad) == 1 else "use"
    asked = counted("probe or lifecycle host", sorted(hosts))
    detail = f"{counted('container', sorted(bad))} {verb} {asked}"
    return Violation("probe or lifecycle host", detail)


def _asked_hosts(container: JsonObject) -> Iterator[str]:
    handlers = [container.get(name) for name in _PROBES]
    handlers += [member(container, "lifecycle", name) for name in ("postStart", "preStop")]
    for handler in handlers:
        for action in ("httpGet", "tcpSocket"):
            if host := member(handler or {}, action, "host"):
                yield host


def privileged(pod: CheckedPod) -> Violation | None:
    """No privileged containers."""
    bad = [name for name, context in pod.contexts() if context.get("privileged")]
    if not bad:
        return None
    detail = f"{counted('container', bad)} must not set securityContext.privileged=true"
    return Violation("privileged", detail)


def proc_mount(pod: CheckedPod) -> Violation | None:
    """``/proc`` is masked as runtimes do it."""
    bad, kinds = [], set()
    for name, context in pod.contexts():
        kind = context.get("procMount")
        if kind is not None and kind != "Default":
            bad.append(name)
            kinds.add(kind)
    if not bad:
        return None
    detail = f"must not set securityContext.procMount to {quoted(sorted(kinds))}"
    return Violation("procMount", f"{counted('container', bad)} {detail}")


def se_linux(extra_types: frozenset[str]) -> Check:
    """Types are those of containers, and user and role are not set."""
    allowed = frozenset({"", "container_t", "container_init_t", "container_kvm_t"}) | extra_types

    def check(pod: CheckedPod) -> Violation | None:
        asked = [("", pod.context), *pod.contexts()]
        options = [(name, context.get("seLinuxOptions") or {}) for name, context in asked]
        bad = [_is_bad_se_linux(one, allowed) for _, one in options]
        who = setters(
            pod=bad[0],
            containers=[
                name for (name, _), wrong in zip(options[1:], bad[1:], strict=True) if wrong
            ],
        )
        if not who:
            return None
        types = sorted({one.get("type") or "" for _, one in options} - allowed)
        wrong = [counted("type", types)] if types else []
        wrong += [
            f"{name} may not be set"
            for name in ("user", "role")
            if any(one.get(name) for _, one in options)
        ]
        detail = f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(wrong)}"
        return Violation("seLinuxOptions", detail)

    return check


def _is_bad_se_linux(options: JsonObject, allowed: frozenset[str]) -> bool:
    return bool(
        (options.get("type") or "") not in allowed or options.get("user") or options.get("role")
    )


def seccomp_annotations(pod: CheckedPod) -> Violation | None:
    """Profiles in annotations are the runtime's or the node's (until 1.18)."""
    names = [f"{_SECCOMP_CONTAINER}{one.get('name') or ''}" for one in pod.containers()]
    bad = {
        f"{key}={go_quote(pod.annotations[key])}"
        for key in (_SECCOMP_POD, *names)
        if key in pod.annotations and not _is_fine_seccomp(pod.annotations[key])
    }
    if not bad:
        return None
    noun = "annotation" if len(bad) == 1 else "annotations"
    return Violation("seccompProfile", f"forbidden {noun} {', '.join(sorted(bad))}")


def _is_fine_seccomp(value: str) -> bool:
    return value in ("runtime/default", "docker/default") or value.startswith("localhost/")


def seccomp(pod: CheckedPod) -> Violation | None:
    """Profiles are the runtime's or the node's."""
    own = member(pod.context, "seccompProfile", "type")
    bad_pod = pod.context.get("seccompProfile") is not None and own not in _PROFILES
    values = {own or ""} if bad_pod else set()
    bad = []
    for name, context in pod.contexts():
        profile = context.get("seccompProfile")
        if profile is not None and profile.get("type") not in _PROFILES:
            bad.append(name)
            values.add(profile.get("type") or "")
    who = setters(pod=bad_pod, containers=bad)
    if not who:
        return None
    shown = quoted(sorted(values))
    detail = f"{who} must not set securityContext.seccompProfile.type to {shown}"
    return Violation("seccompProfile", detail)


def sysctls(allowed: frozenset[str]) -> Check:
    """Only kernel parameters that concern the pod alone."""

    def check(pod: CheckedPod) -> Violation | None:
        names = [one.get("name") or "" for one in pod.context.get("sysctls") or ()]
        bad = [name for name in names if name not in allowed]
        return Violation("forbidden sysctls", ", ".join(bad)) if bad else None

    return check


def host_process(pod: CheckedPod) -> Violation | None:
    """No processes of the node on Windows."""
    bad = [
        name for name, context in pod.contexts() if member(context, "windowsOptions", "hostProcess")
    ]
    who = setters(pod=bool(member(pod.context, "windowsOptions", "hostProcess")), containers=bad)
    if not who:
        return None
    return Violation(
        "hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true"
    )
