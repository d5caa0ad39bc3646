"""The stories of nodes that fail, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from tests.real.nodestories import WELL, Step, Zone

UNREACHABLE = "node.kubernetes.io/unreachable"
NOT_READY = "node.kubernetes.io/not-ready"


def tolerates(key: str, **more: Any) -> JsonObject:
    """Return a toleration of a taint that drives pods away."""
    return {"key": key, "operator": "Exists", "effect": "NoExecute", **more}


async def _falls_silent(zone: Zone) -> None:
    await zone.node(
        "n", Ready="True", MemoryPressure="True", NetworkUnavailable="False", Special="True"
    )
    await zone.pod("plain", "n")
    await zone.pod("zero", "n", tolerates(UNREACHABLE, tolerationSeconds=0))
    await zone.pod("short", "n", tolerates(UNREACHABLE, tolerationSeconds=2))
    await zone.pod("ever", "n", tolerates(UNREACHABLE))
    await zone.pod("unready", "n", ready="False")
    zone.silence("n")


async def _comes_back(zone: Zone) -> None:
    await zone.revive("n")


async def _never_reports(zone: Zone) -> None:
    await zone.lifeless("n")
    await zone.pod("p", "n")


async def _is_removed(zone: Zone) -> None:
    await zone.remove("n")


async def _is_unwell(zone: Zone) -> None:
    await zone.node("n", **WELL)
    await zone.change(
        "n", unschedulable=True, taints=[{"key": "mine", "value": "v", "effect": "NoSchedule"}]
    )
    await zone.pod("plain", "n")
    await zone.pod("short", "n", tolerates(NOT_READY, tolerationSeconds=1))
    await zone.report(
        "n",
        Ready="False",
        MemoryPressure="True",
        DiskPressure="True",
        PIDPressure="True",
        NetworkUnavailable="True",
    )


async def _is_less_unwell(zone: Zone) -> None:
    await zone.change("n", unschedulable=None)
    await zone.report("n", Ready="False", MemoryPressure="Unknown", DiskPressure="False")


async def _goes_silent_too(zone: Zone) -> None:
    zone.silence("n")


async def _recovers(zone: Zone) -> None:
    await zone.revive("n")
    await zone.report("n", NetworkUnavailable="False")


async def _is_under_maintenance(zone: Zone) -> None:
    await zone.node("n", **WELL)
    await zone.pod("none", "n")
    await zone.pod("short", "n", tolerates("a", tolerationSeconds=2))
    await zone.pod("long", "n", tolerates("a", tolerationSeconds=100))
    await zone.pod(
        "slow",
        "n",
        tolerates("a", tolerationSeconds=100),
        tolerates("b", tolerationSeconds=0),
    )
    await zone.pod("ever", "n", tolerates("a"))
    await zone.pod("negative", "n", tolerates("a", tolerationSeconds=-1))
    await zone.pod("all", "n", {"operator": "Exists"})
    await zone.pod("valued", "n", {"key": "a", "value": "v", "effect": "NoExecute"})
    await zone.pod("twice", "n", tolerates("a"), tolerates("a", tolerationSeconds=1))
    await zone.change("n", taints=[{"key": "a", "value": "v", "effect": "NoExecute"}])


async def _more_maintenance(zone: Zone) -> None:
    await zone.pod("late", "n", tolerates("a", tolerationSeconds=100))
    await zone.pod("later", "n", tolerates("b"))
    taints = [{"key": key, "value": "v", "effect": "NoExecute"} for key in "ab"]
    await zone.pod("both", "n", tolerates("a", tolerationSeconds=100), tolerates("b"))
    await zone.change("n", taints=taints)


async def _no_more_maintenance(zone: Zone) -> None:
    await zone.change("n", taints=None)


async def _is_tainted(zone: Zone) -> None:
    await zone.node("n", **WELL)
    await zone.change("n", taints=[{"key": "a", "effect": "NoExecute"}])
    await zone.pod("p", "n", tolerates("a", tolerationSeconds=4))


async def _most_fail(zone: Zone) -> None:
    for number in range(4):
        await zone.node(f"n{number}", **WELL)
    for number in range(3):
        await zone.report(f"n{number}", Ready="False")


async def _one_recovers(zone: Zone) -> None:
    await zone.revive("n0")


STORIES: Mapping[str, tuple[Step, ...]] = {
    "silent": (Step(_falls_silent, 8), Step(_comes_back, 3)),
    "never": (Step(_never_reports, 8), Step(_comes_back, 3), Step(_is_removed, 2)),
    "unwell": (
        Step(_is_unwell, 4),
        Step(_is_less_unwell, 3),
        Step(_goes_silent_too, 7),
        Step(_recovers, 3),
    ),
    "maintenance": (
        Step(_is_under_maintenance, 4),
        Step(_more_maintenance, 2),
        Step(_no_more_maintenance, 2),
    ),
    "removed": (Step(_is_tainted, 1.5), Step(_is_removed, 5)),
    "crowd": (Step(_most_fail, 4), Step(_one_recovers, 7)),
}
"""By name, which is also the zone's."""


async def _nobody(zone: Zone) -> None:
    await zone.node("n0", **WELL)
    await zone.node("n1", **WELL)
    await zone.pod("p", "n0")
    zone.silence("n0")
    # Before another node of the zone may be tainted: else the real controller may taint the
    # last one at the moment at which it stops to taint any.
    await RealClock().sleep(1)
    zone.silence("n1")


async def _somebody(zone: Zone) -> None:
    await zone.revive("n1")


NOBODY_LEFT = (Step(_nobody, 8), Step(_somebody, 5))
"""Played when the nodes of all other stories are gone: not one is heard of for a while."""
