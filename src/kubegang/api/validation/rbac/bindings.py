"""Bindings of roles to users, groups and service accounts (measured on 1.37.2).

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching
from kubegang.apimachinery.field import Path, invalid_value, not_supported, required
from kubegang.apimachinery.names import is_dns1123_subdomain, is_path_segment_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

GROUP = "rbac.authorization.k8s.io"
_ROLE = Path("roleRef")
_SUBJECTS = Path("subjects")
_SUBJECT_KINDS = ("ServiceAccount", "User", "Group")


def validate_role_binding(binding: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new binding in a namespace."""
    yield from _binding(binding, kinds=("Role", "ClusterRole"), namespaced=True)


def validate_cluster_role_binding(binding: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new binding of the cluster."""
    yield from _binding(binding, kinds=("ClusterRole",), namespaced=False)


def validate_role_binding_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed binding in a namespace: the role stays."""
    yield from validate_role_binding(new, gates)
    yield from _same_role(new, old)


def validate_cluster_role_binding_update(
    new: JsonObject, old: JsonObject, gates: FeatureGates
) -> Errors:
    """Check a changed binding of the cluster: the role stays."""
    yield from validate_cluster_role_binding(new, gates)
    yield from _same_role(new, old)


def _same_role(new: JsonObject, old: JsonObject) -> Errors:
    if new.get("roleRef") != old.get("roleRef"):
        yield invalid_value(_ROLE, _internal(new.get("roleRef") or {}), IMMUTABLE)


def _internal(role: JsonObject) -> JsonObject:
    """Return a reference as Go spells the members of the internal type."""
    return {
        "APIGroup": role.get("apiGroup", ""),
        "Kind": role.get("kind", ""),
        "Name": role.get("name", ""),
    }


def _binding(binding: JsonObject, *, kinds: tuple[str, ...], namespaced: bool) -> Errors:
    role = binding.get("roleRef") or {}
    if role.get("apiGroup") != GROUP:
        yield not_supported(_ROLE.child("apiGroup"), role.get("apiGroup", ""), (GROUP,))
    if role.get("kind") not in kinds:
        yield not_supported(_ROLE.child("kind"), role.get("kind", ""), kinds)
    if role.get("name"):
        yield from matching(_ROLE.child("name"), role["name"], is_path_segment_name)
    subjects = binding.get("subjects") or ()
    for position, subject in enumerate(subjects):
        yield from _subject(subject, _SUBJECTS.index(position), namespaced=namespaced)
    # Checked by generated code upstream, after all that is checked by hand.
    for position, subject in enumerate(subjects):
        if not subject.get("name"):
            yield required(_SUBJECTS.index(position).child("name"))
    if not role.get("name"):
        yield required(_ROLE.child("name"))


def _subject(subject: JsonObject, path: Path, *, namespaced: bool) -> Errors:
    kind, group = subject.get("kind", ""), subject.get("apiGroup", "")
    if kind == "ServiceAccount":
        if subject.get("name"):
            yield from matching(path.child("name"), subject["name"], is_dns1123_subdomain)
        if group:
            yield not_supported(path.child("apiGroup"), group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield required(path.child("namespace"))
    elif kind in ("User", "Group"):
        if group != GROUP:
            yield not_supported(path.child("apiGroup"), group, (GROUP,))
    else:
        yield not_supported(path.child("kind"), kind, _SUBJECT_KINDS)
