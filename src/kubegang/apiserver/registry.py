"""What a write does to an object before and after admission, for every kind.

Before: canonical form and defaults. After, in upstream's order: system metadata, then status
or spec taken from the old object, the kind's own rules (``strategies``), fields of gates that
are off, and the generation. Table driven: the row says which parts a kind has. Pure but for
the uid: in place, on wire objects of the request's version.
"""

from __future__ import annotations

from kubegang.api.customresources.rows import custom_of
from kubegang.api.defaults.table import apply_defaults
from kubegang.api.dropping import canonicalize, drop_disabled_fields
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.chance import Rng, generated_name, new_uid
from kubegang.apiserver.customresources.preparing import complete_custom, prepare_custom_update
from kubegang.apiserver.strategies.rules import KindRules
from kubegang.apiserver.strategies.table import rules_of
from kubegang.base.feature_gates import FeatureGates

_NOT_STATUS = ("kind", "apiVersion", "metadata", "status")
_RESET_METADATA = (
    "deletionTimestamp",
    "generation",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
)


def complete(obj: JsonObject, info: ResourceInfo, gates: FeatureGates) -> None:
    """Bring a decoded object to canonical form and fill in what it leaves open."""
    if custom := custom_of(info):
        complete_custom(obj, custom)
        return
    rules = rules_of(info.group_resource)
    if rules.decode is not None:
        rules.decode(obj)
    canonicalize(obj, info.gvk)
    apply_defaults(obj, info.gvk, gates)
    if rules.fill_in is not None:
        rules.fill_in(obj)


def prepare_create(
    obj: JsonObject, info: ResourceInfo, *, gates: FeatureGates, now: str, rng: Rng
) -> None:
    """Give a new object its name, uid and time, its first status, and generation 1."""
    rules = rules_of(info.group_resource)
    metadata = obj["metadata"]
    if metadata.get("generateName") and not metadata.get("name"):
        metadata["name"] = generated_name(metadata["generateName"], rng)
    # Without a name it goes on until validation says so, among all else that is wrong.
    metadata.setdefault("name", "")
    metadata["uid"] = new_uid(rng)
    metadata["creationTimestamp"] = now
    for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(name, None)
    if _keeps_generation(info, gates):
        metadata["generation"] = 1
    if custom := custom_of(info):
        if custom.has_status:
            obj.pop("status", None)
        return
    if info.status_subresource and not rules.keeps_status_on_create:
        obj["status"] = rules.new_status()
    if rules.prepare_create is not None:
        rules.prepare_create(obj, now)
    drop_disabled_fields(obj, None, info.gvk, gates)
    if rules.complete_create is not None:
        rules.complete_create(obj)


def complete_accepted(obj: JsonObject, info: ResourceInfo) -> None:
    """Fill in what an accepted new object has as soon as it is read again."""
    rules = rules_of(info.group_resource)
    if rules.complete_accepted is not None:
        rules.complete_accepted(obj)


def prepare_update(
    new: JsonObject,
    old: JsonObject,
    info: ResourceInfo,
    *,
    gates: FeatureGates,
    subresource: str,
    now: str,
) -> None:
    """Keep what this request may not change, and count a changed spec.

    ``subresource`` is empty, ``status``, or another part that is written like the object;
    ``now`` is the time as objects have it.
    """
    rules = rules_of(info.group_resource)
    _keep_system_metadata(new["metadata"], old["metadata"])
    if custom := custom_of(info):
        prepare_custom_update(new, old, custom, subresource=subresource)
        return
    if subresource in rules.own_subresources:
        rules.own_subresources[subresource](new, old, now)
    elif subresource == "status":
        _keep_all_but_status(new, old, rules)
        if rules.stamp_status_update is not None:
            rules.stamp_status_update(new, old, now)
    elif info.status_subresource:
        _take(new, old, "status")
    if not subresource:
        if rules.prepare_update is not None:
            rules.prepare_update(new, old)
        if rules.stamp_update is not None:
            rules.stamp_update(new, old, now)
    drop_disabled_fields(new, old, info.gvk, gates)
    if _keeps_generation(info, gates) and rules.counted(new) != rules.counted(old):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def _keeps_generation(info: ResourceInfo, gates: FeatureGates) -> bool:
    needed = info.generation_gate
    return info.generation and (not needed or gates.enabled_if_known(needed))


def _keep_system_metadata(new: JsonObject, old: JsonObject) -> None:
    """Fill in what clients may leave out, and undo what they cannot change."""
    new["creationTimestamp"] = old["creationTimestamp"]
    new.pop("selfLink", None)
    _take(new, old, "generation")
    if not new.get("uid"):
        new["uid"] = old["uid"]
    # A deletion that was asked for cannot be taken back.
    if old.get("deletionTimestamp"):
        new["deletionTimestamp"] = old["deletionTimestamp"]
    if new.get("deletionGracePeriodSeconds") is None:
        _take(new, old, "deletionGracePeriodSeconds")


def _keep_all_but_status(new: JsonObject, old: JsonObject, rules: KindRules) -> None:
    for name in [name for name in new if name not in _NOT_STATUS]:
        del new[name]
    for name, value in old.items():
        if name not in _NOT_STATUS:
            new[name] = value
    if rules.status_resets_metadata:
        for name in _RESET_METADATA:
            _take(new["metadata"], old["metadata"], name)
    if rules.prepare_status_update is not None:
        rules.prepare_status_update(new, old)


def _take(new: JsonObject, old: JsonObject, name: str) -> None:
    """Make a member of the new object what it is in the old one, present or not."""
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)
