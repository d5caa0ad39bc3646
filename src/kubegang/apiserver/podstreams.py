"""Logs, exec, attach and port-forward: checked as kube-apiserver does it, then refused.

These requests are for the kubelet of the pod's node, and this server knows no kubelets: its
nodes are simulated. Up to the point where the connection would be made the answers are
upstream's (measured on 1.37.2), so that a wrong name or container gets its usual text.
"""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apimachinery.errors import BadRequestError, NotImplementedApiError, not_found
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.errors import unparsable_number
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import Answer

STREAMS = ("attach", "exec", "log", "portforward")
"""The subresources of pods that are no objects."""

_CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")

_LOG_NUMBERS = {"limitBytes": 1, "sinceSeconds": 1, "tailLines": 0}
"""Numbers that a request for logs may carry, and the least value of each."""


async def pod_stream(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer a request that would have gone on to a kubelet.

    Raises:
        BadRequestError: the container is none of the pod's, or the pod has no node yet.
        InvalidError: an option of a log request is out of range.
        NotFoundError: there is no such pod.
        NotImplementedApiError: the request is right, but nobody can carry it out.
    """
    stream = request.target.subresource
    if stream == "log":
        _check_log_options(request)
    item = backend.store.get(request.key)
    if item is None:
        raise not_found(request.group_resource, request.name)
    pod = codec.decode(item.value)
    if stream != "portforward":
        _check_container(pod, request.option("container"))
    if not pod["spec"].get("nodeName"):
        if stream == "log":
            return Answer(b"", 204)
        raise BadRequestError(f"pod {request.name} does not have a host assigned")
    if stream == "log":
        raise BadRequestError(
            f"pod {request.name} has no logs: its node is simulated and runs no containers"
        )
    raise NotImplementedApiError(
        f"{stream} is not possible: the node of pod {request.name} is simulated and runs no "
        "containers"
    )


def _check_container(pod: JsonObject, asked: str) -> None:
    """Refuse a container that does not exist, and none where there are several."""
    name = pod["metadata"]["name"]
    containers = [
        container["name"]
        for field in _CONTAINER_LISTS
        for container in pod["spec"].get(field) or ()
    ]
    if asked and asked not in containers:
        raise BadRequestError(f"container {asked} is not valid for pod {name}")
    if not asked and len(containers) > 1:
        raise BadRequestError(
            f"a container name must be specified for pod {name}, "
            f"choose one of: [{' '.join(containers)}]"
        )


def _check_log_options(request: ApiRequest) -> None:
    errors: list[FieldError] = []
    for name, least in _LOG_NUMBERS.items():
        text = request.option(name)
        if not text:
            continue
        try:
            value = int(text)
        except ValueError:
            raise BadRequestError(unparsable_number(text)) from None
        if value < least:
            bound = "greater than 0" if least else "greater than or equal to 0"
            errors.append(invalid_value(Path(name), value, f"must be {bound}"))
    if errors:
        raise invalid_object("", "PodLogOptions", request.name, errors)
