"""Orders the queue: higher priority first, then who came first. Pure."""

from __future__ import annotations

from typing import ClassVar

from kubegang.scheduler.framework.entities import QueuedEntity
from kubegang.scheduler.framework.interface import PluginContext


class PrioritySort:
    """Compares pods and groups alike; a group counts with its own priority and time."""

    NAME: ClassVar[str] = "PrioritySort"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queue_sort(self, entity: QueuedEntity) -> tuple[float, ...]:
        """Return what heaps compare, smallest first."""
        return (-entity.priority, entity.timestamp)
