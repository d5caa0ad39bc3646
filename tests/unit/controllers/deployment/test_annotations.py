"""Revisions on ReplicaSets."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.deployment.annotations import (
    HISTORY,
    LONGEST_HISTORY,
    REVISION,
    new_annotations,
)


def deployment(**annotations: str) -> dict[str, Any]:
    return {"metadata": {"name": "d", "annotations": annotations}}


def test_a_deployments_annotations_are_copied_but_for_its_own() -> None:
    owner = deployment(
        **{
            "kubernetes.io/change-cause": "why",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            REVISION: "7",
        }
    )

    assert new_annotations(owner, {}, revision=1) == {
        "kubernetes.io/change-cause": "why",
        REVISION: "1",
    }


def test_a_set_that_is_used_again_remembers_its_former_revisions() -> None:
    present = {REVISION: "3", HISTORY: "1"}

    assert new_annotations(deployment(), present, revision=5) == {REVISION: "5", HISTORY: "1,3"}


def test_a_larger_revision_stays() -> None:
    assert new_annotations(deployment(), {REVISION: "9"}, revision=5) == {REVISION: "9"}


def test_a_revision_that_is_no_number_leaves_everything_as_it_is() -> None:
    owner = deployment(cause="why")

    assert new_annotations(owner, {REVISION: "x"}, revision=5) == {REVISION: "x"}


def test_the_oldest_revisions_are_forgotten_when_the_list_gets_long() -> None:
    history = ",".join(str(number) for number in range(1000, 1399))

    found = new_annotations(deployment(), {REVISION: "1399", HISTORY: history}, revision=2000)

    assert len(found[HISTORY]) <= LONGEST_HISTORY
    assert found[HISTORY].endswith(",1399")
