"""Objects that real servers answered are already in canonical form.

Whatever the canonical form adds to, drops from or changes in one of them would be a rule
that the real server does not have.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kubegang.api.canonical import canonicalize
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject

CORPUS = sorted((Path(__file__).parent / "corpus" / "public").glob("*.yaml"))


def answered_objects(path: Path) -> Iterator[tuple[str, JsonObject]]:
    """Yield the objects, list items included, of all answers of a corpus file."""
    for entry in yaml.load(path.read_text(), Loader=yaml.CSafeLoader):
        body = entry["response"].get("body")
        if not isinstance(body, dict):
            continue
        if isinstance(body.get("items"), list) and body.get("kind", "").endswith("List"):
            head = {"apiVersion": body["apiVersion"], "kind": body["kind"].removesuffix("List")}
            for item in body["items"]:
                yield entry["id"], {**head, **item}
        elif "metadata" in body:
            yield entry["id"], body


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_a_real_server_answered_is_in_canonical_form(path: Path) -> None:
    changed = []
    for entry, answered in answered_objects(path):
        canonical = copy.deepcopy(answered)
        canonicalize(canonical, GroupVersionKind.of(answered))
        if canonical != answered:
            changed.append(entry)
    assert changed == []
