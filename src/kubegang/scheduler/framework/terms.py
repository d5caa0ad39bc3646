"""What a pod wants of its node and of the pods around it, as terms that are evaluated.

Selectors, affinities, tolerations and spread constraints: compact, frozen, made to be shared
by all pods that want the same.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Toleration(NamedTuple):
    """A toleration; an empty key with operator Exists tolerates everything."""

    key: str
    operator: str
    value: str
    effect: str


class Requirement(NamedTuple):
    """One expression of a node selector or label selector.

    Attributes:
        operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.
    """

    key: str
    operator: str
    values: tuple[str, ...]


class NodeSelectorTerm(NamedTuple):
    """Requirements that must all hold, on labels and on fields (``metadata.name``)."""

    expressions: tuple[Requirement, ...]
    fields: tuple[Requirement, ...]


class PreferredTerm(NamedTuple):
    """A term that adds ``weight`` to a node's score where it matches."""

    weight: int
    term: NodeSelectorTerm


class NodeAffinityTerms(NamedTuple):
    """What a pod wants of its node.

    Attributes:
        selector: spec.nodeSelector, sorted.
        required: one of these terms must match; ``None`` is no requirement, an empty tuple
            matches no node.
        preferred: terms that score.
    """

    selector: tuple[tuple[str, str], ...]
    required: tuple[NodeSelectorTerm, ...] | None
    preferred: tuple[PreferredTerm, ...]


LabelTerms: TypeAlias = tuple[Requirement, ...] | None
"""A label selector: requirements that must all hold; ``None`` selects nothing."""


class AffinityTerm(NamedTuple):
    """Pods to be near to, or away from.

    Attributes:
        topology_key: nodes with the same value of this label are near to each other.
        selector: which pods are meant.
        namespaces: where they are; sorted.
        namespace_selector: where else they are: in namespaces with such labels.
    """

    topology_key: str
    selector: LabelTerms
    namespaces: tuple[str, ...]
    namespace_selector: LabelTerms


class WeightedAffinityTerm(NamedTuple):
    """A term that scores; below zero the pods are to be kept away from."""

    weight: int
    term: AffinityTerm


class PodAffinityTerms(NamedTuple):
    """What a pod wants of the pods around it.

    Attributes:
        required: one pod must match all of these.
        required_anti: no pod may match any of these.
        preferred: terms that score.
    """

    required: tuple[AffinityTerm, ...]
    required_anti: tuple[AffinityTerm, ...]
    preferred: tuple[WeightedAffinityTerm, ...]


class SpreadConstraint(NamedTuple):
    """How evenly pods must lie over the domains of a topology key.

    Attributes:
        hard: DoNotSchedule; otherwise it only scores.
        selector: which pods of the namespace are counted, matchLabelKeys included.
        honors_affinity: nodes that the pod's node selection excludes are no domains.
        honors_taints: nor are nodes with taints that it does not tolerate.
    """

    max_skew: int
    topology_key: str
    hard: bool
    selector: LabelTerms
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False
