"""Deleting whatever is selected."""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.deleteoptions import read_delete_options
from kubegang.apiserver.deleting import delete_object
from kubegang.apiserver.handlers.delete import deletion_write
from kubegang.apiserver.options import list_options
from kubegang.apiserver.paging import read_listing
from kubegang.apiserver.rendering import list_answer, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.selection import select


async def delete_collection(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Delete the objects that are selected and answer with a list of them, as they were."""
    representation_of(request, listed=True)
    listed = list_options(request)
    selection = select(request, listed)
    options, dry_run = await read_delete_options(backend, request)
    listing = await read_listing(backend, selection, listed)
    for value in listing.values:
        metadata = codec.decode(value)["metadata"]
        namespace = metadata.get("namespace", "")
        write = deletion_write(request, metadata["name"], namespace, dry_run=dry_run)
        try:
            await delete_object(backend, write, options)
        except NotFoundError:
            # Gone by itself meanwhile: that is what was wanted.
            continue
    return list_answer(backend, request, listing.values, listing.metadata)
