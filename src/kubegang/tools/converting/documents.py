"""The documents of a file, so that those that stay as they are come out byte for byte."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import msgspec
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from kubegang.apimachinery.yamlbodies import load_yaml
from kubegang.tools.converting.edits import Map, made, plain

_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)[ \t]*(?:#[^\n]*)?(?:\r?\n)?", re.MULTILINE)
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n|\.\.\.[ \t]*\n)*[ \t]*(?:#[^\n]*)?")
_LIST = re.compile(
    r"^(?P<key>[ ]*)(?:- )*[\w./-]+:[ ]*(?:#[^\n]*)?\n(?:[ ]*#[^\n]*\n)*(?P<item>[ ]*)- ",
    re.MULTILINE,
)
_CONCERNS = re.compile(r"schedul|batch|workload|group|List\b", re.IGNORECASE)
"""In every document that conversion could change; reading others with comments is slow."""

_WIDTH = 4096


class Document(msgspec.Struct, kw_only=True):
    """One document of a file, or text between documents.

    Attributes:
        separator: the line before it, as it was written.
        text: what was written; it is put out again unless the object changed.
        root: the object in it, to be changed in place; None without content.
        before: a copy of ``root`` as it was.
        expanded: it could be read without its anchors and comments only.
        following: new objects that belong behind it.
        dropped: nothing of it is put out.
    """

    separator: str = ""
    text: str = ""
    root: Any = None
    before: Any = None
    expanded: bool = False
    following: list[Map] = []
    dropped: bool = False

    @property
    def is_json(self) -> bool:
        """Whether it is written as JSON."""
        return self.text.lstrip().startswith("{")

    @property
    def changed(self) -> bool:
        """Whether it is no longer what was written."""
        return bool(plain(self.root) != self.before)


def split(text: str) -> list[Document]:
    """Return the documents of a file that is known to be good YAML."""
    documents: list[Document] = []
    start, separator = 0, ""
    for match in [*_SEPARATOR.finditer(text), None]:
        end = len(text) if match is None else match.start()
        if separator or text[start:end]:
            documents.append(_document(separator, text[start:end]))
        if match is not None:
            start, separator = match.end(), match.group()
    return documents


def written(documents: list[Document]) -> str:
    """Return the text of the documents, changed ones and new ones included."""
    parts: list[str] = []
    for document in documents:
        if not document.dropped:
            _append(parts, document.separator, _text_of(document))
        for body in document.following:
            _append(parts, "---\n", _dumped(body, document.text))
    return "".join(parts)


def _append(parts: list[str], separator: str, text: str) -> None:
    if not separator and any(_NO_CONTENT.fullmatch(part) is None for part in parts):
        separator = "---\n"
    if parts and parts[-1] and not parts[-1].endswith("\n"):
        parts.append("\n")
    parts += [separator, text]


def _document(separator: str, text: str) -> Document:
    document = Document(separator=separator, text=text, following=[])
    if _NO_CONTENT.fullmatch(text):
        return document
    if document.is_json or _CONCERNS.search(text) is None:
        document.root = _value(text)
    elif "*" in text and _has_alias(text):
        # An edit would reach every place that shares the node.
        document.root = made(_value(text))
        document.expanded = True
    else:
        try:
            document.root = _round_trip(text).load(text)
        except YAMLError:
            # What only readers of YAML 1.1 understand.
            document.root = made(_value(text))
            document.expanded = True
    document.before = plain(document.root)
    return document


def _value(text: str) -> Any:
    """Return what a document says, without comments, as an API server reads it."""
    value, _ = load_yaml(text.encode())
    return value


def _has_alias(text: str) -> bool:
    tokens = yaml.scan(text, yaml.CSafeLoader)
    return any(isinstance(token, yaml.AliasToken) for token in tokens)


def _text_of(document: Document) -> str:
    if document.root is None or not document.changed:
        return document.text
    return _dumped(document.root, document.text)


def _dumped(body: Map, like: str) -> str:
    if like.lstrip().startswith("{"):
        return json.dumps(plain(body), indent=2, ensure_ascii=False) + "\n"
    out = io.StringIO()
    _round_trip(like).dump(made(body) if type(body) is dict else body, out)
    return out.getvalue()


def _round_trip(like: str) -> Any:
    """Return a reader and writer that indents lists as this text does."""
    found = _LIST.search(like)
    program = YAML(typ="rt")
    program.preserve_quotes = True
    program.width = _WIDTH
    program.brace_single_entry_mapping_in_flow_sequence = True
    if found is not None and len(found["item"]) > len(found["key"]):
        program.indent(mapping=2, sequence=4, offset=2)
    return program
