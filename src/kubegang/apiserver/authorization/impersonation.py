"""Acting as somebody else: the ``Impersonate-…`` headers and who may send them.

Two ways are tried. The narrow one (KEP-5284) needs a right for the very request, such as
``impersonate-on:user-info:list`` on pods, and one to be that user; the old one needs
``impersonate`` on the user and on everything else that is claimed. The way that last worked
for somebody is tried first, and the first refusal is the one that is told (measured on
1.37.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal
from urllib.parse import unquote

import msgspec
from starlette.types import Scope

from kubegang.apimachinery.errors import ApiError, BadRequestError
from kubegang.apimachinery.gotext import go_quote
from kubegang.apiserver.authn import ANONYMOUS, AUTHENTICATED, Identity
from kubegang.apiserver.authorization.attributes import Attributes, attributes_of
from kubegang.apiserver.authorization.authorizer import Authorizer, refusal

_PREFIX = b"impersonate-"
_EXTRA = b"impersonate-extra-"
_GROUP = "authentication.k8s.io"
_SERVICE_ACCOUNT = "system:serviceaccount:"
_NODE = "system:node:"
_MOST_REMEMBERED = 10_000

_Way = Literal["narrow", "wide"]


class _Wanted(msgspec.Struct, frozen=True):
    """Whom a request wants to be, as the headers say it."""

    user: str
    uid: str
    groups: tuple[str, ...]
    extra: Mapping[str, tuple[str, ...]]

    @property
    def account(self) -> tuple[str, str] | None:
        """Namespace and name if this is a service account."""
        namespace, _, name = self.user.removeprefix(_SERVICE_ACCOUNT).partition(":")
        is_account = self.user.startswith(_SERVICE_ACCOUNT) and namespace and name
        return (namespace, name) if is_account and ":" not in name else None

    def identity(self) -> Identity:
        """Return who this is, with the groups that everybody of that kind is in."""
        groups = self.groups
        if self.account is not None and not groups:
            home = self.account[0]
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{home}")
        if self.user == ANONYMOUS.user:
            groups = tuple(dict.fromkeys((*groups, *ANONYMOUS.groups)))
        elif AUTHENTICATED not in groups and ANONYMOUS.groups[0] not in groups:
            groups = (*groups, AUTHENTICATED)
        return Identity(self.user, groups, uid=self.uid, extra=dict(self.extra))


class Impersonation:
    """Decides who may be whom, and remembers by which way."""

    def __init__(self, authorizer: Authorizer, *, constrained: bool) -> None:
        """Prepare; ``constrained`` says whether the narrow way exists."""
        self._authorizer = authorizer
        self._constrained = constrained
        self._worked: dict[str, _Way] = {}

    def identity(self, scope: Scope, sender: Identity) -> Identity:
        """Return as whom the sender acts: normally as themselves.

        Raises:
            BadRequestError: the headers do not name a user.
            ForbiddenError: the sender may not be that user.
        """
        if not any(name.startswith(_PREFIX) for name, _ in scope["headers"]):
            return sender
        wanted = _wanted(scope)
        if wanted is None:
            return sender
        self._check(scope, sender, wanted)
        return wanted.identity()

    def _check(self, scope: Scope, sender: Identity, wanted: _Wanted) -> None:
        refused: ApiError | None = None
        for way in self._ways(sender):
            questions = _wide(wanted) if way == "wide" else _narrow(scope, wanted)
            no = self._first_refusal(sender, questions)
            if no is None:
                if len(self._worked) >= _MOST_REMEMBERED:
                    self._worked.clear()
                self._worked[sender.user] = way
                return
            refused = refused or no
        if refused is not None:
            raise refused

    def _ways(self, sender: Identity) -> tuple[_Way, ...]:
        if not self._constrained:
            return ("wide",)
        if self._worked.get(sender.user) == "wide":
            return ("wide", "narrow")
        return ("narrow", "wide")

    def _first_refusal(self, sender: Identity, questions: Iterator[Attributes]) -> ApiError | None:
        for asked in questions:
            decision = self._authorizer.decide(sender, asked)
            if not decision.allowed:
                return refusal(sender, asked, decision.reason)
        return None


def _narrow(scope: Scope, wanted: _Wanted) -> Iterator[Attributes]:
    request = attributes_of(scope)
    mode = "user-info"
    if wanted.account is not None:
        mode = "serviceaccount"
    elif wanted.user.startswith(_NODE):
        mode = "arbitrary-node"
    yield msgspec.structs.replace(request, verb=f"impersonate-on:{mode}:{request.verb}")
    for asked in _claims(wanted, f"impersonate:{mode}", account_group=_GROUP):
        if mode == "arbitrary-node" and asked.resource == "users":
            node = asked.name.removeprefix(_NODE)
            yield msgspec.structs.replace(asked, resource="nodes", name=node)
        else:
            yield asked


def _wide(wanted: _Wanted) -> Iterator[Attributes]:
    return _claims(wanted, "impersonate", account_group="")


def _claims(wanted: _Wanted, verb: str, *, account_group: str) -> Iterator[Attributes]:
    """Return a question for each thing that is claimed: user, groups, extra, uid."""
    if wanted.account is not None:
        namespace, name = wanted.account
        yield Attributes(
            verb, group=account_group, resource="serviceaccounts", namespace=namespace, name=name
        )
    else:
        group = _GROUP if verb != "impersonate" else ""
        yield Attributes(verb, group=group, resource="users", name=wanted.user)
    for one in wanted.groups:
        group = _GROUP if verb != "impersonate" else ""
        yield Attributes(verb, group=group, resource="groups", name=one)
    for key, values in wanted.extra.items():
        for value in values:
            yield Attributes(verb, group=_GROUP, resource="userextras", subresource=key, name=value)
    if wanted.uid:
        yield Attributes(verb, group=_GROUP, resource="uids", name=wanted.uid)


def _wanted(scope: Scope) -> _Wanted | None:
    """Return whom the headers name, ``None`` if they name nothing.

    Raises:
        BadRequestError: they claim something without a user.
    """
    user, uid = "", ""
    groups: list[str] = []
    extra: dict[str, list[str]] = {}
    for name, raw in scope["headers"]:
        value = raw.decode("latin-1")
        if name == b"impersonate-user":
            user = user or value
        elif name == b"impersonate-uid":
            uid = uid or value
        elif name == b"impersonate-group":
            groups.append(value)
        elif name.startswith(_EXTRA):
            key = unquote(name[len(_EXTRA) :].decode("latin-1")).lower()
            extra.setdefault(key, []).append(value)
    if not user:
        if not (uid or groups or extra):
            return None
        raise _nobody(uid, groups, extra)
    return _Wanted(user, uid, tuple(groups), {key: tuple(of) for key, of in extra.items()})


def _nobody(uid: str, groups: list[str], extra: dict[str, list[str]]) -> BadRequestError:
    """Return the 400 that shows what was claimed as Go prints it."""
    shown_groups = f"[]string{_go_list(groups)}" if groups else "[]string(nil)"
    members = ", ".join(
        f"{go_quote(key)}:[]string{_go_list(values)}" for key, values in sorted(extra.items())
    )
    shown_extra = f"map[string][]string{{{members}}}" if extra else "map[string][]string(nil)"
    return BadRequestError(
        f'requested &user.DefaultInfo{{Name:"", UID:{go_quote(uid)}, Groups:{shown_groups}, '
        f"Extra:{shown_extra}}} without impersonating a user name"
    )


def _go_list(values: list[str]) -> str:
    return f"{{{', '.join(go_quote(value) for value in values)}}}"
