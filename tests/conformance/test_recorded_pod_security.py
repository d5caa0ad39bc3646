"""Namespaces with labels of pod security refuse and warn as kube-apiserver does.

``recorded_pod_security`` has what 1.37.2, 1.36.3 and 1.35.4 said; see
``record_pod_security``.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
import yaml

from kubegang.app.profiles.table import profile_named
from tests.component.apiharness import MERGE, Api, Reply
from tests.conformance.record_pod_security import RECORDED

_GENERATED = re.compile(r"gen-\w{5}")

Entry = dict[str, Any]


@pytest.mark.parametrize("version", ["1.37", "1.36", "1.35"])
def test_the_same_is_refused_and_warned_of(version: str) -> None:
    entries: list[Entry] = yaml.load(RECORDED.read_text(), Loader=yaml.CSafeLoader)
    assert asyncio.run(_differences(entries, version)) == []


async def _differences(entries: list[Entry], version: str) -> list[str]:
    profile = profile_named(version)
    api = await Api.start(
        version=version,
        validation_rules=profile.validation_rules,
        warning_rules=profile.warning_rules,
    )
    wrong = []
    for position, entry in enumerate(entries):
        expected = entry.get("other", {}).get(version, entry["said"])
        said = _said(await _played(api, entry, f"security-{position}"), f"security-{position}")
        if _comparable(said) != _comparable(expected):
            wrong.append(f"{position}: {said} instead of {expected}")
    return wrong


async def _played(api: Api, entry: Entry, name: str) -> Reply:
    metadata = {"name": name, "labels": entry["labels"]}
    reply = await api.post("/api/v1/namespaces", {"metadata": metadata})
    if reply.status == 201 and "body" in entry:
        reply = await api.post(entry["path"].format(ns=name), entry["body"])
    if reply.status == 201 and "then" in entry:
        labels = {"metadata": {"labels": entry["then"]}}
        reply = await api.patch(f"/api/v1/namespaces/{name}", labels, MERGE)
    return reply


def _said(reply: Reply, name: str) -> Entry:
    said: Entry = {"code": reply.status}
    if reply.status >= 400:
        said["message"] = reply.message.replace(name, "{ns}")
    if reply.warnings:
        said["warnings"] = [text.replace(name, "{ns}") for text in reply.warnings]
    return said


def _comparable(said: Entry) -> Entry:
    return {**said, "message": _GENERATED.sub("gen-*", said.get("message", ""))}
