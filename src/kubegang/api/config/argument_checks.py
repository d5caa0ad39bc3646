"""What upstream refuses in the arguments of its plugins, in its words and order.

Measured on 1.37.2. The arguments come with their defaults filled in. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from kubegang.api.config.arguments import knows_binding_timeout, knows_filter_timeout
from kubegang.api.config.durations import duration_seconds
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_Errors = Iterator[FieldError]

_STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS: Final = ("In", "NotIn")
_MAX_POINT_SCORE: Final = 10


def argument_errors(plugin: str, args: JsonObject, path: Path, *, gates: FeatureGates) -> _Errors:
    """Yield what is wrong with a plugin's arguments when the configuration is read."""
    if plugin == "DynamicResources":
        yield from _timeout_errors(args, path, gates)
    elif plugin == "VolumeBinding":
        yield from _volume_errors(args, path, gates)
    elif plugin in _CHECKS:
        yield from _CHECKS[plugin](args, path)


def fit_errors(args: JsonObject) -> _Errors:
    """Yield what NodeResourcesFit refuses when it is made, which is later than the others."""
    for position, name in enumerate(args.get("ignoredResources") or ()):
        yield from _label_errors(Path("ignoredResources").index(position), name)
    for position, group in enumerate(args.get("ignoredResourceGroups") or ()):
        path = Path("ignoredResourceGroups").index(position)
        if "/" in group:
            yield invalid_value(path, group, "resource group name can't contain '/'")
        yield from _label_errors(path, group)
    yield from _strategy_errors(args["scoringStrategy"], Path("scoringStrategy"))


def _strategy_errors(strategy: JsonObject, path: Path) -> _Errors:
    kind = strategy.get("type", "")
    if kind not in _STRATEGIES:
        yield not_supported(path.child("type"), kind, _STRATEGIES)
    for position, resource in enumerate(strategy["resources"]):
        if not 0 < resource["weight"] <= 100:
            where = path.child("resources").index(position).child("weight")
            detail = f"resource weight of {resource['name']} not in valid range (0, 100]"
            yield invalid_value(where, resource["weight"], detail)
    ratio = path.child("requestedToCapacityRatio")
    given = strategy.get("requestedToCapacityRatio")
    if kind == "RequestedToCapacityRatio":
        if given is None:
            yield required(ratio, "must be specified when type is RequestedToCapacityRatio")
        else:
            yield from _shape_errors(given.get("shape") or (), ratio.child("shape"))
    elif given is not None:
        yield forbidden_field(ratio, "must be nil when type is not RequestedToCapacityRatio")


def _shape_errors(points: Sequence[JsonObject], path: Path) -> _Errors:
    if not points:
        yield required(path, "at least one point must be specified")
        return
    at = [point.get("utilization", 0) for point in points]
    for position in range(1, len(at)):
        if at[position - 1] >= at[position]:
            where = path.index(position).child("utilization")
            yield invalid_value(where, at[position], "values must be sorted in increasing order")
            break
    for position, point in enumerate(points):
        for name, highest in (("utilization", 100), ("score", _MAX_POINT_SCORE)):
            value = point.get(name, 0)
            if not 0 <= value <= highest:
                where = path.index(position).child(name)
                yield invalid_value(where, value, f"not in valid range [0, {highest}]")


def _preemption_errors(args: JsonObject, path: Path) -> _Errors:
    names = ("minCandidateNodesPercentage", "minCandidateNodesAbsolute")
    percentage, absolute = (args[name] for name in names)
    if not 0 <= percentage <= 100:
        yield invalid_value(path.child(names[0]), percentage, "not in valid range [0, 100]")
    if absolute < 0:
        yield invalid_value(path.child(names[1]), absolute, "not in valid range [0, inf)")
    if percentage == 0 and absolute == 0:
        for name, other in (names, names[::-1]):
            yield invalid_value(path.child(name), 0, f"cannot be zero at the same time as {other}")


def _affinity_errors(args: JsonObject, path: Path) -> _Errors:
    weight = args["hardPodAffinityWeight"]
    if not 0 <= weight <= 100:
        where = path.child("hardPodAffinityWeight")
        yield invalid_value(where, weight, "not in valid range [0, 100]")


def _balance_errors(args: JsonObject, path: Path) -> _Errors:
    seen: set[str] = set()
    for position, resource in enumerate(args["resources"]):
        where = path.child("resources").index(position)
        if resource["name"] in seen:
            yield duplicate(where.child("name"), resource["name"])
        seen.add(resource["name"])
        if resource["weight"] != 1:
            yield invalid_value(where.child("weight"), resource["weight"], "must be 1")


def _spread_errors(args: JsonObject, path: Path) -> _Errors:
    kind, constraints = args["defaultingType"], args.get("defaultConstraints") or []
    if kind not in {"System", "List"}:
        yield not_supported(path.child("defaultingType"), kind, ("System", "List"))
    elif kind == "System" and constraints:
        detail = "when .defaultConstraints are not empty"
        yield invalid_value(path.child("defaultingType"), kind, detail)
    seen: set[tuple[str, str]] = set()
    for position, constraint in enumerate(constraints):
        where = path.child("defaultConstraints").index(position)
        yield from _constraint_errors(constraint, where)
        key, action = constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")
        if (key, action) in seen:
            yield duplicate(where, f"{{{key}, {action}}}")
        seen.add((key, action))


