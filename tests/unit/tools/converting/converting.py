"""One file through the conversion, held against the target's API as the command does."""

from __future__ import annotations

import functools

import yaml

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.converting import KNOWN_KINDS, Judge
from kubegang.app.profiles.table import profile_named
from kubegang.tools.converting.convert import convert
from kubegang.tools.converting.generations import RELEASE_OF
from kubegang.tools.converting.report import Conversion, Generation


@functools.cache
def judge_of(release: str) -> Judge:
    return Judge(profile_named(release))


def converted(
    text: str,
    to: Generation,
    *,
    source: str = "",
    allow_loss: bool = False,
    ignore_unknown: bool = False,
) -> Conversion:
    return convert(
        [("gang.yaml", text)],
        to,
        source=source,
        judge=judge_of(RELEASE_OF[to]).problems,
        known=KNOWN_KINDS,
        ignore_unknown=ignore_unknown,
        allow_loss=allow_loss,
    )


def objects(conversion: Conversion) -> list[JsonObject]:
    """Return the objects of the output, those of a List one by one."""
    found: list[JsonObject] = []
    for document in yaml.load_all(conversion.output, Loader=yaml.CSafeLoader):
        found += document["items"] if document["kind"] == "List" else [document]
    return found


def told(conversion: Conversion, level: str) -> list[tuple[str, str]]:
    """Return object and field of the findings of a level."""
    return [(one.object, one.field) for one in conversion.findings if one.level == level]
