"""Binding: a pod gets its node, once, in one write with its PodScheduled condition.

What the Binding carries in annotations and labels goes onto the pod. The node need not exist.
No field manager owns what is written here, as upstream.
"""

from __future__ import annotations

import msgspec
from starlette.types import ASGIApp

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.errors import BadRequestError, UnexplainedError, conflict
from kubegang.apimachinery.field import Path, not_supported, required
from kubegang.apimachinery.objects import GroupResource, GroupVersionKind, JsonObject
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_as
from kubegang.apiserver.editing import edit_stored
from kubegang.apiserver.negotiation import PLAIN
from kubegang.apiserver.options import WriteOptions, write_options
from kubegang.apiserver.rendering import finish, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.writing import Write

_BINDING = GroupVersionKind("", "v1", "Binding")
_PODS_BINDING = GroupResource("", "pods/binding")
_TARGET = Path("target")
_CREATED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


async def bind(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Put the pod in the path, or the one that the Binding names, on the Binding's target."""
    representation_of(request)
    options = write_options(request, "CreateOptions")
    body = await request.body()
    binding = decode_as(
        backend, request, body, wanted=_BINDING, validation=options.field_validation
    )
    write = _write_of(backend, request, binding, options)
    backend.admission.admit(write.admission("create", binding))
    _check_target(binding)

    def put_on_node(pod: JsonObject) -> None:
        _check_preconditions(write, binding, pod)
        _check_bindable(pod, write.name)
        _assign(pod, binding, backend.now())

    await edit_stored(backend, write, put_on_node)
    return finish(request, msgspec.json.encode(_CREATED), PLAIN, status=201)


def _write_of(
    backend: Backend, request: ApiRequest, binding: JsonObject, options: WriteOptions
) -> Write:
    name = binding["metadata"].get("name", "")
    if not request.target.subresource and not name:
        raise BadRequestError("Name parameter required.")
    if request.target.subresource and name != request.name:
        raise BadRequestError("name in URL does not match name in Binding object")
    namespace = binding["metadata"].get("namespace") or request.namespace
    if namespace != request.namespace:
        raise BadRequestError(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    pods = backend.scheme.find("", "v1", "pods") or request.info
    return Write(
        info=pods,
        storage=pods,
        namespace=namespace,
        name=name,
        options=options,
        subresource="binding",
        warnings=request.warnings,
    )


def _check_target(binding: JsonObject) -> None:
    """Refuse a target that is no node, as a bare list of faults (500, measured on 1.37.2)."""
    target = binding.get("target") or {}
    faults = []
    if target.get("kind", "") not in ("", "Node"):
        faults.append(not_supported(_TARGET.child("kind"), target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        faults.append(required(_TARGET.child("name")))
    if faults:
        lines = [f"{fault.field}: {fault.message}" for fault in faults]
        raise UnexplainedError(lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]")


def _check_preconditions(write: Write, binding: JsonObject, pod: JsonObject) -> None:
    """Refuse a Binding that means another pod of this name, or another state of it."""
    for name, what in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted, found = binding["metadata"].get(name), pod["metadata"][name]
        if wanted and wanted != found:
            raise write.precondition_failed(what, wanted, found)


def _check_bindable(pod: JsonObject, name: str) -> None:
    spec = pod["spec"]
    if "deletionTimestamp" in pod["metadata"]:
        why = f"pod {name} is being deleted, cannot be assigned to a host"
        raise conflict(_PODS_BINDING, name, why)
    if spec.get("nodeName"):
        why = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
        raise conflict(_PODS_BINDING, name, why)
    if spec.get("schedulingGates"):
        raise conflict(_PODS_BINDING, name, f"pod {name} has non-empty .spec.schedulingGates")


def _assign(pod: JsonObject, binding: JsonObject, now: str) -> None:
    pod["spec"]["nodeName"] = binding["target"]["name"]
    for name in ("annotations", "labels"):
        brought = binding["metadata"].get(name)
        if brought:
            pod["metadata"][name] = {**(pod["metadata"].get(name) or {}), **brought}
    status = pod["status"]
    status.pop("nominatedNodeName", None)
    conditions = status.setdefault("conditions", [])
    scheduled = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": now,
    }
    found = find_condition(conditions, "PodScheduled")
    if found is None:
        conditions.append(scheduled)
    else:
        found.clear()
        found.update(scheduled)
