"""Replacing objects, their status, or a namespace's finalizers."""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.access import confirm_may_create
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_object
from kubegang.apiserver.creating import create_object
from kubegang.apiserver.handlers.create import write_of
from kubegang.apiserver.options import write_options
from kubegang.apiserver.rendering import object_answer, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.updating import update_object
from kubegang.apiserver.writing import Write, check_name


async def update(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Replace an object by the one in the body; a few kinds are created if they are missing."""
    representation_of(request)
    options = write_options(request, "UpdateOptions")
    body = await request.body()
    first = decode_object(backend, request, body, options.field_validation)
    write = write_of(request, options)
    attempts = [first]

    def replace(_old: JsonObject) -> JsonObject:
        # The first attempt uses the object up; a later one, after a lost race, needs another.
        if attempts:
            return attempts.pop()
        return decode_object(backend, request, body, "Ignore")

    check_name(first, write)
    if _creates(backend, request):
        return await _create_instead(backend, request, write, first)
    value = await update_object(backend, write, replace, precondition=True)
    return object_answer(backend, request, value)


def _creates(backend: Backend, request: ApiRequest) -> bool:
    return (
        request.info.put_creates
        and not request.target.subresource
        and backend.store.get(request.key) is None
    )


async def _create_instead(
    backend: Backend, request: ApiRequest, write: Write, obj: JsonObject
) -> ASGIApp:
    uid = obj["metadata"].get("uid")
    if uid:
        # A client that knows a uid means an object that existed.
        raise write.precondition_failed("UID", uid, "")
    confirm_may_create(backend, request)
    obj["metadata"].pop("resourceVersion", None)
    value = await create_object(backend, write, obj)
    return object_answer(backend, request, value, 201)
