"""``kubegang what-if``: suppositions about a cluster, played through without touching it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from kubegang.app.clusterfiles import state_of
from kubegang.app.clustersource import (
    Rules,
    Source,
    SourceOptions,
    chance,
    load_source,
    rules_of,
    stage_of,
)
from kubegang.app.errors import BadInputError
from kubegang.app.explaining import subject_named
from kubegang.app.inputs import ReadStandardInput
from kubegang.app.nodeshapes import node_shape
from kubegang.app.submitting import submitted
from kubegang.base.clock import RealClock
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.tools.cluster.edits import Edit, with_edits
from kubegang.tools.cluster.facts import DumpFacts
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.whatif.playing import Played, plan_of, play
from kubegang.tools.whatif.report import Plan, WhatIfReport
from kubegang.tools.whatif.suppositions import (
    Drained,
    SuppositionError,
    added_nodes,
    budget_warnings,
    cordoned,
    drained,
    largest_first,
    priorities_of_classes,
    with_priority,
)
from kubegang.tools.workunits import count_of


class AddedNodes(NamedTuple):
    """``--add-nodes 3=SHAPE``, or ``0..5=SHAPE`` for the least number that is enough."""

    least: int
    most: int
    shape: str


class Suppositions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``what-if`` that suppose something.

    Attributes:
        priorities: ``KIND/NAME=VALUE``, a number or a PriorityClass.
        submit: manifests.
        releases: plans are made by the rules of each; none stands for the cluster's own.
    """

    add_nodes: tuple[AddedNodes, ...] = ()
    cordon: tuple[str, ...] = ()
    drain: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    submit: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    namespace: str = "default"


def what_if(
    options: SourceOptions,
    suppositions: Suppositions,
    *,
    read_standard_input: ReadStandardInput,
    progress: Callable[[str], None],
) -> WhatIfReport:
    """Play suppositions through.

    Raises:
        BadInputError: a flag or a file is wrong, or something supposed is not there.
        ClusterUnreachableError: the cluster does not answer.
    """
    source = load_source(
        options, read_standard_input=read_standard_input, progress=progress, clock=RealClock()
    )
    return what_if_in(source, options, suppositions, read_standard_input=read_standard_input)


def what_if_in(
    source: Source,
    options: SourceOptions,
    suppositions: Suppositions,
    *,
    read_standard_input: ReadStandardInput,
) -> WhatIfReport:
    """Play suppositions through in a cluster that was read.

    Raises:
        BadInputError: something supposed is not there.
    """
    releases = suppositions.releases or (source.rules.version.name,)
    plans: list[Plan] = []
    answers: list[str] = []
    for release in releases:
        rules = source.rules
        if release != rules.version.name:
            rules = rules_of(options, release)
        player = _Player(source.state, rules, suppositions, read_standard_input)
        plan, answer = player.plan()
        plans.append(plan)
        if answer:
            answers.append(answer if len(releases) == 1 else f"{release}: {answer}")
    return WhatIfReport(
        suppositions=tuple(_words(suppositions)),
        plans=tuple(plans),
        unseen=tuple(f"{one.resource}: {one.why}" for one in source.state.unseen),
        answer="; ".join(answers),
    )


