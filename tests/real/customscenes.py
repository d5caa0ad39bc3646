"""Random definitions of custom resources, and what is asked of them: some right, many wrong."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

GROUP = "shapes.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

Json = dict[str, Any]


class Request(NamedTuple):
    """One request."""

    method: str
    target: str
    body: Any = None
    content_type: str = "application/json"


RULES: tuple[Json, ...] = (
    {"rule": "self.size <= 5"},
    {"rule": "self.size <= 5", "message": "too big", "reason": "FieldValueForbidden"},
    {"rule": "self.name.startsWith('a')", "fieldPath": ".name"},
    {"rule": "self.size == oldSelf.size", "message": "size may not change"},
    {"rule": "self.parts.all(p, p.weight >= 0)", "message": "weights"},
    {"rule": "!has(self.mode) || self.mode in ['x', 'y']"},
    {"rule": "self.size < 3", "messageExpression": "'size is ' + string(self.size)"},
    {"rule": "self.tags.exists(t, t == 'must')"},
    {"rule": "oldSelf.orValue({}).size == self.size", "optionalOldSelf": True},
    {"rule": "self.nope == 1"},
    {"rule": "self.size + 'a' == 'b'"},
    {"rule": "self.size"},
    {"rule": "self.size >"},
    {"rule": "foo(self.size)"},
    {"rule": "self.size / 0 == 1"},
    {"rule": "self.wild == 1"},
    {"rule": "quantity(self.amount).isLessThan(quantity('10Gi'))"},
    {"rule": "self.name.matches('(')"},
    {"rule": "self.parts.all(p, self.parts.all(q, p.name != q.name || p.weight == q.weight))"},
    {"rule": "type(self.either) == int ? self.either < 5 : self.either.endsWith('%')"},
    {"rule": "self.tags.isSorted() && self.tags.indexOf('a') < 2"},
    {"rule": "self.labels.all(k, self.labels[k].size() < 4)"},
    {"rule": "self.labels.exists(k, v, k == v)"},
    {"rule": "self.?mode.orValue('x') != 'z'"},
    {"rule": "self.when < timestamp('2030-01-01T00:00:00Z')"},
    {"rule": "self.pause > duration('1m')"},
    {"rule": "url(self.name).getScheme() == 'https'"},
    {"rule": "ip(self.name).family() == 4"},
    {"rule": "self.name.split('-').size() < 3 && self.name.lowerAscii() == self.name"},
    {"rule": "'%s-%d'.format([self.name, self.size]) != 'abc-3'"},
    {"rule": "sets.contains(['a', 'b', 'must'], self.tags)"},
    {"rule": "semver(self.name).isGreaterThan(semver('1.0.0'))"},
    {"rule": "!format.dns1123Label().validate(self.name).hasValue()"},
    {"rule": "self.tags.map(t, t.size()).sum() < 8"},
    {"rule": "self.name.find('[0-9]+') == ''"},
    {"rule": "self.size in self.tags"},
    {"rule": "  "},
    {"rule": "true", "message": " "},
    {"rule": "true", "reason": "FieldValueOther"},
    {"rule": "self.size < 9", "fieldPath": ".nope"},
    {"rule": "size(self.name) < 9", "messageExpression": "self.size"},
    {"rule": "self.size < 9", "messageExpression": "'a' +"},
)


def spec_schema(rng: random.Random) -> Json:
    """Return the schema of a spec that has something of everything."""
    part = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 8},
            "weight": {"type": "integer", "default": 1},
            "protocol": {"type": "string", "default": "TCP"},
        },
    }
    schema: Json = {
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 0, "maximum": 10},
            "name": {"type": "string", "minLength": 2, "maxLength": 12, "pattern": "^[a-z0-9-]+$"},
            "mode": {"type": "string", "enum": ["x", "y", "z"], "default": "x"},
            "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "multipleOf": 0.5},
            "flag": {"type": "boolean"},
            "maybe": {"type": "string", "nullable": True},
            "either": {"x-kubernetes-int-or-string": True},
            "when": {"type": "string", "format": "date-time"},
            "pause": {"type": "string", "format": "duration"},
            "amount": {"type": "string", "maxLength": 10},
            "parts": {
                "type": "array",
                "maxItems": 4,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": part,
            },
            "tags": {
                "type": "array",
                "maxItems": 5,
                "x-kubernetes-list-type": "set",
                "items": {"type": "string", "maxLength": 6},
            },
            "labels": {
                "type": "object",
                "maxProperties": 5,
                "additionalProperties": {"type": "string", "maxLength": 6},
            },
            "wild": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "template": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "nested": {
                "type": "object",
                "default": {},
                "properties": {"depth": {"type": "integer", "format": "int32", "default": 3}},
            },
            "choice": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
        },
    }
    if rng.random() < 0.6:
        chosen = rng.sample(RULES, rng.randint(1, 3))
        schema["x-kubernetes-validations"] = copy.deepcopy(chosen)
    return schema


def definition(rng: random.Random, number: int) -> Json:
    """Return a definition; numbers keep their names apart."""
    plural, kind = f"things{number}", f"Thing{number}"
    status = {
        "type": "object",
        "properties": {
            "replicas": {"type": "integer"},
            "selector": {"type": "string"},
            "phase": {"type": "string", "enum": ["Up", "Down"]},
        },
    }
    properties = {"spec": spec_schema(rng), "status": status}
    version: Json = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    if rng.random() < 0.8:
        version["subresources"] = {"status": {}}
        if rng.random() < 0.6:
            version["subresources"]["scale"] = {
                "specReplicasPath": ".spec.size",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            }
    if rng.random() < 0.5:
        version["additionalPrinterColumns"] = [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "First", "type": "string", "jsonPath": ".spec.parts[0].name"},
            {"name": "Up", "type": "string", "jsonPath": '.spec.parts[?(@.name=="a")].weight'},
            {"name": "When", "type": "date", "jsonPath": ".spec.when", "priority": 1},
        ]
        version["selectableFields"] = [{"jsonPath": ".spec.mode"}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "shortNames": [f"th{number}"]},
            "versions": [version],
        },
    }


BREAKS: tuple[tuple[str, Any], ...] = (
    ("spec.scope", "Global"),
    ("spec.scope", None),
    ("spec.group", "nodots"),
    ("spec.names.kind", "bad_kind"),
    ("spec.names.plural", "Things"),
    ("spec.names.shortNames", ["A"]),
    ("spec.names.listKind", "thing list"),
    ("spec.names.categories", ["All"]),
    ("spec.versions", []),
    ("spec.versions.0.name", "V1"),
    ("spec.versions.0.storage", False),
    ("spec.versions.0.schema", None),
    ("spec.versions.0.schema.openAPIV3Schema.type", "array"),
    ("spec.versions.0.schema.openAPIV3Schema.type", None),
    ("spec.versions.0.schema.openAPIV3Schema.nullable", True),
    ("spec.versions.0.schema.openAPIV3Schema.additionalProperties", True),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.metadata",
        {"type": "object", "properties": {"labels": {"type": "object"}}},
    ),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.type", None),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.type", "int"),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.type", ["integer"]),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.default", "x"),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.default", 99),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.uniqueItems", True),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.anyOf",
        [{"type": "integer"}],
    ),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.name.pattern", "("),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.name.format", "weird"),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.parts.items", None),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.parts.x-kubernetes-list-map-keys",
        ["nope"],
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.parts.x-kubernetes-list-map-keys",
        None,
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.parts.x-kubernetes-list-type",
        "bag",
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.parts.items.required",
        None,
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.tags.items",
        {"type": "object"},
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.labels.properties",
        {"a": {"type": "string"}},
    ),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.template.type", "string"),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.nested.default",
        {"other": 1},
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.choice.oneOf",
        [{"properties": {"zz": {"minimum": 1}}}],
    ),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.x-kubernetes-preserve-unknown-fields",
        False,
    ),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.$ref", "#/x"),
    (
        "spec.versions.0.schema.openAPIV3Schema.properties.spec.definitions",
        {"a": {"type": "string"}},
    ),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.dependencies", {"a": ["b"]}),
    ("spec.versions.0.schema.openAPIV3Schema.properties.spec.foo", 1),
    (
        "spec.versions.0.additionalPrinterColumns",
        [
            {"name": "A", "type": "text", "jsonPath": "spec"},
            {"type": "integer", "jsonPath": ".a", "format": "q"},
        ],
    ),
    (
        "spec.versions.0.selectableFields",
        [{"jsonPath": ".spec.parts"}, {"jsonPath": ".metadata.name"}, {"jsonPath": ".spec.zz"}],
    ),
    (
        "spec.versions.0.subresources",
        {"scale": {"specReplicasPath": "size", "statusReplicasPath": ".spec.x"}},
    ),
    ("spec.versions.0.deprecationWarning", "old"),
    ("spec.conversion", {"strategy": "Other"}),
    ("spec.preserveUnknownFields", True),
    ("metadata.name", "other.example.com"),
    ("metadata.labels", {"a": "b c"}),
    ("spec.names", "x"),
    ("spec.versions.0.served", "yes"),
    ("spec", None),
)


def broken(rng: random.Random, made: Json) -> Json:
    """Return a definition with one or two things wrong."""
    result = copy.deepcopy(made)
    for path, value in rng.sample(BREAKS, rng.choice((1, 1, 2))):
        _put(result, path, value)
    return result


def _put(place: Any, path: str, value: Any) -> None:
    *parents, last = _steps(path)
    for name in parents:
        try:
            place = place[int(name)] if isinstance(place, list) else place[name]
        except (KeyError, IndexError, TypeError):
            return
    if not isinstance(place, dict):
        return
    if value is None:
        place.pop(last, None)
    else:
        place[last] = copy.deepcopy(value)


def _steps(path: str) -> list[str]:
    return path.split(".")


VALUES: dict[str, tuple[Any, ...]] = {
    "size": (1, 3, 7, 11, -1, "x", 2.5, 4.0, None, [], True),
    "name": ("abc", "a", "Abc!", "abcdefghijklmnop", 3, None, "https://x", "10.0.0.1", "1.2.3"),
    "mode": ("x", "y", "z", "q", None, 1),
    "ratio": (0.5, 1, 0, -1, 0.3, "1"),
    "flag": (True, "true", 0),
    "maybe": (None, "a", 1),
    "either": (1, "5%", "x", 1.5, [], None),
    "when": ("2026-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "yesterday", 5),
    "pause": ("5m", "10s", "long"),
    "amount": ("1Gi", "20Gi", "q", ""),
    "parts": (
        [{"name": "a"}],
        [{"name": "a", "weight": -2}, {"name": "b"}],
        [{"name": "a"}, {"name": "a"}],
        [{"weight": 1}],
        [{"name": "toolongname"}],
        [1],
        [None],
        "a",
        [{"name": str(i)} for i in range(6)],
        [{"name": "a", "extra": 1}],
    ),
    "tags": (
        ["a", "must"],
        ["b", "a"],
        ["a", "a"],
        ["toolongtag"],
        [1],
        "a",
        ["a", "b", "c", "d", "e", "f"],
    ),
    "labels": ({"a": "b"}, {"a": "a"}, {"a": "toolongvalue"}, {"a": 1}, {"a": None}, []),
    "wild": ({"any": [1, {"thing": None}]}, "x", {}),
    "template": (
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "foo": 1}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b c"}}},
        {"kind": "Pod"},
        {"apiVersion": "a/b/c", "kind": "p_d"},
        {"apiVersion": 1, "kind": "Pod"},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": 1}},
    ),
    "nested": ({}, {"depth": 2**40}, {"depth": "x"}, None, {"deeper": 1}),
    "choice": ({"a": 1}, {"b": "x"}, {"a": 1, "b": "x"}, {}, {"c": 1}),
    "unknown": (1, {"a": 1}),
}


def custom_spec(rng: random.Random) -> Json:
    """Return a spec with some members, good and bad."""
    spec: Json = {"size": rng.choice((1, 2, 3, 3, 6))}
    # Most values that are good come first, and most members should be good.
    for name in rng.sample(list(VALUES), rng.randint(1, 5)):
        values = VALUES[name]
        spec[name] = copy.deepcopy(values[0] if rng.random() < 0.5 else rng.choice(values))
    return spec


class Scene:
    """The requests about one definition."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.number = seed
        self.definition = definition(self._rng, seed)
        if self._rng.random() < 0.4:
            self.definition = broken(self._rng, self.definition)
        self.base = f"/apis/{GROUP}/v1/namespaces/default/things{seed}"
        self.kind = f"Thing{seed}"

    def requests(self, count: int) -> Iterator[Request]:
        """Yield requests on objects, once the definition is established."""
        yield self._create("a", {"size": 3, "name": "abc"})
        for _ in range(count):
            yield self._rng.choice(self._makers())()

    def _makers(self) -> list[Callable[[], Request]]:
        return [
            self._random_create,
            self._random_create,
            self._random_create,
            self._put,
            self._merge,
            self._merge,
            self._json,
            self._apply,
            self._apply,
            self._status,
            self._scale,
            self._read,
            self._odd,
        ]

    def _name(self) -> str:
        return self._rng.choice(("a", "a", "b", "c"))

    def _object(self, name: str, spec: Any) -> Json:
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": {"name": name},
            "spec": spec,
        }

    def _create(self, name: str, spec: Any, query: str = "") -> Request:
        return Request("POST", f"{self.base}{query}", self._object(name, spec))

    def _random_create(self) -> Request:
        query = self._rng.choice(("", "", "?fieldValidation=Strict", "?dryRun=All"))
        made = self._create(self._name(), custom_spec(self._rng), query)
        made.body["metadata"] |= self._rng.choice(
            (
                {},
                {},
                {},
                {"labels": {"a": "b"}},
                {"labels": {"x": 1}},
                {"finalizers": ["x"]},
                {"zz": 1},
            )
        )
        if self._rng.random() < 0.15:
            made.body["status"] = {"replicas": 3}
        return made

    def _put(self) -> Request:
        name = self._name()
        body = self._object(name, custom_spec(self._rng))
        body["metadata"]["resourceVersion"] = self._rng.choice(("", "1", "x"))
        return Request("PUT", f"{self.base}/{name}", body)

    def _merge(self) -> Request:
        patch: Json = {"spec": {**custom_spec(self._rng)}}
        if self._rng.random() < 0.3:
            patch["spec"] = self._rng.choice(
                ({"size": None}, None, {"parts": None}, [], "x", {"mode": None})
            )
        if self._rng.random() < 0.2:
            patch["metadata"] = {"labels": self._rng.choice(({"l": "v"}, {"l": "v v"}, None))}
        query = self._rng.choice(("", "", "?fieldValidation=Strict"))
        return Request("PATCH", f"{self.base}/{self._name()}{query}", patch, MERGE)

    def _json(self) -> Request:
        name = self._rng.choice(list(VALUES))
        value = self._rng.choice(VALUES[name])
        operation = self._rng.choice(("add", "replace", "remove", "test"))
        patch: Json = {"op": operation, "path": f"/spec/{name}"}
        if operation != "remove":
            patch["value"] = value
        return Request("PATCH", f"{self.base}/{self._name()}", [patch], JSON_PATCH)

    def _apply(self) -> Request:
        name = self._name()
        force = self._rng.choice(("", "&force=true"))
        manager = self._rng.choice(("one", "two"))
        target = f"{self.base}/{name}?fieldManager={manager}{force}"
        return Request("PATCH", target, self._object(name, custom_spec(self._rng)), APPLY)

    def _status(self) -> Request:
        status = self._rng.choice(
            (
                {"replicas": 2},
                {"replicas": -1},
                {"replicas": "x"},
                {"phase": "Up"},
                {"phase": "Q"},
                {"z": 1},
                {"selector": "a=b"},
                {"selector": 1},
                None,
            )
        )
        patch = {"status": status, "spec": {"size": 9}, "metadata": {"labels": {"s": "t"}}}
        return Request("PATCH", f"{self.base}/{self._name()}/status", patch, MERGE)

    def _scale(self) -> Request:
        target = f"{self.base}/{self._name()}/scale"
        if self._rng.random() < 0.4:
            return Request("GET", target)
        size = self._rng.choice((2, 7, -1, 99, "x"))
        return Request("PATCH", target, {"spec": {"replicas": size}}, MERGE)

    def _read(self) -> Request:
        query = self._rng.choice(
            (
                "",
                "?fieldSelector=spec.mode=x",
                "?fieldSelector=spec.size=1",
                "?fieldSelector=metadata.name=a",
                "?labelSelector=l=v",
                "?limit=1",
            )
        )
        if self._rng.random() < 0.4:
            return Request("GET", f"{self.base}/{self._name()}")
        return Request("GET", f"{self.base}{query}")

    def _odd(self) -> Request:
        return self._rng.choice(
            (
                Request("POST", self.base, b"{"),
                Request("POST", self.base, b"[]"),
                Request("POST", self.base, {"kind": self.kind}),
                Request(
                    "POST",
                    self.base,
                    {"apiVersion": f"{GROUP}/v1", "kind": "Other", "metadata": {"name": "o"}},
                ),
                Request(
                    "POST",
                    self.base,
                    {"apiVersion": f"{GROUP}/v2", "kind": self.kind, "metadata": {"name": "o"}},
                ),
                Request(
                    "POST",
                    self.base,
                    {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": "x"},
                ),
                Request(
                    "POST",
                    self.base,
                    {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": {"name": "B_"}},
                ),
                Request(
                    "POST", self.base, {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "spec": 1}
                ),
                Request("PATCH", f"{self.base}/a", {"kind": "Other"}, MERGE),
                Request(
                    "PATCH",
                    f"{self.base}/a",
                    {"spec": {"size": 2}},
                    "application/strategic-merge-patch+json",
                ),
                Request("PATCH", f"{self.base}/zz", {"spec": {"size": 2}}, MERGE),
                Request("DELETE", f"{self.base}/b"),
                Request("GET", f"/apis/{GROUP}/v9/things{self.number}"),
                Request("GET", f"{self.base}/a/nothing"),
            )
        )
