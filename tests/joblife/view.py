"""What a namespace looks like, without what differs from one cluster to the next.

Uids, resourceVersions, moments and the random ends of names are replaced by words, so that
two clusters in which the same happened give the same value.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client
from kubegang.client.resources import CORE_EVENTS, JOBS, PODGROUPS, PODS, WORKLOADS

RETRIED = ("FailedWorkloadCreate",)
KINDS = (JOBS, PODS, WORKLOADS, PODGROUPS)

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORD = re.compile(r"[\w.-]+")
_RANDOM_END = re.compile(r"[bcdfghjklmnpqrstvwxz2456789]{5}(?= failed with| has condition|$)")
_OF_THE_SERVER = ("managedFields", "resourceVersion", "uid", "creationTimestamp")


class View:
    """One look at a namespace.

    Attributes:
        objects: everything there, by kind, in an order that does not depend on chance.
        versions: the resourceVersions; the same as long as nothing changed.
        jobs, pods: the same objects as they are.
    """

    def __init__(self, found: dict[str, list[JsonObject]], events: list[JsonObject]) -> None:
        self.jobs, self.pods = found["Job"], found["Pod"]
        self.versions = sorted(
            obj["metadata"]["resourceVersion"]
            for objects in (*found.values(), events)
            for obj in objects
        )
        names = _names(found)
        self.objects: dict[str, list[Any]] = {
            kind: sorted((_plain(obj, names) for obj in objects), key=as_text)
            for kind, objects in found.items()
        }
        counts: Counter[str] = Counter()
        for event in events:
            # How often a refused request was tried again is a matter of pauses.
            once = event["reason"] in RETRIED
            told = _told(event, names)
            counts[told] = 1 if once else counts[told] + (event.get("count") or 1)
        self.objects["Event"] = [f"{count} x {told}" for told, count in sorted(counts.items())]
        self.sorted_pods = sorted(self.pods, key=lambda pod: as_text(_plain(pod, names)))


async def look(client: Client, namespace: str) -> View:
    """Read a namespace."""
    found = {resource.kind: (await client.list(resource, namespace)).items for resource in KINDS}
    return View(found, (await client.list(CORE_EVENTS, namespace)).items)


def as_text(value: Any) -> str:
    """Return JSON that compares and prints well."""
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False)


def _names(found: dict[str, list[JsonObject]]) -> dict[str, str]:
    """Return what to write instead of uids, and of names that have chance in them."""
    names: dict[str, str] = {}
    for kind, objects in found.items():
        for obj in objects:
            metadata = obj["metadata"]
            known = metadata["name"]
            if metadata.get("generateName"):
                known = f"{metadata['name'][:-5]}?"
                names[metadata["name"]] = known
            names[metadata["uid"]] = f"<uid of {kind} {_without_hashes(known)}>"
    return names


def _plain(obj: JsonObject, names: dict[str, str]) -> Any:
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _OF_THE_SERVER}
    plain = _replace({**obj, "metadata": metadata}, names)
    if plain["kind"] == "PodGroup" and metadata.get("deletionTimestamp"):
        # Which of its two owners it loses before it goes is a race among the collector's
        # workers.
        del plain["metadata"]["ownerReferences"]
    uncounted = (obj.get("status") or {}).get("uncountedTerminatedPods")
    if uncounted:
        # Pods that are gone have no name any more to be known by.
        plain["status"]["uncountedTerminatedPods"] = {k: len(v) for k, v in uncounted.items()}
    return plain


def _replace(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replace(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, names) for item in value]
    if not isinstance(value, str):
        return value
    return _replace_text(value, names)


def _replace_text(text: str, names: dict[str, str]) -> str:
    text = _WORD.sub(lambda found: names.get(found[0], found[0]), _TIME.sub("<time>", text))
    return _without_hashes(_UID.sub(lambda found: names.get(found[0], "<uid>"), text))


def _without_hashes(text: str) -> str:
    # Workloads and PodGroups carry hashes of uids, which unit tests compare.
    return re.sub(r"-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b", "-<hash>", text)


def _told(event: JsonObject, names: dict[str, str]) -> str:
    # Pods that are gone have no name any more to be known by.
    message = _RANDOM_END.sub("?", event["message"])
    return " | ".join(
        (
            event["involvedObject"]["kind"],
            event["type"],
            event["reason"],
            event["source"].get("component", ""),
            event.get("reportingComponent", ""),
            _replace_text(message, names),
        )
    )
