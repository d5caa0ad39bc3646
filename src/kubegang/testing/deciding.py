"""The deciding core with a small cluster around it, without a control plane.

For tests of plugins and cycles: add builders, decide about a pod or a group, look at the
decision. Nothing is bound; ``carry_out`` counts what a decision does as done.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubegang.api.profile import SchedulerProfile
from kubegang.app.profiles.table import profile_named
from kubegang.scheduler.cycle.batch import first_batch, pops_of
from kubegang.scheduler.cycle.decide import decide
from kubegang.scheduler.cycle.decision import (
    BindPod,
    Decision,
    EvictPod,
    FailPod,
    NominateNode,
    SetPodGroupCondition,
)
from kubegang.scheduler.framework.entities import QueuedPodGroupInfo, QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.frameworks import build_framework
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import (
    BudgetBuilder,
    CompositePodGroupBuilder,
    NodeBuilder,
    PodBuilder,
    PodGroupBuilder,
)
from kubegang.testing.storagebuilders import StorageBuilder

Addable = (
    BudgetBuilder
    | CompositePodGroupBuilder
    | NodeBuilder
    | PodBuilder
    | PodGroupBuilder
    | StorageBuilder
)


@functools.cache
def default_profile(*, version: str = "1.37", feature_gates: str = "") -> SchedulerProfile:
    """Return the ``default-scheduler`` profile of a release."""
    return profile_named(version, feature_gates=feature_gates).schedulers[0]


def framework_of(
    profile: SchedulerProfile, *, args: Mapping[str, Mapping[str, Any]] | None = None
) -> Framework:
    """Return a profile's plugins, ready to run."""
    return build_framework(profile, args or {})


class DecidingCore:
    """A snapshot under construction, and ``decide`` on it.

    Attributes:
        waiting: pods without a node, by name, in the order in which they were added.
        now: the moment of decisions.
        batch: what is kept for pods that are alike; ``None``: batching is turned off.
    """

    def __init__(
        self,
        *objects: Addable | Iterable[Addable],
        profile: SchedulerProfile | None = None,
        args: Mapping[str, Mapping[str, Any]] | None = None,
        seed: int = 0,
    ) -> None:
        self.profile = profile or default_profile()
        self.framework = framework_of(self.profile, args=args)
        self.builder = SnapshotBuilder()
        self.waiting: dict[str, PodInfo] = {}
        self.now = 0.0
        self.batch = first_batch(self.profile)
        self._popped = 0
        self._rng = random.Random(seed)
        self.add(*objects)

    @property
    def snapshot(self) -> Snapshot:
        """The cluster as it is now."""
        return self.builder.snapshot()

    def add(self, *objects: Addable | Iterable[Addable]) -> None:
        """Add nodes, groups, budgets and pods; a pod with a node counts there, others wait."""
        for entry in objects:
            if not isinstance(entry, Addable):
                self.add(*entry)
            elif isinstance(entry, NodeBuilder):
                self.builder.set_node(entry.info())
            elif isinstance(entry, PodGroupBuilder | CompositePodGroupBuilder):
                self.builder.set_pod_group(entry.info())
            elif isinstance(entry, BudgetBuilder):
                self.builder.set_budget(entry.info())
            elif isinstance(entry, StorageBuilder):
                self.builder.set_storage(entry.info())
            else:
                pod = entry.info()
                if pod.node_name:
                    self.builder.set_pod(pod)
                else:
                    self._let_wait(pod)

    def _let_wait(self, pod: PodInfo) -> None:
        self.waiting[pod.name] = pod
        if pod.nominated_node_name:
            self.builder.nominate(pod, pod.nominated_node_name)
        else:
            self.builder.withdraw_nomination(pod.uid)

    def decide_pod(self, name: str = "p") -> Decision:
        """Decide about a waiting pod as an ordinary one."""
        return self._decide(QueuedPodInfo(pod=self.waiting[name], timestamp=0.0))

    def decide_group(self, name: str = "g", *, namespace: str = "default") -> Decision:
        """Decide about a group and all its waiting members."""
        return self._decide_group(PodGroupKey(namespace, name))

    def decide_tree(self, name: str = "root", *, namespace: str = "default") -> Decision:
        """Decide about a composite pod group and all waiting pods below it."""
        return self._decide_group(PodGroupKey(namespace, name, "CompositePodGroup"))

    def _decide_group(self, key: PodGroupKey) -> Decision:
        leaves = set(self.snapshot.forest.leaves(key))
        members = [
            QueuedPodInfo(pod=pod, timestamp=0.0)
            for pod in self.waiting.values()
            if pod.pod_group in leaves
        ]
        group = self.snapshot.pod_group(key)
        return self._decide(
            QueuedPodGroupInfo(
                group=key,
                members=members,
                priority=group.priority if group else 0,
                timestamp=0.0,
            )
        )

    def _decide(self, entity: QueuedPodInfo | QueuedPodGroupInfo) -> Decision:
        self._popped += pops_of(entity, self.profile)
        return decide(
            self.snapshot,
            entity,
            profile=self.profile,
            framework=self.framework,
            now=self.now,
            rng=self._rng,
            batch=self.batch,
            number=self._popped,
        )

    def carry_out(self, decision: Decision) -> None:
        """Count bindings and promises as real, and let victims be gone at once."""
        self.builder.set_scan_start(decision.scan_start)
        self.batch = decision.batch
        for instruction in decision.instructions:
            if isinstance(instruction, BindPod):
                pod = msgspec.structs.replace(instruction.pod, node_name=instruction.node)
                self.builder.set_pod(pod)
                self.waiting.pop(pod.name, None)
            elif isinstance(instruction, EvictPod):
                self.builder.remove_pod(instruction.pod.uid)
            elif isinstance(instruction, NominateNode):
                if self.snapshot.pod(instruction.pod.uid) is not None:
                    # The node that it just got, said because its binding takes long.
                    continue
                node = instruction.node
                self._let_wait(msgspec.structs.replace(instruction.pod, nominated_node_name=node))


def bindings(decision: Decision) -> dict[str, str]:
    """Return pod name → node name of a decision's bindings."""
    return {i.pod.name: i.node for i in decision.instructions if isinstance(i, BindPod)}


def victims(decision: Decision) -> list[str]:
    """Return the names of the pods that a decision evicts, in order."""
    return [i.pod.name for i in decision.instructions if isinstance(i, EvictPod)]


def nominations(decision: Decision) -> dict[str, str]:
    """Return pod name → node name of a decision's promises; empty takes one back."""
    return {i.pod.name: i.node for i in decision.instructions if isinstance(i, NominateNode)}


def failures(decision: Decision) -> dict[str, str]:
    """Return pod name → message of a decision's failed pods."""
    return {i.pod.name: i.message for i in decision.instructions if isinstance(i, FailPod)}


def group_condition(decision: Decision) -> tuple[str, str, str] | None:
    """Return (status, reason, message) of the group condition that a decision writes."""
    for instruction in decision.instructions:
        if isinstance(instruction, SetPodGroupCondition):
            return (instruction.status, instruction.reason, instruction.message)
    return None


def group_conditions(decision: Decision) -> dict[str, tuple[str, str, str]]:
    """Return group name → (status, reason, message) of all conditions of a decision."""
    return {
        i.group.name: (i.status, i.reason, i.message)
        for i in decision.instructions
        if isinstance(i, SetPodGroupCondition)
    }
