"""Defaults of role bindings: the group of the role and of users and groups.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_GROUP = "rbac.authorization.k8s.io"


def default_binding(binding: JsonObject, _gates: FeatureGates) -> None:
    """Fill in the groups that a binding leaves out; service accounts are of the core group."""
    role = binding.get("roleRef")
    if role is not None and not role.get("apiGroup"):
        role["apiGroup"] = _GROUP
    for subject in binding.get("subjects") or ():
        if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = _GROUP