class _Player:
    """The suppositions under one release's rules."""

    def __init__(
        self,
        state: ClusterState,
        rules: Rules,
        suppositions: Suppositions,
        read_standard_input: ReadStandardInput,
    ) -> None:
        self._state = state
        self._rules = rules
        self._supposed = suppositions
        self._submitted = submitted(
            suppositions.submit, state, rules, read_standard_input=read_standard_input
        )
        names = {pod.scheduler_name for pod in state.pods}
        names |= {pod.scheduler_name for pod in self._with_submitted(state).pods}
        self._deciders = rules.deciders(sorted(names))

    def plan(self) -> tuple[Plan, str]:
        """Return the plan, and what was found out beyond it."""
        try:
            gone = drained(self._state, self._supposed.drain)
            without = self._play(self._state)
            played, answer = self._with_enough_nodes(gone)
        except SuppositionError as error:
            raise BadInputError(str(error)) from error
        notes = (*budget_warnings(self._state, gone.gone), *self._lost_notes())
        plan = plan_of(
            played,
            without,
            version=self._rules.version.name,
            drained=gone,
            refused=self._submitted.refused,
            notes=notes,
        )
        return plan, answer

    def _with_enough_nodes(self, gone: Drained) -> tuple[Played, str]:
        """Play with as few nodes as are enough, if a range was given."""
        ranges = self._supposed.add_nodes
        tried = [self._shape(added.shape) for added in ranges]
        counts = [added.most for added in ranges]
        played = self._play(self._supposed_state(gone, tried, counts))
        answers: list[str] = []
        for position, added in enumerate(ranges):
            if added.least == added.most:
                continue
            if played.left:
                answers.append(self._not_enough(played, added))
                continue
            played, counts[position] = self._fewest(gone, tried, counts, position)
            answers.append(_enough(counts[position], added.shape))
            ordered = self._fewest(gone, tried, counts, position, ordered=True)[1]
            if ordered < counts[position]:
                answers.append(
                    f"{count_of(ordered, 'node')} would be, if the groups' pods were created "
                    "anew, those that ask for most first"
                )
        return played, "; ".join(answers)

    def _fewest(
        self,
        gone: Drained,
        shapes: Sequence[NodeInfo],
        counts: Sequence[int],
        position: int,
        *,
        ordered: bool = False,
    ) -> tuple[Played, int]:
        """Return the rehearsal with the fewest nodes of one shape with which nothing waits.

        Args:
            gone: what is drained.
            shapes: of the nodes to add.
            counts: how many of each; of the one in question, so many as are enough.
            position: of the one in question.
            ordered: as if the pods of each group had come in a better order.
        """

        def played_with(number: int) -> Played:
            state = self._supposed_state(gone, shapes, _at(counts, position, number))
            return self._play(with_edits(state, largest_first(state)) if ordered else state)

        low, high = self._supposed.add_nodes[position].least, counts[position]
        best = None
        while low < high:
            middle = (low + high) // 2
            played = played_with(middle)
            if played.left:
                low = middle + 1
            else:
                high, best = middle, played
        return best or played_with(high), high

    def _not_enough(self, played: Played, added: AddedNodes) -> str:
        nodes = f"{count_of(added.most, 'node')} of {added.shape}"
        without = self._play(self._with_submitted(self._state))
        if played.started - without.started:
            return f"even with {nodes} not everything starts"
        return f"do not scale: {nodes} cannot help"

    # --- states --------------------------------------------------------------------------

    def _supposed_state(
        self, gone: Drained, shapes: Sequence[NodeInfo], counts: Sequence[int]
    ) -> ClusterState:
        state = with_edits(
            self._state, [*gone.edits, *cordoned(self._state, self._supposed.cordon)]
        )
        for shape, number in zip(shapes, counts, strict=True):
            state = with_edits(state, added_nodes(state, shape, number))
        state = self._with_submitted(state)
        return with_edits(state, self._priorities(state))

    def _with_submitted(self, state: ClusterState) -> ClusterState:
        if not self._submitted.objects:
            return state
        made = state_of(
            self._submitted.objects,
            DumpFacts(),
            gates=self._rules.version.gates["apiserver"],
            release=self._rules.version.name,
        )
        return msgspec.structs.replace(
            state,
            pods=(*state.pods, *made.pods),
            groups=(*state.groups, *made.groups),
            composites=(*state.composites, *made.composites),
            workloads=(*state.workloads, *made.workloads),
            devices=(*state.devices, *made.devices),
            owners={**state.owners, **made.owners},
            objects={**state.objects, **made.objects},
        )

    def _priorities(self, state: ClusterState) -> list[Edit]:
        edits: list[Edit] = []
        stage = stage_of(state, self._rules) if self._supposed.priorities else None
        for text in self._supposed.priorities:
            name, _, value = text.rpartition("=")
            subject = subject_named(name, self._supposed.namespace)
            if stage is not None:
                edits += with_priority(stage, subject, _priority(state, value))
        return edits

    def _shape(self, text: str) -> NodeInfo:
        return node_shape(self._state, text, gates=self._rules.version.gates["apiserver"])

    def _play(self, state: ClusterState) -> Played:
        return play(state, self._deciders, chance=chance, backoff=self._rules.backoff)

    def _lost_notes(self) -> list[str]:
        """Return what the release does not have of what the cluster has."""
        profile = self._rules.version.schedulers[0]
        notes = []
        if profile.workload_version and self._state.groups:
            notes.append(
                f"{self._rules.version.name} has no PodGroup objects; its pods name a Workload, "
                "so pods with spec.schedulingGroup are ordinary pods there"
            )
        if not profile.workload_version and self._state.workloads:
            notes.append(
                f"{self._rules.version.name} does not serve Workload v1alpha1; such objects must "
                "be deleted before the upgrade, and pods with spec.workloadRef are ordinary pods"
            )
        return notes


def _enough(number: int, shape: str) -> str:
    verb = "is" if number == 1 else "are"
    return f"{count_of(number, 'node')} of {shape} {verb} enough"


def _at(counts: Sequence[int], position: int, number: int) -> list[int]:
    return [number if index == position else count for index, count in enumerate(counts)]


def _priority(state: ClusterState, text: str) -> int:
    classes = priorities_of_classes(state)
    if text in classes:
        return classes[text]
    try:
        return int(text)
    except ValueError as error:
        raise BadInputError(
            f"--set-priority: need a number or a PriorityClass, found {text!r}"
        ) from error


def _words(supposed: Suppositions) -> list[str]:
    words = [f"add {_range(added)} of {added.shape}" for added in supposed.add_nodes]
    words += [f"cordon {name}" for name in supposed.cordon]
    words += [f"drain {name}" for name in supposed.drain]
    words += [f"set priority {text}" for text in supposed.priorities]
    words += [f"submit {path}" for path in supposed.submit]
    words += [f"as {release}" for release in supposed.releases]
    return words


def _range(added: AddedNodes) -> str:
    if added.least == added.most:
        return count_of(added.most, "node")
    return f"{added.least} to {added.most} nodes"
