"""``kubegang what-if``: suppositions about a cluster, played through without touching it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubegang.app.clustersource import (
    Rules,
    Source,
    SourceOptions,
    chance,
    load_source,
    rules_of,
)
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput
from kubegang.app.supposed import AddedNodes, Suppositions, words_of
from kubegang.app.supposedstates import SupposedStates
from kubegang.base.clock import RealClock
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.tools.cluster.edits import with_edits
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.whatif.moving import Defragmented, defragmented, moving_notes
from kubegang.tools.whatif.playing import Played, plan_of, play
from kubegang.tools.whatif.report import Plan, WhatIfReport
from kubegang.tools.whatif.suppositions import (
    Drained,
    SuppositionError,
    budget_warnings,
    drained,
    largest_first,
)
from kubegang.tools.workunits import count_of


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
        states = SupposedStates(
            source.state, rules, suppositions, read_standard_input=read_standard_input
        )
        plan, answer = _Player(states, rules, suppositions).plan()
        plans.append(plan)
        if answer:
            answers.append(answer if len(releases) == 1 else f"{release}: {answer}")
    return WhatIfReport(
        suppositions=tuple(words_of(suppositions)),
        plans=tuple(plans),
        unseen=tuple(f"{one.resource}: {one.why}" for one in source.state.unseen),
        answer="; ".join(answers),
    )


class _Player:
    """The suppositions under one release's rules."""

    def __init__(self, states: SupposedStates, rules: Rules, suppositions: Suppositions) -> None:
        self._states = states
        self._rules = rules
        self._supposed = suppositions
        pods = states.with_submitted(states.as_it_is).pods
        self._deciders = rules.deciders(sorted({pod.scheduler_name for pod in pods}))

    def plan(self) -> tuple[Plan, str]:
        """Return the plan, and what was found out beyond it."""
        state = self._states.as_it_is
        try:
            gone = drained(state, self._supposed.drain)
            without = self._play(state)
            played, answer = self._with_enough_nodes(gone)
        except SuppositionError as error:
            raise BadInputError(str(error)) from error
        moved = Defragmented(played.state)
        notes = [*budget_warnings(state, gone.gone), *self._lost_notes()]
        if self._supposed.defrag and played.left:
            moved = defragmented(played.state, self._play, self._deciders, chance=chance)
            played = self._play(moved.state)
            notes += moving_notes(moved)
        plan = plan_of(
            played,
            without,
            version=self._rules.version.name,
            drained=gone,
            moves=moved.moves,
            refused=self._states.refused,
            notes=tuple(notes),
        )
        return plan, answer

    def _with_enough_nodes(self, gone: Drained) -> tuple[Played, str]:
        """Play with as few nodes as are enough, if a range was given."""
        ranges = self._supposed.add_nodes
        tried = [self._states.shape(added.shape) for added in ranges]
        counts = [added.most for added in ranges]
        played = self._play(self._states.supposed(gone, tried, counts))
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
            state = self._states.supposed(gone, shapes, _at(counts, position, number))
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
        without = self._play(self._states.with_submitted(self._states.as_it_is))
        if played.started - without.started:
            return f"even with {nodes} not everything starts"
        return f"do not scale: {nodes} cannot help"

    def _play(self, state: ClusterState) -> Played:
        return play(state, self._deciders, chance=chance, backoff=self._rules.backoff)

    def _lost_notes(self) -> list[str]:
        """Return what the release does not have of what the cluster has."""
        profile = self._rules.version.schedulers[0]
        notes = []
        if profile.workload_version and self._states.as_it_is.groups:
            notes.append(
                f"{self._rules.version.name} has no PodGroup objects; its pods name a Workload, "
                "so pods with spec.schedulingGroup are ordinary pods there"
            )
        if not profile.workload_version and self._states.as_it_is.workloads:
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
