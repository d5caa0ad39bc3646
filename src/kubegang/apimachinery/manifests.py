"""Manifest files: YAML or JSON documents, Lists unfolded, each with the place it stands at.

Pure: reading the file is done elsewhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.yamlbodies import YamlProblemError, load_yaml

_LINE = re.compile(r"(?:yaml: |: )line (?P<line>\d+): (?P<rest>.*)", re.DOTALL)


class ManifestError(ValueError):
    """A file that is no manifest; the text starts with file, line and column."""


class Manifest(msgspec.Struct, frozen=True):
    """One object of a file.

    Attributes:
        where: ``jobs.yaml:12``, or ``jobs.yaml:12, items[3]`` inside a List.
    """

    object: JsonObject
    where: str


def load_manifests(text: str, source: str) -> list[Manifest]:
    """Return the objects of a file, in order; empty documents are passed over.

    Args:
        text: the whole file.
        source: its name, for ``where`` and for errors.

    Raises:
        ManifestError: the text is no YAML, or a document is no object with kind.
    """
    found: list[Manifest] = []
    for document, line in _documents(text, source):
        where = f"{source}:{line}"
        try:
            value, repeated = load_yaml(document.encode())
        except YamlProblemError as error:
            raise ManifestError(_at_line(f"{where}: {error}", source, line)) from error
        if repeated:
            raise ManifestError(_at_line(f"{where}: {repeated[0]}", source, line))
        if value is not None:
            found += _unfold(value, where)
    return found


def _documents(text: str, source: str) -> Iterator[tuple[str, int]]:
    """Yield the text of each document and the line it starts at."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        nodes = list(yaml.compose_all(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark is not None else source
        raise ManifestError(f"{place}: {error.problem or error.context}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ManifestError(f"{source}:{line}: {error.reason}") from error
    lines = text.splitlines(keepends=True)
    starts = [node.start_mark.line for node in nodes if node is not None]
    for start, end in itertools.pairwise([*starts, len(lines)]):
        body = "".join(lines[start:end])
        yield _without_next_separator(body), start + 1


def _without_next_separator(body: str) -> str:
    """Cut what belongs to the next document: its separator, directives and comments."""
    kept: list[str] = []
    for line in body.splitlines(keepends=True):
        if kept and (line.startswith("---") or line.rstrip() == "..."):
            break
        kept.append(line)
    text = "".join(kept)
    return text.removeprefix("---") if text.startswith("--- ") else text


def _at_line(text: str, source: str, first: int) -> str:
    """Return a text about a line of a document with that line's number in the file."""
    said = _LINE.search(text)
    if said is None:
        return text
    return f"{source}:{first + int(said['line']) - 1}: {said['rest']}"


def _unfold(value: object, where: str) -> Iterator[Manifest]:
    if not isinstance(value, dict):
        raise ManifestError(f"{where}: need an object with apiVersion and kind")
    for field in ("apiVersion", "kind"):
        if not isinstance(value.get(field), str) or not value[field]:
            raise ManifestError(f"{where}: the object has no {field}")
    if not (value["kind"].endswith("List") and isinstance(value.get("items"), list)):
        yield Manifest(value, where)
        return
    for index, item in enumerate(value["items"]):
        # Typed lists leave out what every item would repeat.
        whole = (
            {
                "apiVersion": value["apiVersion"],
                "kind": value["kind"].removesuffix("List"),
                **item,
            }
            if isinstance(item, dict) and value["kind"] != "List"
            else item
        )
        yield from _unfold(whole, f"{where}, items[{index}]")
