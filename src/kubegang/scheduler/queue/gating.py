"""Holding entities outside the queue until what they need is there.

Every waiting member of a group must pass every gate plugin: one scheduling gate holds the
whole group, and a gang is held until enough of its pods exist (KEP-4671). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.queue.entries import Entry, Gate
from kubegang.scheduler.queue.rules import QueueRules


class Gatekeeper:
    """Asks the gate plugins, and notes on each record who held it."""

    def __init__(self, rules: Mapping[str, QueueRules], groups: PodGroupStates) -> None:
        self._rules = rules
        self._groups = groups

    def ask_all(self, entry: Entry) -> Gate | None:
        """Ask about every pod of an entity; the last that is held names the gate.

        The last one, since upstream's group takes over the gate of the last member it looks
        at: that decides which events can wake the group.
        """
        for queued in reversed(entry.pods()):
            gate = self.ask(queued)
            if gate is not None:
                return gate
        return None

    def ask(self, queued: QueuedPodInfo) -> Gate | None:
        """Ask about one pod."""
        for plugin in self._rules[queued.scheduler_name].gates:
            status = plugin.pre_enqueue(queued.pod, self._groups)
            if not status.is_success:
                queued.rejected_by |= {plugin.NAME}
                return Gate(plugin.NAME, status.message, queued)
        return None
