"""The paths of an OpenAPI v3 document: which operations a group version's resources have.

kubectl looks here whether the server validates fields and takes strategic merge patches;
client generators read all of it. Actions, operation names and parameters are those of
kube-apiserver (measured on 1.37.2); answers come in JSON and YAML only.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apiserver.openapi_schemas import (
    OPTIONS,
    PATCH,
    RESOURCE_LIST,
    STATUS,
    WATCH_EVENT,
    reference,
)

_ANSWER_TYPES = ("application/json", "application/yaml")
_PATCH_TYPES = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)

# Custom kinds have no structure by which lists could be merged strategically.
_CUSTOM_PATCH_TYPES = tuple(one for one in _PATCH_TYPES if "strategic" not in one)

_NUMBERS = {"gracePeriodSeconds", "limit", "timeoutSeconds"}
_BOOLEANS = {
    "allowWatchBookmarks",
    "follow",
    "force",
    "orphanDependents",
    "previous",
    "sendInitialEvents",
    "stderr",
    "stdin",
    "stdout",
    "timestamps",
    "tty",
    "watch",
}

_LIST = (
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
)
_WATCH_ONLY = {"allowWatchBookmarks", "watch"}
_PRETTY = ("pretty",)
_WRITE = ("dryRun", "fieldManager", "fieldValidation")
_DELETE = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")

_STREAM_OPTIONS = {
    "attach": ("container", "stderr", "stdin", "stdout", "tty"),
    "exec": ("command", "container", "stderr", "stdin", "stdout", "tty"),
    "log": ("container", "follow", "pretty", "previous", "tailLines", "timestamps"),
    "portforward": ("ports",),
}
"""Query parameters of subresources that carry no object."""


def paths_of(group_version: GroupVersion, rows: Iterable[ResourceInfo]) -> JsonObject:
    """Return all paths of one group version, sorted."""
    root = f"/apis/{group_version}" if group_version.group else f"/api/{group_version}"
    name = f"get{_title(group_version)}APIResources"
    listing = {"get": _operation(group_version, name, _answers(RESOURCE_LIST))}
    rows = tuple(rows)
    paths: JsonObject = {} if all(row.custom for row in rows) else {f"{root}/": listing}
    for row in rows:
        paths |= _ResourcePaths(root, row).paths()
    return dict(sorted(paths.items()))


def _title(group_version: GroupVersion) -> str:
    """Return ``SchedulingV1beta1``: how operation names begin."""
    group = group_version.group.removesuffix(".k8s.io") or "core"
    words = [word.capitalize() for word in group.split(".")]
    return "".join(words) + group_version.version.capitalize()


def _operation(
    group_version: GroupVersion, name: str, answers: JsonObject, **more: JsonObject | str
) -> JsonObject:
    group = group_version.group.removesuffix(".k8s.io") or "core"
    tag = f"{group.split('.')[0]}_{group_version.version}"
    return {"tags": [tag], "operationId": name, "responses": answers, **more}


def _answers(definition: str, codes: Sequence[int] = (200,)) -> JsonObject:
    content = {media_type: {"schema": reference(definition)} for media_type in _ANSWER_TYPES}
    words = {200: "OK", 201: "Created", 202: "Accepted"}
    answers: JsonObject = {
        str(code): {"description": words[code], "content": content} for code in codes
    }
    return answers | {"401": {"description": "Unauthorized"}}


def _parameter(name: str, place: Literal["path", "query"] = "query") -> JsonObject:
    kind = "boolean" if name in _BOOLEANS else "integer" if name in _NUMBERS else "string"
    parameter: JsonObject = {"name": name, "in": place}
    if place == "path":
        parameter["required"] = True
    return {**parameter, "schema": {"type": kind, "uniqueItems": True}}


class _ResourcePaths:
    """The paths of one resource."""

    def __init__(self, root: str, row: ResourceInfo) -> None:
        self._row = row
        self._root = root
        self._scope = f"{root}/namespaces/{{namespace}}" if row.namespaced else root
        self._placed = "Namespaced" if row.namespaced else ""
        self._list = f"{row.definition}List"

    def paths(self) -> JsonObject:
        """Return the collection, one object, its subresources, and the old watch paths."""
        row = self._row
        collection, item = f"{self._scope}/{row.plural}", f"{self._scope}/{row.plural}/{{name}}"
        paths = {
            collection: self._path((), self._collection_operations()),
            item: self._path(("name",), self._item_operations()),
        }
        for subresource in row.subresources:
            operations = self._subresource_operations(subresource)
            options = _STREAM_OPTIONS.get(subresource.name, _PRETTY)
            paths[f"{item}/{subresource.name}"] = self._path(("name",), operations, options)
        if "list" in row.verbs and row.namespaced:
            everywhere = f"list{self._title}{row.kind}ForAllNamespaces"
            operation = self._named(everywhere, "list", _answers(self._list))
            parameters = _parameters((), (*_LIST, "pretty"))
            paths[f"{self._root}/{row.plural}"] = {"get": operation, "parameters": parameters}
        return {path: value for path, value in (paths | self._watch_paths()).items() if value}

    @property
    def _title(self) -> str:
        return _title(self._row.group_version)

    def _path(
        self, places: Sequence[str], operations: JsonObject, options: Sequence[str] = _PRETTY
    ) -> JsonObject:
        """Return a path with the parameters that all its operations have."""
        if not operations:
            return {}
        names = (*places, "namespace") if self._row.namespaced else places
        return {**operations, "parameters": _parameters(names, options)}

    def _collection_operations(self) -> JsonObject:
        row = self._row
        place = f"{self._placed}{row.kind}"
        operations: JsonObject = {}
        if "list" in row.verbs:
            listing = self._verb("list", place, _answers(self._list))
            operations["get"] = listing | {"parameters": _queries(_LIST)}
        if "create" in row.verbs:
            operations["post"] = self._writing("create", place, row.definition)
        if "deletecollection" in row.verbs:
            deletion = self._verb("delete", f"Collection{place}", _answers(STATUS))
            operations["delete"] = deletion | {
                "x-kubernetes-action": "deletecollection",
                "parameters": _queries(sorted({*_LIST, *_DELETE} - _WATCH_ONLY)),
                "requestBody": {"content": _any_body(OPTIONS)},
            }
        return operations

    def _item_operations(self) -> JsonObject:
        row = self._row
        place = f"{self._placed}{row.kind}"
        operations = self._reading_and_writing(row.verbs, place, row.definition)
        if "delete" in row.verbs:
            answer = row.definition if row.delete_returns_object else STATUS
            operations["delete"] = self._verb("delete", place, _answers(answer, (200, 202))) | {
                "parameters": _queries(_DELETE),
                "requestBody": {"content": _any_body(OPTIONS)},
            }
        return operations

    def _subresource_operations(self, subresource: Subresource) -> JsonObject:
        place = f"{self._placed}{self._row.kind}{subresource.name.capitalize()}"
        if subresource.name in _STREAM_OPTIONS:
            return self._stream_operations(subresource, place)
        group_version = subresource.group_version or self._row.group_version
        definition = self._row.definition
        if subresource.kind:
            package = group_version.group.split(".")[0] or "core"
            definition = f"io.k8s.api.{package}.{group_version.version}.{subresource.kind}"
        operations = self._reading_and_writing(subresource.verbs, place, definition)
        if "create" in subresource.verbs:
            operations["post"] = self._writing("create", place, definition)
        kind = {**group_version._asdict(), "kind": subresource.kind or self._row.kind}
        for operation in operations.values():
            operation["x-kubernetes-group-version-kind"] = kind
        return operations

    def _stream_operations(self, subresource: Subresource, place: str) -> JsonObject:
        text = {"*/*": {"schema": {"type": "string"}}}
        answers = {"200": {"description": "OK", "content": text}}
        if subresource.name == "log":
            return {"get": self._verb("read", place, answers)}
        operations: JsonObject = {}
        for method in ("Get", "Post"):
            operation = self._named(f"connect{self._title}{method}{place}", "connect", answers)
            kind = {**self._row.group_version._asdict(), "kind": subresource.kind}
            operations[method.lower()] = operation | {"x-kubernetes-group-version-kind": kind}
        return operations

    def _reading_and_writing(self, verbs: Sequence[str], place: str, definition: str) -> JsonObject:
        operations: JsonObject = {}
        if "get" in verbs:
            operations["get"] = self._verb("read", place, _answers(definition))
        if "update" in verbs:
            operations["put"] = self._writing("replace", place, definition)
        if "patch" in verbs:
            patching = self._verb("patch", place, _answers(definition, (200, 201)))
            types = _PATCH_TYPES if self._row.custom is None else _CUSTOM_PATCH_TYPES
            content = {media_type: {"schema": reference(PATCH)} for media_type in types}
            operations["patch"] = patching | {
                "parameters": _queries((*_WRITE, "force")),
                "requestBody": {"content": content, "required": True},
            }
        return operations

    def _writing(self, word: Literal["create", "replace"], place: str, body: str) -> JsonObject:
        codes = (200, 201, 202) if word == "create" else (200, 201)
        return self._verb(word, place, _answers(body, codes)) | {
            "parameters": _queries(_WRITE),
            "requestBody": {"content": _any_body(body), "required": True},
        }

    def _verb(self, word: str, place: str, answers: JsonObject) -> JsonObject:
        actions = {"read": "get", "create": "post", "replace": "put"}
        return self._named(f"{word}{self._title}{place}", actions.get(word, word), answers)

    def _named(self, name: str, action: str, answers: JsonObject) -> JsonObject:
        kind = self._row.gvk._asdict()
        extensions = {"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind}
        return _operation(self._row.group_version, name, answers) | extensions

    def _watch_paths(self) -> JsonObject:
        row = self._row
        if "watch" not in row.verbs or row.custom is not None:
            return {}
        scope = self._scope.replace(self._root, f"{self._root}/watch", 1)
        watches = {
            f"{scope}/{row.plural}": ("watchlist", f"{self._placed}{row.kind}List"),
            f"{scope}/{row.plural}/{{name}}": ("watch", f"{self._placed}{row.kind}"),
        }
        if row.namespaced:
            place = f"{row.kind}ListForAllNamespaces"
            watches[f"{self._root}/watch/{row.plural}"] = ("watchlist", place)
        paths: JsonObject = {}
        for path, (action, place) in watches.items():
            name = f"watch{self._title}{place}"
            places = [word for word in ("name", "namespace") if f"{{{word}}}" in path]
            paths[path] = {
                "get": self._named(name, action, _answers(WATCH_EVENT)),
                "parameters": _parameters(places, (*_LIST, "pretty")),
            }
        return paths


def _parameters(places: Iterable[str], queries: Iterable[str]) -> list[JsonObject]:
    """Return the parameters of a path, by name."""
    found = [_parameter(name, "path") for name in places] + _queries(queries)
    return sorted(found, key=lambda parameter: str(parameter["name"]))


def _queries(names: Iterable[str]) -> list[JsonObject]:
    return [_parameter(name) for name in names]


def _any_body(definition: str) -> JsonObject:
    return {"*/*": {"schema": reference(definition)}}
