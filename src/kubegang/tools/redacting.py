"""What of an object goes into a dump: what scheduling depends on, and nothing secret. Pure.

What containers run with (environment, arguments, commands, probes, life-cycle hooks) may hold
secrets and plays no part in scheduling; annotations may hold anything, so only those are kept
that somebody here reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kubegang.apimachinery.objects import JsonObject

REDACTED: Final = "(redacted)"

KEPT_ANNOTATIONS: Final = (
    "kubegang.dev/",
    "batch.kubernetes.io/",
    "scheduling.k8s.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "pv.kubernetes.io/",
    "deployment.kubernetes.io/",
)
"""Prefixes of annotations that are kept."""

_DROPPED_METADATA: Final = ("managedFields", "selfLink")
_DROPPED_OF_CONTAINERS: Final = (
    "args",
    "command",
    "envFrom",
    "lifecycle",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
)
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_DROPPED_OF_STATUS: Final = ("containerStatuses", "initContainerStatuses", "podIP", "podIPs")

REFUSED_KINDS: Final = frozenset({"Secret", "ConfigMap", "ServiceAccount"})
"""Kinds of which nothing goes into a dump."""


def redacted(obj: JsonObject) -> JsonObject | None:
    """Return an object as a dump may show it; ``None`` if it may not be shown at all."""
    if obj.get("kind") in REFUSED_KINDS:
        return None
    shown = {**obj, "metadata": _metadata(obj.get("metadata") or {})}
    if isinstance(obj.get("spec"), dict):
        shown["spec"] = _spec(obj["spec"])
    if obj.get("kind") == "Pod" and isinstance(obj.get("status"), dict):
        status = obj["status"]
        shown["status"] = {k: v for k, v in status.items() if k not in _DROPPED_OF_STATUS}
    shown.pop("data", None)
    return shown


def _metadata(metadata: Mapping[str, Any]) -> JsonObject:
    kept = {k: v for k, v in metadata.items() if k not in _DROPPED_METADATA}
    annotations = kept.pop("annotations", None) or {}
    shown = {k: v for k, v in annotations.items() if k.startswith(KEPT_ANNOTATIONS)}
    return {**kept, "annotations": shown} if shown else kept


def _spec(spec: Mapping[str, Any]) -> JsonObject:
    """Return a spec whose pod templates are redacted, however deep they lie."""
    shown = {key: _within(value) for key, value in spec.items()}
    for name in _CONTAINERS:
        if isinstance(spec.get(name), list):
            shown[name] = [_container(entry) for entry in spec[name]]
    return shown


def _within(value: Any) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get("spec"), dict):
            # A template: of pods, or of something that makes pods.
            shown = {**value, "spec": _spec(value["spec"])}
            if isinstance(value.get("metadata"), dict):
                shown["metadata"] = _metadata(value["metadata"])
            return shown
        return {key: _within(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_within(item) for item in value]
    return value


def _container(container: Any) -> Any:
    if not isinstance(container, dict):
        return container
    shown = {k: v for k, v in container.items() if k not in _DROPPED_OF_CONTAINERS}
    env = shown.get("env")
    if isinstance(env, list):
        shown["env"] = [{"name": entry.get("name", ""), "value": REDACTED} for entry in env]
    return shown


# --- names -------------------------------------------------------------------------------


class Anonymizer:
    """Gives objects made-up names, the same wherever a name stands.

    Only whole texts are replaced: names of objects, in whatever field or label value they
    stand. Sentences (messages of conditions and events) are left out, since they may hold
    parts of names.
    """

    def __init__(self, objects: Iterable[JsonObject]) -> None:
        """Choose names for all objects."""
        self._names: dict[str, str] = {}
        counts: dict[str, int] = {}
        for obj in objects:
            kind = str(obj.get("kind") or "object").lower()
            metadata = obj.get("metadata") or {}
            for text, what in (
                (metadata.get("name"), kind),
                (metadata.get("namespace"), "namespace"),
                *((label, "label") for label in _own_labels(metadata)),
            ):
                if isinstance(text, str) and text not in self._names and text not in KEPT_NAMES:
                    counts[what] = counts.get(what, 0) + 1
                    self._names[text] = f"{what}-{counts[what]}"

    def shown(self, obj: JsonObject) -> JsonObject:
        """Return an object under its made-up names."""
        kept: JsonObject = {key: obj[key] for key in ("apiVersion", "kind") if key in obj}
        rest = {key: self._value(key, value) for key, value in obj.items() if key not in kept}
        return {**kept, **rest}

    def _value(self, key: str, value: Any) -> Any:
        if key == "message":
            return ""
        if key in ("image", "names") and value:
            return self._images(value)
        if isinstance(value, dict):
            return {name: self._value(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value("", item) for item in value]
        return self._names.get(value, value) if isinstance(value, str) else value

    def _images(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._images(item) for item in value]
        if not isinstance(value, str):
            return value
        return self._names.setdefault(
            f"image {value}", f"registry.example/image-{len(self._names)}"
        )


KEPT_NAMES: Final = frozenset(
    {"default", "kube-system", "kube-public", "kube-node-lease", "default-scheduler", "kubegang"}
    | {"system-node-critical", "system-cluster-critical", "", "true", "false"}
)
"""Names that mean something to programs."""

_AMOUNT: Final = re.compile(r"[0-9.]+[A-Za-z]{0,2}")
_SHOWN_LABELS: Final = ("topology.kubernetes.io/", "kubernetes.io/os", "kubernetes.io/arch")


def _own_labels(metadata: Mapping[str, Any]) -> list[str]:
    """Return the label values that people chose."""
    labels = metadata.get("labels") or {}
    return [
        value
        for key, value in labels.items()
        # An amount stands in other places too, where it must stay one.
        if not key.startswith(_SHOWN_LABELS) and not _AMOUNT.fullmatch(value)
    ]
