"""Parts of listings: continue tokens, and which point in history a list shows.

A token says where to go on and at which resourceVersion, so that all parts of a listing show
the same moment. It has upstream's form; clients must not look into it.
"""

from __future__ import annotations

import base64
import binascii

import msgspec

from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.errors import ContinueExpiredError, future_revision
from kubegang.apiserver.options import ListOptions, parse_revision
from kubegang.apiserver.selection import Selection
from kubegang.store.interface import CompactedError, Page, Revision, Store

_TOKEN_VERSION = "meta.k8s.io/v1"
_INCONSISTENT = -1

_FRESHNESS_SECONDS = 3.0
"""How long a request waits for a resourceVersion that has not happened (measured)."""
_FRESHNESS_STEPS = 30

_CHUNK = 512
"""How many objects are looked at at a time for a limited list with selectors."""


class _Token(msgspec.Struct):
    """What a continue token holds; ``start`` is relative to the listing's prefix."""

    v: str = ""
    rv: int = 0
    start: str = ""


class Listing(msgspec.Struct, frozen=True):
    """One part of a list: stored values and the list's metadata."""

    values: list[bytes]
    metadata: JsonObject


class _Range(msgspec.Struct, frozen=True):
    """Where in the keys and in history a part begins."""

    after: str = ""
    at: Revision | None = None
    limit: int = 0


async def read_listing(backend: Backend, selection: Selection, options: ListOptions) -> Listing:
    """Read the part of a list that the options describe.

    Raises:
        BadRequestError: the token or the resourceVersion is malformed.
        ExpiredError: history does not reach back so far.
        ServerTimeoutError: the resourceVersion has not happened yet.
    """
    if options.continue_token:
        return _continued(backend.store, selection, options)
    revision = parse_revision(options.resource_version, code=400)
    await wait_for_revision(backend, revision)
    limit = max(options.limit, 0)
    if options.match == "Exact" or (revision and not options.match and limit):
        wanted = _Range(at=Revision(revision), limit=limit)
    elif options.resource_version == "0":
        # Upstream answers this from its cache, where a limit means nothing (measured).
        wanted = _Range()
    else:
        wanted = _Range(limit=limit)
    return _read(backend.store, selection, wanted)


async def wait_for_revision(backend: Backend, revision: int) -> None:
    """Wait a moment for a resourceVersion that has not happened yet.

    Raises:
        ServerTimeoutError: it did not happen in time.
    """
    for _ in range(_FRESHNESS_STEPS):
        if revision <= backend.store.revision:
            return
        await backend.clock.sleep(_FRESHNESS_SECONDS / _FRESHNESS_STEPS)
    if revision > backend.store.revision:
        raise future_revision(revision, backend.store.revision)


def _continued(store: Store, selection: Selection, options: ListOptions) -> Listing:
    if options.resource_version not in ("", "0"):
        raise BadRequestError("specifying resource version is not allowed when using continue")
    token = _decode_token(options.continue_token)
    after = selection.prefix + token.start.rstrip("\0")
    limit = max(options.limit, 0)
    if token.rv == _INCONSISTENT:
        return _read(store, selection, _Range(after=after, limit=limit))
    try:
        return _read(store, selection, _Range(after=after, at=Revision(token.rv), limit=limit))
    except CompactedError:
        rest = _Token(_TOKEN_VERSION, _INCONSISTENT, token.start)
        raise ContinueExpiredError(_encode_token(rest)) from None


def _read(store: Store, selection: Selection, wanted: _Range) -> Listing:
    """Read values until the limit or the end, and say where to go on."""
    prefix = selection.prefix
    chunk = wanted.limit
    if chunk and not selection.everything:
        chunk = max(chunk, _CHUNK)
    page = store.list(prefix, after=wanted.after, limit=chunk, at=wanted.at)
    revision = page.revision
    values: list[bytes] = []
    while True:
        last_key, left = _take(page, selection, values, limit=wanted.limit)
        if left or not page.remaining or len(values) == wanted.limit:
            break
        page = store.list(prefix, after=last_key, limit=chunk, at=revision)
    remaining = left + page.remaining
    metadata: JsonObject = {"resourceVersion": str(revision)}
    if remaining:
        token = _Token(_TOKEN_VERSION, revision, last_key[len(prefix) :] + "\0")
        metadata["continue"] = _encode_token(token)
        if not selection.selected:
            metadata["remainingItemCount"] = remaining
    return Listing(values, metadata)


def _take(page: Page, selection: Selection, values: list[bytes], *, limit: int) -> tuple[str, int]:
    """Take a page's values; return the last key looked at, and how many follow it on the page."""
    last_key = ""
    for position, item in enumerate(page.items):
        if limit and len(values) == limit:
            return last_key, len(page.items) - position
        last_key = item.key
        if selection.everything or selection.holds(item.value):
            values.append(item.value)
    return last_key, 0


def _encode_token(token: _Token) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode().rstrip("=")


def _decode_token(text: str) -> _Token:
    why = "invalid continue token: continue key is not valid: "
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        bad = next((at for at, char in enumerate(text) if not _is_base64(char)), len(text))
        raise BadRequestError(f"{why}illegal base64 data at input byte {bad}") from None
    try:
        token = msgspec.json.decode(data, type=_Token)
    except (msgspec.DecodeError, UnicodeDecodeError):
        first = data[:1].decode("latin-1")
        raise BadRequestError(
            f"{why}invalid character '{first}' looking for beginning of value"
        ) from None
    if token.v != _TOKEN_VERSION:
        raise BadRequestError(f"{why}server does not recognize this encoded version {token.v}")
    if not token.rv or token.rv < _INCONSISTENT:
        raise BadRequestError(
            f"{why}incorrect encoded start resourceVersion (version {_TOKEN_VERSION})"
        )
    if not token.start:
        raise BadRequestError(f"{why}empty encoded start key (version {_TOKEN_VERSION})")
    return token


def _is_base64(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char in "-_")
