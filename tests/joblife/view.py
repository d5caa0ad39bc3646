"""What a namespace looks like, in words that two clusters have in common."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import CORE_EVENTS
from tests.joblife.releases import compared
from tests.joblife.words import Found, as_text, hashed_names, in_words, known_names, plain

RETRIED = ("FailedWorkloadCreate", "FailedCreate", "UnexpectedJob", "SawCompletedJob")
COMBINED = "(combined from similar events): "


class View:
    """One look at a namespace.

    Attributes:
        objects: everything there, by kind, in an order that does not depend on chance.
        versions: the resourceVersions; the same as long as nothing changed.
        jobs, pods: the same objects as they are.
    """

    def __init__(self, found: Found, events: list[JsonObject]) -> None:
        self.jobs, self.pods = found["Job"], found["Pod"]
        self._found = found
        self.versions = sorted(
            obj["metadata"]["resourceVersion"]
            for objects in (*found.values(), events)
            for obj in objects
        )
        names = self._names = {**known_names(found), **hashed_names(found, events)}
        self.objects: dict[str, list[Any]] = {
            kind: sorted((plain(obj, names) for obj in objects), key=as_text)
            for kind, objects in found.items()
        }
        counts: Counter[str] = Counter()
        for event in events:
            # How often a look ended like that is a matter of pauses.
            once = event["reason"] in RETRIED
            told = _told(event, names)
            counts[told] = 1 if once else counts[told] + (event.get("count") or 1)
        self.objects["Event"] = [f"{count} x {told}" for told, count in sorted(counts.items())]
        self.sorted_pods = sorted(self.pods, key=lambda pod: as_text(plain(pod, names)))

    def in_words(self, text: str) -> str:
        """Return a text of the API without what differs from one cluster to the next."""
        return in_words(text, self._names)

    def of_kind(self, kind: str) -> list[JsonObject]:
        """Return the objects of a kind, as they are, by name."""
        return sorted(self._found.get(kind, ()), key=lambda obj: str(obj["metadata"]["name"]))


async def look(
    client: Client, namespace: str, *, release: str = "1.37", more: tuple[Resource, ...] = ()
) -> View:
    """Read a namespace; ``more`` are further resources to look at."""
    resources = (*compared(release), *more)
    found = {resource.kind: await _list(client, resource, namespace) for resource in resources}
    return View(found, await _list(client, CORE_EVENTS, namespace))


async def _list(client: Client, resource: Resource, namespace: str) -> list[JsonObject]:
    """Return the objects of a kind, none if it is not served: gates decide about that."""
    try:
        return (await client.list(resource, namespace)).items
    except NotFoundError:
        return []


def _told(event: JsonObject, names: dict[str, str]) -> str:
    message = in_words(event["message"], names)
    if event["reason"] in RETRIED:
        message = message.removeprefix(COMBINED)
    return " | ".join(
        (
            event["involvedObject"]["kind"],
            event["type"],
            event["reason"],
            event["source"].get("component", ""),
            event.get("reportingComponent", ""),
            message,
        )
    )
