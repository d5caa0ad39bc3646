"""The checks that the level restricted adds; they are facts of the Kubernetes standards.

Pure.
"""

from __future__ import annotations

from kubegang.api.podsecurity import baseline
from kubegang.api.podsecurity.pods import (
    Check,
    CheckedPod,
    Violation,
    counted,
    member,
    quoted,
    setters,
)

_VOLUMES = (
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


def not_on_windows(check: Check) -> Check:
    """Leave pods for Windows alone."""
    return lambda pod: None if pod.is_for_windows else check(pod)


def not_with_own_users(check: Check) -> Check:
    """Leave pods in user namespaces alone."""
    return lambda pod: None if pod.has_own_users else check(pod)


def privilege_escalation(pod: CheckedPod) -> Violation | None:
    """Containers say that they gain no privileges."""
    bad = [
        name
        for name, context in pod.contexts()
        if context.get("allowPrivilegeEscalation") is not False
    ]
    if not bad:
        return None
    detail = "must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", f"{counted('container', bad)} {detail}")


def capabilities(pod: CheckedPod) -> Violation | None:
    """Containers drop all capabilities, and take back none but one."""
    keeping, adding, added = [], [], set()
    for name, context in pod.contexts():
        if "ALL" not in (member(context, "capabilities", "drop") or ()):
            keeping.append(name)
        extra = set(member(context, "capabilities", "add") or ()) - {"NET_BIND_SERVICE"}
        if extra:
            adding.append(name)
            added |= extra
    details = []
    if keeping:
        who = counted("container", keeping)
        details.append(f'{who} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        who, shown = counted("container", adding), quoted(sorted(added))
        details.append(f"{who} must not include {shown} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(details)) if details else None


def volumes(pod: CheckedPod) -> Violation | None:
    """Volumes hold configuration, scratch space, or are claimed."""
    bad, kinds = [], set()
    for volume in pod.spec.get("volumes") or ():
        sources = [name for name in volume if name != "name"]
        if not any(name in _VOLUMES for name in sources):
            bad.append(volume.get("name") or "")
            kinds.add(sources[0] if sources else "unknown")
    if not bad:
        return None
    verb = "uses" if len(bad) == 1 else "use"
    used = counted("restricted volume type", sorted(kinds))
    return Violation("restricted volume types", f"{counted('volume', bad)} {verb} {used}")


def non_root(pod: CheckedPod) -> Violation | None:
    """Containers say that they do not run as root."""
    said = pod.context.get("runAsNonRoot")
    explicit = [name for name, context in pod.contexts() if context.get("runAsNonRoot") is False]
    silent = [name for name, context in pod.contexts() if context.get("runAsNonRoot") is None]
    reason = "runAsNonRoot != true"
    who = setters(pod=said is False, containers=explicit)
    if who:
        return Violation(reason, f"{who} must not set securityContext.runAsNonRoot=false")
    if silent and said is not True:
        detail = "must set securityContext.runAsNonRoot=true"
        return Violation(reason, f"pod or {counted('container', silent)} {detail}")
    return None


def user(pod: CheckedPod) -> Violation | None:
    """Nobody is root."""
    bad = [name for name, context in pod.contexts() if context.get("runAsUser") == 0]
    who = setters(pod=pod.context.get("runAsUser") == 0, containers=bad)
    return Violation("runAsUser=0", f"{who} must not set runAsUser=0") if who else None


def seccomp(pod: CheckedPod) -> Violation | None:
    """There is a profile, of the pod or of every container."""
    wrong = baseline.seccomp(pod)
    if wrong is not None:
        return wrong
    silent = [name for name, context in pod.contexts() if context.get("seccompProfile") is None]
    if not silent or pod.context.get("seccompProfile") is not None:
        return None
    detail = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", f"pod or {counted('container', silent)} {detail}")
