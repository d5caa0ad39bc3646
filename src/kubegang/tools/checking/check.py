"""The rules applied: to one Kubernetes version, and over several. Pure.

1. What the API server makes of each object (``serving``).
2. Which pods and groups come of it (``makers``, ``gangs``).
3. What is said about each group, and about gates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

import msgspec

from kubegang.apimachinery.quantity import QuantityError
from kubegang.apiserver.chance import Rng as ServerRng
from kubegang.controllers.job.shape import Condition as AskedCondition
from kubegang.scheduler.framework.rng import Rng as SchedulerRng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.tools.checking.batches import batching_of
from kubegang.tools.checking.domains import odd_labels
from kubegang.tools.checking.fitting import Fitting
from kubegang.tools.checking.foreign import foreign_findings, is_foreign
from kubegang.tools.checking.gangs import Groups
from kubegang.tools.checking.gates import by_component, missing_gates, needed_gates
from kubegang.tools.checking.makers import Makers
from kubegang.tools.checking.members import (
    dependent_members,
    heterogeneous_members,
    is_homogeneous,
    mixed_members,
)
from kubegang.tools.checking.model import (
    DEFAULT_NAMESPACE,
    Found,
    Group,
    Kept,
    Maker,
    Release,
    Written,
)
from kubegang.tools.checking.priorities import Priorities
from kubegang.tools.checking.quorum import missing_children, stuck_rollouts, unreachable_quorum
from kubegang.tools.checking.report import NeededGates
from kubegang.tools.checking.serving import is_known, serve
from kubegang.tools.rehearsal.deciders import Deciders

NOW: Final = "2000-01-01T00:00:00Z"
"""On objects as they would be stored; no rule looks at it."""


class Rng(ServerRng, SchedulerRng, Protocol):
    """A source of chance for uids and for the scheduler."""


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A Kubernetes version with all that decides in it.

    Attributes:
        deciders: the scheduler's profiles; the first stands for names that are not known.
        schedulers: further schedulerNames that somebody serves.
        chance: gives each version, and each decision, the same source of chance.
    """

    release: Release
    deciders: Deciders
    schedulers: frozenset[str]
    chance: Callable[[], Rng]

    def framework(self, name: str) -> Framework:
        """Return what decides for a schedulerName."""
        whole = self.deciders.whole
        return whole.get(name, whole[self.deciders.main.scheduler_name]).framework

    @property
    def checks_gangs(self) -> bool:
        """Whether its scheduler knows of gangs at all."""
        plugins = self.release.profile.schedulers[0].plugins
        return any(plugin.name == "GangScheduling" for plugin in plugins)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict whose fields have no places yet.

    Attributes:
        written: the object that the conditions are about.
        conditions: what was asked.
    """

    object: str
    written: Written | None
    gang: bool
    why: str
    minimum: int = 0
    conditions: tuple[AskedCondition, ...] = ()
    homogeneous: bool | None = None
    batching: bool | None = None
    batching_why: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one version has to say."""

    version: str
    found: tuple[Found, ...]
    drafts: tuple[Draft, ...]
    gates: tuple[NeededGates, ...]


def check_release(objects: Sequence[Written], setting: Setting) -> Answer:
    """Apply all rules in one version."""
    return _Checking(objects, setting).answer()


