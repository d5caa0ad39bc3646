"""CSI drivers, what they have on each node, and the capacity that they report.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    IMMUTABLE,
    Errors,
    matching,
    not_negative,
    one_of,
    required_members,
    unchanged,
)
from kubegang.api.validation.internal_form import selector_form
from kubegang.api.validation.labels import validate_selector
from kubegang.api.validation.pods.volume_drivers import csi_driver_name
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1123_subdomain, is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLE_MODES = ("Persistent", "Ephemeral")
_MIN_PERIOD_SECONDS = 10
_MIN_TOKEN_SECONDS = 600
_MAX_TOKEN_SECONDS = 2**32
_MAX_NODE_ID = 256


def validate_csi_driver(driver: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a driver, new or changed."""
    spec = driver.get("spec") or {}
    yield from one_of(_SPEC.child("fsGroupPolicy"), spec.get("fsGroupPolicy"), _GROUP_POLICIES)
    yield from _tokens(spec.get("tokenRequests") or ())
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _LIFECYCLE_MODES:
            yield not_supported(_SPEC.child("volumeLifecycleModes"), mode, _LIFECYCLE_MODES)
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < _MIN_PERIOD_SECONDS:
        path = _SPEC.child("nodeAllocatableUpdatePeriodSeconds")
        yield invalid_value(path, period, "must be greater than or equal to 10 seconds")
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not spec.get("tokenRequests"):
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid_value(_SPEC.child("serviceAccountTokenInSecrets"), in_secrets, detail)


def validate_csi_driver_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed driver: whether volumes are attached, and when they live, is frozen."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from validate_csi_driver(new, gates)
    if spec.get("attachRequired") != old_spec.get("attachRequired"):
        # Upstream's spelling of the field.
        yield invalid_value(_SPEC.child("attachedRequired"), spec.get("attachRequired"), IMMUTABLE)
    if spec.get("volumeLifecycleModes") != old_spec.get("volumeLifecycleModes"):
        modes = spec.get("volumeLifecycleModes")
        yield invalid_value(_SPEC.child("volumeLifecycleModes"), modes, IMMUTABLE)


def validate_csi_node(node: JsonObject, _gates: FeatureGates) -> Errors:
    """Check which drivers a node has."""
    seen: set[str] = set()
    for position, driver in enumerate((node.get("spec") or {}).get("drivers") or ()):
        path = _SPEC.child("drivers").index(position)
        yield from _node_driver(driver, path, seen)


def validate_csi_node_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check changed drivers of a node: those that stay change only their limits."""
    yield from validate_csi_node(new, gates)
    by_name = {driver.get("name"): driver for driver in _drivers(old)}
    for driver in _drivers(new):
        before = by_name.get(driver.get("name"))
        form = _without_limits(driver)
        if before is not None and form != _without_limits(before):
            yield invalid_value(_SPEC.child("drivers"), form, IMMUTABLE)


def validate_capacity(capacity: JsonObject, _gates: FeatureGates) -> Errors:
    """Check how much room a driver reports for a class in a part of the cluster."""
    yield from validate_selector(capacity.get("nodeTopology"), Path("nodeTopology"))
    name = capacity.get("storageClassName") or ""
    yield from matching(Path("storageClassName"), name, is_dns1123_subdomain)
    if (text := capacity.get("capacity")) is not None:
        amount = Quantity.parse(text)
        if amount < Quantity.parse("0"):
            detail = "must be greater than or equal to 0"
            yield invalid_value(Path("capacity"), amount.canonical(), detail)


def validate_capacity_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check changed room: which part of the cluster and which class it is about stays."""
    topology = selector_form(new.get("nodeTopology"))
    if topology != selector_form(old.get("nodeTopology")):
        yield invalid_value(Path("nodeTopology"), topology, IMMUTABLE)
    yield from unchanged(
        Path("storageClassName"), new.get("storageClassName"), old.get("storageClassName")
    )


def _tokens(requests: Sequence[JsonObject]) -> Errors:
    audiences: set[str] = set()
    for position, request in enumerate(requests):
        path = _SPEC.child("tokenRequests").index(position)
        audience = request.get("audience") or ""
        if audience in audiences:
            yield duplicate(path.child("audience"), audience)
            continue
        audiences.add(audience)
        seconds, where = request.get("expirationSeconds"), path.child("expirationSeconds")
        if seconds is None:
            continue
        if seconds < _MIN_TOKEN_SECONDS:
            detail = "may not specify a duration less than 10 minutes"
            yield invalid_value(where, seconds, detail)
        if seconds > _MAX_TOKEN_SECONDS:
            detail = "may not specify a duration larger than 2^32 seconds"
            yield invalid_value(where, seconds, detail)


def _node_driver(driver: JsonObject, path: Path, seen: set[str]) -> Errors:
    name, node_id = driver.get("name") or "", driver.get("nodeID") or ""
    yield from csi_driver_name(name, path.child("name"))
    yield from required_members(path, driver, "nodeID")
    if len(node_id.encode()) > _MAX_NODE_ID:
        detail = f"must be {_MAX_NODE_ID} characters or less"
        yield invalid_value(path.child("nodeID"), node_id, detail)
    count = (driver.get("allocatable") or {}).get("count")
    yield from not_negative(path.child("allocatable", "count"), count)
    if name in seen:
        yield duplicate(path.child("name"), name)
    seen.add(name)
    yield from _topology_keys(driver.get("topologyKeys") or (), path)


def _topology_keys(keys: Sequence[str], path: Path) -> Errors:
    for position, key in enumerate(keys):
        if not key:
            yield required(path)
        if key in keys[:position]:
            yield duplicate(path, key)
        yield from matching(path, key, is_qualified_name)


def _drivers(node: JsonObject) -> Sequence[JsonObject]:
    drivers: Sequence[JsonObject] = (node.get("spec") or {}).get("drivers") or ()
    return drivers


def _without_limits(driver: JsonObject) -> JsonObject:
    """Return a driver in the form in which errors show it, without what may change."""
    return {
        "Name": driver.get("name") or "",
        "NodeID": driver.get("nodeID") or "",
        "TopologyKeys": driver.get("topologyKeys") or None,
        "Allocatable": None,
    }
