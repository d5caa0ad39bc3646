"""Clusters as they are supposed to be, under the rules of one release."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.app.clusterfiles import state_of
from kubegang.app.clustersource import Rules, stage_of
from kubegang.app.errors import BadInputError
from kubegang.app.explaining import subject_named
from kubegang.app.inputs import ReadStandardInput
from kubegang.app.nodeshapes import node_shape
from kubegang.app.submitting import submitted
from kubegang.app.supposed import Suppositions
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.tools.cluster.edits import Edit, with_edits
from kubegang.tools.cluster.facts import DumpFacts
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.whatif.suppositions import (
    Drained,
    added_nodes,
    cordoned,
    priorities_of_classes,
    with_priority,
)


class SupposedStates:
    """Makes states of a cluster in which suppositions hold.

    Attributes:
        as_it_is: the cluster without any.
        refused: what the release did not take of what was to be submitted.
    """

    def __init__(
        self,
        state: ClusterState,
        rules: Rules,
        suppositions: Suppositions,
        *,
        read_standard_input: ReadStandardInput,
    ) -> None:
        """Take the cluster, and find out what becomes of submitted manifests in it.

        Raises:
            BadInputError: a manifest cannot be read.
        """
        self.as_it_is = state
        self._rules = rules
        self._supposed = suppositions
        self._submitted = submitted(
            suppositions.submit, state, rules, read_standard_input=read_standard_input
        )
        self.refused = self._submitted.refused

    def shape(self, text: str) -> NodeInfo:
        """Return a node as ``--add-nodes`` describes it.

        Raises:
            BadInputError: it describes none.
        """
        return node_shape(self.as_it_is, text, gates=self._rules.version.gates["apiserver"])

    def supposed(
        self, gone: Drained, shapes: Sequence[NodeInfo], counts: Sequence[int]
    ) -> ClusterState:
        """Return the cluster with everything that is supposed.

        Args:
            gone: what is drained.
            shapes: of the nodes to add.
            counts: how many of each.
        """
        cordons = cordoned(self.as_it_is, self._supposed.cordon)
        state = with_edits(self.as_it_is, [*gone.edits, *cordons])
        for shape, number in zip(shapes, counts, strict=True):
            state = with_edits(state, added_nodes(state, shape, number))
        state = self.with_submitted(state)
        return with_edits(state, self._priorities(state))

    def with_submitted(self, state: ClusterState) -> ClusterState:
        """Return a state with the submitted manifests in it."""
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
