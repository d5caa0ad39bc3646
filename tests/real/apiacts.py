"""Every kind of object in many acts: read in all forms, changed by all patches, deleted.

An act is an entry as the corpus has them: requests that go before, and one whose answer counts.
"""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).parents[1] / "conformance" / "corpus"

MORE_OBJECTS = Path(__file__).with_name("actobjects.yaml")
"""Objects of the kinds that the corpus does not create, by the path that creates them."""

replay: Any = importlib.import_module("tests.conformance.corpus.replay")
"""The corpus's own player and comparison."""

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

Entry = dict[str, Any]

_NO_OBJECTS = ("/binding", "/eviction", "reviews", "/token", "/scale")


def acts(per_kind: int) -> Iterator[tuple[str, Entry]]:
    """Yield names and entries: all acts of so many objects of each kind, and of some more."""
    for creation in _creations(per_kind):
        name = f"{creation['body']['kind']} {creation['body']['metadata']['name']}"
        for act, entry in _acts_of(creation):
            yield f"{name} {act}", entry


def corpus_questions(release: str) -> Iterator[tuple[str, Entry]]:
    """Yield every question of the corpus once, as asked of a release where it was."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in replay.load([str(CORPUS / "public")]):
        if not (entry.get("serial") or entry.get("watch") or str(entry.get("gates")) == "off"):
            found.setdefault((entry["file"], entry["id"].partition("@")[0]), []).append(entry)
    for (file, name), entries in found.items():
        yield f"{file} {name}", max(entries, key=lambda entry: release in entry["versions"])


def _creations(per_kind: int) -> Iterator[Entry]:
    seen = Counter[str]()
    for one in yaml.load(MORE_OBJECTS.read_text(), Loader=yaml.CSafeLoader):
        yield {"method": "POST", **one}
    for entry in replay.load([str(CORPUS / "public")]):
        request = entry["request"]
        if not _creates_plainly(request) or entry.get("setup"):
            continue
        kind = request["body"].get("kind")
        seen[kind] += 1
        if seen[kind] <= per_kind:
            yield request


def _creates_plainly(request: Entry) -> bool:
    """Return whether this creates an object that disturbs no other."""
    body = request.get("body")
    if request["method"] != "POST" or not isinstance(body, dict) or request.get("query"):
        return False
    metadata = body.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    plain = not request.get("headers") and not any(one in request["path"] for one in _NO_OBJECTS)
    return named and plain and "globalDefault" not in json.dumps(body)


def _acts_of(creation: Entry) -> Iterator[tuple[str, Entry]]:
    before = [{**creation, "mayFail": True}]
    for name, request, more in (*_reads(creation), *_changes(creation), *_deletions(creation)):
        yield name, {"setup": before, "request": request, **more}


def _reads(creation: Entry) -> Iterator[tuple[str, Entry, Entry]]:
    one = _path(creation)
    yield "as a table", {"method": "GET", "path": one, "headers": {"Accept": TABLE}}, {}
    selected = {"fieldSelector": f"metadata.name={_name(creation)}", "includeObject": "Object"}
    listed = {"method": "GET", "path": creation["path"], "query": selected}
    yield "in a list's table", {**listed, "headers": {"Accept": TABLE}}, {}
    yield "as metadata", {"method": "GET", "path": one, "headers": {"Accept": METADATA}}, {}
    yield "as YAML", {"method": "GET", "path": one, "headers": {"Accept": "application/yaml"}}, {}
    yield "with its managers", {"method": "GET", "path": one}, {"managedFields": True}


def _changes(creation: Entry) -> Iterator[tuple[str, Entry, Entry]]:
    one, body = _path(creation), creation["body"]
    head = {"apiVersion": body["apiVersion"], "kind": body["kind"]}
    labels = {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    yield "merged", _patch(one, MERGE, {"metadata": labels}), {}
    change: Any = {"labels": {"a": None, "z": "1"}, "finalizers": ["x.io/y"]}
    yield "merged strategically", _patch(one, STRATEGIC, {"metadata": change}), {}
    change = [{"op": "add", "path": "/metadata/labels", "value": {"q": "r"}}]
    yield "patched", _patch(one, JSON_PATCH, change), {}
    change = {**head, "metadata": {"name": _name(creation), "labels": {"x": "y"}}}
    query = {"fieldManager": "m", "force": "true"}
    yield "applied in part", {**_patch(one, APPLY, change), "query": query}, {}
    change = {name: value for name, value in body.items() if name != "status"}
    yield "applied", {**_patch(one, APPLY, change), "query": query}, {"managedFields": True}
    labelled = {**body, "metadata": {**body["metadata"], "labels": {"n": "m"}}}
    yield "replaced", {"method": "PUT", "path": one, "body": labelled}, {}
    emptied = {**body, "status": {}}
    yield "its status emptied", {"method": "PUT", "path": f"{one}/status", "body": emptied}, {}
    change = {"metadata": {"labels": {"s": "t"}}, "status": {"unknown": 1}}
    yield "its status merged", _patch(f"{one}/status", MERGE, change), {}
    change = {"metadata": {"nope": 2}, "spec": {"nope": 1}}
    query = {"fieldValidation": "Strict"}
    yield "merged strictly", {**_patch(one, MERGE, change), "query": query}, {}


def _deletions(creation: Entry) -> Iterator[tuple[str, Entry, Entry]]:
    deletion = {"method": "DELETE", "path": _path(creation)}
    yield "deleted for show", {**deletion, "query": {"dryRun": "All"}}, {}
    yield "deleted at once", {**deletion, "query": {"gracePeriodSeconds": "0"}}, {}
    yield "deleted last", {**deletion, "query": {"propagationPolicy": "Foreground"}}, {}


def _patch(path: str, content_type: str, body: Any) -> Entry:
    headers = {"Content-Type": content_type}
    return {"method": "PATCH", "path": path, "headers": headers, "body": body}


def _path(creation: Entry) -> str:
    return f"{creation['path']}/{_name(creation)}"


def _name(creation: Entry) -> str:
    name: str = creation["body"]["metadata"]["name"]
    return name
