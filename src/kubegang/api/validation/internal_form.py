"""Values as the original prints them: in its internal form, as JSON in Go's spelling.

A refused change of a pod or of a Job's template shows the whole value, or a diff of two;
the two are also compared in this form, because it makes alike what means the same: null,
empty and left out, ``1000m`` and ``1``.

Pure.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from kubegang.api.validation.internal_types import TYPES
from kubegang.apimachinery.field import FieldError, Path, forbidden_field
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import METADATA_ORDER
from kubegang.apimachinery.quantity import Quantity

Render = Callable[[Any], Any]

_LEFT_OUT = object()

_LEADING_CAPITALS = re.compile(r"[A-Z]+")


def internal_form(kind: str, value: Any) -> Any:
    """Return a wire value in the internal form of a kind of the table.

    Args:
        kind: a type's name, or another kind as the table writes it, such as ``[Container]``.
        value: the wire value; ``None`` if it is unset.
    """
    return _render(kind)(value)


def go_json_lines(form: Any) -> list[str]:
    """Return a value as Go prints it over several lines, one space deep per level."""
    return msgspec.json.format(go_json(form), indent=1).split("\n")


def invalid_form(path: Path, kind: str, value: Any, detail: str) -> FieldError:
    """Report a broken rule with the whole value in its internal form."""
    return invalid_json(path, internal_form(kind, value), detail)


def invalid_json(path: Path, form: Any, detail: str) -> FieldError:
    """Report a broken rule with a value that is in its internal form already."""
    message = f"Invalid value: {go_json(form)}" + (f": {detail}" if detail else "")
    return FieldError("FieldValueInvalid", str(path), message)


class FrozenFormError(FieldError, frozen=True):
    """A broken rule that shows how what may not change has changed.

    Attributes:
        detail: what is said ahead of the difference.
        old, new: both internal forms.
    """

    detail: str
    old: Any
    new: Any


def frozen_form(path: Path, detail: str, *, old: Any, new: Any) -> FrozenFormError:
    """Report that a form changed that may not."""
    error = forbidden_field(path, detail + form_difference(old, new))
    return FrozenFormError(error.reason, error.field, error.message, detail, old, new)


def form_difference(old: Any, new: Any) -> str:
    """Return a unified diff of two internal forms, as upstream appends it."""
    lines = difflib.unified_diff(go_json_lines(old), go_json_lines(new), n=3, lineterm="")
    # The first two lines name the files, which upstream leaves out.
    return "".join(f"{line}\n" for line in list(lines)[2:])


def canonical_quantity(text: str | float) -> str:
    """Return a quantity in its canonical form."""
    return Quantity.parse(text).canonical()


def selector_form(selector: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a label selector with its members in order and empty ones left out."""
    if selector is None:
        return None
    form: dict[str, Any] = {}
    if labels := selector.get("matchLabels"):
        form["matchLabels"] = dict(sorted(labels.items()))
    if expressions := selector.get("matchExpressions"):
        form["matchExpressions"] = [_expression_form(expression) for expression in expressions]
    return form


def _expression_form(expression: Mapping[str, Any]) -> dict[str, Any]:
    form = {name: expression.get(name) or "" for name in ("key", "operator")}
    if values := expression.get("values"):
        form["values"] = values
    return form


@cache
def _types() -> dict[str, list[str]]:
    """Return the fields of each type as the table writes them."""
    types: dict[str, list[str]] = {}
    fields: list[str] = []
    for line in TYPES.strip().split("\n"):
        if line.startswith(" "):
            fields += line.split()
        else:
            fields = types[line] = []
    return types


@cache
def _render(kind: str) -> Render:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind.startswith("*"):
        return _pointer(kind[1:], unset=None)
    if kind.startswith("?"):
        return _pointer(kind[1:], unset=_LEFT_OUT)
    if kind.startswith("["):
        return _list(kind[1:-1])
    return _struct(kind)


def _pointer(kind: str, *, unset: object) -> Render:
    def render(value: Any) -> Any:
        return unset if value is None else _render(kind)(value)

    return render


def _list(kind: str) -> Render:
    def render(value: Any) -> Any:
        return [_render(kind)(item) for item in value] if value else None

    return render


def _struct(kind: str) -> Render:
    members = [_member(token) for token in _types()[kind]]

    def render(value: Any) -> Any:
        form: dict[str, Any] = {}
        for go_name, wire_name, render_member in members:
            if not go_name:
                form.update(render_member(value))
                continue
            shown = render_member((value or {}).get(wire_name))
            if shown is not _LEFT_OUT:
                form[go_name] = shown
        return form

    return render


def _member(token: str) -> tuple[str, str, Render]:
    """Return Go name, wire name and rendering of a field; an inlined type has no names."""
    if token.startswith("+"):
        return "", "", _metadata_form if token == "+ObjectMeta" else _render(token[1:])
    names, _, kind = token.partition(":")
    go_name, _, wire_name = names.partition("=")

    def render(value: Any) -> Any:
        # Looked up only when it is needed, since types may contain themselves.
        return _render(kind)(value)

    return go_name, wire_name or _wire_name(go_name), render


def _wire_name(go_name: str) -> str:
    """Put the first word of a Go name in lower case: ``TCPSocket`` is ``tcpSocket``."""
    match = _LEADING_CAPITALS.match(go_name)
    length = match.end() if match else 0
    if length in (1, len(go_name)):
        return go_name[:length].lower() + go_name[length:]
    return go_name[: length - 1].lower() + go_name[length - 1 :]


def _metadata_form(value: Any) -> dict[str, Any]:
    metadata = (value or {}).get("metadata") or {}
    # Such texts leave out the last one, managedFields.
    form = {name: metadata[name] for name in METADATA_ORDER[:-1] if metadata.get(name)}
    for name in ("labels", "annotations"):
        if name in form:
            form[name] = dict(sorted(form[name].items()))
    return form


def _texts(value: Any) -> Any:
    return dict(sorted(value.items())) if value else None


def _quantities(value: Any) -> Any:
    if not value:
        return None
    return {name: canonical_quantity(amount) for name, amount in sorted(value.items())}


_PLAIN: Mapping[str, Render] = {
    '""': lambda value: value or "",
    "0": lambda value: value or 0,
    "false": bool,
    "*": lambda value: value,
    "[]": lambda value: value or None,
    "{}": _texts,
    "{quantity}": _quantities,
    "quantity": lambda value: canonical_quantity(value or "0"),
    "*quantity": lambda value: None if value is None else canonical_quantity(value),
    "selector": selector_form,
}
