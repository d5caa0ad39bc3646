"""Validation of values against a schema: OpenAPI v3 as kube-openapi understands it.

Texts, their order and the choice among failed alternatives follow kube-openapi (compared with
kube-apiserver 1.37.2). Given an old value, failures of what did not change are forgiven.

Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.customresources import numbervalidation
from kubegang.api.customresources.correlation import NOTHING, old_item, old_member, same
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.customresources.results import Failure, Result
from kubegang.apimachinery.goregex import RegexError, regex_matches
from kubegang.apimachinery.gotext import go_plain, go_quote
from kubegang.apimachinery.jsonformats import has_format, is_known_format

_TYPE_META = ("kind", "apiVersion")


def validate_value(value: Any, node: SchemaNode, path: str = "", old: Any = NOTHING) -> Result:
    """Return what is wrong with a value; nothing if it is right or did not change."""
    result = _validate(value, node, path, old)
    if not result.valid and same(value, old):
        return Result(passed=result.passed)
    return result


def _validate(value: Any, node: SchemaNode, path: str, old: Any) -> Result:
    result = Result()
    if value is None:
        result.merge(_check_type(value, node, path))
        result.add(_enum_failures(value, node, path))
        return result
    checks = []
    if _types(node) or _format(node):
        checks.append(_check_type(value, node, path))
    checks.append(_check_junctors(value, node, path, old))
    if isinstance(value, str):
        checks.append(Result(*_text_failures(value, node, path)))
        name = _format(node)
        if name and is_known_format(name):
            checks.append(Result(*_format_failures(value, name, path)))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        checks.append(numbervalidation.check(value, node, path))
    if isinstance(value, list):
        checks.append(_check_items(value, node, path, old))
    checks.append(Result(*_enum_failures(value, node, path)))
    if isinstance(value, dict):
        checks.append(_check_members(value, node, path, old))
    for check in checks:
        result.merge(check)
    result.passed += len(checks) + 1
    return result


def _types(node: SchemaNode) -> tuple[str, ...]:
    if node.int_or_string:
        return ("integer", "string")
    return (node.type,) if node.type else ()


def _format(node: SchemaNode) -> str:
    """Return the format if it is one that is enforced for the type, else nothing."""
    match "" if node.int_or_string else node.type:
        case "" | "string":
            return node.format if is_known_format(node.format) else ""
        case "integer":
            return node.format if node.format in ("int32", "int64") else ""
        case "number":
            return node.format if node.format in ("float", "double") else ""
    return ""


def _found_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _check_type(value: Any, node: SchemaNode, path: str) -> Result:
    types, name = _types(node), _format(node)
    if value is None:
        if types and not node.nullable:
            return Result(_wrong_type(path, ",".join(types), "null"))
        return Result(passed=1)
    found = _found_type(value)
    whole = found == "number" and value.is_integer() and "integer" in types
    fits = found in types or whole or (found == "integer" and "number" in types)
    numeric = "number" in types or "integer" in types
    if not isinstance(value, str | list) and name and not fits:
        return Result(
            _wrong_type(path, name, {"integer": "int64", "number": "float64"}.get(found, ""))
        )
    if (not numeric and name and isinstance(value, str | list)) or fits:
        return Result(passed=1)
    return Result(_wrong_type(path, ",".join(types), found))


def _wrong_type(path: str, wanted: str, found: str) -> Failure:
    text = f"{path} in body must be of type {wanted}: {go_quote(found)}"
    return Failure("type", path, text, found)


def _text_failures(value: str, node: SchemaNode, path: str) -> list[Failure]:
    longest, shortest = node.raw.get("maxLength"), node.raw.get("minLength")
    if longest is not None and len(value) > longest:
        text = f"{path} in body should be at most {longest} chars long"
        return [Failure("too-long", path, text, value, longest)]
    if shortest is not None and len(value) < shortest:
        text = f"{path} in body should be at least {shortest} chars long"
        return [Failure("other", path, text, value)]
    pattern = node.raw.get("pattern")
    if not pattern:
        return []
    try:
        if regex_matches(pattern, value):
            return []
        text = f"{path} in body should match '{pattern}'"
    except RegexError as error:
        text = f"{path} in body should match '{pattern}, but pattern is invalid: {error}'"
    return [Failure("other", path, text, value)]


def _format_failures(value: str, name: str, path: str) -> list[Failure]:
    if has_format(value, name):
        return []
    text = f"{path} in body must be of type {name}: {go_quote(value)}"
    return [Failure("type", path, text, value)]


def _enum_failures(value: Any, node: SchemaNode, path: str) -> list[Failure]:
    if not node.enum or any(_is_choice(value, choice) for choice in node.enum):
        return []
    text = f"{path} in body should be one of {go_plain(list(node.enum))}"
    return [Failure("enum", path, text, value, node.enum)]


def _is_choice(value: Any, choice: Any) -> bool:
    if value is None or choice is None or isinstance(value, bool) != isinstance(choice, bool):
        return False
    return bool(value == choice)


def _check_items(value: list[Any], node: SchemaNode, path: str, old: Any) -> Result:
    result = Result()
    if node.items is not None:
        for position, item in enumerate(value):
            before = NOTHING if old is NOTHING else old_item(old, item, node)
            result.merge(validate_value(item, node.items, f"{path}[{position}]", before))
    least, most = node.raw.get("minItems"), node.raw.get("maxItems")
    if least is not None and len(value) < least:
        text = f"{path} in body should have at least {least} items"
        result.add([Failure("other", path, text, len(value))])
    if most is not None and len(value) > most:
        text = f"{path} in body should have at most {most} items"
        result.add([Failure("too-many", path, text, len(value), most)])
    result.passed += 1
    return result


def _check_members(value: dict[str, Any], node: SchemaNode, path: str, old: Any) -> Result:
    result = Result(*_size_failures(value, node, path))
    if node.additional is False:
        for name in value:
            if name not in node.properties:
                text = f"{path}.{name} in body is a forbidden property"
                result.add([Failure("other", path, text, name)])
    for name in sorted(value):
        member = node.properties.get(name)
        where = f"{path}.{name}" if path or member is None else name
        member = member or node.values
        if member is not None:
            before = _old_member(old, name, node, path)
            result.merge(validate_value(value[name], member, where, before))
    for name in node.required:
        if name not in value:
            where = f"{path}.{name}"
            result.add([Failure("required", where, f"{where} in body is required")])
    return result


def _old_member(old: Any, name: str, node: SchemaNode, path: str) -> Any:
    # The version of the request is not the one in which the old object was written.
    if old is NOTHING or (not path and name in _TYPE_META):
        return NOTHING
    return old_member(old, name, node)


def _size_failures(value: dict[str, Any], node: SchemaNode, path: str) -> list[Failure]:
    failures = []
    least, most = node.raw.get("minProperties"), node.raw.get("maxProperties")
    if least is not None and len(value) < least:
        text = f"{path} in body should have at least {least} properties"
        failures.append(Failure("other", path, text, len(value)))
    if most is not None and len(value) > most:
        text = f"{path} in body should have at most {most} properties"
        failures.append(Failure("too-many", path, text, len(value), most))
    return failures


def _check_junctors(value: Any, node: SchemaNode, path: str, old: Any) -> Result:
    result = Result()
    if node.junctors["anyOf"]:
        result.merge(_any_of(value, node.junctors["anyOf"], path, old))
    if node.junctors["oneOf"]:
        result.merge(_one_of(value, node.junctors["oneOf"], path, old))
    if node.junctors["allOf"]:
        result.merge(_all_of(value, node.junctors["allOf"], path, old))
    if node.negated is not None and _validate(value, node.negated, path, old).valid:
        result.add([_general(f"{go_quote(path)} must not validate the schema (not)")])
    result.passed += 1
    return result


def _general(text: str) -> Failure:
    return Failure("general", "", text)


def _any_of(value: Any, nodes: tuple[SchemaNode, ...], path: str, old: Any) -> Result:
    best: Result | None = None
    for node in nodes:
        found = _validate(value, node, path, old)
        if found.valid:
            return found
        if best is None or found.passed > best.passed:
            best = found
    result = Result(_general(f"{go_quote(path)} must validate at least one schema (anyOf)"))
    if best is not None:
        result.merge(best)
    return result


def _one_of(value: Any, nodes: tuple[SchemaNode, ...], path: str, old: Any) -> Result:
    found = [_validate(value, node, path, old) for node in nodes]
    valid = [one for one in found if one.valid]
    if len(valid) == 1:
        return valid[0]
    more = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
    text = f"{go_quote(path)} must validate one and only one schema (oneOf). {more}"
    result = Result(_general(text))
    if not valid:
        result.merge(max(found, key=lambda one: one.passed))
    return result


def _all_of(value: Any, nodes: tuple[SchemaNode, ...], path: str, old: Any) -> Result:
    result = Result()
    found = [_validate(value, node, path, old) for node in nodes]
    for one in found:
        result.merge(one)
    valid = sum(one.valid for one in found)
    if valid != len(nodes):
        more = "" if valid else ". None validated"
        text = f"{go_quote(path)} must validate all the schemas (allOf){more}"
        result.add([_general(text)])
    return result
