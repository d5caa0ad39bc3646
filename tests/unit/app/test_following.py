"""Only what brings something about counts as progress."""

from __future__ import annotations

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.following import ProgressSense
from kubegang.store.interface import Change, Revision

POD: JsonObject = {
    "metadata": {"name": "p", "resourceVersion": "1"},
    "spec": {},
    "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "a"}]},
}


def makes_progress(new: JsonObject | None, *, key: str = "/core/pods/default/p") -> bool:
    """Return whether the second of two changes is progress."""
    sense = ProgressSense()
    old = msgspec.json.encode(POD)
    sense.is_made(Change("created", key, Revision(1), old, None), POD)
    if new is None:
        return sense.is_made(Change("deleted", key, Revision(2), old, old), POD)
    value = msgspec.json.encode(new)
    return sense.is_made(Change("updated", key, Revision(2), value, old), new)


def with_condition(**said: str) -> JsonObject:
    condition = {**POD["status"]["conditions"][0], **said}
    return {**POD, "status": {"conditions": [condition]}}


@pytest.mark.parametrize(
    ("new", "want"),
    [
        pytest.param(with_condition(message="b", reason="c"), False, id="other words"),
        pytest.param({**POD, "metadata": {"name": "p", "resourceVersion": "2"}}, False, id="touch"),
        pytest.param(
            {**POD, "status": {**POD["status"], "nominatedNodeName": "n"}}, False, id="a promise"
        ),
        pytest.param(with_condition(status="True"), True, id="a condition turns"),
        pytest.param({**POD, "spec": {"nodeName": "n"}}, True, id="bound"),
        pytest.param(None, True, id="deleted"),
    ],
)
def test_progress_of_a_pod(new: JsonObject | None, want: bool) -> None:
    assert makes_progress(new) is want


def test_other_kinds_make_progress_with_every_change() -> None:
    assert makes_progress(with_condition(message="b"), key="/batch/jobs/default/j")
