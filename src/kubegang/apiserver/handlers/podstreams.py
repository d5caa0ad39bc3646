"""Connections into pods, which nodes would serve: logs, exec, attach, port forwarding.

The nodes of this cluster are simulated and run no containers, so there is nothing to connect
to. What can be said without a container is said as upstream says it.
"""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apimachinery.errors import BadRequestError, NotImplementedApiError, not_found
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import Answer


async def log(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer to a request for a container's log."""
    pod = _read_pod(backend, request)
    _check_container(pod, request.option("container"), request.name)
    if not pod["spec"].get("nodeName"):
        # Nothing has been written yet (measured: no content rather than an empty text).
        return Answer(b"", 204, content_type="")
    raise BadRequestError(
        f"pod {request.name} runs on a simulated node, which keeps no logs of its containers"
    )


async def connect(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer to a request that would take over the connection."""
    pod = _read_pod(backend, request)
    _check_container(pod, request.option("container"), request.name)
    if not pod["spec"].get("nodeName"):
        raise BadRequestError(f"pod {request.name} does not have a host assigned")
    raise NotImplementedApiError(
        f"{request.target.subresource} is not possible: pod {request.name} runs on a simulated "
        "node, which has no containers to connect to"
    )


async def unsupported(_backend: Backend, request: ApiRequest) -> ASGIApp:
    """Refuse to change a part of a pod that only a node could change."""
    raise NotImplementedApiError(
        f"changes of {request.info.plural}/{request.target.subresource} are not supported"
    )


def _read_pod(backend: Backend, request: ApiRequest) -> JsonObject:
    item = backend.store.get(request.key)
    if item is None:
        raise not_found(request.group_resource, request.name)
    return codec.decode(item.value)


def _check_container(pod: JsonObject, name: str, pod_name: str) -> None:
    spec = pod["spec"]
    containers = [
        container["name"]
        for group in ("containers", "initContainers", "ephemeralContainers")
        for container in spec.get(group) or ()
    ]
    if name and name not in containers:
        raise BadRequestError(f"container {name} is not valid for pod {pod_name}")
