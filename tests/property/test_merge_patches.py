"""Laws of merge patches (RFC 7386) and of strategic merge patches without directives."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.patch import merge_patch
from kubegang.apimachinery.strategicmerge import strategic_merge_patch
from tests.unit.apimachinery.schemas import POD

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x", "y"]))


JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(NAMES, JSON)
# Nulls in lists are upstream's own matter: it drops some of them, which the RFC does not.
PATCHES = st.dictionaries(
    NAMES,
    st.recursive(
        st.one_of(JSON, st.none()),
        lambda inner: st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=6,
    ),
)


def _merged(target: Any, patch: Any) -> Any:
    """Return what the RFC's own pseudocode returns."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merged(result.get(name), value)
    return result


@settings(derandomize=True, max_examples=300, deadline=None)
@given(DOCUMENTS, PATCHES)
def test_a_merge_patch_does_what_the_rfc_says(document: JsonObject, patch: JsonObject) -> None:
    before = copy.deepcopy((document, patch))
    assert merge_patch(document, patch) == _merged(document, patch)
    assert (document, patch) == before


@settings(derandomize=True, max_examples=300, deadline=None)
@given(DOCUMENTS, PATCHES)
def test_a_merge_patch_applied_twice_changes_nothing_more(
    document: JsonObject, patch: JsonObject
) -> None:
    once = merge_patch(document, patch)
    assert merge_patch(once, patch) == once
    assert merge_patch(once, {}) == once


@settings(derandomize=True, max_examples=200, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_the_difference_of_two_documents_leads_from_one_to_the_other(
    start: JsonObject, end: JsonObject
) -> None:
    assert merge_patch(start, _difference(start, end)) == end


def _difference(start: JsonObject, end: JsonObject) -> JsonObject:
    patch: JsonObject = dict.fromkeys(start.keys() - end.keys())
    for name, value in end.items():
        old = start.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            patch[name] = _difference(old, value)
        elif name not in start or old != value or type(old) is not type(value):
            patch[name] = value
    return patch


VALUES = st.sampled_from(["", "1", "2"])
ENVS = st.lists(
    st.fixed_dictionaries({"name": NAMES}, optional={"value": VALUES}),
    max_size=3,
    unique_by=lambda env: env["name"],
)
CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={
            "image": VALUES,
            "args": st.lists(VALUES, max_size=2),
            "env": ENVS,
            "resources": st.fixed_dictionaries(
                {"requests": st.dictionaries(st.sampled_from(["cpu", "memory"]), VALUES)}
            ),
        },
    ),
    max_size=3,
    unique_by=lambda container: str(container["name"]),
)
PODS = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {},
            optional={
                "labels": st.dictionaries(NAMES, VALUES),
                "finalizers": st.lists(NAMES, max_size=3, unique=True),
            },
        ),
        "spec": st.fixed_dictionaries({"containers": CONTAINERS}),
    }
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(PODS, PODS)
def test_a_strategic_merge_patch_applied_twice_changes_nothing_more(
    document: JsonObject, patch: JsonObject
) -> None:
    before = copy.deepcopy((document, patch))
    once = strategic_merge_patch(document, patch, POD)
    assert strategic_merge_patch(once, patch, POD) == once
    assert (document, patch) == before


@settings(derandomize=True, max_examples=300, deadline=None)
@given(PODS, PODS)
def test_list_items_are_joined_by_their_names(document: JsonObject, patch: JsonObject) -> None:
    once = strategic_merge_patch(document, patch, POD)
    old, new, got = (
        {container["name"]: container for container in pod["spec"]["containers"]}
        for pod in (document, patch, once)
    )
    assert got.keys() == old.keys() | new.keys()
    assert len(got) == len(once["spec"]["containers"])
    for name, container in got.items():
        want = {**old.get(name, {}), **new.get(name, {})}
        assert container.get("image") == want.get("image")
        assert container.get("args") == want.get("args")


@settings(derandomize=True, deadline=None)
@given(PODS)
def test_a_document_patched_with_itself_or_nothing_stays(document: JsonObject) -> None:
    assert strategic_merge_patch(document, document, POD) == document
    assert strategic_merge_patch(document, {}, POD) == document
