"""The numbers of a Job's spec: what may be how large in which completion mode.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, not_negative, one_of
from kubegang.api.validation.domainpaths import validate_domain_path
from kubegang.api.validation.jobs.policies import INDEXED, ONLY_INDEXED
from kubegang.apimachinery.field import Path, invalid_value, required, too_long
from kubegang.apimachinery.objects import JsonObject

_MODES = ("NonIndexed", INDEXED)

_MAX_INDEXED_PARALLELISM = 100_000
_MAX_FAILED_INDEXES = 100_000
_MANY_COMPLETIONS = 100_000
_MAX_WITH_MANY_COMPLETIONS = 10_000
_MAX_MANAGER = 63

_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)


def validate_numbers(spec: JsonObject, path: Path) -> Errors:
    """Check the numbers of a Job's spec, and who manages the Job."""
    for name in _COUNTS:
        yield from not_negative(path.child(name), spec.get(name))
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        detail = "when maxFailedIndexes is specified"
        yield required(path.child("backoffLimitPerIndex"), detail)
    if (manager := spec.get("managedBy")) is not None:
        yield from validate_domain_path(path.child("managedBy"), manager)
        if len(manager.encode()) > _MAX_MANAGER:
            yield too_long(path.child("managedBy"), _MAX_MANAGER)
    mode = spec.get("completionMode")
    yield from one_of(path.child("completionMode"), mode, _MODES)
    if mode == INDEXED:
        yield from _indexed(spec, path)
    elif mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield invalid_value(path.child(name), spec[name], ONLY_INDEXED)


def _indexed(spec: JsonObject, path: Path) -> Errors:
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    max_failed = spec.get("maxFailedIndexes") or 0
    if completions is None:
        yield required(path.child("completions"), f"when completion mode is {INDEXED}")
    if parallelism > _MAX_INDEXED_PARALLELISM:
        detail = (
            f"must be less than or equal to {_MAX_INDEXED_PARALLELISM} "
            f"when completion mode is {INDEXED}"
        )
        yield invalid_value(path.child("parallelism"), parallelism, detail)
    where = path.child("maxFailedIndexes")
    if completions is not None and max_failed > completions:
        yield invalid_value(where, max_failed, "must be less than or equal to completions")
    if max_failed > _MAX_FAILED_INDEXES:
        detail = f"must be less than or equal to {_MAX_FAILED_INDEXES}"
        yield invalid_value(where, max_failed, detail)
    if (completions or 0) > _MANY_COMPLETIONS and spec.get("backoffLimitPerIndex") is not None:
        yield from _many_completions(spec, path)


def _many_completions(spec: JsonObject, path: Path) -> Errors:
    """Check what keeps the lists of indexes in the status short."""
    if spec.get("maxFailedIndexes") is None:
        detail = f"must be specified when completions is above {_MANY_COMPLETIONS}"
        yield required(path.child("maxFailedIndexes"), detail)
    for name in ("parallelism", "maxFailedIndexes"):
        if (number := spec.get(name) or 0) > _MAX_WITH_MANY_COMPLETIONS:
            detail = (
                f"must be less than or equal to {_MAX_WITH_MANY_COMPLETIONS} when completions "
                f"are above {_MANY_COMPLETIONS} and used with backoff limit per index"
            )
            yield invalid_value(path.child(name), number, detail)
