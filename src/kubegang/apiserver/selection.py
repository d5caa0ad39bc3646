"""Which objects a list or watch is about: a range of keys, and selectors over what is in it."""

from __future__ import annotations

from kubegang.api.customresources.rows import custom_of
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.fields import parse_field_selector
from kubegang.apimachinery.labels import Selector, parse_label_selector
from kubegang.apimachinery.labelsyntax import SelectorError
from kubegang.apiserver.customresources.selecting import selectable_custom_kind
from kubegang.apiserver.options import ListOptions
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.selectable import Selectable, SelectableKind, selectable_kind

FieldTerm = tuple[str, str, str]
"""A field's name in the stored form, ``=`` or ``!=``, a value."""


class Selection:
    """The objects of one list or watch.

    Attributes:
        prefix: every key of the selection begins so; the rest is up to the selectors.
        everything: no selector is left, all keys below the prefix belong to it.
        selected: the client gave a selector, so nothing is said about remaining items.
    """

    __slots__ = ("_kind", "_labels", "_terms", "everything", "prefix", "selected")

    def __init__(
        self,
        prefix: str,
        kind: SelectableKind,
        *,
        labels: Selector | None,
        terms: tuple[FieldTerm, ...],
    ) -> None:
        self.prefix = prefix
        self._kind = kind
        self._labels = labels
        self._terms = terms
        self.everything = labels is None and not terms
        self.selected = not self.everything

    @property
    def kind(self) -> SelectableKind:
        """How values are read for ``matches``."""
        return self._kind

    def holds(self, value: bytes) -> bool:
        """Return whether a stored value belongs to the selection."""
        return self.everything or self.matches(self._kind.read(value))

    def matches(self, selectable: Selectable) -> bool:
        """Return whether an object with these labels and fields belongs to the selection."""
        if self._labels is not None and not self._labels.matches(selectable.labels):
            return False
        fields = selectable.fields
        return all((fields[name] == value) == (op == "=") for name, op, value in self._terms)


def select(request: ApiRequest, options: ListOptions) -> Selection:
    """Return the selection of a list, a watch or a deletecollection.

    Raises:
        BadRequestError: a selector cannot be parsed, or names an unknown field.
    """
    custom = custom_of(request.info)
    if custom is not None:
        kind: SelectableKind = selectable_custom_kind(custom)
    else:
        kind = selectable_kind(request.info.gvk, request.group_resource)
    labels = _label_selector(options.label_selector)
    terms = _field_terms(options.field_selector, kind)
    prefix = _narrowed(request.storage, request.namespace, terms)
    return Selection(prefix, kind, labels=labels, terms=terms)


def _label_selector(text: str) -> Selector | None:
    if not text:
        return None
    try:
        selector = parse_label_selector(text)
    except SelectorError as error:
        raise BadRequestError(str(error)) from error
    return None if selector.empty else selector


def _field_terms(text: str, kind: SelectableKind) -> tuple[FieldTerm, ...]:
    if not text:
        return ()
    try:
        selector = parse_field_selector(text)
    except SelectorError as error:
        raise BadRequestError(str(error)) from error
    terms: list[FieldTerm] = []
    for name, op, value in selector.terms:
        stored_name = kind.stored_name(name)
        if stored_name is None:
            raise BadRequestError(kind.unknown.format(name))
        terms.append((stored_name, op, value))
    return tuple(terms)


def _narrowed(storage: ResourceInfo, namespace: str, terms: tuple[FieldTerm, ...]) -> str:
    """Return the longest prefix that all selected keys have.

    Clients that wait for one object select by its name; the store then need not look at, or
    wake them for, the others.
    """
    pinned = {name: value for name, op, value in terms if op == "="}
    if storage.namespaced and not namespace:
        namespace = pinned.get("metadata.namespace", "")
    name = pinned.get("metadata.name", "")
    if name and (namespace or not storage.namespaced):
        return storage.key(namespace, name)
    return storage.key_prefix(namespace)
