"""The API server as an ASGI application, in the order of a request's life.

A request passes the layers of ``middleware`` (log, net, limit) and ``access`` and comes to
the first route that takes its path: resources, health, metrics, discovery, OpenAPI. For a
resource ``routing`` finds the handler of the verb; the handler reads the options and the
body, the flows in ``creating``, ``updating`` and ``deleting`` admit, prepare, validate and
store, and ``rendering`` makes the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from kubegang.api.facts import Facts
from kubegang.api.identity_rules import NEWEST_IDENTITY_RULES, IdentityRules
from kubegang.api.scheme import Scheme
from kubegang.api.table_rules import NEWEST_TABLE_RULES, TableRules
from kubegang.api.validation.addressforms import takes_any_form
from kubegang.api.validation_rules import NEWEST_VALIDATION_RULES, ValidationRules
from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules, with_gates
from kubegang.apimachinery.signedtokens import SigningKey
from kubegang.apiserver.access import AccessControl
from kubegang.apiserver.admission.chain import Admission
from kubegang.apiserver.admission.lookup import StoreLookup
from kubegang.apiserver.audit import AuditLog, AuditSink
from kubegang.apiserver.authn import Authenticator
from kubegang.apiserver.authorization.authorizer import AllowAll, Authorizer, RoleAuthorizer
from kubegang.apiserver.authorization.impersonation import Impersonation
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.chance import Rng
from kubegang.apiserver.changes import ChangeCache
from kubegang.apiserver.descriptions import load_descriptions
from kubegang.apiserver.discovery import discovery_routes
from kubegang.apiserver.health import Check, health_routes
from kubegang.apiserver.metrics import RequestMetrics, metrics_route
from kubegang.apiserver.middleware import HeadLimit, InFlightLimit, PanicGuard, RequestLog
from kubegang.apiserver.openapi import openapi_routes
from kubegang.apiserver.responses import page_not_found
from kubegang.apiserver.reviews import Reviews
from kubegang.apiserver.routing import ResourceRoute
from kubegang.apiserver.serviceaccounts.discovery import issuer_routes
from kubegang.apiserver.serviceaccounts.reading import ServiceAccountTokens
from kubegang.apiserver.services.pool import ServicePool
from kubegang.base.clock import Clock
from kubegang.base.feature_gates import FeatureGates
from kubegang.store.interface import Store

MAX_READING = 400
MAX_CHANGING = 200
"""Requests at work at once, as kube-apiserver's defaults."""


def create_app(
    *,
    store: Store,
    scheme: Scheme,
    facts: Facts,
    gates: FeatureGates,
    clock: Clock,
    rng: Rng,
    git_version: str,
    authenticator: Authenticator,
    enabled_admission_plugins: Collection[str] = (),
    disabled_admission_plugins: Collection[str] = (),
    ready: Mapping[str, Check] | None = None,
    registry: CollectorRegistry | None = None,
    roles: bool = False,
    signing_key: SigningKey | None = None,
    audit: AuditSink | None = None,
    identity_rules: IdentityRules = NEWEST_IDENTITY_RULES,
    validation_rules: ValidationRules = NEWEST_VALIDATION_RULES,
    warning_rules: WarningRules = NEWEST_WARNING_RULES,
    table_rules: TableRules = NEWEST_TABLE_RULES,
    max_reading: int = MAX_READING,
    max_changing: int = MAX_CHANGING,
) -> Starlette:
    """Put an API server together; its ``Backend`` is in ``app.state.backend``.

    Chance (``rng``) makes uids, generated names and the length of watches. ``ready`` are
    further checks for ``/readyz``; each returns a problem or an empty text. Metrics are
    registered in ``registry``, or in one of the server's own. With ``roles`` the stored roles
    and bindings decide who may do what; otherwise whoever is known may do everything.
    Service account tokens are signed with ``signing_key``, or with a key of this server's own.
    Each request is noted in ``audit``, if given.

    Raises:
        UnknownPluginError: an admission plug-in that does not exist is named.
    """
    authorizer = RoleAuthorizer(store, identity_rules) if roles else AllowAll()
    key = signing_key if signing_key is not None else SigningKey.create()
    authenticator.also_accept(ServiceAccountTokens(key, store, clock))
    catalog = Catalog(scheme)
    catalog.load(store)
    backend = Backend(
        store=store,
        catalog=catalog,
        facts=facts,
        gates=gates,
        clock=clock,
        rng=rng,
        admission=Admission(
            StoreLookup(store, rng),
            gates,
            enabled=enabled_admission_plugins,
            disabled=disabled_admission_plugins,
            authorizer=authorizer,
            pod_security=int(facts.version.rpartition(".")[2]),
        ),
        changes=ChangeCache(),
        kinds=frozenset(facts.kinds()),
        services=ServicePool(store, rng, any_form=takes_any_form(gates)),
        validation=validation_rules,
        warnings=with_gates(warning_rules, gates),
        tables=table_rules,
        authorizer=authorizer,
        signing_key=key,
    )
    registry = registry if registry is not None else CollectorRegistry()
    layers = [
        *_layers_of_all(backend, registry, reading=max_reading, changing=max_changing),
        *([Middleware(AuditLog, sink=audit, clock=clock)] if audit is not None else []),
        _access(authenticator, authorizer, identity_rules),
    ]
    reviews = Reviews(authenticator, authorizer, rules=identity_rules)
    routes = [
        ResourceRoute(backend, reviews),
        *issuer_routes(key),
        *health_routes(store, ready or {}),
        metrics_route(registry),
        *_describing_routes(backend, git_version),
        Route("/{path:path}", page_not_found()),
    ]
    app = Starlette(middleware=layers, routes=routes)
    app.state.backend = backend
    app.state.roles = roles
    return app


def _layers_of_all(
    backend: Backend, registry: CollectorRegistry, *, reading: int, changing: int
) -> list[Middleware]:
    """Return the layers that a request passes before anybody asks who sent it."""
    metrics = RequestMetrics(registry, count_watches=lambda: len(backend.watches))
    return [
        Middleware(HeadLimit),
        Middleware(RequestLog, clock=backend.clock, rng=backend.rng, metrics=metrics),
        Middleware(PanicGuard),
        Middleware(InFlightLimit, reading=reading, changing=changing),
    ]


def _access(
    authenticator: Authenticator, authorizer: Authorizer, rules: IdentityRules
) -> Middleware:
    impersonation = Impersonation(authorizer, constrained=rules.constrained_impersonation)
    return Middleware(
        AccessControl,
        authenticator=authenticator,
        authorizer=authorizer,
        impersonation=impersonation,
    )


def _describing_routes(backend: Backend, git_version: str) -> list[Route]:
    """Return the routes that tell what there is: OpenAPI and discovery."""
    descriptions = load_descriptions()
    return [
        *openapi_routes(
            backend.catalog, backend.facts, descriptions=descriptions, git_version=git_version
        ),
        *discovery_routes(backend.catalog, git_version=git_version),
    ]
