"""The answer to every question who may do what: by roles and bindings, or always yes.

The masters of a cluster may do everything before any role is looked at, as in kube-apiserver.
An answer that does not depend on an object's name is remembered until a role or a binding
changes.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from kubegang.api.identity_rules import NEWEST_IDENTITY_RULES, IdentityRules
from kubegang.apimachinery.errors import ForbiddenError, StatusDetails, forbidden
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.policy import Grant, Policy, RoleMissingError
from kubegang.apiserver.authorization.rules import EVERYTHING, PolicyRule
from kubegang.store.interface import Store

MASTERS = "system:masters"
_MOST_REMEMBERED = 50_000


class Decision(NamedTuple):
    """Yes or no, and why."""

    allowed: bool
    reason: str = ""


class HeldRules(NamedTuple):
    """What somebody may do in a namespace.

    Attributes:
        missing: roles that bindings name and that do not exist.
    """

    rules: tuple[PolicyRule, ...]
    missing: tuple[RoleMissingError, ...] = ()


class Authorizer(Protocol):
    """Decides."""

    def decide(self, identity: Identity, asked: Attributes) -> Decision:
        """Return whether an identity may do something."""
        ...

    def held(self, identity: Identity, namespace: str) -> HeldRules:
        """Return the rules that bindings give to an identity in a namespace."""
        ...

    def role(self, kind: str, namespace: str, name: str) -> tuple[PolicyRule, ...]:
        """Return a role's rules.

        Raises:
            RoleMissingError: it does not exist.
        """
        ...


OPEN_PATHS = ("/version", "/healthz", "/livez", "/readyz")
"""What everybody may read, even without a role that says so (measured on 1.37.2)."""


def is_open(path: str) -> bool:
    """Return whether anonymous may read the path."""
    return path.rstrip("/") in OPEN_PATHS or path.startswith(("/livez/", "/readyz/", "/healthz/"))


class AllowAll:
    """Whoever is known may do everything (``--authorization-mode=AlwaysAllow``)."""

    def decide(self, identity: Identity, asked: Attributes) -> Decision:
        """Say yes, but to anonymous."""
        return Decision(allowed=not identity.anonymous or is_open(asked.path))

    def held(self, _identity: Identity, _namespace: str) -> HeldRules:
        """Return that everything is allowed."""
        return HeldRules(EVERYTHING)

    def role(self, _kind: str, _namespace: str, _name: str) -> tuple[PolicyRule, ...]:
        """Return no rules: nobody looks at them."""
        return ()


class RoleAuthorizer:
    """Decides by what is stored (``--authorization-mode=RBAC``)."""

    def __init__(self, store: Store, rules: IdentityRules = NEWEST_IDENTITY_RULES) -> None:
        self._policy = Policy(store)
        self._prefix = "rbac: RBAC: " if rules.names_authorizer else "RBAC: "
        self._generation = -1
        self._grants: dict[tuple[str, tuple[str, ...], str], tuple[Grant, ...]] = {}
        self._remembered: dict[tuple[object, ...], Decision] = {}

    def decide(self, identity: Identity, asked: Attributes) -> Decision:
        """Return whether an identity may do something."""
        if MASTERS in identity.groups:
            return Decision(allowed=True)
        self._refresh()
        # Without the object's name, for which most rules do not care.
        key = (
            identity.user,
            identity.groups,
            asked.verb,
            asked.group,
            asked.resource,
            asked.subresource,
            asked.namespace,
            asked.path,
        )
        known = self._remembered.get(key)
        return known if known is not None else self._work_out(identity, asked, key)

    def held(self, identity: Identity, namespace: str) -> HeldRules:
        """Return the rules that bindings give to an identity in a namespace."""
        self._refresh()
        grants = self._grants_for(identity, namespace)
        rules = tuple(rule for grant in grants for rule in grant.rules)
        return HeldRules(rules, tuple(one.missing for one in grants if one.missing is not None))

    def role(self, kind: str, namespace: str, name: str) -> tuple[PolicyRule, ...]:
        """Return a role's rules.

        Raises:
            RoleMissingError: it does not exist.
        """
        self._refresh()
        return self._policy.rules_of_role(kind, namespace, name)

    def _refresh(self) -> None:
        self._policy.refresh()
        if self._policy.generation != self._generation:
            self._generation = self._policy.generation
            self._grants.clear()
            self._remembered.clear()

    def _work_out(self, identity: Identity, asked: Attributes, key: tuple[object, ...]) -> Decision:
        missing: list[RoleMissingError] = []
        for grant in self._grants_for(identity, asked.namespace):
            if grant.missing is not None:
                missing.append(grant.missing)
            for rule in grant.rules:
                if rule.allows(asked):
                    decision = Decision(allowed=True, reason=grant.reason)
                    if not rule.resource_names:
                        self._remember(key, decision)
                    return decision
        if not missing:
            return Decision(allowed=False)
        return Decision(allowed=False, reason=self._prefix + said_together(missing))

    def _remember(self, key: tuple[object, ...], decision: Decision) -> None:
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[key] = decision

    def _grants_for(self, identity: Identity, namespace: str) -> tuple[Grant, ...]:
        """Return what bindings give, those of the cluster first."""
        key = (identity.user, identity.groups, namespace)
        found = self._grants.get(key)
        if found is None:
            if len(self._grants) >= _MOST_REMEMBERED:
                self._grants.clear()
            own = tuple(self._policy.grants(identity, namespace)) if namespace else ()
            found = self._grants[key] = (*self._policy.grants(identity, ""), *own)
        return found


def said_together(missing: list[RoleMissingError]) -> str:
    """Return errors as Go joins them: each once, in brackets if there are several."""
    texts = list(dict.fromkeys(map(str, missing)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def refusal(identity: Identity, asked: Attributes, reason: str) -> ForbiddenError:
    """Return the 403 of authorization, which says what was asked for."""
    why = f": {reason}" if reason else ""
    if asked.path:
        said = f'forbidden: User "{identity.user}" cannot {asked.verb} path "{asked.path}"{why}'
        return ForbiddenError(said, details=StatusDetails())
    where = f'in the namespace "{asked.namespace}"' if asked.namespace else "at the cluster scope"
    said = (
        f'User "{identity.user}" cannot {asked.verb} resource "{asked.whole_resource}" '
        f'in API group "{asked.group}" {where}{why}'
    )
    return forbidden(asked.group_resource, asked.name, said)
