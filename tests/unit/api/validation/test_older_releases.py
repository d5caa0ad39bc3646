"""How 1.36 and 1.35 list what is wrong, where 1.37 says it once."""

from __future__ import annotations

import copy

from kubegang.api.defaults.batch import generate_selector
from kubegang.api.validation.earlier_words import RULES_OF_1_36
from kubegang.api.validation.table import validate_create, validate_status_update, validate_update
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from tests.unit.api.validation.objects import GATES, filled, job

JOB = GroupVersionKind("batch", "v1", "Job")
BUDGET = GroupVersionKind("policy", "v1", "PodDisruptionBudget")
LONG = "a" * 64


def own_job(name: str = "j") -> JsonObject:
    """Return a Job with a generated selector, as the server is about to store it."""
    metadata = {"name": name, "uid": "u", "labels": {"own": "x"}}
    made = filled(job(metadata=metadata, manualSelector=False, selector=None))
    generate_selector(made)
    return made


def fields(errors: list[FieldError]) -> list[str]:
    return [error.field for error in errors]


def test_a_name_too_long_for_two_labels_is_told_of_each() -> None:
    new = own_job(LONG)
    assert fields(validate_create(new, JOB, GATES)) == ["spec.template.labels"]
    older = validate_create(new, JOB, GATES, release=RULES_OF_1_36)
    assert fields(older) == ["spec.template.labels"] * 2


def test_a_changed_selector_must_besides_be_the_generated_one() -> None:
    old = own_job()
    new = copy.deepcopy(old)
    new["spec"]["selector"]["matchLabels"]["a"] = "b"
    labels, selector = "spec.template.metadata.labels", "spec.selector"
    assert fields(validate_update(new, old, JOB, GATES)) == [labels, selector]
    older = validate_update(new, old, JOB, GATES, release=RULES_OF_1_36)
    assert fields(older) == [selector, labels, labels, selector]
    assert older[0].message.endswith("`selector` not auto-generated")


def test_changed_metadata_is_checked_by_the_rules_of_all_kinds_and_of_this_one() -> None:
    old = own_job()
    new = copy.deepcopy(old)
    new["metadata"] = {**old["metadata"], "labels": {"a": "-"}, "namespace": "default"}
    old["metadata"]["namespace"] = "default"
    label = "metadata.labels"
    assert fields(validate_status_update(new, old, JOB, GATES)) == [label]
    status = validate_status_update(new, old, JOB, GATES, release=RULES_OF_1_36)
    assert fields(status) == [label] * 3
    whole = validate_update(new, old, JOB, GATES, release=RULES_OF_1_36)
    assert fields(whole) == [label] * 4


def test_a_kind_without_rules_for_metadata_has_it_checked_only_as_every_object() -> None:
    old: JsonObject = {"metadata": {"name": "b", "namespace": "default"}, "spec": {}}
    new = {**old, "metadata": {**old["metadata"], "labels": {"a": "-"}}}
    older = validate_update(new, old, BUDGET, GATES, release=RULES_OF_1_36)
    assert fields(older) == ["metadata.labels"] * 2
