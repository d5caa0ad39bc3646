"""Defaults and validation answer the corpus as real API servers did.

Without a server: what the rules alone decide. 1.37 has to agree in every word; of the older
releases only the versions of the scheduling group that they alone have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.conformance.rules_replay import (
    NAMESPACE,
    WORD,
    Entry,
    Replay,
    causes_of,
    entries,
)

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

_NEWEST = "1.37"
_OLD_FILES = {"scheduling-v1alpha1": "1.35", "scheduling-v1alpha2": "1.36"}

# What follows shows a pod spec, whose fields the older releases have in another order.
_PRINTED_SPEC = "Forbidden: pod updates may not change fields other than"

Cause = tuple[str, str, str]


def _chosen() -> Iterator[tuple[str, str, Entry]]:
    """Yield version, name and entry of what may be replayed."""
    for name, entry in entries():
        old = _OLD_FILES.get(name.partition(":")[0])
        if _NEWEST in entry["versions"]:
            yield _NEWEST, name, entry
        elif old in entry["versions"]:
            yield old or "", name, entry


_CHOSEN = [
    (version, name, entry, Replay(version, entry["gates"]).why_skipped(entry))
    for version, name, entry in _chosen()
]
_PLAYED = [pytest.param(v, e, id=f"{v}-{name}") for v, name, e, why in _CHOSEN if not why]


@pytest.mark.parametrize(("version", "entry"), _PLAYED)
def test_the_rules_answer_as_a_real_server(version: str, entry: Entry) -> None:
    replay = Replay(version, entry["gates"])
    replay.set_up(entry.get("setup", []))
    written = replay.write(entry["request"])
    response = entry["response"]

    found = [(error.reason, error.field, error.message) for error in written.errors]
    wanted = [(c["reason"], c.get("field", ""), c["message"]) for c in causes_of(response)]
    assert _comparable(found, version) == _comparable(wanted, version)
    if response["code"] == 422 and version == _NEWEST:
        assert _normal(written.message) == _normal(response["body"]["message"])
    whole = "fields" not in entry and not entry["request"]["path"].endswith("/binding")
    if response["code"] != 422 and whole:
        assert _object(written.obj, entry) == _object(response["body"], entry)


def test_every_entry_that_is_skipped_has_its_reason() -> None:
    assert Counter(version for version, _, _, why in _CHOSEN if not why) == {
        "1.37": 431,
        "1.36": 48,
        "1.35": 26,
    }
    assert Counter((version, why) for version, _, _, why in _CHOSEN if why) == {
        ("1.37", "another kind"): 84,
        ("1.37", "not a write of a body"): 71,
        ("1.37", "refused by something else"): 57,
        ("1.37", "the store's revision"): 5,
        ("1.37", "a body that is not JSON"): 2,
        ("1.37", "another subresource"): 2,
        ("1.37", "a patch that does not apply"): 1,
        ("1.36", "refused by something else"): 7,
        ("1.36", "not a write of a body"): 2,
        ("1.35", "not a write of a body"): 3,
    }


def _comparable(causes: list[Cause], version: str) -> list[Cause]:
    """Return causes in a fixed order; the older releases told some of them twice."""
    normal = [(reason, field, _normal(message)) for reason, field, message in causes]
    if version != _NEWEST:
        normal = list({(reason, field, _without_spec(text)) for reason, field, text in normal})
    return sorted(normal)


def _without_spec(message: str) -> str:
    return _PRINTED_SPEC if message.startswith(_PRINTED_SPEC) else message


def _object(obj: JsonObject, entry: Entry) -> Any:
    """Return an object without what differs from one server to the next."""
    sent = entry["request"]["body"]
    metadata = sent.get("metadata", {}) if isinstance(sent, dict) else {}
    return _normal(obj, suffixed=metadata.get("generateName", ""))


def _normal(value: Any, *, suffixed: str = "") -> Any:
    if isinstance(value, list):
        return [_normal(item, suffixed=suffixed) for item in value]
    if isinstance(value, dict):
        return {
            _normal(key): _normal(item, suffixed=suffixed)
            for key, item in value.items()
            if key not in ("managedFields", "resourceVersion")
        }
    if not isinstance(value, str):
        return value
    text = value.replace(NAMESPACE, "{ns}").replace(WORD, "{x}")
    if suffixed and text.startswith(suffixed):
        text = suffixed + "<suffix>"
    return _TIME.sub("<time>", _UID.sub("<uid>", text))
