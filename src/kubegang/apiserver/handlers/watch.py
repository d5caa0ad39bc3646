"""Watches: the state to begin with, then every change, until the time is up.

The answer is a stream of JSON lines. Changes that are ready together go out together. Besides
the reader, which waits for the store, a watch has a companion that ends it in time, writes
bookmarks, and notices that the client has gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError, ExpiredError, InternalError
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.options import ListOptions, parse_revision
from kubegang.apiserver.paging import wait_for_revision
from kubegang.apiserver.pushing import Connection, connection_of
from kubegang.apiserver.rendering import representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import JSON, start_message
from kubegang.apiserver.selection import Selection
from kubegang.apiserver.watchevents import EventWriter
from kubegang.store.interface import (
    Change,
    CompactedError,
    Revision,
    SlowWatcherError,
    StoreClosedError,
    Watch,
)

_MIN_SECONDS = 30 * 60
"""A watch without timeoutSeconds lasts half an hour and up to twice that (upstream's rule)."""

_BOOKMARK_SECONDS = 60.0
_LAST_BOOKMARK_SECONDS = 2.0
"""How long before its end a watch gets a last bookmark, if it lasts longer than that."""

_LONG_PAUSE = 10.0

_CHUNK_BYTES = 256 * 1024


async def watch(
    backend: Backend, request: ApiRequest, options: ListOptions, selection: Selection
) -> ASGIApp:
    """Answer with a stream of events.

    Raises:
        ApiError: the resourceVersion is no number, or the shape cannot be had.
    """
    revision = parse_revision(options.resource_version, code=500)
    writer = EventWriter(backend, request, selection, representation_of(request))
    seconds = options.timeout_seconds
    if not seconds:
        seconds = int(_MIN_SECONDS * (1 + backend.rng.random()))
    return WatchStream(
        backend,
        request,
        selection,
        options,
        writer=writer,
        revision=revision,
        seconds=seconds,
    )


class WatchStream:
    """The answer to one watch, as an ASGI application."""

    def __init__(
        self,
        backend: Backend,
        request: ApiRequest,
        selection: Selection,
        options: ListOptions,
        *,
        writer: EventWriter,
        revision: int,
        seconds: float,
    ) -> None:
        self._backend = backend
        self._request = request
        self._selection = selection
        self._options = options
        self._writer = writer
        self._revision = revision
        self._seconds = seconds
        self._batches = 0
        self._waiting = False
        self._connection: Connection | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the time is up or the client is gone."""
        self._send = send
        self._connection = connection_of(scope)
        await send(start_message(200, JSON))
        if self._seconds < 0 and self._options.resource_version:
            # Who names where to begin is not told that the time is up (1.37.2, 1.35.4).
            await send({"type": "http.response.body", "body": b""})
            return
        try:
            watch = await self._begin()
        except ApiError as error:
            await self._write([self._writer.error(error)])
        else:
            await self._follow(watch)
        await send({"type": "http.response.body", "body": b""})

    async def _begin(self) -> Watch:
        """Send the initial state if it is wanted, and subscribe to what comes after it."""
        if self._seconds < 0:
            # Its time was up before it began: what 1.37.2 says then.
            raise InternalError("context deadline exceeded")
        store, options = self._backend.store, self._options
        wants_state = options.send_initial_events
        if wants_state is None:
            wants_state = self._revision == 0
        elif self._revision:
            await wait_for_revision(self._backend, self._revision)
        try:
            if not wants_state:
                after = Revision(self._revision) if self._revision else store.revision
                return store.watch(self._selection.prefix, after=after)
            page = store.list(self._selection.prefix)
            watch = store.watch(self._selection.prefix, after=page.revision)
        except CompactedError as error:
            raise ExpiredError(
                f"too old resource version: {self._revision} ({error.oldest})"
            ) from error
        self._revision = page.revision
        held = (item.value for item in page.items if self._selection.holds(item.value))
        await self._write(self._writer.initial(value) for value in held)
        if options.allow_bookmarks:
            await self._write([self._writer.bookmark(page.revision, initial_events_end=True)])
        return watch

    async def _follow(self, watch: Watch) -> None:
        """Send changes until the subscription is over."""
        self._backend.watches.add(watch)
        companions = [
            asyncio.create_task(self._keep_time(watch)),
            asyncio.create_task(self._notice_end(watch)),
        ]
        if self._connection is not None:
            watch.offer_to(self._take)
        try:
            while True:
                self._waiting = True
                changes = await watch.next_batch()
                self._waiting = False
                self._batches += 1
                await self._write(self._writer.change(change) for change in changes)
                self._revision = max(self._revision, changes[-1].revision)
        except StoreClosedError:
            # Our own companions close the subscription to end the watch.
            pass
        except SlowWatcherError:
            why = f"too old resource version: {self._revision} ({self._backend.store.compacted})"
            await self._write([self._writer.error(ExpiredError(why))])
        finally:
            watch.close()
            self._backend.watches.discard(watch)
            for companion in companions:
                companion.cancel()
            await asyncio.gather(*companions, return_exceptions=True)

    def _take(self, changes: list[Change]) -> bool:
        """Push changes to the client at once; return whether that was possible."""
        if self._connection is None or not self._connection.keeps_up:
            return False
        try:
            chunks = b"".join([self._writer.chunk(change) for change in changes])
        except Exception:  # noqa: BLE001 - our task makes the same again, behind the request's guard
            return False
        if chunks:
            self._connection.push(chunks)
        self._batches += 1
        self._revision = max(self._revision, changes[-1].revision)
        return True

    async def _notice_end(self, watch: Watch) -> None:
        await self._request.wait_disconnected()
        watch.close()

    async def _keep_time(self, watch: Watch) -> None:
        """Write bookmarks from time to time, and end the watch when its time is up."""
        sleep = self._backend.clock.sleep
        left = self._seconds
        while left > 0:
            last = left - _LAST_BOOKMARK_SECONDS
            pause = min(_BOOKMARK_SECONDS, last) if last > 0 else left
            batches, before = self._batches, self._backend.store.revision
            await sleep(pause)
            left -= pause
            if left > 0 and self._options.allow_bookmarks:
                if pause >= _LONG_PAUSE and self._waiting and self._batches == batches:
                    # The reader waited all the while, so it has seen what had happened when
                    # the pause began. A short pause proves nothing: it may be reading history.
                    self._revision = max(self._revision, before)
                await self._write([self._writer.bookmark(self._revision)])
        watch.close()

    async def _write(self, lines: Iterable[bytes]) -> None:
        """Send lines, many in one message, but none too large."""
        chunk: list[bytes] = []
        size = 0
        for line in lines:
            chunk.append(line)
            size += len(line)
            if size >= _CHUNK_BYTES:
                await self._send_chunk(chunk)
                chunk, size = [], 0
        if size:
            await self._send_chunk(chunk)

    async def _send_chunk(self, chunk: list[bytes]) -> None:
        body = b"".join(chunk)
        await self._send({"type": "http.response.body", "body": body, "more_body": True})
