"""Service and ReplicationController, as spreading reads them: which pods they select."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.meta import Form, ObjectMeta


class ServiceSpec(Form, frozen=True):
    """``spec`` of a Service; without a selector it selects no pods."""

    selector: Mapping[str, str] = {}


class Service(Form, frozen=True):
    """A name for the pods that it selects."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


class ReplicationControllerSpec(Form, frozen=True):
    """``spec`` of a ReplicationController."""

    selector: Mapping[str, str] = {}


class ReplicationController(Form, frozen=True):
    """Keeps a number of equal pods running."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicationControllerSpec = ReplicationControllerSpec()
