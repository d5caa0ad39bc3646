"""The resources, one row per kind and version: data, as a real server's discovery shows it.

Measured on kube-apiserver 1.37.2 with every gang-scheduling gate on, 1.36.3 and 1.35.4 for
the older scheduling versions: verbs and names from discovery; by trial which kinds keep a
generation, take a PUT without resourceVersion or for a name that does not exist, and what
DELETE answers. ``proxy`` and ``token`` subresources are not offered.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.objects import GroupVersion

# Where OpenAPI names keep the types of a group.
_PACKAGES = {
    "": "core",
    "apiextensions.k8s.io": "apiextensions",
    "apps": "apps",
    "authentication.k8s.io": "authentication",
    "authorization.k8s.io": "authorization",
    "batch": "batch",
    "coordination.k8s.io": "coordination",
    "discovery.k8s.io": "discovery",
    "events.k8s.io": "events",
    "node.k8s.io": "node",
    "policy": "policy",
    "rbac.authorization.k8s.io": "rbac",
    "resource.k8s.io": "resource",
    "scheduling.k8s.io": "scheduling",
    "storage.k8s.io": "storage",
}

# Where the types of a group do not come with all the others.
_ROOTS = {"apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis"}

_STATUS = Subresource("status", ("get", "patch", "update"))

_SCALE = Subresource(
    "scale",
    ("get", "patch", "update"),
    kind="Scale",
    group_version=GroupVersion("autoscaling", "v1"),
)

# Requests that take over the connection, or a plain text instead of an object.
_POD_STREAMS = (
    Subresource("attach", ("create", "get"), kind="PodAttachOptions"),
    Subresource("exec", ("create", "get"), kind="PodExecOptions"),
    Subresource("log", ("get",)),
    Subresource("portforward", ("create", "get"), kind="PodPortForwardOptions"),
)

_POD_SUBRESOURCES = (
    *_POD_STREAMS,
    Subresource("binding", ("create",), kind="Binding"),
    Subresource("ephemeralcontainers", ("get", "patch", "update")),
    Subresource(
        "eviction", ("create",), kind="Eviction", group_version=GroupVersion("policy", "v1")
    ),
    Subresource("resize", ("get", "patch", "update")),
)


_TOKEN = Subresource(
    "token",
    ("create",),
    kind="TokenRequest",
    group_version=GroupVersion("authentication.k8s.io", "v1"),
)


class _Flags(TypedDict, total=False):
    """The members of a row that have a default."""

    namespaced: bool
    storage_version: str
    storage_group: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    verbs: tuple[str, ...]
    subresources: tuple[Subresource, ...]
    gate: str
    generation: bool
    update_needs_version: bool
    put_creates: bool
    delete_returns_object: bool
    graceful: bool
    warning: str


_ALL = ("all",)


def _row(
    api_version: str, kind: str, plural: str, *, status: bool = False, **flags: Unpack[_Flags]
) -> ResourceInfo:
    group, version = GroupVersion.parse(api_version)
    settings: _Flags = {"namespaced": True, "storage_version": version, **flags}
    if status:
        settings["subresources"] = (*settings.get("subresources", ()), _STATUS)
    return ResourceInfo(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        singular=kind.lower(),
        definition=f"{_ROOTS.get(group, 'io.k8s.api')}.{_PACKAGES[group]}.{version}.{kind}",
        status_subresource=status,
        **settings,
    )


_CORE = (
    _row("v1", "Binding", "bindings", verbs=("create",)),
    _row("v1", "ConfigMap", "configmaps", short_names=("cm",)),
    _row(
        "v1",
        "Endpoints",
        "endpoints",
        short_names=("ep",),
        put_creates=True,
        warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    _row("v1", "Event", "events", short_names=("ev",), put_creates=True),
    _row(
        "v1",
        "Namespace",
        "namespaces",
        namespaced=False,
        short_names=("ns",),
        verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
        subresources=(Subresource("finalize", ("update",)),),
        status=True,
        delete_returns_object=True,
    ),
    _row("v1", "Node", "nodes", short_names=("no",), namespaced=False, status=True),
    _row(
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        short_names=("pv",),
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    _row(
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        short_names=("pvc",),
        delete_returns_object=True,
        status=True,
    ),
    _row(
        "v1",
        "Pod",
        "pods",
        short_names=("po",),
        categories=_ALL,
        subresources=_POD_SUBRESOURCES,
        status=True,
        generation=True,
        delete_returns_object=True,
        graceful=True,
    ),
    _row("v1", "LimitRange", "limitranges", short_names=("limits",), put_creates=True),
    _row("v1", "PodTemplate", "podtemplates", generation=True, delete_returns_object=True),
    _row(
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        short_names=("rc",),
        categories=_ALL,
        subresources=(_SCALE,),
        generation=True,
        status=True,
    ),
    _row(
        "v1",
        "ResourceQuota",
        "resourcequotas",
        short_names=("quota",),
        delete_returns_object=True,
        status=True,
    ),
    _row("v1", "Secret", "secrets"),
    _row(
        "v1",
        "ServiceAccount",
        "serviceaccounts",
        short_names=("sa",),
        delete_returns_object=True,
        subresources=(_TOKEN,),
    ),
    _row(
        "v1",
        "Service",
        "services",
        short_names=("svc",),
        categories=_ALL,
        put_creates=True,
        delete_returns_object=True,
        status=True,
    ),
)

_WORKLOADS = (
    _row("apps/v1", "ControllerRevision", "controllerrevisions"),
    _row(
        "apps/v1",
        "DaemonSet",
        "daemonsets",
        short_names=("ds",),
        categories=_ALL,
        generation=True,
        status=True,
    ),
    _row(
        "apps/v1",
        "Deployment",
        "deployments",
        short_names=("deploy",),
        categories=_ALL,
        subresources=(_SCALE,),
        generation=True,
        status=True,
    ),
    _row(
        "apps/v1",
        "ReplicaSet",
        "replicasets",
        short_names=("rs",),
        categories=_ALL,
        subresources=(_SCALE,),
        generation=True,
        status=True,
    ),
    _row(
        "apps/v1",
        "StatefulSet",
        "statefulsets",
        short_names=("sts",),
        categories=_ALL,
        subresources=(_SCALE,),
        generation=True,
        status=True,
    ),
    _row(
        "batch/v1",
        "CronJob",
        "cronjobs",
        short_names=("cj",),
        categories=_ALL,
        generation=True,
        status=True,
    ),
    _row("batch/v1", "Job", "jobs", categories=_ALL, generation=True, status=True),
    _row(
        "policy/v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        short_names=("pdb",),
        generation=True,
        update_needs_version=True,
        status=True,
    ),
)

_OTHERS = (
    _row(
        "coordination.k8s.io/v1",
        "Lease",
        "leases",
        update_needs_version=True,
        put_creates=True,
    ),
    _row("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", generation=True),
    _row(
        "events.k8s.io/v1",
        "Event",
        "events",
        short_names=("ev",),
        put_creates=True,
        storage_group="",
    ),
    _row(
        "node.k8s.io/v1",
        "RuntimeClass",
        "runtimeclasses",
        update_needs_version=True,
        put_creates=True,
        namespaced=False,
    ),
)

_STORAGE = (
    _row(
        "storage.k8s.io/v1",
        "CSIDriver",
        "csidrivers",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    _row(
        "storage.k8s.io/v1",
        "CSINode",
        "csinodes",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    _row(
        "storage.k8s.io/v1",
        "CSIStorageCapacity",
        "csistoragecapacities",
        update_needs_version=True,
    ),
    _row(
        "storage.k8s.io/v1",
        "StorageClass",
        "storageclasses",
        short_names=("sc",),
        delete_returns_object=True,
        namespaced=False,
    ),
    _row(
        "storage.k8s.io/v1",
        "VolumeAttachment",
        "volumeattachments",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    _row(
        "storage.k8s.io/v1",
        "VolumeAttributesClass",
        "volumeattributesclasses",
        short_names=("vac",),
        delete_returns_object=True,
        namespaced=False,
    ),
)

_DEVICES = (
    _row(
        "resource.k8s.io/v1",
        "DeviceClass",
        "deviceclasses",
        generation=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    _row(
        "resource.k8s.io/v1",
        "DeviceTaintRule",
        "devicetaintrules",
        generation=True,
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    _row(
        "resource.k8s.io/v1",
        "ResourceClaim",
        "resourceclaims",
        delete_returns_object=True,
        status=True,
    ),
    _row(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        delete_returns_object=True,
    ),
    _row(
        "resource.k8s.io/v1",
        "ResourceSlice",
        "resourceslices",
        generation=True,
        delete_returns_object=True,
        namespaced=False,
    ),
)


def _gang_rows(
    version: str, *, storage: str, update_needs_version: bool
) -> tuple[ResourceInfo, ...]:
    """Return PodGroup and Workload of a version that has both."""
    return tuple(
        _row(
            f"scheduling.k8s.io/{version}",
            kind,
            plural,
            status=kind == "PodGroup",
            storage_version=storage,
            gate="GenericWorkload",
            update_needs_version=update_needs_version,
        )
        for kind, plural in (("PodGroup", "podgroups"), ("Workload", "workloads"))
    )


_SCHEDULING = (
    # Generation 1 is written at creation and never raised, whatever changes (1.37.2).
    _row(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        "priorityclasses",
        short_names=("pc",),
        generation=True,
        namespaced=False,
    ),
    _row("scheduling.k8s.io/v1alpha1", "Workload", "workloads", gate="GenericWorkload"),
    *_gang_rows("v1alpha2", storage="v1alpha2", update_needs_version=False),
    *_gang_rows("v1beta1", storage="v1beta1", update_needs_version=True),
    *_gang_rows("v1alpha3", storage="v1beta1", update_needs_version=True),
    _row(
        "scheduling.k8s.io/v1alpha3",
        "CompositePodGroup",
        "compositepodgroups",
        gate="CompositePodGroup",
        update_needs_version=True,
        status=True,
    ),
)

_EXTENSIONS = (
    _row(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        namespaced=False,
        generation=True,
        update_needs_version=True,
        delete_returns_object=True,
        status=True,
    ),
)

_RBAC = tuple(
    _row(
        "rbac.authorization.k8s.io/v1",
        kind,
        f"{kind.lower()}s",
        namespaced=not kind.startswith("Cluster"),
        put_creates=True,
    )
    for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
)

_CREATE = ("create",)

# Questions that are answered and not stored.
_REVIEWS = (
    _row(
        "authentication.k8s.io/v1",
        "SelfSubjectReview",
        "selfsubjectreviews",
        namespaced=False,
        verbs=_CREATE,
    ),
    _row(
        "authentication.k8s.io/v1", "TokenReview", "tokenreviews", namespaced=False, verbs=_CREATE
    ),
    _row(
        "authorization.k8s.io/v1",
        "LocalSubjectAccessReview",
        "localsubjectaccessreviews",
        verbs=_CREATE,
    ),
    *(
        _row("authorization.k8s.io/v1", kind, f"{kind.lower()}s", namespaced=False, verbs=_CREATE)
        for kind in ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview")
    ),
)

ROWS: tuple[ResourceInfo, ...] = (
    *_CORE,
    *_REVIEWS,
    *_WORKLOADS,
    *_OTHERS,
    *_STORAGE,
    *_DEVICES,
    *_RBAC,
    *_SCHEDULING,
    *_EXTENSIONS,
)
"""Every resource of every release; the version profile and the gates pick among them."""
