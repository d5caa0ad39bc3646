"""Lease, as leader election and the nodes' heartbeats use it."""

from __future__ import annotations

from kubegang.api.meta import Form, ObjectMeta


class LeaseSpec(Form, frozen=True):
    """``spec`` of a lease; its times have microseconds."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None


class Lease(Form, frozen=True):
    """A lock that is lost when its holder stops renewing it."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = LeaseSpec()
