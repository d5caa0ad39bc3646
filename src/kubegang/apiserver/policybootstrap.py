"""The roles and bindings that a cluster has from its first moment, put right at every start.

What is missing is created. What is there gets back the rules and subjects that it lost, and
keeps what somebody added, unless its annotation ``autoupdate`` says ``false``; a binding to
another role is made anew (kube-apiserver's reconciliation).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import AlreadyExistsError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.authorization.policy import GROUP
from kubegang.apiserver.authorization.rules import PolicyRule, missing_rules
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.creating import create_object
from kubegang.apiserver.deleting import DeleteOptions, delete_object
from kubegang.apiserver.options import WriteOptions
from kubegang.apiserver.updating import update_object
from kubegang.apiserver.writing import Write

AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate"

_OPTIONS = WriteOptions(dry_run=False, manager="kube-apiserver", field_validation="Ignore")
_RULES = tuple[PolicyRule, ...]


async def ensure_policy(backend: Backend, objects: Sequence[JsonObject]) -> None:
    """Create or put right each role and binding."""
    for obj in objects:
        info = backend.scheme.find(GROUP, "v1", f"{obj['kind'].lower()}s")
        if info is not None:
            await _ensure(backend, info, obj)


async def _ensure(backend: Backend, info: ResourceInfo, obj: JsonObject) -> None:
    metadata = obj["metadata"]
    write = Write(
        info=info,
        storage=backend.scheme.storage(info),
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        options=_OPTIONS,
    )
    item = backend.store.get(write.key)
    if item is not None:
        stored = codec.decode(item.value)
        if (stored["metadata"].get("annotations") or {}).get(AUTO_UPDATE) == "false":
            return
        if stored.get("roleRef") == obj.get("roleRef"):
            await update_object(backend, write, lambda old: _put_right(old, obj))
            return
        await delete_object(backend, write, DeleteOptions())
    try:
        await create_object(backend, write, obj)
    except AlreadyExistsError:
        return


def _put_right(stored: JsonObject, wanted: JsonObject) -> JsonObject:
    """Return the stored object with whatever it lacks."""
    metadata = stored["metadata"]
    for part in ("labels", "annotations"):
        metadata[part] = {**wanted["metadata"][part], **(metadata.get(part) or {})}
    if "rules" in wanted and wanted.get("aggregationRule") is None:
        held = msgspec.convert(stored.get("rules") or [], _RULES)
        lacking = [
            rule for rule in wanted["rules"] if missing_rules(held, msgspec.convert([rule], _RULES))
        ]
        if lacking:
            stored["rules"] = [*(stored.get("rules") or []), *lacking]
    if "aggregationRule" in wanted:
        stored["aggregationRule"] = wanted["aggregationRule"]
    subjects = stored.get("subjects") or []
    lost = [one for one in wanted.get("subjects", ()) if one not in subjects]
    if lost:
        stored["subjects"] = [*subjects, *lost]
    return stored
