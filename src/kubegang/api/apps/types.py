"""ReplicaSet and StatefulSet, as spreading reads them: which pods are theirs."""

from __future__ import annotations

from kubegang.api.meta import Form, LabelSelector, ObjectMeta


class ReplicaSetSpec(Form, frozen=True):
    """``spec`` of a ReplicaSet."""

    selector: LabelSelector | None = None


class ReplicaSet(Form, frozen=True):
    """Keeps a number of equal pods running."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()


class StatefulSetSpec(Form, frozen=True):
    """``spec`` of a StatefulSet."""

    selector: LabelSelector | None = None


class StatefulSet(Form, frozen=True):
    """Keeps a number of named pods running."""

    metadata: ObjectMeta = ObjectMeta()
    spec: StatefulSetSpec = StatefulSetSpec()
