"""Deleting one object."""

from __future__ import annotations

import msgspec
from starlette.types import ASGIApp

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.deleteoptions import read_delete_options
from kubegang.apiserver.deleting import Deletion, delete_object
from kubegang.apiserver.negotiation import PLAIN
from kubegang.apiserver.options import WriteOptions
from kubegang.apiserver.rendering import finish, object_answer, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.strategies.table import rules_of
from kubegang.apiserver.writing import Write


async def delete(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Delete an object; answer with it if it stays or its kind wants that, else with a Status."""
    representation_of(request)
    options, dry_run = await read_delete_options(backend, request)
    warning = rules_of(request.group_resource).orphan_warning
    if warning and not options.propagation:
        request.warnings.append(warning)
    write = deletion_write(request, request.name, request.namespace, dry_run=dry_run)
    deletion = await delete_object(backend, write, options)
    if request.info.delete_returns_object or not deletion.gone:
        return object_answer(backend, request, deletion.value)
    return finish(request, msgspec.json.encode(_success(request, deletion)), PLAIN)


def deletion_write(request: ApiRequest, name: str, namespace: str, *, dry_run: bool) -> Write:
    """Return the write that deletes one object of the request's resource."""
    return Write(
        info=request.info,
        storage=request.storage,
        namespace=namespace,
        name=name,
        options=WriteOptions(dry_run=dry_run, manager="", field_validation="Ignore"),
        warnings=request.warnings,
    )


def _success(request: ApiRequest, deletion: Deletion) -> JsonObject:
    details = {"name": request.name, "group": request.info.group, "kind": request.info.plural}
    details["uid"] = codec.decode(deletion.value)["metadata"]["uid"]
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }
