"""A YAML or JSON document that can say on which line a field stands.

What Go's strict decoder refuses is refused here in its words (measured on 1.37.2), with the
file and line in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from kubegang.api.config.durations import DurationError, duration_seconds
from kubegang.api.config.schema import DURATION
from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    NotAnObjectError,
    decode_yaml,
    strict_problems,
    strict_yaml_problem,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import json_type_problem
from kubegang.apimachinery.unknownfields import unknown_fields

_YAML_LINE = re.compile(r"yaml: line (\d+):")


class ConfigurationError(ValueError):
    """A configuration that cannot be used.

    Attributes:
        problems: what is wrong, in upstream's words, each without file and line.
    """

    def __init__(self, message: str, problems: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems) or (message,)


class Document:
    """One document: its data, and where each part of it was written.

    Attributes:
        data: the top object, without nulls; a null means that the field is not there.
        text: as it was written.
    """

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self.text = text
        try:
            data, self._repeated = decode_yaml(text.encode())
        except NotAnObjectError as error:
            problem = f"couldn't get version/kind; json parse error: {error}"
            raise ConfigurationError(f"{source}: {problem}", [problem]) from error
        except MalformedBodyError as error:
            found = _YAML_LINE.match(str(error))
            where = f"{source}:{found[1]}" if found else source
            raise ConfigurationError(f"{where}: {error}", [str(error)]) from error
        # Of several documents the first one counts, as above.
        self._node = next(iter(yaml.compose_all(text, Loader=yaml.SafeLoader)), None)
        self.data: JsonObject = _without_nulls(data)

    def error(self, path: str, problem: str) -> ConfigurationError:
        """Return an error about the field at ``path``, ``profiles[0].plugins``."""
        return ConfigurationError(f"{self._where(path)}: {problem}", [problem])

    def errors(self, problems: Iterable[tuple[str, str]]) -> ConfigurationError:
        """Return one error about several fields, a line each."""
        told = list(dict.fromkeys(problems))
        lines = [f"{self._where(path)}: {problem}" for path, problem in told]
        return ConfigurationError("\n".join(lines), [problem for _, problem in told])

    def strictness(self, schema: Schema) -> list[str]:
        """Return what strict decoding complains about: repeated and unknown fields."""
        complaints = [strict_yaml_problem(self._repeated)] if self._repeated else []
        return complaints + strict_problems(sorted(unknown_fields(self.data, schema)), [])

    def _where(self, path: str) -> str:
        return f"{self._source}:{self._line(path)}"

    def _line(self, path: str) -> int:
        """Return the line of the deepest part of a path that was written."""
        node = self._node
        if node is None:
            return 1
        line = node.start_mark.line
        for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
            found = _item(node, int(index)) if index else _member(node, name)
            if found is None:
                break
            line, node = found
        return line + 1


def type_problem(data: JsonObject, schema: Schema) -> str:
    """Return what Go says about the first value of a wrong type, or empty."""
    problem = json_type_problem(data, schema)
    if problem is None:
        return next(_duration_problems(data, schema), "")
    return _with_embedded(problem)


_DEBUGGING = re.compile(r"(KubeSchedulerConfiguration\.)(enable\w*Profiling)")


def _with_embedded(problem: str) -> str:
    """Name the struct that really has a field, and the one number that is no float64."""
    named = _DEBUGGING.sub(r"\1DebuggingConfiguration.\2", problem)
    return re.sub(r"(\.qps of type )float64$", r"\1float32", named)


def _duration_problems(value: Any, schema: Schema) -> Iterator[str]:
    if schema is DURATION:
        try:
            duration_seconds(value)
        except DurationError as error:
            yield str(error)
    elif isinstance(value, dict) and schema.fields:
        for name, member in value.items():
            if name in schema.fields:
                yield from _duration_problems(member, schema.fields[name])
    elif isinstance(value, list) and schema.items is not None:
        for item in value:
            yield from _duration_problems(item, schema.items)


def _member(node: yaml.Node, name: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == name:
                return key.start_mark.line, value
    return None


def _item(node: yaml.Node, index: int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and index < len(node.value):
        item = node.value[index]
        return item.start_mark.line, item
    return None


def _without_nulls(value: Any) -> Any:
    """Return the value without null members; a null item is an empty one, as in Go."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [{} if item is None else _without_nulls(item) for item in value]
    return value
