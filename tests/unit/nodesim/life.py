"""A pod on a simulated node, and what becomes of it."""

from __future__ import annotations

from typing import Any

from kubegang.api.meta import decode
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.nodesim.forms import SimulatedPod
from kubegang.nodesim.memory import PodMemory
from kubegang.nodesim.podstatus import Place, status_after
from kubegang.nodesim.stages import Step, next_step

T0 = parse_time("2026-11-01T00:00:00Z")
PLACE = Place("10.0.0.1", "172.16.0.1")


class Life:
    """Plays the simulator for one pod: it takes each step when it is due.

    Attributes:
        pod: the pod as the API has it.
        memory: what the simulator knows of it besides.
    """

    def __init__(self, policy: str = "Never", *, bound: float = T0, **annotations: str) -> None:
        self.pod: JsonObject = {
            "metadata": {
                "name": "p",
                "namespace": "ns",
                "uid": "u",
                "generation": 1,
                "annotations": {
                    f"kubegang.dev/{name.replace('_', '-')}": value
                    for name, value in annotations.items()
                },
            },
            "spec": {
                "nodeName": "n1",
                "restartPolicy": policy,
                "containers": [{"name": "c", "image": "i"}],
            },
            "status": {
                "phase": "Pending",
                "conditions": [{"type": "PodScheduled", "status": "True"}],
            },
        }
        self.memory = PodMemory.of(self.form, now=bound)

    @property
    def form(self) -> SimulatedPod:
        return decode(self.pod, SimulatedPod)

    @property
    def status(self) -> JsonObject:
        status: JsonObject = self.pod["status"]
        return status

    @property
    def container(self) -> JsonObject:
        (container,) = self.status["containerStatuses"]
        return dict(container)

    def next(self) -> Step | None:
        return next_step(self.form, self.memory)

    def live(self, *, until: float = T0 + 1e9, steps: int = 1) -> Life:
        """Take so many steps, each when it is due."""
        for _ in range(steps):
            step = self.next()
            assert step is not None
            assert step.at <= until
            self.take(step, now=step.at)
        return self

    def take(self, step: Step, *, now: float) -> None:
        patch = status_after(
            self.form, step, self.memory, place=PLACE, now=now, moment=format_time(now)
        )
        conditions = {c["type"]: c for c in self.status["conditions"]}
        for condition in patch["conditions"]:
            merged = {**conditions.get(condition["type"], {}), **condition}
            conditions[condition["type"]] = {k: v for k, v in merged.items() if v is not None}
        self.pod["status"] = {**self.status, **patch, "conditions": list(conditions.values())}
        match step.action:
            case "start":
                self.memory.start(now)
            case "crash":
                self.memory.end(now)
            case "restart":
                self.memory.restart(now)

    def delete(self, *, at: float, grace: int = 30) -> Life:
        self.pod["metadata"] |= {
            "deletionTimestamp": format_time(at + grace),
            "deletionGracePeriodSeconds": grace,
        }
        self.memory.see(self.form, now=at)
        return self

    def forget(self, *, now: float) -> Life:
        """Start the simulator anew."""
        self.memory = PodMemory.of(self.form, now=now)
        self.memory.see(self.form, now=now)
        return self

    def conditions(self) -> dict[str, str]:
        return {
            c["type"]: " ".join([c["status"], *([c["reason"]] if c.get("reason") else [])])
            for c in self.status["conditions"]
        }


def with_spec(life: Life, **members: Any) -> Life:
    life.pod["spec"] |= members
    return life
