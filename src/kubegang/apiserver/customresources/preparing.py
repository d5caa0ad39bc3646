"""What a write does to a custom object before it is validated. Pure: in place."""

from __future__ import annotations

from kubegang.api.customresources.kind import CustomKind
from kubegang.api.customresources.metadata import CoercionError
from kubegang.api.customresources.rows import custom_of
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import UnexplainedError, forbidden
from kubegang.apimachinery.objects import JsonObject


def complete_custom(obj: JsonObject, kind: CustomKind) -> None:
    """Bring an object to its form and fill in defaults.

    Raises:
        UnexplainedError: an applied object has the wrong type somewhere.
    """
    if obj.get("kind") != kind.gvk.kind:
        # Validation refuses it for that alone.
        return
    try:
        kind.complete(obj)
    except CoercionError as error:
        raise UnexplainedError(str(error)) from error


def refuse_if_terminating(info: ResourceInfo, name: str) -> None:
    """Refuse a new object of a kind whose definition is being deleted.

    Raises:
        ForbiddenError: it is.
    """
    custom = custom_of(info)
    if custom is not None and custom.terminating:
        why = "create not allowed while custom resource definition is terminating"
        raise forbidden(info.group_resource, name, why)


def prepare_custom_update(
    new: JsonObject, old: JsonObject, kind: CustomKind, *, subresource: str
) -> None:
    """Keep what this request may not change, and count what it does.

    The status endpoint takes the status and nothing else; all other changes but those of
    metadata raise the generation (measured on 1.37.2).
    """
    if subresource == "status":
        _keep_all_but_status(new, old)
        return
    if kind.has_status:
        if "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)
    if {**new, "metadata": None} != {**old, "metadata": None}:
        new["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1


def _keep_all_but_status(new: JsonObject, old: JsonObject) -> None:
    status = {"status": new["status"]} if "status" in new else {}
    metadata = {**old["metadata"], "resourceVersion": new["metadata"]["resourceVersion"]}
    managers = new["metadata"].get("managedFields")
    if managers is None:
        metadata.pop("managedFields", None)
    else:
        metadata["managedFields"] = managers
    kept = {name: value for name, value in old.items() if name != "status"}
    new.clear()
    new.update({**kept, "metadata": metadata, **status})
