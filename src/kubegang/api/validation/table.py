"""Which rules apply to which kind, and in which order.

The last step of a write before storage: the object is complete, defaults and admission
have been at it, what the server resets has been reset.

* Create: the kind's own rules; if they are kept, those that every object must keep, which
  is nothing new for a kind that has rules for its metadata.
* Update: those that every object must keep, then the kind's own.

An error that two rules find alike is told once, as 1.37 does; older releases do not, see
``api/validation_rules``.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.resources import ROWS
from kubegang.api.validation import coordination, policy
from kubegang.api.validation.addressforms import told_with
from kubegang.api.validation.apps.rows import APPS_RULES
from kubegang.api.validation.autoscaling.rows import AUTOSCALING_RULES
from kubegang.api.validation.certificates.rows import CERTIFICATE_RULES
from kubegang.api.validation.checks import Errors
from kubegang.api.validation.core import configmaps, events, namespaces, nodes
from kubegang.api.validation.core.rows import CORE_RULES
from kubegang.api.validation.devices.rows import DEVICE_RULES
from kubegang.api.validation.jobs.cron import validate_cron_job, validate_cron_job_update
from kubegang.api.validation.jobs.spec import validate_changed_job_as_new, validate_job
from kubegang.api.validation.jobs.status import validate_job_status
from kubegang.api.validation.jobs.update import validate_job_update
from kubegang.api.validation.kinds import ANY_NAME, KindRules
from kubegang.api.validation.metadata import (
    MetadataRules,
    validate_metadata,
    validate_metadata_update,
)
from kubegang.api.validation.networking.rows import NETWORKING_RULES
from kubegang.api.validation.pods.binding import validate_binding
from kubegang.api.validation.pods.create import validate_pod
from kubegang.api.validation.pods.status import validate_pod_status
from kubegang.api.validation.pods.update import validate_changed_pod_as_new, validate_pod_update
from kubegang.api.validation.rbac.rows import RBAC_RULES
from kubegang.api.validation.scheduling import (
    groups,
    priorityclasses,
    v1alpha1,
    v1alpha2,
    workloads,
)
from kubegang.api.validation.storage.rows import STORAGE_RULES
from kubegang.api.validation_rules import (
    NEWEST_VALIDATION_RULES,
    ValidationRules,
    in_words_of_release,
)
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

_SUBDOMAIN = MetadataRules(is_dns1123_subdomain)

_NAMESPACE = KindRules(
    MetadataRules(is_dns1123_label),
    create=namespaces.validate_namespace,
    status=namespaces.validate_namespace_status,
    subresources={"finalize": namespaces.validate_namespace_finalizers},
)
_NODE = KindRules(
    _SUBDOMAIN,
    create=nodes.validate_node,
    update=nodes.validate_node_update,
    status=nodes.validate_node_status,
)
_POD = KindRules(
    _SUBDOMAIN,
    create=validate_pod,
    update=validate_pod_update,
    status=validate_pod_status,
    changed_as_new=validate_changed_pod_as_new,
)
_CONFIG_MAP = KindRules(
    _SUBDOMAIN,
    create=configmaps.validate_config_map,
    update=configmaps.validate_config_map_update,
)
_CORE_EVENT = KindRules(create=events.validate_core_event, update=events.validate_core_event_update)
_EVENT = KindRules(
    _SUBDOMAIN,
    before_metadata=events.validate_event,
    create=events.validate_event_strictly,
    before_metadata_update=events.validate_event_update,
    update=events.validate_event_update_strictly,
)
_LEASE = KindRules(
    MetadataRules(is_dns1123_subdomain, known_finalizers=False),
    create=coordination.validate_lease,
    update=coordination.validate_lease_update,
)
_BUDGET = KindRules(
    create=policy.validate_budget,
    update=policy.validate_budget_update,
    status=policy.validate_budget_status,
)
_JOB = KindRules(
    _SUBDOMAIN,
    create=validate_job,
    update=validate_job_update,
    status=validate_job_status,
    changed_as_new=validate_changed_job_as_new,
)
_CRON_JOB = KindRules(_SUBDOMAIN, create=validate_cron_job, update=validate_cron_job_update)
_PRIORITY_CLASS = KindRules(
    _SUBDOMAIN,
    create=priorityclasses.validate_priority_class,
    update=priorityclasses.validate_priority_class_update,
)
_POD_GROUP = KindRules(
    _SUBDOMAIN,
    create=groups.validate_pod_group,
    update=groups.validate_pod_group_update,
    status=groups.validate_pod_group_status,
)
_COMPOSITE = KindRules(
    _SUBDOMAIN,
    create=groups.validate_composite,
    update=groups.validate_composite_update,
    status=groups.validate_composite_status,
)
_WORKLOAD = KindRules(
    _SUBDOMAIN, create=workloads.validate_workload, update=workloads.validate_workload_update
)

_SCHEDULING = "scheduling.k8s.io"

_RULES: Mapping[GroupVersionKind, KindRules] = {
    **APPS_RULES,
    **AUTOSCALING_RULES,
    **CERTIFICATE_RULES,
    **CORE_RULES,
    **DEVICE_RULES,
    **NETWORKING_RULES,
    **RBAC_RULES,
    **STORAGE_RULES,
    GroupVersionKind("", "v1", "Namespace"): _NAMESPACE,
    GroupVersionKind("", "v1", "Node"): _NODE,
    GroupVersionKind("", "v1", "Pod"): _POD,
    GroupVersionKind("", "v1", "Event"): _CORE_EVENT,
    GroupVersionKind("", "v1", "ConfigMap"): _CONFIG_MAP,
    GroupVersionKind("", "v1", "ServiceAccount"): KindRules(_SUBDOMAIN),
    GroupVersionKind("events.k8s.io", "v1", "Event"): _EVENT,
    GroupVersionKind("coordination.k8s.io", "v1", "Lease"): _LEASE,
    GroupVersionKind("policy", "v1", "PodDisruptionBudget"): _BUDGET,
    GroupVersionKind("batch", "v1", "CronJob"): _CRON_JOB,
    GroupVersionKind("batch", "v1", "Job"): _JOB,
    GroupVersionKind(_SCHEDULING, "v1", "PriorityClass"): _PRIORITY_CLASS,
    GroupVersionKind(_SCHEDULING, "v1beta1", "PodGroup"): _POD_GROUP,
    GroupVersionKind(_SCHEDULING, "v1beta1", "Workload"): _WORKLOAD,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "PodGroup"): _POD_GROUP,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "Workload"): _WORKLOAD,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "CompositePodGroup"): _COMPOSITE,
    GroupVersionKind(_SCHEDULING, "v1alpha2", "PodGroup"): _POD_GROUP._replace(
        create=v1alpha2.validate_pod_group, update=v1alpha2.validate_pod_group_update
    ),
    GroupVersionKind(_SCHEDULING, "v1alpha2", "Workload"): _WORKLOAD._replace(
        create=v1alpha2.validate_workload, update=v1alpha2.validate_workload_update
    ),
    GroupVersionKind(_SCHEDULING, "v1alpha1", "Workload"): _WORKLOAD._replace(
        create=v1alpha1.validate_workload, update=v1alpha1.validate_workload_update
    ),
}

_BINDINGS = (GroupVersionKind("", "v1", "Binding"),)

# Kinds that live in no namespace, in whichever version.
_CLUSTER_WIDE = frozenset(row.gvk for row in ROWS if not row.namespaced)

_GENERIC = KindRules()


def validate_create(
    obj: JsonObject,
    gvk: GroupVersionKind,
    gates: FeatureGates,
    *,
    rules: KindRules | None = None,
    release: ValidationRules = NEWEST_VALIDATION_RULES,
) -> list[FieldError]:
    """Return what is wrong with a new object; nothing if it may be stored.

    ``rules``, here and below, are those of a kind that has none in this table; ``release``
    says what the release does otherwise than 1.37.
    """
    if gvk in _BINDINGS:
        return list(validate_binding(obj, gates))
    rules = _rules_of(gvk, rules, gates)
    errors = list(_create(rules, obj, gates))
    if not errors and rules.metadata is None:
        errors = list(validate_metadata(_metadata(obj), _scoped(ANY_NAME, gvk)))
    return _told(errors, obj, gates, gvk=gvk, release=release)


def validate_update(
    new: JsonObject,
    old: JsonObject,
    gvk: GroupVersionKind,
    gates: FeatureGates,
    *,
    rules: KindRules | None = None,
    release: ValidationRules = NEWEST_VALIDATION_RULES,
) -> list[FieldError]:
    """Return what is wrong with a changed object, given the stored one."""
    rules = _rules_of(gvk, rules, gates)
    errors = list(_update_metadata(rules, new, old, release=release, gvk=gvk))
    errors += _as_new(rules, new, gates, kind=gvk.kind, release=release)
    errors += _update_kinds_metadata(rules, new, old, release=release)
    errors += rules.before_metadata_update(new, old, gates)
    errors += rules.update(new, old, gates)
    return _told(errors, new, gates, gvk=gvk, release=release)


def validate_status_update(
    new: JsonObject,
    old: JsonObject,
    gvk: GroupVersionKind,
    gates: FeatureGates,
    *,
    subresource: str = "status",
    rules: KindRules | None = None,
    release: ValidationRules = NEWEST_VALIDATION_RULES,
) -> list[FieldError]:
    """Return what is wrong with an object whose status changed, given the stored one.

    ``subresource`` names another part, of a kind that has rules for it.
    """
    rules = _rules_of(gvk, rules, gates)
    errors = list(_update_metadata(rules, new, old, release=release, gvk=gvk))
    errors += _update_kinds_metadata(rules, new, old, release=release)
    errors += rules.subresources.get(subresource, rules.status)(new, old, gates)
    return _told(errors, new, gates, gvk=gvk, release=release)


def _rules_of(gvk: GroupVersionKind, rules: KindRules | None, gates: FeatureGates) -> KindRules:
    rules = rules or _RULES.get(gvk, _GENERIC)
    if rules.metadata is None:
        return rules
    metadata = _scoped(rules.metadata, gvk)
    if rules.strict_name is not None:
        gate, name = rules.strict_name
        metadata = metadata if gates.enabled_if_known(gate) else metadata._replace(name=name)
    return rules._replace(metadata=metadata)


def _scoped(metadata: MetadataRules, gvk: GroupVersionKind) -> MetadataRules:
    """Return rules for metadata that know whether the kind lives in a namespace."""
    return metadata._replace(namespaced=gvk not in _CLUSTER_WIDE)


def _create(rules: KindRules, obj: JsonObject, gates: FeatureGates) -> Errors:
    yield from rules.before_metadata(obj, gates)
    if rules.metadata is not None:
        yield from validate_metadata(_metadata(obj), rules.metadata)
    yield from rules.create(obj, gates)


def _update_metadata(
    rules: KindRules,
    new: JsonObject,
    old: JsonObject,
    *,
    release: ValidationRules,
    gvk: GroupVersionKind,
) -> Errors:
    """Check changed metadata; where errors are told more than once, only as every object's."""
    if release.tells_once:
        wanted = rules.metadata or ANY_NAME
    else:
        wanted = ANY_NAME
        yield from validate_metadata(_metadata(new), _scoped(ANY_NAME, gvk))
    yield from validate_metadata_update(_metadata(new), _metadata(old), wanted)


