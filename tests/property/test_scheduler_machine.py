"""All invariants at once, over the running scheduler: every release, every scheduler profile.

Users, nodes, another scheduler and faults do what they like; then everything comes to rest.
See ``machine/world.py`` for what may happen, ``machine/watched.py`` for what is checked at each
decision and ``machine/stillness.py`` for what is checked in the end. With the environment
variable ``KUBEGANG_DEEP`` set to a number, so many examples are tried.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog

from tests.property.machine.rules import machine_for

NO_PREEMPTION = "WorkloadAwarePreemption=false"
NO_TOPOLOGY = "TopologyAwareWorkloadScheduling=false"
GATES_OF_1_35 = ("", "GangScheduling=false")
GATES_OF_1_36 = ("", f"{NO_PREEMPTION}", f"{NO_PREEMPTION},{NO_TOPOLOGY}")
GATES_OF_1_37 = ("", "CompositePodGroup=false", f"{NO_TOPOLOGY},CompositePodGroup=false")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Write no log lines: there would be thousands."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    yield
    structlog.reset_defaults()


TestDefault135 = machine_for("1.35", "default-scheduler", *GATES_OF_1_35)
TestDefault136 = machine_for("1.36", "default-scheduler", *GATES_OF_1_36)
TestDefault137 = machine_for("1.37", "default-scheduler", *GATES_OF_1_37)
TestKubegang135 = machine_for("1.35", "kubegang", *GATES_OF_1_35)
TestKubegang136 = machine_for("1.36", "kubegang", *GATES_OF_1_36)
TestKubegang137 = machine_for("1.37", "kubegang", *GATES_OF_1_37)
