"""Small things that every controller of workloads reads of an object. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

Key = tuple[str, str]
"""Namespace and name."""


def key_of(obj: JsonObject) -> Key:
    """Return an object's key."""
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def name_of(obj: JsonObject) -> str:
    """Return an object's name."""
    return str(obj["metadata"]["name"])


def uid_of(obj: JsonObject) -> str:
    """Return an object's uid."""
    return str(obj["metadata"]["uid"])


def labels_of(obj: JsonObject) -> dict[str, str]:
    """Return an object's labels; nobody may change them."""
    labels: dict[str, str] = obj["metadata"].get("labels") or {}
    return labels


def annotations_of(obj: JsonObject) -> dict[str, str]:
    """Return an object's annotations; nobody may change them."""
    annotations: dict[str, str] = obj["metadata"].get("annotations") or {}
    return annotations


def status_of(obj: JsonObject) -> JsonObject:
    """Return an object's status, empty if it has none yet; nobody may change it."""
    status: JsonObject = obj.get("status") or {}
    return status


def replicas_of(obj: JsonObject) -> int:
    """Return how many replicas an object asks for."""
    return int(obj["spec"].get("replicas") or 0)


def counted(obj: JsonObject, name: str) -> int:
    """Return a number of an object's status; what is missing is 0."""
    return int(status_of(obj).get(name) or 0)


def age_order(obj: JsonObject) -> tuple[float, str]:
    """Return a key that puts old objects first, and among those of one second, names."""
    return parse_time(obj["metadata"]["creationTimestamp"]), name_of(obj)
