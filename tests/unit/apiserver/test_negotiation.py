from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import NotAcceptableError, UnsupportedMediaTypeError
from kubegang.apiserver.negotiation import (
    JSON,
    PLAIN,
    PROTOBUF,
    YAML,
    Representation,
    body_media_type,
    negotiate,
    patch_type,
)

_TABLE = "application/json;as=Table;v={v};g=meta.k8s.io"


@pytest.mark.parametrize(
    ("accept", "want"),
    [
        pytest.param("", PLAIN, id="nothing"),
        pytest.param("*/*", PLAIN, id="anything"),
        pytest.param("application/json;charset=utf-8", PLAIN, id="charset"),
        pytest.param("text/html, application/json;q=0.5", PLAIN, id="second-choice"),
        pytest.param(f"{PROTOBUF},application/json", PLAIN, id="go-client"),
        pytest.param(f"{PROTOBUF}, */*", PLAIN, id="old-go-client"),
        pytest.param("application/json;q=0", PLAIN, id="no-quality"),
        pytest.param("application/json;q=x", PLAIN, id="broken-quality"),
        pytest.param(YAML, Representation("object", YAML), id="yaml"),
        pytest.param(_TABLE.format(v="v1"), Representation("table"), id="table"),
        pytest.param(
            f"{_TABLE.format(v='v1')},{_TABLE.format(v='v1beta1')},application/json",
            Representation("table"),
            id="kubectl",
        ),
        pytest.param(
            f"{_TABLE.format(v='v9')},application/json", PLAIN, id="unknown-table-version"
        ),
        pytest.param(
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            Representation("metadata"),
            id="metadata",
        ),
        pytest.param(
            f"application/json;q=0.2,{YAML};q=0.9", Representation("object", YAML), id="by-quality"
        ),
    ],
)
def test_the_first_form_that_can_be_made_is_chosen(accept: str, want: Representation) -> None:
    assert negotiate(accept) == want


@pytest.mark.parametrize(
    ("accept", "want"),
    [
        pytest.param("text/html", "406: Not Acceptable", id="other-type"),
        pytest.param("application/*", "406: Not Acceptable", id="half-a-wildcard"),
        pytest.param("application/json;as=Bogus", "only the following media types", id="shape"),
        pytest.param(PROTOBUF, "only the following media types", id="protobuf-alone"),
    ],
)
def test_other_forms_are_refused(accept: str, want: str) -> None:
    with pytest.raises(NotAcceptableError, match=want):
        negotiate(accept)


@pytest.mark.parametrize(
    ("content_type", "want"),
    [
        pytest.param("", JSON, id="none"),
        pytest.param("application/json; charset=utf-8", JSON, id="charset"),
        pytest.param("Application/YAML", YAML, id="case"),
        pytest.param(PROTOBUF, PROTOBUF, id="protobuf"),
    ],
)
def test_bodies_are_json_unless_said_otherwise(content_type: str, want: str) -> None:
    assert body_media_type(content_type) == want


def test_other_bodies_and_patches_are_refused() -> None:
    with pytest.raises(UnsupportedMediaTypeError, match="unknown format"):
        body_media_type("text/plain")
    with pytest.raises(UnsupportedMediaTypeError, match="415"):
        patch_type("application/json")


def test_the_four_kinds_of_patches_are_told_apart() -> None:
    assert patch_type("application/merge-patch+json; charset=utf-8") == "merge"
    assert patch_type("application/json-patch+json") == "json"
    assert patch_type("application/strategic-merge-patch+json") == "strategic"
    assert patch_type("application/apply-patch+yaml") == "apply"
