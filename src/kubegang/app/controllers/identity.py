"""The controllers of service accounts, their tokens, and gathered roles, put together."""

from __future__ import annotations

from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, SERVICEACCOUNTS
from kubegang.controllers.clusterroleaggregation.controller import CLUSTERROLES, RoleAggregation
from kubegang.controllers.rootca.controller import RootCaPublisher
from kubegang.controllers.serviceaccount.accounts import DefaultAccounts
from kubegang.controllers.serviceaccount.tokens import SECRETS, AccountTokens

ACCOUNT_TOKENS = "serviceaccount-token-controller"


def _accounts(parts: Parts) -> Run:
    return DefaultAccounts(
        parts.client,
        namespaces=parts.informers.of(NAMESPACES),
        accounts=parts.informers.of(SERVICEACCOUNTS),
        queue=parts.queue(),
    ).run


def _root_ca(parts: Parts) -> Run:
    return RootCaPublisher(
        parts.client,
        namespaces=parts.informers.of(NAMESPACES),
        config_maps=parts.informers.of(CONFIGMAPS),
        certificate=parts.keys.certificate,
        queue=parts.queue(),
    ).run


def _tokens(parts: Parts) -> Run | None:
    if parts.keys.tokens is None:
        return None
    return AccountTokens(
        parts.client,
        secrets=parts.informers.of(SECRETS),
        accounts=parts.informers.of(SERVICEACCOUNTS),
        key=parts.keys.tokens,
        certificate=parts.keys.certificate,
        queue=parts.queue(),
    ).run


def _aggregation(parts: Parts) -> Run:
    return RoleAggregation(
        parts.client, roles=parts.informers.of(CLUSTERROLES), queue=parts.queue()
    ).run


IDENTITY_BUILDERS: Builders = {
    "serviceaccount-controller": _accounts,
    ACCOUNT_TOKENS: _tokens,
    "root-ca-certificate-publisher-controller": _root_ca,
    "clusterrole-aggregation-controller": _aggregation,
}
