"""What ``/metrics`` shows: the scheduler's metrics as the chosen release has them, and the process.

As Go's library does it, a family of which nothing has been counted yet is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from kubegang.api.profile import VersionProfile
from kubegang.app.leading import Leadership


class ShownMetrics(Collector):
    """A view of a registry; itself to be asked like one."""

    def __init__(self, registry: CollectorRegistry, version: VersionProfile) -> None:
        """Show what a release has.

        Args:
            registry: everything that is counted.
            version: the release, which may lack some of it.
        """
        self._registry = registry
        self._absent = version.absent_metrics

    def collect(self) -> Iterator[Metric]:
        """Yield the families that the release has and that count something."""
        for family in self._registry.collect():
            if family.samples and family.name not in self._absent:
                yield family

    def text(self) -> bytes:
        """Return all of it in the text format."""
        shown = CollectorRegistry(auto_describe=False)
        shown.register(_Once(self.collect()))
        return generate_latest(shown)


class _Once(Collector):
    """Families that were collected already."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        """Yield them."""
        return self._families


class ComponentMetrics(Collector):
    """What every component of a release tells of itself."""

    def __init__(self, version: VersionProfile, leadership: Leadership | None) -> None:
        self._version = version
        self._leadership = leadership

    def collect(self) -> Iterator[Metric]:
        """Yield the release, its gates, and who leads."""
        build = GaugeMetricFamily(
            "kubernetes_build_info",
            "The release whose behaviour this is.",
            labels=("git_version", "major", "minor"),
        )
        major, minor = self._version.name.split(".")
        build.add_metric((self._version.git_version, major, minor), 1)
        yield build
        yield self._gates()
        if self._leadership is not None:
            yield self._leader(self._leadership)

    def _gates(self) -> Metric:
        enabled = GaugeMetricFamily(
            "kubernetes_feature_enabled",
            "The scheduler's feature gates, by name and stage.",
            labels=("name", "stage"),
        )
        gates = self._version.gates["scheduler"]
        for gate in self._version.known_gates:
            enabled.add_metric((gate.name, gate.stage), float(gates[gate.name]))
        return enabled

    def _leader(self, leadership: Leadership) -> Metric:
        status = GaugeMetricFamily(
            "leader_election_master_status", "Whether this process leads.", labels=("name",)
        )
        status.add_metric(("kube-scheduler",), float(leadership.elector.is_leader))
        return status


def register_component(
    registry: CollectorRegistry, version: VersionProfile, leadership: Leadership | None
) -> None:
    """Add what the process tells of itself to what the scheduler counts."""
    registry.register(ComponentMetrics(version, leadership))
    ProcessCollector(registry=registry)