class _Checking:
    """One pass over all objects by one version's rules."""

    def __init__(self, objects: Sequence[Written], setting: Setting) -> None:
        self._objects = objects
        self._setting = setting
        self._release = setting.release
        self._found: list[Found] = []
        self._kept: dict[int, Kept] = {}
        self._templates: list[Maker] = []

    def answer(self) -> Answer:
        self._serve()
        kept = list(self._kept.values())
        priorities = Priorities(k.object for k in kept if k.written.gvk.kind == "PriorityClass")
        gates = self._release.profile.gates["apiserver"]
        makers = Makers(kept, priorities, gates)
        groups = Groups(self._release, makers, priorities)
        for one in kept:
            self._look_at_pods(one, groups)
        drafts = [*self._jobs(groups)]
        nodes = [one for one in kept if one.written.gvk.kind == "Node"]
        gathered = list(groups.all())
        for group in gathered:
            self._look_at(group, makers, priorities, nodes=nodes)
            drafts.append(self._draft(group, groups))
        fitting = Fitting(
            kept,
            release=self._release,
            priorities=priorities,
            deciders=self._setting.deciders,
            chance=self._setting.chance,
        )
        self._found += fitting.without_room(gathered, self._templates, makers)
        needed = needed_gates(self._objects, kept, gathered, self._release)
        components = tuple(by_component(needed, self._release))
        self._found += missing_gates(needed, components)
        return Answer(
            version=self._release.name,
            found=tuple(self._found),
            drafts=tuple(drafts),
            gates=components,
        )

    # --- steps -------------------------------------------------------------------------------

    def _serve(self) -> None:
        rng = self._setting.chance()
        for written in self._objects:
            if is_foreign(written.gvk):
                self._found += foreign_findings(written)
            elif not is_known(written, self._release):
                self._kept[written.index] = _as_it_is(written)
            else:
                kept, found = serve(written, self._release, now=NOW, rng=rng)
                self._found += found
                if kept is not None:
                    self._kept[written.index] = kept

    def _look_at_pods(self, kept: Kept, groups: Groups) -> None:
        try:
            makers = groups.add(kept)
        except (msgspec.ValidationError, QuantityError) as error:
            # Only operators' objects come here unseen by validation.
            self._found.append(Found("wrong-type", kept.written, "", str(error)))
            return
        self._templates += makers
        self._found += self._unscheduled(makers)

    def _unscheduled(self, makers: Iterable[Maker]) -> Iterator[Found]:
        known = frozenset(self._setting.deciders.names) | self._setting.schedulers
        for maker in makers:
            name = maker.pod.scheduler_name
            if name not in known and maker.written.gvk.kind != "DaemonSet":
                yield Found(
                    "nobody-schedules",
                    maker.written,
                    maker.at("spec.schedulerName"),
                    f'pods of {maker.label} wait for a scheduler "{name}"; known are '
                    f"{', '.join(sorted(known))}",
                )

    def _jobs(self, groups: Groups) -> Iterator[Draft]:
        """Yield the verdicts about Jobs that become no gang."""
        for index, answer in groups.job_answers.items():
            written = self._kept[index].written
            if answer.is_gang or answer.names_group:
                # The group has a verdict of its own.
                continue
            broken = next((one for one in answer.conditions if not one.holds), None)
            why = answer.why if broken is None else f"needs {broken.need}"
            field = "" if broken is None else broken.field
            message = f"{written.label} becomes no gang in {self._release.name}: {why}"
            self._found.append(Found("not-a-gang", written, field, message))
            yield Draft(
                object=written.label,
                written=written,
                gang=False,
                why=why,
                conditions=answer.conditions,
            )

    def _look_at(
        self, group: Group, makers: Makers, priorities: Priorities, *, nodes: Sequence[Kept]
    ) -> None:
        if group.info is None:
            self._found.append(_not_here(group))
        self._found += mixed_members(group, self._release, priorities)
        if group.makers:
            framework = self._framework_of(group)
            self._found += heterogeneous_members(group, framework)
        self._found += dependent_members(group)
        self._found += unreachable_quorum(group, self._kept, makers)
        self._found += missing_children(group)
        self._found += stuck_rollouts(group, self._kept)
        self._found += odd_labels(group, nodes)

    def _draft(self, group: Group, groups: Groups) -> Draft:
        batching = homogeneous = None
        if group.makers:
            framework = self._framework_of(group)
            homogeneous = is_homogeneous(group, framework)
            batching = batching_of(group, framework, self._release)
            if not batching.on:
                text = f"{group.label}: batching is off: {batching.why}"
                written = group.makers[0].written
                self._found.append(Found("batching-off", written, batching.field, text))
        minimum, why = self._gang_of(group)
        if not minimum and group.info is not None and group.written is not None:
            text = f"{group.label} is no gang in {self._release.name}: {why}"
            self._found.append(Found("not-a-gang", group.written, group.policy, text))
        answer = None if group.written is None else groups.job_answers.get(group.written.index)
        return Draft(
            object=group.label,
            written=group.written,
            gang=bool(minimum),
            minimum=minimum,
            why=why,
            conditions=() if answer is None else answer.conditions,
            homogeneous=homogeneous,
            batching=None if batching is None else batching.on,
            batching_why="" if batching is None else batching.why,
        )

    def _framework_of(self, group: Group) -> Framework:
        return self._setting.framework(group.makers[0].pod.scheduler_name)

    def _gang_of(self, group: Group) -> tuple[int, str]:
        """Return the minimum, 0 for no gang, and why."""
        if group.info is None:
            return 0, "no object here describes the group"
        if group.info.min_count is None:
            return 0, "its policy is basic"
        if not self._setting.checks_gangs:
            return 0, "the scheduler's gates for gangs are off"
        what = "groups" if group.info.is_composite else "pods"
        return group.info.min_count, f"at least {group.info.min_count} {what} start together"


def _not_here(group: Group) -> Found:
    maker = group.makers[0]
    field = "spec.workloadRef" if maker.pod.workload_ref is not None else "spec.schedulingGroup"
    return Found(
        "group-not-found",
        maker.written,
        maker.at(field),
        f"pods of {maker.label} name {group.label}, which no object here describes",
    )


def _as_it_is(written: Written) -> Kept:
    metadata = {"namespace": DEFAULT_NAMESPACE, **(written.object.get("metadata") or {})}
    return Kept(written, {**written.object, "metadata": metadata})
