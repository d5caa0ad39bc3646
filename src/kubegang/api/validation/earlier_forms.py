"""Pod specs as 1.36 and 1.35 hold them: host settings in the security context, another order.

Measured on 1.36.3 and 1.35.4. Pure.
"""

from __future__ import annotations

from typing import Any, Final

Form = dict[str, Any]

_HOST: Final = ("HostNetwork", "HostPID", "HostIPC", "ShareProcessNamespace", "HostUsers")

_LATER_MEMBERS: Final = frozenset(("BindMountOptions", "DerivedAttributes"))
"""What other types have since 1.37 only."""

_POD_SPEC: Final = (
    "Volumes",
    "InitContainers",
    "Containers",
    "EphemeralContainers",
    "RestartPolicy",
    "TerminationGracePeriodSeconds",
    "ActiveDeadlineSeconds",
    "DNSPolicy",
    "NodeSelector",
    "ServiceAccountName",
    "AutomountServiceAccountToken",
    "NodeName",
    "SecurityContext",
    "ImagePullSecrets",
    "Hostname",
    "Subdomain",
    "SetHostnameAsFQDN",
    "Affinity",
    "SchedulerName",
    "Tolerations",
    "HostAliases",
    "PriorityClassName",
    "Priority",
    "PreemptionPolicy",
    "DNSConfig",
    "ReadinessGates",
    "RuntimeClassName",
    "Overhead",
    "EnableServiceLinks",
    "TopologySpreadConstraints",
    "OS",
    "SchedulingGates",
    "ResourceClaims",
    "Resources",
    "HostnameOverride",
)
"""All members but the last, which ties a pod to its group."""

_SECURITY: Final = (
    *_HOST,
    "SELinuxOptions",
    "WindowsOptions",
    "RunAsUser",
    "RunAsGroup",
    "RunAsNonRoot",
    "SupplementalGroups",
    "SupplementalGroupsPolicy",
    "FSGroup",
    "FSGroupChangePolicy",
    "Sysctls",
    "SeccompProfile",
    "AppArmorProfile",
    "SELinuxChangePolicy",
)


def earlier_form(form: Any, *, group: str) -> Any:
    """Return an internal form as earlier releases have it.

    Args:
        form: a value in the internal form of 1.37.
        group: the member of a pod spec that ties it to its group: ``SchedulingGroup`` in
            1.36, ``WorkloadRef`` in 1.35.
    """
    if isinstance(form, list):
        return [earlier_form(item, group=group) for item in form]
    if not isinstance(form, dict):
        return form
    if _is_pod_spec(form):
        form = _pod_spec(form, group)
    if "Quobyte" in form:
        form = _volume(form)
    return {
        member: earlier_form(value, group=group)
        for member, value in form.items()
        if member not in _LATER_MEMBERS
    }


def _volume(form: Form) -> Form:
    """Put one source elsewhere, and leave a later member of another away."""
    moved: Form = {}
    for member, value in form.items():
        if member == "EmptyDir" and value is not None:
            moved[member] = {name: value[name] for name in ("Medium", "SizeLimit")}
        elif member != "Quobyte":
            moved[member] = value
        if member == "RBD":
            moved["Quobyte"] = form["Quobyte"]
    return moved


def _is_pod_spec(form: Form) -> bool:
    return "Containers" in form and "HostNetwork" in form


def _pod_spec(form: Form, group: str) -> Form:
    security = form["SecurityContext"]
    if security is not None:
        both = {**security, **{member: form[member] for member in _HOST}}
        security = {member: both[member] for member in _SECURITY}
    moved = {**form, "SecurityContext": security}
    return {member: moved.get(member) for member in (*_POD_SPEC, group)}
