"""Reading one object."""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apimachinery.errors import not_found
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.options import parse_revision
from kubegang.apiserver.paging import wait_for_revision
from kubegang.apiserver.rendering import object_answer
from kubegang.apiserver.requests import ApiRequest


async def get(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer with an object, or with its part of the same kind (``/status``)."""
    if request.query:
        await wait_for_revision(
            backend, parse_revision(request.option("resourceVersion"), code=500)
        )
    item = backend.store.get(request.key)
    if item is None:
        raise not_found(request.group_resource, request.name)
    return object_answer(backend, request, item.value)
