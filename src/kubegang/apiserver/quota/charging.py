"""ResourceQuota admission: a write is charged to every quota that counts it, or refused.

The last step before storing. The count is raised in the quota's own status, by compare and
swap, before the object is stored: so however many are created at once, they never exceed a
quota. An object that is not stored after all stays charged until the quota controller counts
again (upstream's order and texts, measured on 1.37.2).
"""

from __future__ import annotations

from typing import NamedTuple

from kubegang.api.quotas.amounts import (
    ZERO,
    Amounts,
    added,
    amounts_of,
    only,
    said,
    subtracted,
    to_wire,
)
from kubegang.api.quotas.explicit import unsaid
from kubegang.api.quotas.scopes import has_scopes, pod_in_scopes
from kubegang.api.quotas.usage import CLAIMS, PODS, SERVICES, matching_names, usage_of
from kubegang.apimachinery.errors import ForbiddenError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.strategies.qos import qos_class
from kubegang.apiserver.writing import Write
from kubegang.store.interface import Item, KeyMissingError, RevisionConflictError

PLUGIN = "ResourceQuota"

_PREFIX = "/core/resourcequotas/"
_QUOTA = GroupVersionKind("", "v1", "ResourceQuota")
_CHANGING = (SERVICES, CLAIMS)
"""What may come to count for more after it was created."""


class _Charge(NamedTuple):
    """A quota as it will be with the write."""

    item: Item
    quota: JsonObject


async def charge(
    backend: Backend, write: Write, obj: JsonObject, old: JsonObject | None = None
) -> None:
    """Charge a write that is complete and valid.

    Raises:
        ForbiddenError: a quota does not allow it.
    """
    if write.subresource or not write.info.namespaced or not backend.admission.has(PLUGIN):
        return
    if old is not None and write.info.group_resource not in _CHANGING:
        return
    charged: set[str] = set()
    while True:
        items = backend.store.list(f"{_PREFIX}{write.namespace}/").items
        if not items:
            return
        charges = _charges(backend, write, obj, old, items=items, charged=charged)
        if write.options.dry_run or _is_taken(backend, write, obj, old):
            return
        if await _store(backend, charges, charged):
            return


async def _store(backend: Backend, charges: list[_Charge], charged: set[str]) -> bool:
    """Write the counts; return whether all were written before anybody else's."""
    for item, quota in charges:
        try:
            await backend.store.update(
                item.key, codec.encoder(quota, _QUOTA), expected=item.revision
            )
        except (RevisionConflictError, KeyMissingError):
            return False
        charged.add(item.key)
    return True


def _is_taken(backend: Backend, write: Write, obj: JsonObject, old: JsonObject | None) -> bool:
    """Return whether a new object will be refused for its name, and must not be counted."""
    key = write.storage.key(write.namespace, obj["metadata"].get("name", ""))
    return old is None and backend.store.get(key) is not None


def _charges(
    backend: Backend,
    write: Write,
    obj: JsonObject,
    old: JsonObject | None,
    *,
    items: tuple[Item, ...],
    charged: set[str],
) -> list[_Charge]:
    resource, now = write.info.group_resource, backend.clock.now()
    usage = usage_of(resource, obj, now=now)
    quotas = [(item, codec.decode(item.value)) for item in items if item.key not in charged]
    counting = [(item, quota) for item, quota in quotas if _counts(quota, write, obj)]
    if old is not None:
        usage = subtracted(usage, usage_of(resource, old, now=now))
    usage = {name: amount for name, amount in usage.items() if amount != ZERO}
    charges = []
    for item, quota in counting:
        asked = only(usage, _hard(quota))
        if asked:
            _add(write, obj, quota, asked)
            charges.append(_Charge(item, quota))
    return charges


def _counts(quota: JsonObject, write: Write, obj: JsonObject) -> bool:
    """Return whether a quota counts an object, which must then say what it takes.

    Raises:
        ForbiddenError: it does not say, or the quota has not been counted yet.
    """
    resource = write.info.group_resource
    names = matching_names(resource, _hard(quota))
    if not names:
        return False
    if resource == PODS:
        best_effort = qos_class(obj) == "BestEffort"
        if not pod_in_scopes(quota, obj, best_effort=best_effort):
            return False
        if missing := unsaid(obj, names):
            name = quota["metadata"]["name"]
            raise _refuse(write, obj, f"failed quota: {name}: must specify {missing}")
    elif has_scopes(quota):
        return False
    used = (quota.get("status") or {}).get("used") or {}
    if any(name not in used for name in names):
        name, shown = quota["metadata"]["name"], ",".join(sorted(names))
        raise _refuse(write, obj, f"status unknown for quota: {name}, resources: {shown}")
    return True


def _add(write: Write, obj: JsonObject, quota: JsonObject, asked: Amounts) -> None:
    """Raise a quota's count.

    Raises:
        ForbiddenError: it would be more than allowed.
    """
    status = quota["status"]
    hard, used = amounts_of(status["hard"]), amounts_of(status.get("used"))
    then = added((used, asked))
    exceeded = [name for name, more in asked.items() if more > ZERO and hard[name] < then[name]]
    if exceeded:
        raise _refuse(
            write,
            obj,
            f"exceeded quota: {quota['metadata']['name']}, "
            f"requested: {said(only(asked, exceeded))}, used: {said(only(used, exceeded))}, "
            f"limited: {said(only(hard, exceeded))}",
        )
    status["used"] = to_wire(then)


def _hard(quota: JsonObject) -> dict[str, str]:
    hard: dict[str, str] = (quota.get("status") or {}).get("hard") or {}
    return hard


def _refuse(write: Write, obj: JsonObject, why: str) -> ForbiddenError:
    return write.admission("create", obj).refuse(why)
