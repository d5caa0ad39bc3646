"""Forgetting history by the clock, so that storage does not grow with every change for ever."""

from __future__ import annotations

from kubegang.apiserver.backend import Backend
from kubegang.base.logging import logger
from kubegang.store.interface import StoreUnavailableError

_LOG = logger("apiserver")

INTERVAL_SECONDS = 300.0
"""As kube-apiserver: what is older than one to two intervals is forgotten."""


async def compact_forever(backend: Backend, *, interval_seconds: float = INTERVAL_SECONDS) -> None:
    """Compact every interval up to where history stood at the previous one."""
    seen = backend.store.revision
    while True:
        await backend.clock.sleep(interval_seconds)
        current = backend.store.revision
        if seen > backend.store.compacted:
            try:
                await backend.store.compact(seen)
            except StoreUnavailableError as error:
                _LOG.warning("history is not compacted", error=str(error))
        seen = current
