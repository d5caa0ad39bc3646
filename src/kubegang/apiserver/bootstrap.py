"""What every cluster has from its first moment: system namespaces, priority classes, its Service.

Safe to run at every start: what is there already stays as it is.
"""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.creating import create_object
from kubegang.apiserver.options import WriteOptions
from kubegang.apiserver.writing import Write

NAMESPACES = ("kube-system", "kube-public", "kube-node-lease", "default")

_OPTIONS = WriteOptions(dry_run=False, manager="kube-apiserver", field_validation="Ignore")

_PRIORITY_CLASSES = (
    (
        "system-node-critical",
        2000001000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2000000000,
        "Used for system critical pods that must run in the cluster, but can be moved to another "
        "node if necessary.",
    ),
)

_SERVICE_ADDRESS = "10.0.0.1"


async def bootstrap(backend: Backend, *, port: int = 443) -> None:
    """Create what is missing; ``port`` is where the API server listens, for its Service."""
    for name in NAMESPACES:
        await _ensure(backend, ("", "v1", "namespaces"), {"metadata": {"name": name}})
    for name, value, description in _PRIORITY_CLASSES:
        obj = {"metadata": {"name": name}, "value": value, "description": description}
        await _ensure(backend, ("scheduling.k8s.io", "v1", "priorityclasses"), obj)
    await _ensure(backend, ("", "v1", "services"), _service(port), namespace="default")


async def _ensure(
    backend: Backend, resource: tuple[str, str, str], obj: JsonObject, *, namespace: str = ""
) -> None:
    info = backend.scheme.find(*resource)
    if info is None or backend.store.get(info.key(namespace, obj["metadata"]["name"])) is not None:
        return
    write = Write(
        info=info,
        storage=backend.scheme.storage(info),
        namespace=namespace,
        name="",
        options=_OPTIONS,
    )
    named = {"apiVersion": str(info.group_version), "kind": info.kind, **obj}
    try:
        await create_object(backend, write, named)
    except AlreadyExistsError:
        return


def _service(port: int) -> JsonObject:
    """Return the Service by which programs in a cluster find the API server."""
    return {
        "metadata": {
            "name": "kubernetes",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": port}],
            "clusterIP": _SERVICE_ADDRESS,
            "clusterIPs": [_SERVICE_ADDRESS],
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        },
    }
