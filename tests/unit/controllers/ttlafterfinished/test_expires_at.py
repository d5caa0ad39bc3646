"""When a finished Job is to be deleted."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.times import parse_time
from kubegang.controllers.ttlafterfinished.controller import expires_at

ENDED = "2026-11-01T00:00:00Z"


def job(*conditions: str, ttl: int | None = 60, deleted: bool = False) -> dict[str, Any]:
    spec = {} if ttl is None else {"ttlSecondsAfterFinished": ttl}
    metadata = {"deletionTimestamp": ENDED} if deleted else {}
    status = [{"type": c, "status": "True", "lastTransitionTime": ENDED} for c in conditions]
    return {"metadata": metadata, "spec": spec, "status": {"conditions": status}}


@pytest.mark.parametrize("kind", ["Complete", "Failed"])
def test_a_finished_job_expires_so_long_after_its_end(kind: str) -> None:
    assert expires_at(job("SuccessCriteriaMet", kind)) == parse_time(ENDED) + 60


@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(job("SuccessCriteriaMet"), id="not finished yet"),
        pytest.param(job("Complete", ttl=None), id="no time was given"),
        pytest.param(job("Complete", deleted=True), id="going already"),
    ],
)
def test_other_jobs_stay(subject: dict[str, Any]) -> None:
    assert expires_at(subject) is None


def test_a_time_of_zero_is_a_time() -> None:
    assert expires_at(job("Failed", ttl=0)) == parse_time(ENDED)
