"""A YAML or JSON document that can say on which line a field stands."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject

T = TypeVar("T", bound=msgspec.Struct)

_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_PLACE = re.compile(r" - at `(?:key in )?\$\.?(?P<path>[^`]*)`$")


class ConfigurationError(ValueError):
    """A configuration that cannot be used; the message names file, line and field."""


class Document:
    """One document: its data, and where each part of it was written.

    Attributes:
        data: the top object, without nulls; a null means that the field is not there.
    """

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            data = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ConfigurationError(f"{source}:{line}: {error.problem}") from error
        except yaml.YAMLError as error:
            raise ConfigurationError(f"{source}: {error}") from error
        if not isinstance(node, yaml.MappingNode) or not isinstance(data, dict):
            raise ConfigurationError(f"{source}: needed an object with apiVersion and kind")
        self._node = node
        self.data: JsonObject = _without_nulls(data)
        self._refuse_repeated_keys(node, "")

    def convert(self, form: type[T]) -> T:
        """Return the data in typed form.

        Raises:
            ConfigurationError: a field is unknown or has the wrong type.
        """
        try:
            return msgspec.convert(self.data, form)
        except msgspec.ValidationError as error:
            raise self._explained(str(error)) from error

    def error(self, path: str, message: str) -> ConfigurationError:
        """Return an error about the field at ``path``, ``profiles[0].plugins``."""
        return ConfigurationError(f"{self._source}:{self._line(path)}: {path}: {message}")

    def _explained(self, text: str) -> ConfigurationError:
        place = _PLACE.search(text)
        path = ""
        if place is not None:
            text, path = text[: place.start()], place["path"]
        unknown = _UNKNOWN_FIELD.match(text)
        if unknown is not None:
            return self.error(_joined(path, unknown["name"]), "unknown field")
        return self.error(path, text)

    def _line(self, path: str) -> int:
        """Return the line of the deepest part of a path that was written."""
        node: yaml.Node = self._node
        line = node.start_mark.line
        for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
            found = _item(node, int(index)) if index else _member(node, name)
            if found is None:
                break
            line, node = found
        return line + 1

    def _refuse_repeated_keys(self, node: yaml.Node, path: str) -> None:
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._refuse_repeated_keys(item, f"{path}[{index}]")
        if not isinstance(node, yaml.MappingNode):
            return
        seen: set[str] = set()
        for key, value in node.value:
            where = _joined(path, str(key.value))
            if key.value in seen:
                line = key.start_mark.line + 1
                raise ConfigurationError(f"{self._source}:{line}: {where}: given twice")
            seen.add(key.value)
            self._refuse_repeated_keys(value, where)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


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
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value
