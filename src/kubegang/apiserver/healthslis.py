"""``/metrics/slis``: how every check of health went when somebody last asked, and how often.

Names and labels are those of Kubernetes components (KEP-3466).
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from kubegang.apiserver.responses import Answer

SLIS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

_STATE: Final = "kubernetes_healthcheck"
_TOTAL: Final = "kubernetes_healthchecks_total"


class HealthSlis:
    """What was found by the checks of one component."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], bool] = {}
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def note(self, endpoint: str, check: str, *, well: bool) -> None:
        """Note how a check went that an endpoint asked for."""
        self._last[check, endpoint] = well
        self._counts[check, "success" if well else "error", endpoint] += 1

    def text(self) -> bytes:
        """Return all in the form that Prometheus reads."""
        lines = [f"# HELP {_STATE} Whether a check passed last.", f"# TYPE {_STATE} gauge"]
        for (check, endpoint), well in sorted(self._last.items()):
            lines.append(f'{_STATE}{{name="{check}",type="{endpoint}"}} {int(well)}')
        lines += [f"# HELP {_TOTAL} How often checks were made.", f"# TYPE {_TOTAL} counter"]
        for (check, status, endpoint), count in sorted(self._counts.items()):
            labels = f'name="{check}",status="{status}",type="{endpoint}"'
            lines.append(f"{_TOTAL}{{{labels}}} {count}")
        return ("\n".join(lines) + "\n").encode()


def slis_route(slis: HealthSlis) -> Route:
    """Return the route at which Prometheus collects them."""
    return Route("/metrics/slis", _Collection(slis))


class _Collection:
    """Answers with what is known now."""

    def __init__(self, slis: HealthSlis) -> None:
        self._slis = slis

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Answer(self._slis.text(), content_type=SLIS_TYPE)(scope, receive, send)
