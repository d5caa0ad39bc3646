"""Media types: in which form a client wants its answer, and in which form its body came.

``Accept`` may ask for another shape of the same objects: a Table (what kubectl prints), or
only their metadata. Answers are JSON or YAML; protobuf is understood in bodies only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from kubegang.apimachinery.errors import (
    NotAcceptableError,
    StatusDetails,
    UnsupportedMediaTypeError,
)

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"

Shape = Literal["object", "table", "metadata", "metadata-list"]

_SHAPES: dict[str, Shape] = {
    "Table": "table",
    "PartialObjectMetadata": "metadata",
    "PartialObjectMetadataList": "metadata-list",
}

# kubectl prints this list; the real server writes protobuf too.
_KNOWN = f"{JSON}, {YAML}, {PROTOBUF}"

PatchType = Literal["json", "merge", "strategic", "apply"]

_PATCH_TYPES: dict[str, PatchType] = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


class Representation(msgspec.Struct, frozen=True):
    """The form of an answer.

    Attributes:
        shape: which view of the objects.
        media_type: JSON or YAML.
        version: of ``meta.k8s.io``, in which tables and metadata are written.
    """

    shape: Shape = "object"
    media_type: str = JSON
    version: str = "v1"


class _Clause(msgspec.Struct, frozen=True):
    """One alternative of an Accept header."""

    media_type: str
    parameters: dict[str, str]
    quality: float


PLAIN = Representation()


def wants_yaml(accept: str) -> bool:
    """Return whether a client that is refused reads YAML rather than JSON."""
    try:
        return negotiate(accept).media_type == YAML
    except NotAcceptableError:
        return False


@lru_cache(maxsize=256)
def negotiate(accept: str) -> Representation:
    """Return the first form that the client accepts and this server can make.

    Raises:
        NotAcceptableError: there is none.
    """
    clauses = _parse_accept(accept)
    if not clauses:
        return PLAIN
    if not any(clause.media_type in ("*/*", JSON, YAML, PROTOBUF) for clause in clauses):
        raise NotAcceptableError(
            f"406: Not Acceptable\n\nAvailable representations: {_KNOWN}", details=StatusDetails()
        )
    for clause in clauses:
        representation = _representation(clause)
        if representation is not None:
            return representation
    raise NotAcceptableError(f"only the following media types are accepted: {_KNOWN}")


def body_media_type(content_type: str) -> str:
    """Return the media type of a body; clients that name none send JSON.

    Raises:
        UnsupportedMediaTypeError: bodies of this type are not understood.
    """
    media_type = content_type.partition(";")[0].strip().lower() or JSON
    if media_type not in (JSON, YAML, PROTOBUF):
        raise UnsupportedMediaTypeError(
            "the body of the request was in an unknown format - accepted media types include: "
            + _KNOWN
        )
    return media_type


def patch_type(content_type: str) -> PatchType:
    """Return how a patch body is meant.

    Raises:
        UnsupportedMediaTypeError: it is none of the four patch types.
    """
    found = _PATCH_TYPES.get(content_type.partition(";")[0].strip().lower())
    if found is None:
        raise UnsupportedMediaTypeError("415: Unsupported Media Type", details=StatusDetails())
    return found


def _representation(clause: _Clause) -> Representation | None:
    """Return the form that a clause describes, or ``None`` if it cannot be made."""
    if clause.media_type not in (JSON, YAML, "*/*"):
        return None
    media_type = YAML if clause.media_type == YAML else JSON
    kind = clause.parameters.get("as", "")
    if not kind:
        return Representation(media_type=media_type)
    shape = _SHAPES.get(kind)
    version = clause.parameters.get("v", "")
    wanted = (clause.parameters.get("g", ""), version)
    if shape is None or wanted not in (("meta.k8s.io", "v1"), ("meta.k8s.io", "v1beta1")):
        return None
    return Representation(shape, media_type, version)


def _parse_accept(accept: str) -> list[_Clause]:
    """Split an Accept header; better quality first, otherwise in the order given."""
    clauses = [_parse_clause(part) for part in accept.split(",") if part.strip()]
    return sorted(clauses, key=lambda clause: -clause.quality)


def _parse_clause(text: str) -> _Clause:
    media_type, *rest = (part.strip() for part in text.split(";"))
    parameters: dict[str, str] = {}
    for part in rest:
        name, _, value = part.partition("=")
        parameters[name.strip().lower()] = value.strip().strip('"')
    try:
        quality = float(parameters.get("q", "1"))
    except ValueError:
        quality = 1.0
    return _Clause(media_type.lower(), parameters, quality)
