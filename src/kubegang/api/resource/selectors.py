"""Expressions that select devices: ``device.driver == "gpu.example.com"`` and the like.

An expression is checked once against the true types of ``device`` and computed in a second
environment without them, because the library cannot compute with abstract types. A domain
that a device has no attribute or capacity of counts as an empty map when it is looked up by
a name written in the expression; iterating shows only the domains that are there.

Pure, apart from a cache of compiled expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings

from kubegang.api.resource.types import Device, DeviceAttribute
from kubegang.apimachinery.cel import functions, values
from kubegang.apimachinery.cel.messages import (
    compile_text,
    no_truth_text,
    runtime_text,
    type_text,
)
from kubegang.apimachinery.cel.semver import Semver, SemverError
from kubegang.apimachinery.quantity import Quantity

_DEVICE_TYPE: Final = "kubernetes.DRADevice"
_LOOKUP_SUFFIX: Final = "OrEmpty"
_PIECES: Final = re.compile(
    r'''(?P<text>[rRbB]{0,2}(?:"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\''''
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))"""
    r"""|//[^\n]*|(?P<lookup>(?<![\w.])device\s*\.\s*(?:attributes|capacity)\b)(?=\s*\[)"""
    r"""|(?P<present>(?<![\w.])has\(\s*device\s*\.\s*"""
    r"""(?:driver|allowMultipleAllocations|attributes|capacity)\s*\))"""
)
_SELECT_OF_DEVICE: Final = re.compile(
    rf"(ERROR: <input>:(\d+):(\d+): )type '{re.escape(_DEVICE_TYPE)}' "
    r"does not support field selection"
)
_WHOLE_DEVICE: Final = re.compile(r"(?<![\w.])device\b(?!\s*\.)")
_IDENTIFIER: Final = re.compile(r"\s*(\w+)")

DeviceValue = Mapping[str, Any]
"""The variable ``device``, as ``device_value`` makes it."""


class SelectorError(Exception):
    """An expression that is none, or has no value for a device; the text says why."""


class CompiledSelector:
    """An expression that can be asked about devices."""

    __slots__ = ("_domains", "_program")

    def __init__(self, program: Any, domains: tuple[str, ...]) -> None:
        self._program = program
        self._domains = domains

    def matches(self, device: DeviceValue) -> bool:
        """Return whether the device is selected.

        Raises:
            SelectorError: the expression has no value for it, or one that is not a truth value.
        """
        empty: dict[str, Any] = {domain: {} for domain in self._domains}
        variable = {
            **device,
            f"attributes{_LOOKUP_SUFFIX}": empty | device["attributes"],
            f"capacity{_LOOKUP_SUFFIX}": empty | device["capacity"],
        }
        result = self._program.eval(data={"device": variable})
        value = result.value()
        if isinstance(value, bool):
            return value
        kind = result.type()
        if kind == cel.Type.ERROR:
            raise SelectorError(runtime_text(value if isinstance(value, str) else str(result)))
        raise SelectorError(no_truth_text(_encoded_type(value) or type_text(kind.name())))


@lru_cache(maxsize=1024)
def compile_selector(expression: str) -> CompiledSelector:
    """Check an expression and make it ready.

    Raises:
        SelectorError: it is no expression over ``device``; the text is upstream's.
    """
    kind = _checked_type(expression)
    if kind not in (cel.Type.BOOL, cel.Type.DYN):
        name = type_text(kind.name())
        raise SelectorError(f"must evaluate to bool or the unknown type, not {name}")
    lookups, domains = _with_lookups(expression)
    return CompiledSelector(_computing().compile(lookups), domains)


