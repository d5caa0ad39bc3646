"""How custom objects can be selected: labels, name and namespace, and ``selectableFields``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from kubegang.api.customresources.kind import CustomKind
from kubegang.apimachinery.gotext import go_plain
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.selectable import Selectable, SelectableKind

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class _CustomFields(SelectableKind, frozen=True):
    """A kind whose fields are found by simple paths.

    Attributes:
        kind: brings stored objects to the version of the request.
    """

    kind: CustomKind | None = None

    def read(self, value: bytes) -> Selectable:
        """Read a stored value."""
        obj: JsonObject = _decode(value)
        if self.kind is not None:
            obj = self.kind.from_storage(obj)
        metadata = obj.get("metadata") or {}
        fields = {name: _text_at(obj, name) for name in self.names}
        fields["metadata.name"] = metadata.get("name") or ""
        fields["metadata.namespace"] = metadata.get("namespace") or ""
        return Selectable(metadata.get("labels") or {}, fields)


@lru_cache(maxsize=512)
def selectable_custom_kind(kind: CustomKind) -> SelectableKind:
    """Return how objects of a custom kind can be selected."""
    unknown = "field label not supported: {}"
    if not kind.selectable:
        return SelectableKind(unknown=unknown)
    return _CustomFields(names={name: name for name in kind.selectable}, unknown=unknown, kind=kind)


def _text_at(obj: JsonObject, path: str) -> str:
    value: Any = obj
    for name in path.split("."):
        if not isinstance(value, dict):
            return ""
        value = value.get(name)
    return "" if value is None else go_plain(value)