def _as_new(
    rules: KindRules,
    new: JsonObject,
    gates: FeatureGates,
    *,
    kind: str,
    release: ValidationRules,
) -> Errors:
    """Check of a changed object what some releases check as if it were new."""
    if not release.changed_only_as_changed:
        if rules.metadata is not None and rules.metadata_as_new:
            yield from validate_metadata(_metadata(new), rules.metadata)
        yield from rules.changed_as_new(new, gates)
    if kind in release.also_as_new:
        yield from _create(rules, new, gates)


def _update_kinds_metadata(
    rules: KindRules, new: JsonObject, old: JsonObject, *, release: ValidationRules
) -> Errors:
    """Check changed metadata once more by the rules of the kind, in releases that do."""
    if rules.metadata is not None and not release.tells_once:
        yield from validate_metadata_update(_metadata(new), _metadata(old), rules.metadata)


def _metadata(obj: JsonObject) -> JsonObject:
    metadata: JsonObject = obj.get("metadata") or {}
    return metadata


def _told(
    errors: list[FieldError],
    obj: JsonObject,
    gates: FeatureGates,
    *,
    gvk: GroupVersionKind,
    release: ValidationRules,
) -> list[FieldError]:
    """Return the errors as the release tells them: each once, or in words of its own."""
    errors = told_with(gates, errors)
    if not errors:
        return errors
    if release.rewordings:
        errors = in_words_of_release(errors, obj, kind=gvk.kind, rewordings=release.rewordings)
    if not release.tells_once:
        return errors
    distinct: dict[tuple[str, str], FieldError] = {}
    for error in errors:
        distinct.setdefault((error.field, error.message), error)
    return list(distinct.values())
