"""Creating objects."""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_object
from kubegang.apiserver.creating import create_object
from kubegang.apiserver.options import WriteOptions, write_options
from kubegang.apiserver.rendering import object_answer, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.writing import Write


async def create(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Create the object in the body and answer with what was stored."""
    representation_of(request)
    options = write_options(request, "CreateOptions")
    body = await request.body()
    obj = decode_object(backend, request, body, options.field_validation)
    value = await create_object(backend, write_of(request, options), obj)
    return object_answer(backend, request, value, 201)


def write_of(request: ApiRequest, options: WriteOptions) -> Write:
    """Return the write that a request asks for."""
    return Write(
        info=request.info,
        storage=request.storage,
        namespace=request.namespace,
        name=request.name,
        options=options,
        subresource=request.target.subresource,
        identity=request.identity,
        warnings=request.warnings,
    )
