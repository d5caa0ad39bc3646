"""Changes to an object as it was seen, for controllers whose roles may update but not patch."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.patch import merge_patch
from kubegang.client.interface import Client, Resource


async def update_with(
    client: Client,
    resource: Resource,
    obj: JsonObject,
    *,
    change: JsonObject,
    subresource: str = "",
) -> JsonObject:
    """Write an object with a merge patch applied to it; return it as it is then.

    The resourceVersion of what was seen goes with it: nothing newer is overwritten.

    Raises:
        ConflictError: the object is another one by now.
    """
    return await client.update(resource, merge_patch(obj, change), subresource=subresource)
