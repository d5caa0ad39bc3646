"""Changing a stored object in place, outside the rules of updates.

Subresources that write a few fields of their own (binding, eviction) need neither defaults
nor field managers; they read, change and write, again if somebody was faster.
"""

from __future__ import annotations

from collections.abc import Callable

from kubegang.apimachinery.errors import not_found
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.writing import Write
from kubegang.store.interface import KeyMissingError, RevisionConflictError

Edit = Callable[[JsonObject], None]
"""Changes an object in its stored form. Called anew for each attempt; may raise ``ApiError``."""


async def edit_stored(backend: Backend, write: Write, edit: Edit) -> bytes:
    """Change an object and return its stored bytes.

    Raises:
        NotFoundError: there is no such object.
    """
    while True:
        item = backend.store.get(write.key)
        if item is None:
            raise not_found(write.info.group_resource, write.name)
        obj = codec.decode(item.value)
        edit(obj)
        stored_as = write.info.stored_as
        if write.options.dry_run:
            return codec.encode_object(obj, stored_as)
        try:
            encode = codec.encoder(obj, stored_as)
            return (await backend.store.update(write.key, encode, expected=item.revision)).value
        except RevisionConflictError:
            # Somebody else's write came between; theirs counts, so this loop makes progress.
            continue
        except KeyMissingError:
            raise not_found(write.info.group_resource, write.name) from None
