"""Who owns the claims of a StatefulSet's pods."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.owners import controller_reference
from kubegang.controllers.statefulset.retention import (
    has_other_controller,
    is_right,
    is_stale,
    with_right_owner,
)


def stateful_set(scaled: str, deleted: str) -> JsonObject:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "s", "uid": "set"},
        "spec": {
            "replicas": 1,
            "persistentVolumeClaimRetentionPolicy": {
                "whenScaled": scaled,
                "whenDeleted": deleted,
            },
        },
    }


def pod(ordinal: int, uid: str = "pod") -> JsonObject:
    metadata = {"name": f"s-{ordinal}", "uid": uid}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


def claim(*owners: JsonObject) -> JsonObject:
    references = [controller_reference(owner) for owner in owners]
    return {"metadata": {"name": "c", "ownerReferences": references}}


@pytest.mark.parametrize(
    ("scaled", "deleted", "ordinal", "kinds"),
    [
        ("Retain", "Retain", 0, []),
        ("Retain", "Delete", 0, ["StatefulSet"]),
        ("Retain", "Delete", 5, ["StatefulSet"]),
        ("Delete", "Retain", 0, []),
        ("Delete", "Retain", 5, ["Pod"]),
        ("Delete", "Delete", 0, ["StatefulSet"]),
        ("Delete", "Delete", 5, ["Pod"]),
    ],
)
def test_the_policy_says_who_owns_a_claim(
    scaled: str, deleted: str, ordinal: int, kinds: list[str]
) -> None:
    owner, member = stateful_set(scaled, deleted), pod(ordinal)

    fixed = with_right_owner(claim(), owner, member)

    assert [reference["kind"] for reference in fixed["metadata"]["ownerReferences"]] == kinds
    assert is_right(fixed, owner, member)


def test_a_claim_of_a_former_pod_is_left_alone() -> None:
    owner, member = stateful_set("Delete", "Delete"), pod(0)
    old = claim(pod(0, uid="former"))

    assert is_stale(old, member)
    assert is_right(old, owner, member)


def test_a_claim_that_somebody_else_controls_is_left_alone() -> None:
    owner, member = stateful_set("Delete", "Delete"), pod(0)
    other = {**stateful_set("Retain", "Retain"), "metadata": {"name": "other", "uid": "other"}}
    theirs = claim(other)

    assert has_other_controller(theirs, owner, member)
    assert is_right(theirs, owner, member)
    assert not is_right(claim(other, owner), owner, member)
    assert with_right_owner(claim(other, owner), owner, member) == theirs
