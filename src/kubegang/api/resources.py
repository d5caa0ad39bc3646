"""The resources, one row per kind and version: data, as a real server's discovery shows it.

Measured on kube-apiserver 1.37.2 with every gang-scheduling gate on, 1.36.3 and 1.35.4 for
the older scheduling versions: verbs and names from discovery; by trial which kinds keep a
generation, take a PUT without resourceVersion or for a name that does not exist, and what
DELETE answers.
"""

from __future__ import annotations

from kubegang.api.resourcerows import ALL, POD_SUBRESOURCES, SCALE, TOKEN, row
from kubegang.api.scheme import ResourceInfo, Subresource

_CORE = (
    row("v1", "Binding", "bindings", verbs=("create",)),
    row("v1", "ConfigMap", "configmaps", short_names=("cm",)),
    row(
        "v1",
        "Endpoints",
        "endpoints",
        short_names=("ep",),
        put_creates=True,
        warning="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    row("v1", "Event", "events", short_names=("ev",), put_creates=True),
    row(
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
    row("v1", "Node", "nodes", short_names=("no",), namespaced=False, status=True),
    row(
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        short_names=("pv",),
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    row(
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        short_names=("pvc",),
        delete_returns_object=True,
        status=True,
    ),
    row(
        "v1",
        "Pod",
        "pods",
        short_names=("po",),
        categories=ALL,
        subresources=POD_SUBRESOURCES,
        status=True,
        generation=True,
        delete_returns_object=True,
        graceful=True,
    ),
    row("v1", "LimitRange", "limitranges", short_names=("limits",), put_creates=True),
    row("v1", "PodTemplate", "podtemplates", generation=True, delete_returns_object=True),
    row(
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        short_names=("rc",),
        categories=ALL,
        subresources=(SCALE,),
        generation=True,
        status=True,
    ),
    row(
        "v1",
        "ResourceQuota",
        "resourcequotas",
        short_names=("quota",),
        delete_returns_object=True,
        status=True,
    ),
    row("v1", "Secret", "secrets"),
    row(
        "v1",
        "ServiceAccount",
        "serviceaccounts",
        short_names=("sa",),
        delete_returns_object=True,
        subresources=(TOKEN,),
    ),
    row(
        "v1",
        "Service",
        "services",
        short_names=("svc",),
        categories=ALL,
        put_creates=True,
        delete_returns_object=True,
        status=True,
    ),
)

_WORKLOADS = (
    row("apps/v1", "ControllerRevision", "controllerrevisions"),
    row(
        "apps/v1",
        "DaemonSet",
        "daemonsets",
        short_names=("ds",),
        categories=ALL,
        generation=True,
        status=True,
    ),
    row(
        "apps/v1",
        "Deployment",
        "deployments",
        short_names=("deploy",),
        categories=ALL,
        subresources=(SCALE,),
        generation=True,
        status=True,
    ),
    row(
        "apps/v1",
        "ReplicaSet",
        "replicasets",
        short_names=("rs",),
        categories=ALL,
        subresources=(SCALE,),
        generation=True,
        status=True,
    ),
    row(
        "apps/v1",
        "StatefulSet",
        "statefulsets",
        short_names=("sts",),
        categories=ALL,
        subresources=(SCALE,),
        generation=True,
        status=True,
    ),
    row(
        "batch/v1",
        "CronJob",
        "cronjobs",
        short_names=("cj",),
        categories=ALL,
        generation=True,
        status=True,
    ),
    row("batch/v1", "Job", "jobs", categories=ALL, generation=True, status=True),
    row(
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
    *(
        row(
            f"autoscaling/{version}",
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
            short_names=("hpa",),
            categories=ALL,
            storage_version="v2",
            generation=True,
            generation_gate="HPAGeneration",
            status=True,
        )
        for version in ("v2", "v1")
    ),
    row(
        "certificates.k8s.io/v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        short_names=("csr",),
        namespaced=False,
        subresources=(Subresource("approval", ("get", "patch", "update")),),
        status=True,
    ),
    row(
        "coordination.k8s.io/v1",
        "Lease",
        "leases",
        update_needs_version=True,
        put_creates=True,
    ),
    row("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", generation=True),
    row(
        "events.k8s.io/v1",
        "Event",
        "events",
        short_names=("ev",),
        put_creates=True,
        storage_group="",
    ),
    row(
        "networking.k8s.io/v1",
        "Ingress",
        "ingresses",
        short_names=("ing",),
        generation=True,
        status=True,
    ),
    row(
        "networking.k8s.io/v1",
        "IngressClass",
        "ingressclasses",
        generation=True,
        namespaced=False,
    ),
    row(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        "networkpolicies",
        short_names=("netpol",),
        generation=True,
    ),
    row(
        "node.k8s.io/v1",
        "RuntimeClass",
        "runtimeclasses",
        update_needs_version=True,
        put_creates=True,
        namespaced=False,
    ),
)

_STORAGE = (
    row(
        "storage.k8s.io/v1",
        "CSIDriver",
        "csidrivers",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    row(
        "storage.k8s.io/v1",
        "CSINode",
        "csinodes",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    row(
        "storage.k8s.io/v1",
        "CSIStorageCapacity",
        "csistoragecapacities",
        update_needs_version=True,
    ),
    row(
        "storage.k8s.io/v1",
        "StorageClass",
        "storageclasses",
        short_names=("sc",),
        delete_returns_object=True,
        namespaced=False,
    ),
    row(
        "storage.k8s.io/v1",
        "VolumeAttachment",
        "volumeattachments",
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    row(
        "storage.k8s.io/v1",
        "VolumeAttributesClass",
        "volumeattributesclasses",
        short_names=("vac",),
        delete_returns_object=True,
        namespaced=False,
    ),
)

_DEVICES = (
    row(
        "resource.k8s.io/v1",
        "DeviceClass",
        "deviceclasses",
        generation=True,
        delete_returns_object=True,
        namespaced=False,
    ),
    row(
        "resource.k8s.io/v1",
        "DeviceTaintRule",
        "devicetaintrules",
        generation=True,
        update_needs_version=True,
        delete_returns_object=True,
        namespaced=False,
        status=True,
    ),
    *(
        row(
            f"resource.k8s.io/{version}",
            "DeviceTaintRule",
            "devicetaintrules",
            storage_version="v1",
            generation=True,
            delete_returns_object=True,
            namespaced=False,
            status=True,
        )
        for version in ("v1beta2", "v1alpha3")
    ),
    row(
        "resource.k8s.io/v1",
        "ResourceClaim",
        "resourceclaims",
        delete_returns_object=True,
        status=True,
    ),
    row(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        delete_returns_object=True,
    ),
    row(
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
        row(
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
    row(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        "priorityclasses",
        short_names=("pc",),
        generation=True,
        namespaced=False,
    ),
    row("scheduling.k8s.io/v1alpha1", "Workload", "workloads", gate="GenericWorkload"),
    *_gang_rows("v1alpha2", storage="v1alpha2", update_needs_version=False),
    *_gang_rows("v1beta1", storage="v1beta1", update_needs_version=True),
    *_gang_rows("v1alpha3", storage="v1beta1", update_needs_version=True),
    row(
        "scheduling.k8s.io/v1alpha3",
        "CompositePodGroup",
        "compositepodgroups",
        gate="CompositePodGroup",
        update_needs_version=True,
        status=True,
    ),
)

_EXTENSIONS = (
    row(
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
    row(
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
    row(
        "authentication.k8s.io/v1",
        "SelfSubjectReview",
        "selfsubjectreviews",
        namespaced=False,
        verbs=_CREATE,
    ),
    row("authentication.k8s.io/v1", "TokenReview", "tokenreviews", namespaced=False, verbs=_CREATE),
    row(
        "authorization.k8s.io/v1",
        "LocalSubjectAccessReview",
        "localsubjectaccessreviews",
        verbs=_CREATE,
    ),
    *(
        row("authorization.k8s.io/v1", kind, f"{kind.lower()}s", namespaced=False, verbs=_CREATE)
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
