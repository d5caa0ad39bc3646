"""The plug-ins in the order in which they run, and which of them are on.

The order among those that are here is kube-apiserver's. Each row says for which operation on
which resource a plug-in is asked, so that a write meets only those that concern it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from kubegang.apimachinery.objects import GroupResource
from kubegang.apiserver.admission import (
    certificates,
    ingressclasses,
    limitranges,
    pods,
    priority,
    runtimeclasses,
    serviceaccounts,
    storageclasses,
)
from kubegang.apiserver.admission.adminaccess import check_admin_access
from kubegang.apiserver.admission.escalation import confirm_no_escalation
from kubegang.apiserver.admission.finalizers import protect_with
from kubegang.apiserver.admission.namespaces import admit_into_namespace, keep_immortal
from kubegang.apiserver.admission.podsecurity import check_security
from kubegang.apiserver.admission.request import AdmissionRequest, Admit, Lookup, Operation
from kubegang.apiserver.admission.workloads import admit_group_of_workload, keep_parallelism
from kubegang.apiserver.authorization.authorizer import Authorizer
from kubegang.base.feature_gates import FeatureGates


class _Row(NamedTuple):
    """When a plug-in is asked; the resource ``*`` is any, a subresource stands after a slash."""

    plugin: str
    operation: Operation
    resource: str
    admit: Admit


_GROUP_FINALIZER = "scheduling.k8s.io/podgroup-protection"

_ROWS = (
    _Row("NamespaceLifecycle", "create", "*", admit_into_namespace),
    _Row("NamespaceLifecycle", "update", "*", admit_into_namespace),
    _Row("NamespaceLifecycle", "delete", "namespaces", keep_immortal),
    _Row("LimitRanger", "create", "pods", limitranges.fill_in_limits),
    _Row("ServiceAccount", "create", "pods", serviceaccounts.admit_pod),
    _Row("TaintNodesByCondition", "create", "nodes", pods.taint_new_node),
    _Row("Priority", "create", "pods", priority.admit_pod),
    _Row("Priority", "update", "pods", priority.keep_pod_priority),
    _Row("Priority", "create", "podgroups.scheduling.k8s.io", priority.admit_pod_group),
    _Row(
        "Priority",
        "create",
        "compositepodgroups.scheduling.k8s.io",
        priority.admit_composite_pod_group,
    ),
    _Row("DefaultTolerationSeconds", "create", "pods", pods.tolerate_for_a_while),
    _Row("DefaultTolerationSeconds", "update", "pods", pods.tolerate_for_a_while),
    _Row("DefaultStorageClass", "create", "persistentvolumeclaims", storageclasses.choose_class),
    _Row(
        "StorageObjectInUseProtection",
        "create",
        "persistentvolumeclaims",
        protect_with("kubernetes.io/pvc-protection"),
    ),
    _Row(
        "StorageObjectInUseProtection",
        "create",
        "persistentvolumes",
        protect_with("kubernetes.io/pv-protection"),
    ),
    _Row(
        "StorageObjectInUseProtection",
        "create",
        "volumeattributesclasses.storage.k8s.io",
        protect_with("kubernetes.io/vac-protection"),
    ),
    _Row("RuntimeClass", "create", "pods", runtimeclasses.fill_in_class),
    _Row(
        "PodGroupProtection",
        "create",
        "podgroups.scheduling.k8s.io",
        protect_with(_GROUP_FINALIZER),
    ),
    _Row(
        "DefaultIngressClass",
        "create",
        "ingresses.networking.k8s.io",
        ingressclasses.choose_class,
    ),
    _Row("PodTopologyLabels", "create", "pods", pods.copy_topology_to_pod),
    _Row("PodTopologyLabels", "create", "pods/binding", pods.copy_topology_to_binding),
)

_LIMITS = (
    _Row("LimitRanger", "create", "pods", limitranges.check_pod_limits),
    _Row("LimitRanger", "create", "persistentvolumeclaims", limitranges.check_claim_limits),
    _Row("LimitRanger", "update", "persistentvolumeclaims", limitranges.check_claim_limits),
)
"""What is asked ahead of pod security, once the object is as it will be stored, and valid."""

_CHECKS = (
    _Row("Priority", "create", "priorityclasses.scheduling.k8s.io", priority.only_one_default),
    _Row("RuntimeClass", "create", "pods", runtimeclasses.check_overhead),
    _Row(
        "CertificateSubjectRestriction",
        "create",
        "certificatesigningrequests.certificates.k8s.io",
        certificates.restrict_subject,
    ),
    _Row("Priority", "update", "priorityclasses.scheduling.k8s.io", priority.only_one_default),
    _Row(
        "PodGroupWorkloadExists",
        "create",
        "podgroups.scheduling.k8s.io",
        admit_group_of_workload,
    ),
    _Row("JobValidation", "update", "jobs.batch", keep_parallelism),
)
"""What is asked after pod security."""

_ALWAYS = "validation"
_REQUESTS = "certificatesigningrequests.certificates.k8s.io"
_IDENTITY = (_Row(_ALWAYS, "create", _REQUESTS, certificates.note_requestor),)
"""What the server writes itself about whoever writes."""

_VALIDITY = (
    _Row(_ALWAYS, "create", "resourceclaims.resource.k8s.io", check_admin_access),
    _Row(_ALWAYS, "create", "resourceclaimtemplates.resource.k8s.io", check_admin_access),
    _Row(_ALWAYS, "update", "resourceclaims.resource.k8s.io/status", check_admin_access),
)
"""Rules of validity that need to look something up; they are not plug-ins' to switch off."""

