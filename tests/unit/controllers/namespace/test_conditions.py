"""What a terminating namespace says about its content."""

from __future__ import annotations

from typing import Any

from kubegang.client.resources import CONFIGMAPS, PODGROUPS
from kubegang.controllers.namespace.conditions import Remaining, status_after

NAMESPACE: dict[str, Any] = {"metadata": {"name": "n"}, "status": {"phase": "Terminating"}}


def told(remaining: Remaining) -> dict[str, tuple[str, str, str]]:
    status = status_after(NAMESPACE, remaining, now=0)
    return {
        c["type"].removeprefix("Namespace"): (c["status"], c["reason"], c["message"])
        for c in status["conditions"]
    }


def test_an_empty_namespace_has_nothing_to_complain_about() -> None:
    conditions = told(Remaining())

    assert {status for status, _, _ in conditions.values()} == {"False"}
    assert conditions["ContentRemaining"] == (
        "False",
        "ContentRemoved",
        "All content successfully removed",
    )


def test_what_remains_is_counted_by_resource_and_by_finalizer() -> None:
    remaining = Remaining()
    for name, finalizers in (("a", ["x/y"]), ("b", ["x/y", "x/a"])):
        remaining.add(CONFIGMAPS, {"metadata": {"name": name, "finalizers": finalizers}})
    remaining.add(PODGROUPS, {"metadata": {"name": "g"}})

    conditions = told(remaining)

    assert conditions["ContentRemaining"] == (
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: configmaps. has 2 resource instances, "
        "podgroups.scheduling.k8s.io has 1 resource instances",
    )
    assert conditions["FinalizersRemaining"] == (
        "True",
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: "
        "x/a in 1 resource instances, x/y in 2 resource instances",
    )


def test_refused_deletions_are_told_once_each() -> None:
    conditions = told(Remaining(failures=["no", "never", "no"]))

    assert conditions["DeletionContentFailure"] == (
        "True",
        "ContentDeletionFailed",
        "Failed to delete all resource types, 2 remaining: never, no",
    )


def test_the_other_parts_of_the_status_stay() -> None:
    status = status_after(NAMESPACE, Remaining(), now=0)

    assert status["phase"] == "Terminating"
    assert NAMESPACE["status"] == {"phase": "Terminating"}
