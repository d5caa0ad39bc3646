"""Finalizers that controllers take off again, once what they protect needs it no more."""

from __future__ import annotations

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client, Resource


def is_held(obj: JsonObject, finalizer: str) -> bool:
    """Return whether an object is being deleted and held by a finalizer."""
    metadata = obj["metadata"]
    held = finalizer in (metadata.get("finalizers") or ())
    return held and metadata.get("deletionTimestamp") is not None


async def take_off(client: Client, resource: Resource, obj: JsonObject, *, finalizer: str) -> None:
    """Take a finalizer off an object as it was seen; one that is gone needs nothing."""
    metadata = obj["metadata"]
    kept = [entry for entry in metadata["finalizers"] if entry != finalizer]
    # Not a patch: the roles of these controllers may update only. The resourceVersion makes sure
    # that nobody's finalizer is lost in between.
    about = {key: value for key, value in metadata.items() if key != "finalizers"}
    if kept:
        about["finalizers"] = kept
    try:
        await client.update(resource, {**obj, "metadata": about})
    except NotFoundError:
        return
