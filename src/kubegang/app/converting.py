"""``kubegang convert``: files read, and the results held against the target's API."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kubegang.api.dropping import canonicalize
from kubegang.api.facts import Facts, load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.decoding import check_types
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.manifests import ManifestError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.unknownfields import unknown_fields
from kubegang.apimachinery.wrongplaces import wrong_place
from kubegang.apiserver.registry import complete, prepare_create
from kubegang.apiserver.validating import create_errors
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import DEFAULT_NAMESPACE, ReadStandardInput, texts_of
from kubegang.app.profiles.table import profile_named
from kubegang.app.served import scheme_of
from kubegang.tools.converting.convert import convert
from kubegang.tools.converting.generations import RELEASE_OF
from kubegang.tools.converting.report import Conversion, Generation

_ANY_TIME = "2000-01-01T00:00:00Z"
"""When the objects are supposed to be created; no rule looks at it."""

KNOWN_KINDS = frozenset((row.group, row.kind) for row in ROWS)


def convert_files(
    paths: Sequence[str],
    to: Generation,
    *,
    source: str,
    ignore_unknown: bool,
    allow_loss: bool,
    read_standard_input: ReadStandardInput,
) -> Conversion:
    """Convert the manifests of files, directories and standard input.

    Raises:
        BadInputError: something cannot be read or is no manifest.
    """
    files = list(texts_of(paths, read_standard_input))
    judge = Judge(profile_named(RELEASE_OF[to]))
    try:
        return convert(
            files,
            to,
            source=source,
            judge=judge.problems,
            known=KNOWN_KINDS,
            ignore_unknown=ignore_unknown,
            allow_loss=allow_loss,
        )
    except ManifestError as error:
        raise BadInputError(str(error)) from error


class Judge:
    """What the API server of a release, gates on, would say against an object."""

    def __init__(self, profile: VersionProfile) -> None:
        self._gates = profile.gates["apiserver"]
        self._scheme: Scheme = scheme_of(profile)
        self._facts: Facts = load_facts(profile.name)

    def problems(self, obj: JsonObject) -> list[tuple[str, str]]:
        """Return field and message of what is wrong; the object is used up."""
        gvk = GroupVersionKind.of(obj)
        row = self._scheme.find_kind(gvk)
        if row is None:
            return [("apiVersion", f"no kind {gvk.kind} in {gvk.group_version}")]
        schema = self._facts.kind(gvk)
        unknown = unknown_fields(obj, schema)
        if unknown:
            return [(path, f"unknown field {path!r}") for path in unknown]
        try:
            check_types(obj, schema, gvk)
        except BadRequestError as error:
            return [(wrong_place(obj, schema), error.message)]
        metadata = obj.setdefault("metadata", {})
        if row.namespaced and not metadata.get("namespace"):
            metadata["namespace"] = DEFAULT_NAMESPACE
        complete(obj, row, self._gates)
        prepare_create(obj, row, gates=self._gates, now=_ANY_TIME, rng=Random(0))
        canonicalize(obj, gvk)
        errors = create_errors(obj, row, self._gates)
        return [(error.field, f"{error.field}: {error.message}") for error in errors]
