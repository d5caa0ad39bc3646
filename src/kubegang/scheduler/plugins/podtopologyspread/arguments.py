"""The arguments of PodTopologySpread, and the rules they must keep (v1 configuration API)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from kubegang.api.core.affinity import TopologySpreadConstraint
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
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.errors import PluginConfigError

SYSTEM: Final = "System"
LIST: Final = "List"

_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")

SYSTEM_CONSTRAINTS: Final = (
    TopologySpreadConstraint(3, "kubernetes.io/hostname", "ScheduleAnyway"),
    TopologySpreadConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
)
"""What holds with ``defaultingType: System`` for pods without constraints of their own."""


class PodTopologySpreadArgs(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True
):
    """The plugin's arguments.

    Attributes:
        default_constraints: hold for pods without any; without selectors, which are deduced.
        defaulting_type: ``System``: the built-in ones; ``List``: those above.
    """

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = SYSTEM

    @property
    def constraints(self) -> tuple[TopologySpreadConstraint, ...]:
        """The constraints of pods without any."""
        return SYSTEM_CONSTRAINTS if self.is_system else self.default_constraints

    @property
    def is_system(self) -> bool:
        """Whether the built-in constraints hold."""
        return self.defaulting_type == SYSTEM


def read_arguments(plugin: str, args: Mapping[str, Any]) -> PodTopologySpreadArgs:
    """Return the arguments in typed form.

    Raises:
        PluginConfigError: they cannot be used; the message names every broken rule.
    """
    typed = decode_arguments(plugin, args, PodTopologySpreadArgs)
    problems = [f"{error.field}: {error.message}" for error in _broken_rules(typed)]
    if problems:
        raise PluginConfigError(f"arguments of plugin {plugin}: {', '.join(problems)}")
    return typed


def _broken_rules(args: PodTopologySpreadArgs) -> Iterator[FieldError]:
    path = Path("defaultingType")
    if args.defaulting_type not in (SYSTEM, LIST):
        yield not_supported(path, args.defaulting_type, (SYSTEM, LIST))
    elif args.is_system and args.default_constraints:
        yield invalid_value(path, SYSTEM, "when .defaultConstraints are not empty")
    seen: set[tuple[str, str]] = set()
    for position, constraint in enumerate(args.default_constraints):
        at = Path("defaultConstraints").index(position)
        yield from _broken_constraint(constraint, at)
        key = (constraint.topology_key, constraint.when_unsatisfiable)
        if key in seen:
            yield duplicate(at, f"{{{key[0]}, {key[1]}}}")
        seen.add(key)


def _broken_constraint(constraint: TopologySpreadConstraint, path: Path) -> Iterator[FieldError]:
    if constraint.max_skew <= 0:
        yield invalid_value(
            path.child("maxSkew"), constraint.max_skew, "not in valid range (0, inf)"
        )
    at = path.child("topologyKey")
    if not constraint.topology_key:
        yield required(at, "can not be empty")
    for problem in is_qualified_name(constraint.topology_key) if constraint.topology_key else ():
        yield invalid_value(at, constraint.topology_key, problem)
    at = path.child("whenUnsatisfiable")
    if not constraint.when_unsatisfiable:
        yield required(at, "can not be empty")
    elif constraint.when_unsatisfiable not in _ACTIONS:
        yield not_supported(at, constraint.when_unsatisfiable, _ACTIONS)
    if constraint.label_selector is not None:
        yield forbidden_field(
            path.child("labelSelector"),
            "constraint must not define a selector, as they deduced for each pod",
        )
