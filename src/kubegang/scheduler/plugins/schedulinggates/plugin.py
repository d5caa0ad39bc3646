"""Holds pods with scheduling gates outside the queue. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable


class SchedulingGates:
    """Holds a pod until spec.schedulingGates is empty."""

    NAME: ClassVar[str] = "SchedulingGates"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when the gates are gone."""
        return (HintRegistration(ClusterEvent("TargetPod", Action.UPDATE_POD_GATES)),)

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold the pod while it has gates."""
        if not pod.scheduling_gates:
            return SUCCESS
        return unresolvable(f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]")
