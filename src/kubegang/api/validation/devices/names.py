"""Names of drivers, pools, requests and attributes, and the lists that hold such things.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kubegang.api.validation.checks import Errors, matching, required_matching
from kubegang.api.validation.pods.volume_drivers import csi_driver_name
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    required,
    too_long,
    too_many,
)
from kubegang.apimachinery.names import (
    is_c_identifier,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_dns1123_subdomain_caseless,
)
from kubegang.apimachinery.objects import JsonObject

ItemRule = Callable[[Any, Path], Errors]

_MAX_POOL = 253
_MAX_IDENTIFIER = 32
_MAX_DRIVER = 63


def validate_list(
    items: Sequence[Any], path: Path, rule: ItemRule, *, at_most: int | None = None
) -> Errors:
    """Check every item, unless there are too many to look at."""
    if at_most is not None and len(items) > at_most:
        yield too_many(path, len(items), at_most)
        return
    for position, item in enumerate(items):
        yield from rule(item, path.index(position))


def no_duplicates(
    items: Sequence[Any],
    path: Path,
    key: Callable[[Any], object],
    *,
    shown: Callable[[Any], Any],
) -> Errors:
    """Check that no two items have the same key; errors show ``shown`` of the second."""
    seen = set()
    for position, item in enumerate(items):
        if key(item) in seen:
            yield duplicate(path.index(position), shown(item))
        seen.add(key(item))


def driver_name(name: str, path: Path) -> Errors:
    """Check a driver's name, as for CSI drivers."""
    yield from csi_driver_name(name, path)


def declared_driver_name(name: str, path: Path) -> Errors:
    """Check a driver's name where upstream does it by tags, with other words."""
    if not name:
        yield required(path)
        return
    if len(name) > _MAX_DRIVER:
        yield too_long(path, _MAX_DRIVER)
    yield from matching(path, name, is_dns1123_subdomain_caseless)


def pool_name(name: str, path: Path) -> Errors:
    """Check a pool's name: subdomains between slashes."""
    if not name:
        yield required(path)
        return
    if len(name) > _MAX_POOL:
        yield too_long(path, _MAX_POOL)
    for part in name.split("/"):
        yield from matching(path, part, is_dns1123_subdomain)


def request_name(name: str, path: Path) -> Errors:
    """Check the name of a request, a device or a counter."""
    yield from matching(path, name, is_dns1123_label)


def class_name(name: str | None, path: Path) -> Errors:
    """Check the name of a device class."""
    yield from required_matching(path, name, is_dns1123_subdomain)


def attribute_name(name: str, path: Path) -> Errors:
    """Check the name of an attribute: an identifier, if need be after a domain."""
    parts = name.split("/")
    if len(parts) == 1:
        yield from _identifier(parts[0], path)
    elif len(parts) == 2:
        yield from _qualified(parts[0], parts[1], path)


def full_attribute_name(name: str, path: Path) -> Errors:
    """Check the name of an attribute that needs its domain."""
    domain, slash, rest = name.partition("/")
    if not slash:
        yield from _identifier(name, path)
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        yield invalid_value(path, name, detail)
    elif "/" not in rest:
        for detail in is_dns1123_subdomain(domain):
            yield invalid_value(path, domain, f"prefix: {detail}")
        yield from _identifier(rest, path)


def raw_object(value: Any, path: Path, *, at_most: int, size: int) -> Errors:
    """Check free-form parameters: a JSON object, not too large."""
    if value is None:
        yield required(path)
    elif size > at_most:
        yield too_long(path, at_most)
    elif not isinstance(value, dict):
        yield invalid_value(path, "<value omitted>", "must be a valid JSON object")


def name_of(item: JsonObject) -> str:
    """Return the name that makes an item of a list unique."""
    name: str = item.get("name") or ""
    return name


def _qualified(domain: str, name: str, path: Path) -> Errors:
    if domain:
        yield from driver_name(domain, path)
    else:
        yield invalid_value(path, "", "the domain must not be empty")
    if name:
        yield from _identifier(name, path)
    else:
        yield invalid_value(path, "", "the name must not be empty")


def _identifier(text: str, path: Path) -> Errors:
    if len(text) > _MAX_IDENTIFIER:
        yield too_long(path, _MAX_IDENTIFIER)
    yield from matching(path, text, is_c_identifier)
