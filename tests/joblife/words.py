"""Objects in words that do not depend on chance.

Uids, resourceVersions, moments and the random ends of names are replaced, so that two
clusters in which the same happened give the same value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.names import pod_group_name, template_name, workload_name

HASHED = ("Workload", "PodGroup")

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORD = re.compile(r"[\w.-]+")
_RANDOM_END = re.compile(
    r"(?:(?<=-)|(?<=tttt))[bcdfghjklmnpqrstvwxz2456789]{5}"
    r"(?= failed with| has condition| has non-empty|\" is |\": |$)"
)
_OF_THE_SERVER = ("managedFields", "resourceVersion", "uid", "creationTimestamp")

Found = dict[str, list[JsonObject]]
"""Objects by kind."""


def as_text(value: Any) -> str:
    """Return JSON that compares and prints well."""
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False)


def known_names(found: Found) -> dict[str, str]:
    """Return what to write instead of uids, and of names that have chance in them."""
    names: dict[str, str] = {}
    for kind, objects in found.items():
        for obj in objects:
            metadata = obj["metadata"]
            known = metadata["name"]
            if metadata.get("generateName"):
                known = f"{metadata['name'][:-5]}?"
                names[metadata["name"]] = known
            names[metadata["uid"]] = f"<uid of {kind}>" if kind in HASHED else f"<uid of {known}>"
    return names


def hashed_names(found: Found, events: list[JsonObject]) -> dict[str, str]:
    """Return what to write instead of names with a hash of a Job's uid, by the rule.

    A name that breaks the rule differs from one cluster to the other.
    """
    names: dict[str, str] = {}
    for job, uid in _jobs(found, events):
        workload, template = workload_name(job, uid), template_name(job)
        names[workload] = f"{job}-<hash>"
        names[pod_group_name(workload, template)] = f"{job}-<hash>-{template}-<hash>"
    return names


def _jobs(found: Found, events: list[JsonObject]) -> Iterator[tuple[str, str]]:
    """Yield names and uids of Jobs, also of those that are gone."""
    for job in found.get("Job", ()):
        yield job["metadata"]["name"], job["metadata"]["uid"]
    for event in events:
        if event["involvedObject"]["kind"] == "Job":
            yield event["involvedObject"]["name"], event["involvedObject"]["uid"]
    for kind in HASHED:
        for obj in found.get(kind, ()):
            for owner in obj["metadata"].get("ownerReferences") or ():
                yield owner["name"], owner["uid"]


def plain(obj: JsonObject, names: dict[str, str]) -> Any:
    """Return an object in words."""
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _OF_THE_SERVER}
    obj = _replace({**obj, "metadata": metadata}, names)
    if obj["kind"] == "PodGroup" and metadata.get("deletionTimestamp"):
        # Which of its two owners it loses before it goes is a race among the collector's
        # workers.
        del obj["metadata"]["ownerReferences"]
    uncounted = (obj.get("status") or {}).get("uncountedTerminatedPods")
    if uncounted:
        # Pods that are gone have no name any more to be known by.
        obj["status"]["uncountedTerminatedPods"] = {k: len(v) for k, v in uncounted.items()}
    return obj


def _replace(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {k: _replace(item, names) for k, item in value.items() if k != "resourceVersion"}
    if isinstance(value, list):
        return [_replace(item, names) for item in value]
    if not isinstance(value, str):
        return value
    return in_words(value, names)


def in_words(text: str, names: dict[str, str]) -> str:
    """Return a text with words for what differs from one cluster to the next."""
    text = _WORD.sub(lambda found: names.get(found[0], found[0]), _TIME.sub("<time>", text))
    text = _UID.sub(lambda found: names.get(found[0], "<uid>"), text)
    # Pods that are gone have no name any more to be known by.
    return _RANDOM_END.sub("?", text)