PLUGINS = (
    *dict.fromkeys(row.plugin for row in (*_ROWS, *_LIMITS, *_CHECKS)),
    "CertificateApproval",
    "CertificateSigning",
    "PodSecurity",
    "ResourceQuota",
)
"""The plug-ins that exist here, in their order."""

OFF_BY_DEFAULT = frozenset({"ServiceAccount", "TaintNodesByCondition"})
"""Off unless enabled: there is no node agent that would mount tokens or take the taint away."""


NEWEST_POD_SECURITY = 37
"""The minor release whose levels of pod security are known last."""


class UnknownPluginError(ValueError):
    """A plug-in that does not exist here was to be switched on or off."""


def check_plugin_names(names: Iterable[str]) -> None:
    """Refuse names of plug-ins that do not exist here.

    Raises:
        UnknownPluginError: a name is not among ``PLUGINS``.
    """
    for name in names:
        if name not in PLUGINS:
            known = ", ".join(PLUGINS)
            raise UnknownPluginError(f"unknown admission plug-in {name!r}; known: {known}")


class Admission:
    """The plug-ins that are on, for one API server."""

    def __init__(
        self,
        lookup: Lookup,
        gates: FeatureGates,
        *,
        enabled: Collection[str] = (),
        disabled: Collection[str] = (),
        authorizer: Authorizer | None = None,
        pod_security: int = NEWEST_POD_SECURITY,
    ) -> None:
        """Choose the plug-ins; whoever is in both lists is off.

        ``pod_security`` is the minor release whose levels of pod security are the latest.

        Raises:
            UnknownPluginError: a name is not among ``PLUGINS``.
        """
        check_plugin_names((*enabled, *disabled))
        on = (set(PLUGINS) - OFF_BY_DEFAULT | set(enabled)) - set(disabled)
        self._on = frozenset(on)
        self._lookup = lookup
        self._gates = gates
        self._authorizer = authorizer
        self._pod_security = pod_security
        self._changing = _Chains(_ROWS, on)
        self._limiting = _Chains(_LIMITS, on)
        self._checking = _Chains(_CHECKS, on)
        self._validity = _Chains(_VALIDITY, (_ALWAYS,))
        self._noted = _Chains(_IDENTITY, (_ALWAYS,))

    def has(self, plugin: str) -> bool:
        """Return whether a plug-in is on."""
        return plugin in self._on

    def admit(self, request: AdmissionRequest) -> None:
        """Let every plug-in that is concerned change or refuse a write.

        Raises:
            ApiError: one of them refuses it.
        """
        for admit in (*self._noted.of(request), *self._changing.of(request)):
            admit(request, self._lookup, self._gates)
        if self._authorizer is not None:
            confirm_no_escalation(request, self._authorizer)

    def check(self, request: AdmissionRequest) -> list[str]:
        """Let plug-ins refuse a write that is complete and valid; return what they warn of.

        Raises:
            ApiError: one of them refuses it.
        """
        for admit in (*self._validity.of(request), *self._limiting.of(request)):
            admit(request, self._lookup, self._gates)
        warnings: list[str] = []
        if self.has("PodSecurity"):
            warnings = check_security(request, self._lookup, newest=self._pod_security)
        for admit in self._checking.of(request):
            admit(request, self._lookup, self._gates)
        if self._authorizer is not None:
            certificates.confirm_signer_rights(request, self._authorizer, plugins=self._on)
        return warnings


class _Chains:
    """The plug-ins that are on, sorted out once for each operation and resource."""

    def __init__(self, rows: tuple[_Row, ...], on: Collection[str]) -> None:
        self._rows = tuple(row for row in rows if row.plugin in on)
        self._chains: dict[tuple[Operation, GroupResource, str], tuple[Admit, ...]] = {}

    def of(self, request: AdmissionRequest) -> tuple[Admit, ...]:
        """Return what concerns a write, in order."""
        key = (request.operation, request.info.group_resource, request.subresource)
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = self._select(*key)
        return chain

    def _select(
        self, operation: Operation, resource: GroupResource, subresource: str
    ) -> tuple[Admit, ...]:
        name = f"{resource}/{subresource}" if subresource else str(resource)
        return tuple(
            row.admit
            for row in self._rows
            if row.operation == operation and row.resource in ("*", name)
        )
