"""AppArmor profiles of containers in annotations, as they were given before 1.30 (KEP-24)."""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.objects import JsonObject

ANNOTATION: Final = "container.apparmor.security.beta.kubernetes.io/"
"""What the annotation about a container begins with; the container's name follows."""

_LOCALHOST: Final = "localhost/"
_LONGEST: Final = 4095
_PLAIN: Final = {"unconfined": "Unconfined", "runtime/default": "RuntimeDefault"}


def profile_of(annotation: str) -> JsonObject | None:
    """Return the profile that an annotation stands for, if any."""
    if kind := _PLAIN.get(annotation):
        return {"type": kind}
    local = annotation.removeprefix(_LOCALHOST)
    if annotation.startswith(_LOCALHOST) and local:
        return {"type": "Localhost", "localhostProfile": local}
    return None


def valid_profile_of(annotation: str) -> JsonObject | None:
    """Return the profile that an annotation stands for, if a container may have it."""
    profile = profile_of(annotation)
    local = "" if profile is None else profile.get("localhostProfile") or ""
    return None if local != local.strip() or len(local) > _LONGEST else profile
