"""What a scheduler answers over HTTPS: health, its configuration, its metrics.

Paths, checks and texts are kube-scheduler's (measured on 1.37.2). Unlike there, a failed
check says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import prometheus_client
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.health import Check, HealthEndpoint
from kubegang.apiserver.healthslis import HealthSlis
from kubegang.apiserver.responses import Answer, error_answer, page_not_found
from kubegang.app.access import Access, bearer_token
from kubegang.app.shownmetrics import ShownMetrics

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"


class Endpoints:
    """The application: asks who may see what, and answers."""

    def __init__(
        self,
        *,
        access: Access,
        metrics: ShownMetrics,
        configuration: JsonObject,
        leading: Mapping[str, Check],
        ready: Mapping[str, Check],
    ) -> None:
        """Take what is to be shown.

        Args:
            access: who may see it.
            metrics: what ``/metrics`` shows.
            configuration: as ``/configz`` shows it.
            leading: checks of the election, if there is one: for ``/healthz`` and ``/readyz``.
            ready: further checks for ``/readyz``.
        """
        # The text format knows no creation times; upstream shows none.
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        ping: Mapping[str, Check] = {"ping": lambda: ""}
        self._access = access
        self._metrics = metrics
        self._configuration = json.dumps({"componentconfig": configuration}).encode()
        self._slis = HealthSlis()
        self._health: dict[str, ASGIApp] = {
            "healthz": HealthEndpoint("healthz", leading or ping, self._slis),
            "livez": HealthEndpoint("livez", ping, self._slis),
            "readyz": HealthEndpoint("readyz", {**leading, **ready}, self._slis),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"]
        try:
            await self._access.check(path, scope["method"], token=bearer_token(scope))
        except ApiError as error:
            await error_answer(error)(scope, receive, send)
            return
        _, name, *rest = path.split("/", 2)
        if name in self._health:
            asked: Scope = {**scope, "path_params": {"check": rest[0] if rest else ""}}
            await self._health[name](asked, receive, send)
            return
        await self._answer(path)(scope, receive, send)

    def _answer(self, path: str) -> Answer:
        match path:
            case "/metrics":
                return Answer(self._metrics.text(), content_type=METRICS_TYPE)
            case "/metrics/slis":
                return Answer(self._slis.text(), content_type=METRICS_TYPE)
            case "/configz":
                return Answer(self._configuration)
        return page_not_found()
