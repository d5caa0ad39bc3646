"""Events are kept for an hour after they were last written, as kube-apiserver keeps them.

Time is read off the revisions: what a later event was written at, an earlier one is older
than. Nothing has to be decoded, and a restart only makes events live longer.
"""

from __future__ import annotations

from collections import deque

from kubegang.api.scheme import ResourceInfo
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.base.logging import logger
from kubegang.store.interface import (
    Item,
    KeyMissingError,
    Revision,
    RevisionConflictError,
    StoreUnavailableError,
)

_LOG = logger("apiserver")

EVENT_SECONDS = 3600.0
_STEP_SECONDS = 60.0


async def expire_events_forever(
    backend: Backend, *, lifetime_seconds: float = EVENT_SECONDS
) -> None:
    """Delete events when their time is over."""
    events = backend.scheme.find("", "v1", "events")
    if events is None:
        return
    marks: deque[tuple[float, Revision]] = deque()
    while True:
        marks.append((backend.clock.steady(), backend.store.revision))
        await backend.clock.sleep(_STEP_SECONDS)
        expired: Revision | None = None
        while marks and marks[0][0] <= backend.clock.steady() - lifetime_seconds:
            expired = marks.popleft()[1]
        if expired is not None:
            try:
                await _delete_older(backend, events, expired)
            except StoreUnavailableError as error:
                # The next round takes these too.
                _LOG.warning("old events are not deleted", error=str(error))


async def _delete_older(backend: Backend, events: ResourceInfo, revision: Revision) -> None:
    for item in backend.store.list(events.key_prefix()).items:
        if item.revision <= revision:
            await _delete(backend, events, item)


async def _delete(backend: Backend, events: ResourceInfo, item: Item) -> None:
    encode = codec.encoder(codec.decode(item.value), events.stored_as)
    try:
        await backend.store.delete(item.key, encode, expected=item.revision)
    except (KeyMissingError, RevisionConflictError):
        # Written or deleted meanwhile: then it is not old any more, or gone.
        return