def _constraint_errors(constraint: JsonObject, path: Path) -> _Errors:
    skew = constraint.get("maxSkew", 0)
    if skew <= 0:
        yield invalid_value(path.child("maxSkew"), skew, "not in valid range (0, inf)")
    key = constraint.get("topologyKey", "")
    if key:
        yield from _label_errors(path.child("topologyKey"), key)
    else:
        yield required(path.child("topologyKey"), "can not be empty")
    action = constraint.get("whenUnsatisfiable", "")
    if not action:
        yield required(path.child("whenUnsatisfiable"), "can not be empty")
    elif action not in _ACTIONS:
        yield not_supported(path.child("whenUnsatisfiable"), action, _ACTIONS)
    if "labelSelector" in constraint:
        detail = "constraint must not define a selector, as they deduced for each pod"
        yield forbidden_field(path.child("labelSelector"), detail)


def _node_affinity_errors(args: JsonObject, path: Path) -> _Errors:
    affinity = args.get("addedAffinity") or {}
    name = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = (affinity.get(name) or {}).get("nodeSelectorTerms") or ()
    where = path.child("addedAffinity", name, "nodeSelectorTerms")
    for position, term in enumerate(terms):
        yield from _term_errors(term, where.index(position))
    name = "preferredDuringSchedulingIgnoredDuringExecution"
    for position, preferred in enumerate(affinity.get(name) or ()):
        if preferred.get("weight"):
            where = path.child("addedAffinity", name).index(position)
            yield from _term_errors(preferred.get("preference") or {}, where)


def _term_errors(term: JsonObject, path: Path) -> _Errors:
    for position, wanted in enumerate(term.get("matchExpressions") or ()):
        yield from _expression_errors(wanted, path.child("matchExpressions").index(position))
    for position, wanted in enumerate(term.get("matchFields") or ()):
        where = path.child("matchFields").index(position)
        operator, values = wanted.get("operator", ""), wanted.get("values") or []
        if operator not in _FIELD_OPERATORS:
            yield not_supported(where.child("operator"), operator, _FIELD_OPERATORS)
        elif len(values) != 1:
            yield invalid_value(where.child("values"), values or None, "must have one element")


def _expression_errors(wanted: JsonObject, path: Path) -> _Errors:
    operator, values = wanted.get("operator", ""), wanted.get("values") or []
    if operator not in _OPERATORS:
        yield not_supported(path.child("operator"), operator, _OPERATORS)
        return
    yield from _label_errors(path.child("key"), wanted.get("key", ""))
    where = path.child("values")
    if operator in {"In", "NotIn"} and not values:
        detail = "for 'in', 'notin' operators, values set can't be empty"
        yield invalid_value(where, None, detail)
    elif operator in {"Exists", "DoesNotExist"} and values:
        detail = "values set must be empty for exists and does not exist"
        yield invalid_value(where, values, detail)
    elif operator in {"Gt", "Lt"}:
        yield from _bound_errors(values, where)


def _bound_errors(values: Sequence[str], path: Path) -> _Errors:
    if len(values) != 1:
        detail = "for 'Gt', 'Lt' operators, exactly one value is required"
        yield invalid_value(path, list(values) or None, detail)
    for position, value in enumerate(values):
        if not value.removeprefix("-").isdecimal():
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            yield invalid_value(path.index(position), value, detail)


def _timeout_errors(args: JsonObject, path: Path, gates: FeatureGates) -> _Errors:
    rows = (
        (
            "filterTimeout",
            knows_filter_timeout(gates),
            "DRASchedulingFilterTimeout feature gate is disabled",
            (0.0, "must be zero or positive"),
        ),
        (
            "bindingTimeout",
            knows_binding_timeout(gates),
            "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled",
            (1.0, "must be at least 1 second"),
        ),
    )
    for name, known, disabled, (least, detail) in rows:
        if name in args and not known:
            yield forbidden_field(path.child(name), disabled)
        elif name in args and duration_seconds(args[name]) < least:
            yield invalid_value(path.child(name), args[name], detail)


def _volume_errors(args: JsonObject, path: Path, gates: FeatureGates) -> _Errors:
    seconds, shape = args["bindTimeoutSeconds"], path.child("shape")
    if seconds < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        yield invalid_value(path.child("bindTimeoutSeconds"), seconds, detail)
    if gates.enabled_if_known("StorageCapacityScoring"):
        yield from _shape_errors(args["shape"], shape)
    elif "shape" in args:
        given = [
            {"Utilization": point.get("utilization", 0), "Score": point.get("score", 0)}
            for point in args["shape"]
        ]
        remedy = "remove it or turn on the feature gate StorageCapacityScoring"
        yield invalid_value(shape, given, f"unexpected field `shape`, {remedy}")


def _label_errors(path: Path, name: str) -> _Errors:
    for problem in is_qualified_name(name):
        yield invalid_value(path, name, problem)


_CHECKS: Final[Mapping[str, Callable[[JsonObject, Path], _Errors]]] = {
    "DefaultPreemption": _preemption_errors,
    "InterPodAffinity": _affinity_errors,
    "NodeAffinity": _node_affinity_errors,
    "NodeResourcesBalancedAllocation": _balance_errors,
    "PodTopologySpread": _spread_errors,
}
"""By plugin; any other plugin's arguments are its own matter."""