def device_value(driver: str, device: Device) -> DeviceValue:
    """Return the variable ``device``.

    Raises:
        SelectorError: an attribute has no value, or a version that is none.
    """
    attributes: dict[str, dict[str, object]] = {}
    for name, attribute in device.attributes.items():
        domain, short = _qualified(name, driver)
        attributes.setdefault(domain, {})[short] = _attribute_value(name, attribute)
    capacity: dict[str, dict[str, object]] = {}
    for name, amount in device.capacity.items():
        domain, short = _qualified(name, driver)
        quantity = Quantity.parse(amount.value)
        capacity.setdefault(domain, {})[short] = values.encode_quantity(quantity)
    return {
        "driver": driver,
        "allowMultipleAllocations": device.allow_multiple_allocations,
        "attributes": attributes,
        "capacity": capacity,
    }


def _attribute_value(name: str, attribute: DeviceAttribute) -> object:
    for plain in (attribute.int_value, attribute.bool_value, attribute.string_value):
        if plain is not None:
            return plain
    if attribute.version_value is None:
        raise SelectorError(f"attribute {name}: unsupported attribute value")
    try:
        return values.encode_semver(Semver.parse(attribute.version_value))
    except SemverError as error:
        raise SelectorError(f"attribute {name}: parse semantic version: {error}") from error


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, short = name.partition("/")
    return (domain, short) if slash else (driver, name)


def _checked_type(expression: str) -> Any:
    checked = _PIECES.sub(_present_field, expression)
    try:
        return _checking().compile(checked).return_type()
    except RuntimeError as error:
        if _WHOLE_DEVICE.search(expression):
            # As a value, the device has no fields for the checker: they are looked up later.
            with suppress(RuntimeError):
                return _computing().compile(expression).return_type()
        text = _field_texts(compile_text(error, expression), expression)
        raise SelectorError(f"compilation failed: {text}") from error


def _present_field(found: re.Match[str]) -> str:
    # The checker takes the fields for variables, which has() does not; no place moves.
    return "true".ljust(len(found[0])) if found["present"] is not None else found[0]


@lru_cache(maxsize=1)
def _checking() -> Any:
    quantity = cel.Type.AbstractType(values.QUANTITY)
    text, by_name = cel.Type.STRING, cel.Type.Map
    variables = {
        "device": cel.Type.AbstractType(_DEVICE_TYPE),
        "device.driver": text,
        "device.allowMultipleAllocations": cel.Type.BOOL,
        "device.attributes": by_name(text, by_name(text, cel.Type.DYN)),
        "device.capacity": by_name(text, by_name(text, quantity)),
    }
    return _environment(variables, functions.checked())


@lru_cache(maxsize=1)
def _computing() -> Any:
    return _environment({"device": cel.Type.DYN}, functions.computed())


def _environment(variables: Mapping[str, Any], declarations: list[Any]) -> Any:
    extensions = [
        ext_bindings.ExtBindings(),
        ext_optional.ExtOptional(),
        ext_strings.ExtStrings(),
    ]
    return cel.NewEnv(variables=variables, functions=declarations, extensions=extensions)


def _with_lookups(expression: str) -> tuple[str, tuple[str, ...]]:
    """Return the expression with lookups that default to empty, and the names it mentions."""
    names: dict[str, None] = {}

    def replaced(found: re.Match[str]) -> str:
        if found["lookup"] is not None:
            return found["lookup"] + _LOOKUP_SUFFIX
        if found["text"] is not None:
            names[found["text"].lstrip("rRbB").strip("\"'")] = None
        return found[0]

    return _PIECES.sub(replaced, expression), tuple(names)


def _field_texts(text: str, expression: str) -> str:
    """Put an unknown field of ``device`` into the words for it."""
    lines = expression.split("\n")

    def replaced(found: re.Match[str]) -> str:
        line, column = int(found[2]), int(found[3])
        field = _IDENTIFIER.match(lines[line - 1], column)
        return f"{found[1]}undefined field '{field[1] if field else ''}'"

    return _SELECT_OF_DEVICE.sub(replaced, text)


def _encoded_type(value: object) -> str:
    """Return the true type of a quantity or version; empty for other values."""
    names = (values.QUANTITY, values.SEMVER)
    return next((n for n in names if n in value), "") if isinstance(value, Mapping) else ""
