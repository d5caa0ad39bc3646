"""The acts of the world as a Hypothesis state machine, one per release and scheduler profile."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final
from unittest import TestCase

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.property.machine.stillness import check_still, come_to_rest
from tests.property.machine.world import ACTS, OFTEN, Choices, Setting, World

DEEP: Final = "KUBEGANG_DEEP"
"""Set this variable to a number of examples for a long search."""

EXAMPLES: Final = int(os.environ.get(DEEP, "0"))

SETTINGS: Final = settings(
    max_examples=EXAMPLES or 12,
    stateful_step_count=40 if EXAMPLES else 25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Machine(RuleBasedStateMachine):
    """Lets things happen, comes to rest, and looks."""

    of_release = ""
    of_profile = ""

    def __init__(self) -> None:
        super().__init__()
        self.world: World | None = None

    def start(self, gates: str, seed: int) -> None:
        """Start the world, with a small cluster in it."""
        self.world = World(Setting(self.of_release, self.of_profile, gates), seed=seed)
        self.world.act("set_node", name="n0", cpu=4, rack="r0", cordoned=False)
        self.world.act("set_node", name="n1", cpu=2, rack="r1", cordoned=False)

    def teardown(self) -> None:
        """Come to rest, and see that everybody was served who could be."""
        if self.world is None:
            return
        try:
            come_to_rest(self.world)
            check_still(self.world)
        finally:
            self.world.close()


def machine_for(release: str, profile: str, *gates: str) -> type[TestCase]:
    """Return the test of a release and a scheduler profile, with one of these gates."""
    members: dict[str, Any] = {"of_release": release, "of_profile": profile}
    members["begin"] = initialize(gates=st.sampled_from(gates), seed=st.integers(0, 3))(_begin)
    for name, choices in ACTS.items():
        members[name] = _rule(name, choices)
        if name in OFTEN:
            members[f"{name}_too"] = _rule(name, choices)
    made = type(f"Machine_{release}_{profile}".translate(_PLAIN), (Machine,), members)
    test: type[TestCase] = made.TestCase  # type: ignore[attr-defined]
    test.settings = SETTINGS  # type: ignore[attr-defined]
    return test


_PLAIN: Final = str.maketrans(".-", "__")


def _begin(machine: Machine, gates: str, seed: int) -> None:
    machine.start(gates, seed)


def _rule(name: str, choices: Choices) -> Callable[..., None]:
    def act(machine: Machine, **arguments: Any) -> None:
        assert machine.world is not None
        machine.world.act(name, **arguments)

    act.__name__ = name
    drawn: dict[str, Any] = {name: st.sampled_from(values) for name, values in choices.items()}
    ruled: Callable[[Callable[..., None]], Callable[..., None]] = rule(**drawn)
    return ruled(act)
