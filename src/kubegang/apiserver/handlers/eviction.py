"""Eviction: deleting a pod as far as its disruption budget allows.

Pods that do not run yet or any more, or are going already, are nobody's disruption. A budget
whose status is older than its spec answers "later"; an eviction that it allows is written
into its status first, so that two at once cannot both use the last one.
"""

from __future__ import annotations

import msgspec
from starlette.types import ASGIApp

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.conditions import is_true, set_condition
from kubegang.apimachinery.errors import (
    BadRequestError,
    StatusCause,
    StatusDetails,
    TooManyRequestsError,
    UnexplainedError,
    forbidden,
    not_found,
)
from kubegang.apimachinery.labels import label_selector_of
from kubegang.apimachinery.objects import GroupResource, GroupVersionKind, JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_as
from kubegang.apiserver.deleteoptions import parse_delete_options
from kubegang.apiserver.deleting import delete_object
from kubegang.apiserver.editing import edit_stored
from kubegang.apiserver.negotiation import PLAIN
from kubegang.apiserver.options import WriteOptions, write_options
from kubegang.apiserver.rendering import finish, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.writing import Write, check_preconditions

_EVICTION = GroupVersionKind("policy", "v1", "Eviction")
_BUDGETS = GroupResource("policy", "poddisruptionbudgets")
_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_NO_DISRUPTION = ("Pending", "Succeeded", "Failed")
_REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget."
_RETRY_SECONDS = 10
_MOST_UNCONFIRMED = 2000
"""So many evictions may wait for the disruption controller to see them (upstream's number)."""


async def evict(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Evict the pod in the path."""
    representation_of(request)
    options = write_options(request, "CreateOptions")
    body = await request.body()
    eviction = decode_as(
        backend, request, body, wanted=_EVICTION, validation=options.field_validation
    )
    if eviction["metadata"].get("name") != request.name:
        raise BadRequestError("name in URL does not match name in Eviction object")
    delete_options, dry_run = parse_delete_options(eviction.get("deleteOptions") or {})
    write = _write(request, options, dry_run=dry_run)
    pod = _read_pod(backend, write)
    wanted = {"uid": delete_options.uid, "revision": delete_options.resource_version}
    check_preconditions(pod, write, **wanted)
    await _use_budget(backend, write, pod)
    await edit_stored(backend, write, lambda stored: _mark_disrupted(stored, backend))
    # The mark has just changed the resourceVersion that the client knew.
    delete_options = msgspec.structs.replace(delete_options, resource_version="")
    await delete_object(backend, write, delete_options)
    return finish(request, msgspec.json.encode(_SUCCESS), PLAIN, status=201)


def _write(request: ApiRequest, options: WriteOptions, *, dry_run: bool) -> Write:
    return Write(
        info=request.info,
        storage=request.storage,
        namespace=request.namespace,
        name=request.name,
        options=msgspec.structs.replace(options, dry_run=options.dry_run or dry_run),
        warnings=request.warnings,
    )


def _read_pod(backend: Backend, write: Write) -> JsonObject:
    item = backend.store.get(write.key)
    if item is None:
        raise not_found(write.info.group_resource, write.name)
    return codec.decode(item.value)


async def _use_budget(backend: Backend, write: Write, pod: JsonObject) -> None:
    """Ask the pod's budget, if it has one and the pod counts, and use one disruption of it."""
    phase = (pod.get("status") or {}).get("phase")
    if phase in _NO_DISRUPTION or "deletionTimestamp" in pod["metadata"]:
        return
    info = backend.scheme.find("policy", "v1", "poddisruptionbudgets")
    budgets = _budgets(backend, info, pod) if info is not None else []
    if info is None or not budgets:
        return
    if len(budgets) > 1:
        raise UnexplainedError(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource "
            "does not support."
        )
    if not is_true(pod["status"].get("conditions"), "Ready") and _spares_unhealthy(budgets[0]):
        return
    budget = Write(
        info=info,
        storage=info,
        namespace=write.namespace,
        name=budgets[0]["metadata"]["name"],
        options=write.options,
    )
    await edit_stored(backend, budget, lambda stored: _take_one(stored, write.name, backend))


def _budgets(backend: Backend, info: ResourceInfo, pod: JsonObject) -> list[JsonObject]:
    prefix = info.key_prefix(pod["metadata"]["namespace"])
    labels = pod["metadata"].get("labels") or {}
    budgets = [codec.decode(item.value) for item in backend.store.list(prefix).items]
    selectors = [label_selector_of(one["spec"].get("selector")) for one in budgets]
    return [
        one for one, selector in zip(budgets, selectors, strict=True) if selector.matches(labels)
    ]


def _spares_unhealthy(budget: JsonObject) -> bool:
    """Return whether an unhealthy pod may go without asking."""
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    desired = status.get("desiredHealthy", 0)
    return bool(desired > 0 and status.get("currentHealthy", 0) >= desired)


def _why_none(status: JsonObject) -> str:
    """Return why a budget allows no disruption, as 1.37.2 tells it."""
    for condition in status.get("conditions") or ():
        if condition["type"] == "DisruptionAllowed" and condition["reason"] == "SyncFailed":
            because = f"because it failed sync: {condition['message']}"
            return f"does not allow evicting pods currently {because}"
    needed, there = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    if there > needed:
        return "does not allow evicting pods currently"
    return f"needs {needed} healthy pods and has {there} currently"


def _take_one(budget: JsonObject, pod_name: str, backend: Backend) -> None:
    """Write one more disruption into a budget's status.

    Raises:
        TooManyRequestsError: the budget has none left, or does not know yet.
        ForbiddenError: its numbers make no sense.
    """
    name, status = budget["metadata"]["name"], budget.setdefault("status", {})
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        why = f"The disruption budget {name} is still being processed by the server."
        raise _later(why, _RETRY_SECONDS)
    allowed = status.get("disruptionsAllowed", 0)
    disrupted = status.get("disruptedPods") or {}
    if allowed < 0:
        raise forbidden(_BUDGETS, name, "pdb disruptions allowed is negative")
    if len(disrupted) > _MOST_UNCONFIRMED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise forbidden(_BUDGETS, name, why)
    if allowed == 0:
        raise _later(f"The disruption budget {name} {_why_none(status)}", 0)
    status["disruptionsAllowed"] = allowed - 1
    status["disruptedPods"] = {**disrupted, pod_name: backend.now()}
    if allowed == 1:
        set_condition(
            status.setdefault("conditions", []),
            type="DisruptionAllowed",
            status="False",
            reason="InsufficientPods",
            message="",
            now=backend.clock.now(),
            observed_generation=status.get("observedGeneration", 0),
        )


def _later(why: str, seconds: int) -> TooManyRequestsError:
    cause = StatusCause(reason="DisruptionBudget", message=why)
    details = StatusDetails(causes=(cause,), retry_after_seconds=seconds)
    return TooManyRequestsError(_REFUSAL, details=details)


def _mark_disrupted(pod: JsonObject, backend: Backend) -> None:
    """Say on the pod why it goes."""
    conditions = pod.setdefault("status", {}).setdefault("conditions", [])
    scheduled = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": backend.now(),
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    if not is_true(conditions, "DisruptionTarget"):
        others = [one for one in conditions if one.get("type") != "DisruptionTarget"]
        pod["status"]["conditions"] = [*others, scheduled]
