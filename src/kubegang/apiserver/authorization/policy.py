"""The stored roles and bindings, decoded once and kept in step with the store.

Every question first takes in what changed since the last one, so an answer never lags behind
a write that was acknowledged; kube-apiserver's informers do, by a moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.rules import PolicyRule
from kubegang.store.interface import Store, StoreError, Watch

GROUP = "rbac.authorization.k8s.io"
_PREFIX = f"/{GROUP}/"


class _Subject(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""
    namespace: str = ""


class _RoleRef(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""


class _Role(msgspec.Struct, frozen=True):
    metadata: _Metadata
    rules: tuple[PolicyRule, ...] | None = None


class _Binding(msgspec.Struct, frozen=True, rename="camel"):
    metadata: _Metadata
    role_ref: _RoleRef
    subjects: tuple[_Subject, ...] | None = None


class RoleMissingError(Exception):
    """A binding's role does not exist; the text names kind and name."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f'{kind.lower()}.{GROUP} "{name}" not found')
        self.name = name


class Grant(NamedTuple):
    """What one binding gives to one identity.

    Attributes:
        reason: how the API says it.
        missing: set, instead of rules, if the role does not exist.
    """

    rules: tuple[PolicyRule, ...]
    reason: str
    missing: RoleMissingError | None = None


class Policy:
    """Roles and bindings by place and name.

    Attributes:
        generation: grows with every change.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watch: Watch | None = None
        self._roles: dict[tuple[str, str], tuple[PolicyRule, ...]] = {}
        self._bindings: dict[str, dict[str, _Binding]] = {}
        self._decode_role = msgspec.json.Decoder(_Role).decode
        self._decode_binding = msgspec.json.Decoder(_Binding).decode
        self.generation = 0

    def refresh(self) -> None:
        """Take in what has changed."""
        if self._watch is None:
            self._load()
            return
        try:
            changes = self._watch.drain()
        except StoreError:
            # Too much at once: it is cheaper to start anew.
            self._load()
            return
        if changes:
            self.generation += 1
            for change in changes:
                self._take(change.key, None if change.type == "deleted" else change.value)

    def rules_of_role(self, kind: str, namespace: str, name: str) -> tuple[PolicyRule, ...]:
        """Return a role's rules.

        Raises:
            RoleMissingError: it does not exist.
        """
        rules = self._roles.get(("" if kind == "ClusterRole" else namespace, name))
        if rules is None:
            raise RoleMissingError(kind, name)
        return rules

    def grants(self, identity: Identity, namespace: str) -> Iterator[Grant]:
        """Return what the bindings of the cluster, or of one namespace, give to an identity."""
        for name, binding in sorted(self._bindings.get(namespace, {}).items()):
            subject = _subject_of(binding, identity, namespace)
            if subject is None:
                continue
            role = binding.role_ref
            try:
                rules = self.rules_of_role(role.kind, namespace, role.name)
            except RoleMissingError as error:
                yield Grant((), "", error)
                continue
            kind, shown = ("RoleBinding", f"{name}/{namespace}")
            if not namespace:
                kind, shown = ("ClusterRoleBinding", name)
            reason = f'RBAC: allowed by {kind} "{shown}" of {role.kind} "{role.name}" to {subject}'
            yield Grant(rules, reason)

    def _load(self) -> None:
        page = self._store.list(_PREFIX)
        self._roles, self._bindings = {}, {}
        for item in page.items:
            self._take(item.key, item.value)
        self._watch = self._store.watch(_PREFIX, after=page.revision)
        self.generation += 1

    def _take(self, key: str, value: bytes | None) -> None:
        resource, _, place = key.removeprefix(_PREFIX).partition("/")
        namespace, _, name = place.rpartition("/")
        if resource in ("roles", "clusterroles"):
            if value is None:
                self._roles.pop((namespace, name), None)
            else:
                self._roles[namespace, name] = self._decode_role(value).rules or ()
        elif value is None:
            self._bindings.get(namespace, {}).pop(name, None)
        else:
            self._bindings.setdefault(namespace, {})[name] = self._decode_binding(value)


def _subject_of(binding: _Binding, identity: Identity, namespace: str) -> str | None:
    """Return how the first subject that an identity is would be said, ``None`` if it is none."""
    for subject in binding.subjects or ():
        name = subject.name
        if subject.kind == "User" and name == identity.user:
            return f'User "{name}"'
        if subject.kind == "Group" and name in identity.groups:
            return f'Group "{name}"'
        if subject.kind == "ServiceAccount":
            home = subject.namespace or namespace
            if home and identity.user == f"system:serviceaccount:{home}:{name}":
                return f'ServiceAccount "{name}/{home}"'
    return None
