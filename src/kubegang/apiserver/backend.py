"""What every handler needs: the state, the kinds, the gates, time and chance."""

from __future__ import annotations

from dataclasses import dataclass, field

from kubegang.api.customresources.rows import custom_of
from kubegang.api.facts import Facts
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.api.table_rules import NEWEST_TABLE_RULES, TableRules
from kubegang.api.validation_rules import NEWEST_VALIDATION_RULES, ValidationRules
from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.signedtokens import SigningKey
from kubegang.apimachinery.times import format_time
from kubegang.apiserver.admission.chain import Admission
from kubegang.apiserver.authorization.authorizer import AllowAll, Authorizer
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.chance import Rng
from kubegang.apiserver.changes import ChangeCache
from kubegang.apiserver.services.pool import ServicePool
from kubegang.base.clock import Clock
from kubegang.base.feature_gates import FeatureGates
from kubegang.store.interface import Store, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """The parts of one API server, put together once by ``create_app``.

    Attributes:
        catalog: the resources that are served, custom ones among them.
        kinds: every kind of the release, served or not.
        services: the addresses and node ports that services have.
        authorizer: who may do what.
        validation: what the release does otherwise about objects that break rules.
        warnings: what the release says otherwise about valid objects.
        tables: what the release does otherwise about tables.
        signing_key: signs service account tokens.
        watches: the subscriptions that clients are following now.
    """

    store: Store
    catalog: Catalog
    facts: Facts
    gates: FeatureGates
    clock: Clock
    rng: Rng
    admission: Admission
    changes: ChangeCache
    kinds: frozenset[GroupVersionKind]
    services: ServicePool
    validation: ValidationRules = NEWEST_VALIDATION_RULES
    warnings: WarningRules = NEWEST_WARNING_RULES
    tables: TableRules = NEWEST_TABLE_RULES
    authorizer: Authorizer = field(default_factory=AllowAll)
    signing_key: SigningKey = field(default_factory=SigningKey.create)
    watches: set[Watch] = field(default_factory=set)

    @property
    def scheme(self) -> Scheme:
        """The resources that are served now."""
        return self.catalog.scheme

    def now(self) -> str:
        """Return the time as objects carry it."""
        return format_time(self.clock.now())

    def end_watches(self) -> None:
        """End every watch properly, so that clients begin new ones elsewhere or later."""
        for watch in tuple(self.watches):
            watch.close()

    def schema(self, info: ResourceInfo) -> Schema:
        """Return the structure of a resource's objects."""
        if custom := custom_of(info):
            return custom.topology
        return self.facts.definition(info.definition)
