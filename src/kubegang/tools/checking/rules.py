"""The rules of ``kubegang check``: name, severity, and what the documentation says. Data.

``docs/reference/checks.md`` is written from this table, with an anchor for each name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from kubegang.tools.checking.report import Severity


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule.

    Attributes:
        summary: what it finds, in a few words.
        meaning: what happens then.
        advice: what to do.
    """

    name: str
    severity: Severity
    summary: str
    meaning: str
    advice: str


_RULES: Final = (
    Rule(
        name="kind-not-served",
        severity="error",
        summary="the API server of this version has no such kind",
        meaning="The object is refused with 404. Each Kubernetes version has the gang-scheduling "
        "kinds in other API versions, and serves them only with the gate GenericWorkload.",
        advice="Write the object in the API version that the message names, or switch the gate on.",
    ),
    Rule(
        name="unknown-field",
        severity="error",
        summary="the kind has no such field in this version",
        meaning="kubectl refuses the object; clients that do not ask for strict decoding lose "
        "the field without a word.",
        advice="Take the field out, or spell it as this version has it.",
    ),
    Rule(
        name="wrong-type",
        severity="error",
        summary="a value has the wrong type",
        meaning="The API server refuses the object with 400.",
        advice="Give the field a value of the type that the message names.",
    ),
    Rule(
        name="field-dropped",
        severity="error",
        summary="the API server drops a field whose feature gate is off",
        meaning="The object is accepted, but the field is gone before validation, and nobody is "
        "told: no warning is ever sent.",
        advice="Switch the gate on in the API server, or take the field out.",
    ),
    Rule(
        name="field-refused",
        severity="error",
        summary="the object breaks a validation rule",
        meaning="The API server refuses the object with 422 and the text of the message.",
        advice="Change the field as the message says.",
    ),
    Rule(
        name="gate-missing",
        severity="error",
        summary="a component lacks a feature gate that the objects need",
        meaning="Gates are set for each component by itself. Where one is off, that component "
        "goes on as if the feature did not exist.",
        advice="Switch the gate on in the component that the message names.",
    ),
    Rule(
        name="not-a-gang",
        severity="info",
        summary="a Job or group does not become a gang in this version",
        meaning="Its pods are scheduled one by one, so that some may start without the others.",
        advice="Look at the conditions, which the report lists one by one.",
    ),
    Rule(
        name="group-not-found",
        severity="warning",
        summary="pods name a group that is not among the inputs",
        meaning="Pods wait until the object exists; nothing tells them so.",
        advice="Give the file with the group too, or create the group before its pods.",
    ),
    Rule(
        name="mixed-scheduler-names",
        severity="error",
        summary="pods of one group name different schedulers",
        meaning="No scheduler sees the whole group, so nothing is bound.",
        advice="Give all pods of the group the same schedulerName.",
    ),
    Rule(
        name="mixed-priorities",
        severity="error",
        summary="pods do not have the priority of their group",
        meaning="kube-scheduler 1.37 refuses the whole group before it tries a pod.",
        advice="Give the group and all of its pods the same priorityClassName.",
    ),
    Rule(
        name="heterogeneous",
        severity="warning",
        summary="the pods of a group do not ask for the same",
        meaning="kube-scheduler tries the pods in one order and takes none back, so a group of "
        "unequal pods may be refused although a placement exists.",
        advice="Make the pods equal, create the largest first, or use schedulerName: kubegang.",
    ),
    Rule(
        name="dependency-inside",
        severity="warning",
        summary="pods of a group depend on where other pods of the group are",
        meaning="Affinity, anti-affinity and hard spreading count only siblings that were placed "
        "before, so whether the group fits depends on the order of its pods.",
        advice="Use schedulingConstraints.topology for the group where one common domain is meant.",
    ),
    Rule(
        name="batching-off",
        severity="info",
        summary="the ranking made for one pod is not used for the next",
        meaning="Each pod of the group costs a search over the nodes (KEP-5598). Nothing else "
        "is different.",
        advice="Where speed matters, take away what the message names.",
    ),
    Rule(
        name="quorum-unreachable",
        severity="error",
        summary="the minimum is above what the owners can create",
        meaning="The owner makes no further pods before some run, and none runs before enough "
        "exist: the group waits forever.",
        advice="Lower minCount to what the message names, or let the owner create more at once.",
    ),
    Rule(
        name="quorum-not-here",
        severity="warning",
        summary="fewer pods than the minimum are among the inputs",
        meaning="The group waits until the others exist.",
        advice="Give the files with the other pods too, or lower minCount.",
    ),
    Rule(
        name="rollout-below-quorum",
        severity="error",
        summary="a roll-out never has enough new pods for a gang",
        meaning="A Deployment makes new pods up to its surge and waits for them before it takes "
        "old ones away. New pods that form a gang of their own wait for more than that.",
        advice="Raise maxSurge (or maxUnavailable) to the minimum, or use the strategy Recreate.",
    ),
    Rule(
        name="nobody-schedules",
        severity="warning",
        summary="no known scheduler has that name",
        meaning="Pods stay Pending without an event.",
        advice="Use default-scheduler or kubegang, or tell check of others with --scheduler-name.",
    ),
    Rule(
        name="topology-label-missing",
        severity="warning",
        summary="nodes lack the label of a group's topology constraint",
        meaning="Such a node is never a candidate for the group.",
        advice="Label the nodes that the group may use.",
    ),
    Rule(
        name="topology-label-empty",
        severity="warning",
        summary="the label of a group's topology constraint has no value on some nodes",
        meaning="The empty value is a domain like any other: such nodes count as one rack.",
        advice="Give the label a value, or remove it.",
    ),
    Rule(
        name="topology-not-nested",
        severity="warning",
        summary="a topology value occurs in several parent domains",
        meaning="Racks of one name in two zones are one domain to the scheduler, so a group may "
        "be split over both.",
        advice="Make the values unique, for instance by putting the parent's name in front.",
    ),
    Rule(
        name="other-gang-scheduler",
        severity="warning",
        summary="the object belongs to another gang scheduler",
        meaning="Nothing in Kubernetes reads it, so its pods are no gang there.",
        advice="Keep that scheduler, or write a PodGroup of scheduling.k8s.io.",
    ),
    Rule(
        name="no-minimum",
        severity="error",
        summary="a group of another gang scheduler has no number of members",
        meaning="minResources has no counterpart in Kubernetes: sums of resources do not tell "
        "how many pods must start together. Taken for 0 the gang would always be complete.",
        advice="Say how many members there must be: minMember there, minCount here.",
    ),
    Rule(
        name="does-not-fit",
        severity="warning",
        summary="pods or a group would wait on the nodes that are among the inputs",
        meaning="The scheduler's own decision was taken on these nodes and pods; where owners make "
        "pods, on those that they would make.",
        advice="kubegang explain says what would let it start.",
    ),
)

RULES: Final[Mapping[str, Rule]] = {rule.name: rule for rule in _RULES}
"""By name, in the order of the documentation."""
