"""Which gates to drop from and to add to the flags for another release. Pure.

A component does not start with a gate that it does not know (``unrecognized feature gate:
GangScheduling``, measured on 1.37.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kubegang.api.profile import Component, VersionProfile


class ComponentGates(msgspec.Struct, frozen=True):
    """Gang-scheduling gates of one component.

    Attributes:
        drop: the component knows them no more.
        add: the component acts on them from now on; ``up`` turns them on by itself.
    """

    drop: tuple[str, ...]
    add: tuple[str, ...]


def gate_changes(
    before: VersionProfile, after: VersionProfile
) -> Mapping[Component, ComponentGates]:
    """Return what changes for each component that has gang-scheduling gates."""
    known = {gate.name for gate in after.known_gates}
    return {
        component: ComponentGates(
            drop=tuple(gate for gate in before.gates_in_use[component] if gate not in known),
            add=tuple(
                gate
                for gate in after.gates_in_use[component]
                if gate not in before.gates_in_use[component]
            ),
        )
        for component in after.gates_in_use
    }


def gates_gone(before: VersionProfile, after: VersionProfile) -> tuple[str, ...]:
    """Return every gate that the release knows no more, sorted."""
    known = {gate.name for gate in after.known_gates}
    return tuple(sorted(gate.name for gate in before.known_gates if gate.name not in known))


def gates_to_drop(named: Iterable[str], gone: Iterable[str]) -> tuple[str, ...]:
    """Return those of the gates that somebody names which are gone, in their order."""
    lost = set(gone)
    return tuple(name for name in named if name in lost)
