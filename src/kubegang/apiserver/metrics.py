"""What the API server counts, under kube-apiserver's names where the meaning is the same."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import Answer

_LABELS = ("verb", "group", "version", "resource", "subresource")
_BUCKETS = (0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0)


class RequestMetrics:
    """Counts answered requests and how long they took; watches by number only."""

    def __init__(self, registry: CollectorRegistry, *, count_watches: Callable[[], int]) -> None:
        self.registry = registry
        self._total = Counter(
            "apiserver_request_total",
            "Requests answered, by verb, resource and status code.",
            (*_LABELS, "code"),
            registry=registry,
        )
        self._seconds = Histogram(
            "apiserver_request_duration_seconds",
            "Seconds from a request's arrival to the end of its answer.",
            _LABELS,
            buckets=_BUCKETS,
            registry=registry,
        )
        watches = Gauge(
            "apiserver_longrunning_requests", "Watches that are open.", registry=registry
        )
        watches.set_function(count_watches)
        # Looking up a child by its labels costs more than counting; there are not many.
        self._children: dict[tuple[str, ...], tuple[Counter, Histogram]] = {}

    def observe(
        self, request: ApiRequest | None, *, method: str, status: int, seconds: float
    ) -> None:
        """Count one answer; ``None`` stands for a path that is no resource."""
        if request is None:
            labels: tuple[str, ...] = (method, "", "", "", "")
        else:
            info = request.info
            labels = (
                request.verb,
                info.group,
                info.version,
                info.plural,
                request.target.subresource,
            )
        key = (*labels, str(status))
        children = self._children.get(key)
        if children is None:
            children = (self._total.labels(*key), self._seconds.labels(*labels))
            self._children[key] = children
        total, duration = children
        total.inc()
        if request is None or not request.streaming:
            duration.observe(seconds)


def metrics_route(registry: CollectorRegistry) -> Route:
    """Return the route at which Prometheus collects."""
    return Route("/metrics", _Collection(registry))


class _Collection:
    """Answers with everything that is registered, as it is now."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = generate_latest(self._registry)
        await Answer(body, content_type=CONTENT_TYPE_LATEST)(scope, receive, send)
