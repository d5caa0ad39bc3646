"""Volumes of a pod: each has a name of its own and exactly one source.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, required_matching
from kubegang.api.validation.pods.volume_sources import SOURCES
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_MAX_ISCSI_NAME = 64


def validate_volumes(
    volumes: Sequence[JsonObject], path: Path, *, pod_name: str
) -> tuple[dict[str, JsonObject], list[FieldError]]:
    """Check the volumes of a pod.

    Args:
        volumes: the volumes.
        path: where they stand.
        pod_name: names the claims made for ephemeral volumes; empty in a template.

    Returns:
        The valid volumes by name, to which mounts may refer, and what is wrong.
    """
    made = {
        f"{pod_name}-{volume.get('name') or ''}"
        for volume in volumes
        if pod_name and volume.get("ephemeral") is not None
    }
    valid: dict[str, JsonObject] = {}
    errors: list[FieldError] = []
    for position, volume in enumerate(volumes):
        item = path.index(position)
        found = list(_volume(volume, item, pod_name, valid))
        if not found:
            valid[volume["name"]] = volume
        errors += found
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName") or ""
        if claim in made:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            where = item.child("persistentVolumeClaim", "claimName")
            errors.append(invalid_value(where, claim, detail))
    return valid, errors


def _volume(volume: JsonObject, path: Path, pod_name: str, valid: dict[str, JsonObject]) -> Errors:
    name = volume.get("name") or ""
    yield from _source(volume, path, pod_name)
    yield from required_matching(path.child("name"), name, is_dns1123_label)
    if name in valid:
        yield duplicate(path.child("name"), name)


def _source(volume: JsonObject, path: Path, pod_name: str) -> Errors:
    chosen = [source for source in SOURCES if volume.get(source.name) is not None]
    if not chosen:
        yield required(path, "must specify a volume type")
        return
    first = chosen[0]
    yield from first.check(volume[first.name], path.child(first.path_name or first.name))
    name = volume.get("name") or ""
    if first.name == "ephemeral" and pod_name and name:
        yield from _claim_name(f"{pod_name}-{name}", name, path.child("name"))
    if (iscsi := volume.get("iscsi")) and iscsi.get("initiatorName") is not None:
        portal = iscsi.get("targetPortal") or ""
        if len(f"{name}:{portal}") > _MAX_ISCSI_NAME:
            detail = (
                "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
                "if iscsi.initiatorName is specified."
            )
            yield invalid_value(path.child("name"), name, detail)
    for source in chosen[1:]:
        where = path.child(source.second_name or source.name)
        yield forbidden_field(where, "may not specify more than 1 volume type")


def _claim_name(claim: str, volume: str, path: Path) -> Errors:
    for detail in is_dns1123_subdomain(claim):
        yield invalid_value(path, volume, f'PVC name "{claim}": {detail}')
