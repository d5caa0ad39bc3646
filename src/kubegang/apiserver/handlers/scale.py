"""Reading and changing how many replicas an object asks for, as ``kubectl scale`` does."""

from __future__ import annotations

import msgspec
from starlette.types import ASGIApp

from kubegang.apimachinery.errors import not_found
from kubegang.apimachinery.managedfields import apply
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import conversion
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_object
from kubegang.apiserver.customresources.scaling import scaling_of
from kubegang.apiserver.handlers.create import write_of
from kubegang.apiserver.handlers.patch import change_of, decode_applied
from kubegang.apiserver.negotiation import patch_type
from kubegang.apiserver.options import write_options
from kubegang.apiserver.rendering import finish, representation_of, shaped
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.scaling import SCALE, managed_scale_of, with_managers
from kubegang.apiserver.updating import Change, update_object
from kubegang.apiserver.writing import Write, check_name


async def get_scale(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer with the Scale of the object in the path."""
    item = backend.store.get(request.key)
    if item is None:
        raise not_found(request.group_resource, request.name)
    return _answer(backend, request, item.value)


async def update_scale(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Give the object the number in the body."""
    speaking = request.speaking(SCALE)
    representation_of(speaking)
    options = write_options(request, "UpdateOptions")
    body = await request.body()
    scale = decode_object(backend, speaking, body, options.field_validation)
    write = write_of(request, options)
    check_name(scale, write)
    scaling = scaling_of(request.info)
    value = await update_object(
        backend, write, lambda old: scaling.scaled(old, scale), precondition=True
    )
    return _answer(backend, request, value)


async def patch_scale(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Patch the Scale of the object in the path."""
    speaking = request.speaking(SCALE)
    representation_of(speaking)
    kind = patch_type(request.header(b"content-type"))
    options = write_options(request, "PatchOptions", apply=kind == "apply")
    body = await request.body()
    write = write_of(request, options)
    if kind == "apply":
        change = _applied(backend, speaking, write, body)
        value = await update_object(backend, write, change, managed=True)
        return _answer(backend, request, value)
    patched = change_of(backend, speaking, body, kind=kind, validation=options.field_validation)
    scaling = scaling_of(request.info)
    value = await update_object(
        backend, write, lambda old: scaling.scaled(old, patched(scaling.scale_of(old)))
    )
    return _answer(backend, request, value)


def _applied(backend: Backend, speaking: ApiRequest, write: Write, body: bytes) -> Change:
    scaling = scaling_of(write.info)

    def change(old: JsonObject) -> JsonObject:
        scale = apply(
            managed_scale_of(old, scaling.scale_of(old), replicas=scaling.replicas),
            decode_applied(body, speaking, write),
            schema=backend.schema(SCALE),
            manager=write.options.manager,
            api_version=str(SCALE.group_version),
            subresource=write.subresource,
            force=write.options.force,
            now=backend.now(),
        )
        api_version = str(write.info.group_version)
        changed = scaling.scaled(old, scale)
        return with_managers(changed, scale, api_version=api_version, replicas=scaling.replicas)

    return change


def _answer(backend: Backend, request: ApiRequest, value: bytes) -> ASGIApp:
    speaking = request.speaking(SCALE)
    representation = representation_of(speaking)
    scale = scaling_of(request.info).scale_of(conversion.from_stored(value, request.info))
    if representation.shape != "object":
        scale = shaped(backend, speaking, scale, representation)
    return finish(request, msgspec.json.encode(scale), representation)
