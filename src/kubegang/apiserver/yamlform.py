"""Answers as YAML, written as kube-apiserver writes them."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject

_TEXT: Final = "tag:yaml.org,2002:str"

# Other readers than ours may take these for truth values.
_LOOK_LIKE_TRUTH: Final = frozenset("yYnN")

_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc] # which of the two it is depends on the machine
    pass


def _text(dumper: Any, text: str) -> Any:
    """Quote a text twice if it would be read as something else; keep lines as lines."""
    style = None
    if "\n" in text:
        style = "|"
    elif text in _LOOK_LIKE_TRUTH or dumper.resolve(yaml.ScalarNode, text, (True, False)) != _TEXT:
        style = '"'
    return dumper.represent_scalar(_TEXT, text, style=style)


_Dumper.add_representer(str, _text)


def as_yaml(body: bytes) -> bytes:
    """Return JSON as YAML."""
    return document_as_yaml(msgspec.json.decode(body))


def document_as_yaml(document: JsonObject) -> bytes:
    """Return an object as YAML."""
    return yaml.dump(document, Dumper=_Dumper, encoding="utf-8")
