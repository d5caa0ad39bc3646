"""Metrics of the claims that are made for extended resources."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter


class ClaimMetrics:
    """Counts under both names that it ever had; a release shows one (measured).

    1.35 and 1.36 have a name of the scheduler's; 1.37 shares the name with the controllers.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._before = Counter(
            "scheduler_resourceclaim_creates",
            "ResourceClaims that the scheduler asked for, by whether it got them.",
            ("status",),
            registry=registry,
        )
        self._shared = Counter(
            "dynamic_resource_allocation_resourceclaim_creates",
            "ResourceClaims that were asked for, by whether they were made, and for whom.",
            ("status", "admin_access", "owner_api_group", "owner_api_kind"),
            registry=registry,
        )

    def note_created(self, *, succeeded: bool) -> None:
        """Count an attempt to make a claim for a pod."""
        status = "success" if succeeded else "failure"
        self._before.labels(status).inc()
        self._shared.labels(status, "false", "", "Pod").inc()
