"""Annotations that say something about a pod: old profiles, deletion cost, mirrors.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.pods.context import MIRROR_ANNOTATION
from kubegang.api.validation.pods.paths import relative_below
from kubegang.api.validation.pods.walking import all_containers, containers_with_paths
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value
from kubegang.apimachinery.objects import JsonObject

Annotations = Mapping[str, str]

_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_PROFILES = (_SECCOMP_POD, _SECCOMP_CONTAINER, _APP_ARMOR)
_LOCALHOST = "localhost/"
_APP_ARMOR_PLAIN = ("", "runtime/default", "unconfined")
_SECCOMP_PLAIN = ("runtime/default", "docker/default", "unconfined")
_COST = re.compile(r"-?[0-9]+")
_MAX_INT32 = 2**31 - 1


def validate_pod_annotations(annotations: Annotations, spec: JsonObject, path: Path) -> Errors:
    """Check the annotations that Kubernetes reads."""
    if MIRROR_ANNOTATION in annotations and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        where = path.key(MIRROR_ANNOTATION)
        yield invalid_value(where, annotations[MIRROR_ANNOTATION], detail)
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not _is_cost(cost):
        yield invalid_value(path.key(_DELETION_COST), cost, "must be a 32bit integer")
    for key, profile in annotations.items():
        if key == _SECCOMP_POD or key.startswith(_SECCOMP_CONTAINER):
            yield from _seccomp_profile(profile, path.child(key))
    for key, profile in annotations.items():
        if key.startswith(_APP_ARMOR):
            yield from _app_armor(key, profile, spec, path)


def validate_profiles_agree(annotations: Annotations, spec: JsonObject, path: Path) -> Errors:
    """Check that a profile stated twice, by annotation and by field, is the same one."""
    if not any(key.startswith(_PROFILES) for key in annotations):
        return
    yield from _seccomp_agrees(annotations, spec, path)
    if (spec.get("os") or {}).get("name") != "windows":
        yield from _app_armor_agrees(annotations, spec, path)


def validate_annotations_kept(new: Annotations, old: Annotations, path: Path) -> Errors:
    """Check that an update leaves profile and mirror annotations alone."""
    for key, value in old.items():
        if new.get(key) == value:
            continue
        if key.startswith(_APP_ARMOR):
            yield forbidden_field(path.key(key), "may not remove or update AppArmor annotations")
        if key == MIRROR_ANNOTATION:
            detail = "may not remove or update mirror pod annotation"
            yield forbidden_field(path.key(key), detail)
    for key in (key for key in new if key not in old):
        if key.startswith(_APP_ARMOR):
            yield forbidden_field(path.key(key), "may not add AppArmor annotations")
        if key == MIRROR_ANNOTATION:
            yield forbidden_field(path.key(key), "may not add mirror pod annotation")


def _is_cost(text: str) -> bool:
    if not _COST.fullmatch(text) or (text.startswith("0") and text != "0"):
        return False
    return -_MAX_INT32 - 1 <= int(text) <= _MAX_INT32


def _seccomp_profile(profile: str, path: Path) -> Errors:
    if profile.startswith(_LOCALHOST):
        yield from relative_below(path, profile.removeprefix(_LOCALHOST))
    elif profile not in _SECCOMP_PLAIN:
        yield invalid_value(path, profile, "must be a valid seccomp profile")


def _app_armor(key: str, profile: str, spec: JsonObject, path: Path) -> Errors:
    name = key.removeprefix(_APP_ARMOR)
    if all(container.get("name") != name for container in all_containers(spec)):
        yield invalid_value(path.key(key), name, "container not found")
    if profile not in _APP_ARMOR_PLAIN and not profile.startswith(_LOCALHOST):
        detail = f'invalid AppArmor profile name: "{profile}"'
        yield invalid_value(path.key(key), profile, detail)


def _seccomp_agrees(annotations: Annotations, spec: JsonObject, path: Path) -> Errors:
    profile = (spec.get("securityContext") or {}).get("seccompProfile")
    if profile is not None and _SECCOMP_POD in annotations:
        where = path.child("securityContext", "seccompProfile")
        yield from _agree(annotations[_SECCOMP_POD], profile, where, what="seccomp")
    for container, where in containers_with_paths(spec, path):
        profile = (container.get("securityContext") or {}).get("seccompProfile")
        stated = annotations.get(_SECCOMP_CONTAINER + (container.get("name") or ""))
        if profile is not None and stated is not None:
            member = where.child("securityContext", "seccompProfile")
            yield from _agree(stated, profile, member, what="seccomp")


def _app_armor_agrees(annotations: Annotations, spec: JsonObject, path: Path) -> Errors:
    """Check AppArmor profiles; a container without one of its own has the pod's."""
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for container, where in containers_with_paths(spec, path):
        own = (container.get("securityContext") or {}).get("appArmorProfile")
        profile = of_pod if own is None else own
        stated = annotations.get(_APP_ARMOR + (container.get("name") or ""))
        if profile is not None and stated is not None:
            member = where.child("securityContext", "appArmorProfile")
            yield from _agree(stated, profile, member, what="apparmor")


def _agree(annotation: str, profile: JsonObject, path: Path, *, what: str) -> Errors:
    plain = {"Unconfined": ["unconfined"], "RuntimeDefault": ["runtime/default"]}
    if what == "seccomp":
        plain["RuntimeDefault"].append("docker/default")
    kind = profile.get("type") or ""
    differs = f"{what} type in annotation and field must match"
    if kind in plain:
        if annotation not in plain[kind]:
            yield forbidden_field(path.child("type"), differs)
    elif kind == "Localhost":
        if not annotation.startswith(_LOCALHOST):
            yield forbidden_field(path.child("type"), differs)
        elif annotation.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
            detail = f"{what} profile in annotation and field must match"
            yield forbidden_field(path.child("localhostProfile"), detail)
