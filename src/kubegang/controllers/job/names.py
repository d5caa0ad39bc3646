"""The names of the Workload and the PodGroup that a Job gets.

Measured on 1.36 and 1.37 with about 25 UIDs; the parts are in ``workload_name`` and
``pod_group_name``. Discovery never relies on names, but people and other tools do. Pure.
"""

from __future__ import annotations

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_FNV_OFFSET, _FNV_PRIME = 2166136261, 16777619


def workload_name(job_name: str, job_uid: str) -> str:
    """Return ``<job>-<hash of the Job's UID>``."""
    # The hash is taken over the value as Go prints it with its type.
    return f"{job_name}-{_safe_hash(f'(types.UID){job_uid}')}"


def template_name(job_name: str) -> str:
    """Return the name of the one PodGroupTemplate in a Job's Workload."""
    return f"{job_name}-pgt-0"


def pod_group_name(workload: str, template: str) -> str:
    """Return ``<workload>-<template>-<hash of both>``."""
    return f"{workload}-{template}-{_safe_hash(workload + template)}"


def _safe_hash(text: str) -> str:
    digits = str(_fnv1a_32(text.encode()))
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in digits)


def _fnv1a_32(data: bytes) -> int:
    value = _FNV_OFFSET
    for byte in data:
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return value
