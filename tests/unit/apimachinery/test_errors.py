"""API failures and field errors in upstream's form."""

from __future__ import annotations

import pytest

from kubegang.apimachinery import errors, field
from kubegang.apimachinery.errors import StatusDetails
from kubegang.apimachinery.field import FieldError, Path
from kubegang.apimachinery.objects import GroupResource, GroupVersion, GroupVersionKind

P = Path("spec")


@pytest.mark.parametrize(
    ("error", "want_reason", "want_message"),
    [
        (field.required(P), "FieldValueRequired", "Required value"),
        (field.required(P, "why"), "FieldValueRequired", "Required value: why"),
        (field.invalid_value(P, "a\ab", "no"), "FieldValueInvalid", r'Invalid value: "a\ab": no'),
        (field.invalid_value(P, 0, "no"), "FieldValueInvalid", "Invalid value: 0: no"),
        (field.invalid_value(P, True, "no"), "FieldValueInvalid", "Invalid value: true: no"),
        (field.invalid_value(P, None, "no"), "FieldValueInvalid", "Invalid value: null: no"),
        (
            field.invalid_value(P, {"a": "<"}, ""),
            "FieldValueInvalid",
            r'Invalid value: {"a":"\u003c"}',
        ),
        (field.duplicate(P, {"a": 1}), "FieldValueDuplicate", 'Duplicate value: {"a":1}'),
        (field.duplicate(P, "a", "why"), "FieldValueDuplicate", 'Duplicate value: "a": why'),
        (
            field.not_supported(P, "x", ("A", "B")),
            "FieldValueNotSupported",
            'Unsupported value: "x": supported values: "A", "B"',
        ),
        (
            field.not_supported(P, ["Some"], ("All",)),
            "FieldValueNotSupported",
            'Unsupported value: ["Some"]: supported values: "All"',
        ),
        (field.not_supported(P, "x", ()), "FieldValueNotSupported", 'Unsupported value: "x"'),
        (field.forbidden_field(P, "why"), "FieldValueForbidden", "Forbidden: why"),
        (
            field.too_many(P, 5, 4),
            "FieldValueTooMany",
            "Too many: 5: must have at most 4 items",
        ),
        (field.too_many(P, 2, 1), "FieldValueTooMany", "Too many: 2: must have at most 1 item"),
        (field.too_few(P, 0, 1), "FieldValueTooFew", "Too few: 0: must have at least 1 item"),
        (field.too_long(P, 63), "FieldValueTooLong", "Too long: may not be more than 63 bytes"),
        (
            field.too_long(P, 1, unit="character"),
            "FieldValueTooLong",
            "Too long: may not be more than 1 character",
        ),
        (
            field.too_short(P, 2),
            "FieldValueTooShort",
            "Too short: must be at least 2 characters",
        ),
        (field.type_invalid(P, "x", "no"), "FieldValueTypeInvalid", 'Invalid value: "x": no'),
        (field.not_found_field(P, "x"), "FieldValueNotFound", 'Not found: "x"'),
        (field.not_found_field(P, "x", "why"), "FieldValueNotFound", 'Not found: "x": why'),
    ],
)
def test_a_field_error_is_worded_as_upstream(
    error: FieldError, want_reason: str, want_message: str
) -> None:
    assert error == FieldError(want_reason, "spec", want_message)


def test_paths_print_members_items_and_keys() -> None:
    path = Path().child("spec", "containers").index(0).child("limits").key("cpu")
    assert str(path) == "spec.containers[0].limits[cpu]"


def test_one_broken_rule_stands_alone_and_several_in_brackets() -> None:
    one = field.invalid_object("", "Pod", "p", [field.required(P)])
    assert one.message == 'Pod "p" is invalid: spec: Required value'
    two = field.invalid_object("batch", "Job", "j", [field.required(P), field.required(Path("x"))])
    assert two.message == 'Job.batch "j" is invalid: [spec: Required value, x: Required value]'
    assert two.details is not None
    assert [cause.field for cause in two.details.causes] == ["spec", "x"]


def test_a_repeated_rule_is_said_once_but_stays_two_causes() -> None:
    error = field.invalid_object("", "ConfigMap", "c", [field.required(P), field.required(P)])
    assert error.message == 'ConfigMap "c" is invalid: spec: Required value'
    assert error.details is not None
    assert len(error.details.causes) == 2


def test_a_failure_becomes_a_status_and_back() -> None:
    error = errors.not_found(GroupResource("scheduling.k8s.io", "podgroups"), "g")
    status = error.to_status()
    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'podgroups.scheduling.k8s.io "g" not found',
        "reason": "NotFound",
        "details": {"name": "g", "group": "scheduling.k8s.io", "kind": "podgroups"},
        "code": 404,
    }
    again = errors.error_from_status(status)
    assert isinstance(again, errors.NotFoundError)
    assert again.details == error.details


def test_empty_details_and_no_details_differ() -> None:
    assert errors.InvalidError("m", details=StatusDetails()).to_status()["details"] == {}
    assert "details" not in errors.InvalidError("m").to_status()
    assert "reason" not in errors.UnexplainedError("m").to_status()


def test_the_other_failures_name_their_object() -> None:
    pods = GroupResource("", "pods")
    assert errors.already_exists(pods, "p").message == 'pods "p" already exists'
    assert errors.conflict(pods, "p", "why").message == (
        'Operation cannot be fulfilled on pods "p": why'
    )
    assert errors.forbidden(pods, "p", "why").message == 'pods "p" is forbidden: why'
    assert errors.forbidden(pods, "", "why").message == "pods is forbidden: why"


def test_versions_and_kinds_are_read_from_objects() -> None:
    job = GroupVersionKind.of({"apiVersion": "batch/v1", "kind": "Job"})
    assert job == ("batch", "v1", "Job")
    assert str(job.group_version) == "batch/v1"
    assert str(GroupVersion.parse("v1")) == "v1"
    assert GroupVersionKind.of({}) == ("", "", "")
