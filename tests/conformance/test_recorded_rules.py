"""Validation says of many more objects what kube-apiserver 1.37.2 said of them.

``recorded_rules`` has one object per entry, with the errors that a real server told about it
(reason, field, message), and changes of it with theirs; changes marked ``keep`` stay for the
ones after them. They were made to meet rules that the corpus does not: sources of volumes,
probes, environments, security contexts, suspended Jobs, statuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.apimachinery.field import FieldError
from tests.conformance.rules_replay import Replay

_RECORDED = Path(__file__).parent / "recorded_rules"
_FILES = ("pods", "pods-changed", "jobs", "jobs-changed", "others", "others-changed")

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

_MERGE_PATCH = "application/merge-patch+json"

Entry = dict[str, Any]


def _entries() -> Iterator[Any]:
    for file in _FILES:
        text = (_RECORDED / f"{file}.yaml").read_text()
        for entry in yaml.load(text, Loader=yaml.CSafeLoader):
            yield pytest.param(entry, id=f"{file}:{entry['name']}")


@pytest.mark.parametrize("entry", list(_entries()))
def test_the_same_errors_are_told(entry: Entry) -> None:
    replay = Replay("1.37", "on")
    written = replay.write({"method": "POST", "path": entry["path"], "body": entry["body"]})
    assert _told(written.errors) == sorted(entry["errors"])

    for step in entry.get("steps", []):
        write = replay.write if step.get("keep") else replay.rehearse
        written = write(_change(entry, step))
        assert _told(written.errors) == sorted(step["errors"]), step["name"]


def _change(entry: Entry, step: Entry) -> Entry:
    path = f"{entry['path']}/{entry['body']['metadata']['name']}"
    if "subresource" in step:
        path += f"/{step['subresource']}"
    headers = {"Content-Type": step.get("type", _MERGE_PATCH)}
    return {"method": "PATCH", "path": path, "headers": headers, "body": step["patch"]}


def _told(errors: list[FieldError]) -> list[str]:
    return sorted(
        f"{error.reason} {error.field}: {_TIME.sub('<time>', _UID.sub('<uid>', error.message))}"
        for error in errors
    )
