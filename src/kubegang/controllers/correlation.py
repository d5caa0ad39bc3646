"""Equal events are counted, similar ones combined, floods about one object cut.

The numbers and the text are those of client-go, so that people see as many events as with
the real controllers. Pure.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

import msgspec

from kubegang.apimachinery.objects import JsonObject

REMEMBERED = 4096
"""So many events, groups of similar events and objects are remembered."""

DIFFERENT_MESSAGES = 10
"""From this many different messages of one reason on, they become one event."""

SIMILAR_SECONDS = 600.0
BURST = 25
"""So many events about one object may be written at once …"""

REFILL_SECONDS = 300.0
"""… and one more after each such time."""

COMBINED = "(combined from similar events): "

V = TypeVar("V")


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """An event to write: a new one if it was seen once, else one more of a known one.

    Attributes:
        name: of the Event object.
        first, last: when it was seen first and last.
    """

    regarding: JsonObject
    type: str
    reason: str
    message: str
    name: str
    count: int
    first: float
    last: float


class _Similar(msgspec.Struct):
    """Messages of one reason; a dictionary, so that the oldest is the first."""

    messages: dict[str, None]
    last: float


class _Known(msgspec.Struct):
    name: str
    first: float
    count: int = 0


class _Bucket(msgspec.Struct):
    tokens: float
    at: float


class Correlator:
    """Remembers what was told, and decides how to tell the next."""

    def __init__(self) -> None:
        self._similar: OrderedDict[tuple[str, ...], _Similar] = OrderedDict()
        self._known: OrderedDict[tuple[str, ...], _Known] = OrderedDict()
        self._buckets: OrderedDict[tuple[str, ...], _Bucket] = OrderedDict()

    def see(
        self,
        regarding: JsonObject,
        *,
        type_: str,
        reason: str,
        message: str,
        name: str,
        now: float,
        steady: float,
    ) -> Sighting | None:
        """Take in an event; return what to write, or ``None`` if there were too many.

        Args:
            regarding: the object.
            type_: Normal or Warning.
            reason: the reason, one word.
            message: the text for people.
            name: of the Event object, if it becomes a new one.
            now: seconds since the epoch, for the event.
            steady: a time that nobody can set, for how long ago others were.
        """
        metadata = regarding["metadata"]
        # Not by uid alone: some events name their object without it.
        identity = (metadata.get(field, "") for field in ("namespace", "name", "uid"))
        obj = (regarding["kind"], *identity)
        group = (*obj, type_, reason)
        key: tuple[str, ...] = (*group, message)
        if self._are_many(group, message, steady):
            message, key = COMBINED + message, group
        known = _touch(self._known, key, _Known(name, now))
        known.count += 1
        if not self._may_tell(obj, steady):
            return None
        return Sighting(
            regarding=regarding,
            type=type_,
            reason=reason,
            message=message,
            name=known.name,
            count=known.count,
            first=known.first,
            last=now,
        )

    def _are_many(self, group: tuple[str, ...], message: str, now: float) -> bool:
        similar = _touch(self._similar, group, _Similar({}, now))
        if now - similar.last > SIMILAR_SECONDS:
            similar.messages.clear()
        similar.last = now
        similar.messages[message] = None
        if len(similar.messages) < DIFFERENT_MESSAGES:
            return False
        del similar.messages[next(iter(similar.messages))]
        return True

    def _may_tell(self, obj: tuple[str, ...], now: float) -> bool:
        bucket = _touch(self._buckets, obj, _Bucket(BURST, now))
        bucket.tokens = min(BURST, bucket.tokens + (now - bucket.at) / REFILL_SECONDS)
        bucket.at = now
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True


def _touch(memory: OrderedDict[tuple[str, ...], V], key: tuple[str, ...], new: V) -> V:
    """Return what is remembered under a key, ``new`` if nothing is; forget the oldest."""
    found = memory.setdefault(key, new)
    memory.move_to_end(key)
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)
    return found
