"""The corpus's server-side applies of ConfigMaps, played against the functions alone.

What a server adds around them (names in URLs, uids, storage) is left out; the entries are
those whose requests are all about one ConfigMap.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.apimachinery import managedfields
from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.patch import merge_patch
from tests.unit.apimachinery.schemas import CONFIG_MAP

CORPUS = Path(__file__).parents[2] / "conformance/corpus/public/server-side-apply.yaml"
NOW = "2026-11-29T18:15:13Z"

# About names, uids and query parameters, which the functions never see.
_ABOUT_REQUESTS = {
    "broken-yaml",
    "dry-run-stored-nothing",
    "force-on-merge-patch",
    "manager-not-printable",
    "no-name",
    "uid-on-create",
    "wrong-name",
}


def _is_about_one_config_map(entry: JsonObject) -> bool:
    requests = [*entry.get("setup", []), entry["request"]]
    return (
        "1.37" in entry["versions"]
        and entry["id"] not in _ABOUT_REQUESTS
        and all("/configmaps" in request.get("path", "") for request in requests)
    )


ENTRIES = [
    entry
    for entry in yaml.load(CORPUS.read_text(), Loader=yaml.CSafeLoader)
    if _is_about_one_config_map(entry)
]


class _Server:
    """One ConfigMap and what happens to it."""

    def __init__(self) -> None:
        self.live: JsonObject | None = None

    def send(self, request: JsonObject) -> None:
        media_type = request.get("headers", {}).get("Content-Type", "")
        agent = request.get("headers", {}).get("User-Agent", "corpus-replay/1")
        query = request.get("query", {})
        manager = query.get("fieldManager") or agent.partition("/")[0]
        if request["method"] == "POST":
            self._record(None, request["body"], manager)
        elif "apply-patch" in media_type:
            self._apply(request["body"], manager, force=query.get("force") == "true")
        elif "merge-patch" in media_type:
            assert self.live is not None
            self._record(self.live, merge_patch(self.live, request["body"]), manager)

    def _record(self, old: JsonObject | None, new: JsonObject, manager: str) -> None:
        new = copy.deepcopy(new)
        managedfields.record_update(
            old,
            new,
            schema=CONFIG_MAP,
            manager=manager,
            api_version="v1",
            subresource="",
            now=NOW,
        )
        self._store(new)

    def _apply(self, config: JsonObject, manager: str, *, force: bool) -> None:
        applied = managedfields.apply(
            self.live,
            config,
            schema=CONFIG_MAP,
            manager=manager,
            api_version="v1",
            subresource="",
            force=force,
            now=NOW,
        )
        self._store(applied)

    def _store(self, obj: JsonObject) -> None:
        """Keep the object in canonical form: no empty members, no nulls in maps of texts."""
        data = {name: value or "" for name, value in (obj.get("data") or {}).items()}
        metadata = {name: value for name, value in obj["metadata"].items() if value}
        self.live = {**obj, "metadata": {**metadata, "uid": "u"}, "data": data}
        if not data:
            del self.live["data"]


def _shown(obj: JsonObject) -> Any:
    managers = sorted(
        ({**entry, "time": "time" in entry} for entry in obj["metadata"].get("managedFields", [])),
        key=str,
    )
    return obj.get("data"), obj["metadata"].get("finalizers"), managers


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_a_recorded_apply_is_answered_as_recorded(entry: JsonObject) -> None:
    server = _Server()
    for request in entry.get("setup", []):
        server.send(request)
    want = entry["response"]["body"]

    if want["kind"] == "Status":
        with pytest.raises(ApiError) as refused:
            server.send(entry["request"])
        assert refused.value.to_status() == want
    else:
        server.send(entry["request"])
        assert server.live is not None
        assert _shown(server.live) == _shown(want)


def test_the_corpus_has_enough_of_them() -> None:
    assert len(ENTRIES) >= 18
