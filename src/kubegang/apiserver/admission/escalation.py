"""Nobody gives away rights that they do not hold.

Whoever writes a role must hold what it allows, or have the verb ``escalate`` on it; whoever
writes a binding must hold what its role allows, or have the verb ``bind`` on that role. An
aggregated role may come to hold anything, so it takes an administrator to make one (the rules
and texts of kube-apiserver, measured on 1.37.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.errors import NotFoundError, StatusDetails
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.authorizer import MASTERS, Authorizer
from kubegang.apiserver.authorization.policy import GROUP, RoleMissingError
from kubegang.apiserver.authorization.rules import (
    EVERYTHING,
    PolicyRule,
    joined,
    missing_rules,
)

_ROLES = ("roles", "clusterroles")
_BINDINGS = ("rolebindings", "clusterrolebindings")
_RULES = list[PolicyRule]


def confirm_no_escalation(request: AdmissionRequest, authorizer: Authorizer) -> None:
    """Refuse a role or a binding that gives more than its writer holds.

    Raises:
        ForbiddenError: it does.
        NotFoundError: the binding's role does not exist.
    """
    identity = request.identity
    if identity is None or request.info.group != GROUP or MASTERS in identity.groups:
        return
    if request.operation == "delete":
        return
    if request.info.plural in _ROLES:
        _confirm_role(request, identity, authorizer)
    elif request.info.plural in _BINDINGS:
        _confirm_binding(request, identity, authorizer)


def _confirm_role(request: AdmissionRequest, identity: Identity, authorizer: Authorizer) -> None:
    new, old = request.obj, request.old or {}
    if request.old is not None and _same(new, old, "rules", "aggregationRule"):
        return
    kind = request.info.kind
    name = (new.get("metadata") or {}).get("name", "")
    asked = _about_role("escalate", kind, namespace=request.namespace, name=name)
    if authorizer.decide(identity, asked).allowed:
        return
    _confirm_rules(request, identity, authorizer, rules_of(new))
    if new.get("aggregationRule") is not None:
        held = authorizer.held(identity, request.namespace).rules
        if missing_rules(held, EVERYTHING):
            raise request.refuse("must have cluster-admin privileges to use the aggregationRule")


def _confirm_binding(request: AdmissionRequest, identity: Identity, authorizer: Authorizer) -> None:
    new, old = request.obj, request.old or {}
    if request.old is not None and _same(new, old, "subjects", "roleRef"):
        return
    role = new.get("roleRef") or {}
    kind, name = role.get("kind", ""), role.get("name", "")
    asked = _about_role("bind", kind, namespace=request.namespace, name=name)
    if authorizer.decide(identity, asked).allowed:
        return
    try:
        rules = authorizer.role(kind, request.namespace, name)
    except RoleMissingError as error:
        raise _missing(request, error) from error
    _confirm_rules(request, identity, authorizer, rules)


def _confirm_rules(
    request: AdmissionRequest,
    identity: Identity,
    authorizer: Authorizer,
    wanted: Sequence[PolicyRule],
) -> None:
    held = authorizer.held(identity, request.namespace)
    missing = missing_rules(held.rules, wanted)
    if not missing:
        return
    groups = " ".join(go_quote(group) for group in identity.groups)
    lines = "\n".join(sorted({str(rule) for rule in joined(missing)}))
    why = (
        f"user {go_quote(identity.user)} (groups=[{groups}]) is attempting to grant RBAC "
        f"permissions not currently held:\n{lines}"
    )
    if held.missing:
        texts = dict.fromkeys(_missing(request, error).message for error in held.missing)
        inner = ", ".join(texts)
        why += f"; resolution errors: [{f'[{inner}]' if len(texts) > 1 else inner}]"
    raise request.refuse(why)


def _about_role(verb: str, kind: str, *, namespace: str, name: str) -> Attributes:
    return Attributes(
        verb,
        group=GROUP,
        version="v1",
        resource="clusterroles" if kind == "ClusterRole" else "roles",
        namespace=namespace,
        name=name,
    )


def rules_of(role: JsonObject) -> _RULES:
    """Return the rules of a role as it is written."""
    return msgspec.convert(role.get("rules") or [], _RULES)


def _same(new: JsonObject, old: JsonObject, *members: str) -> bool:
    return all((new.get(name) or None) == (old.get(name) or None) for name in members)


def _missing(request: AdmissionRequest, error: RoleMissingError) -> NotFoundError:
    """Return the 404 for a role; upstream calls it by the resource of the request."""
    resource = request.info.group_resource
    return NotFoundError(
        f'{resource} "{error.name}" not found',
        details=StatusDetails(name=error.name, group=resource.group, kind=resource.resource),
    )
