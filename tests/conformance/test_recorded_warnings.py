"""Whoever writes a valid object is warned in kube-apiserver's words, in its order.

``recorded_warnings`` has one object per entry, and changes of it that are only rehearsed,
with the texts of the ``Warning`` headers that 1.37.2, 1.36.3 and 1.35.4 answered. Where a
release said something else than 1.37 it stands under ``other``; ``refused`` names the
releases that took the object for invalid, which are silent, or almost: see the annotations
of AppArmor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.app.profiles.table import profile_named
from tests.component.apiharness import MERGE, Api, Reply

_RECORDED = Path(__file__).parent / "recorded_warnings"

Entry = dict[str, Any]


@pytest.mark.parametrize("version", ["1.37", "1.36", "1.35"])
@pytest.mark.parametrize("file", ["pods", "templates", "others", "networking"])
def test_the_same_warnings_are_given(version: str, file: str) -> None:
    text = (_RECORDED / f"{file}.yaml").read_text()
    entries: list[Entry] = yaml.load(text, Loader=yaml.CSafeLoader)
    assert asyncio.run(_play(entries, version)) == []


async def _play(entries: list[Entry], version: str) -> list[str]:
    profile = profile_named(version)
    api = await Api.start(
        version=version,
        validation_rules=profile.validation_rules,
        warning_rules=profile.warning_rules,
    )
    wrong: list[str] = []
    for entry in entries:
        reply = await api.post(entry["path"], entry["body"])
        wrong += _differences(entry["name"], entry, reply, version)
        if reply.status != 201:
            continue
        path = f"{entry['path']}/{reply.object['metadata']['name']}"
        for step in entry.get("steps", ()):
            below = f"/{step['subresource']}" if "subresource" in step else ""
            kind = step.get("type", MERGE)
            reply = await api.patch(f"{path}{below}?dryRun=All", step["patch"], kind)
            wrong += _differences(f"{entry['name']}, {step['name']}", step, reply, version)
    return wrong


def _differences(name: str, recorded: Entry, reply: Reply, version: str) -> Iterator[str]:
    expected = recorded.get("other", {}).get(version, recorded["warnings"])
    if list(reply.warnings) != expected:
        yield f"{name}: {list(reply.warnings)} instead of {expected}"
    if (reply.status >= 400) != (version in recorded.get("refused", ())):
        yield f"{name}: {reply.status} {reply.message if reply.status >= 400 else ''}"
