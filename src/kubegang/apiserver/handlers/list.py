"""Lists, and the watches that are asked for in the same way."""

from __future__ import annotations

from starlette.types import ASGIApp

from kubegang.apiserver.backend import Backend
from kubegang.apiserver.handlers.watch import watch
from kubegang.apiserver.options import list_options
from kubegang.apiserver.paging import read_listing
from kubegang.apiserver.rendering import list_answer
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.selection import select


async def list_or_watch(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Answer with the objects that are selected, or with a stream of what happens to them."""
    options = list_options(request)
    selection = select(request, options)
    if options.watch:
        request.verb, request.streaming = "watch", True
        return await watch(backend, request, options, selection)
    listing = await read_listing(backend, selection, options)
    return list_answer(backend, request, listing.values, listing.metadata)
