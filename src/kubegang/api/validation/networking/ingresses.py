"""Ingresses: hosts, paths and the services behind them.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, TextRule, matching, required_matching
from kubegang.api.validation.formats import ip_address, parse_address, regex_text
from kubegang.apimachinery.field import Path, invalid_value, not_supported, required
from kubegang.apimachinery.names import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_path_segment_name,
    is_port_name,
    is_port_number,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_CLASS_ANNOTATION = "kubernetes.io/ingress.class"
_RELAXED_NAMES = "RelaxedServiceNameValidation"
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_FORBIDDEN_PARTS = ("//", "/./", "/../", "%2f", "%2F")
_FORBIDDEN_ENDS = ("/..", "/.")
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_WILDCARD = re.compile(rf"\*\.{_LABEL}(\.{_LABEL})*")
_WILDCARD_RULE = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
    "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
    "alphanumeric character"
)
_MAX_HOST = 253


def validate_ingress(ingress: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new ingress."""
    spec = ingress.get("spec") or {}
    yield from _spec(spec, _service_name(gates, ()))
    annotations = (ingress.get("metadata") or {}).get("annotations") or {}
    named, wanted = annotations.get(_CLASS_ANNOTATION), spec.get("ingressClassName")
    if named is not None and wanted is not None and named != wanted:
        path = Path("annotations").child(_CLASS_ANNOTATION)
        yield invalid_value(path, named, "must match `ingressClassName` when both are specified")


def validate_ingress_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed ingress: what was wrong in these places before may stay so."""
    old_spec = old.get("spec") or {}
    service_name = _service_name(gates, _service_names(old_spec))
    secrets = [tls.get("secretName") for tls in old_spec.get("tls") or ()]
    yield from _spec(
        new.get("spec") or {},
        service_name,
        any_secret=any(is_dns1123_subdomain(name) for name in secrets if name),
        any_wildcard_rule=_has_broken_wildcard_rule(old_spec),
    )


def validate_ingress_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check where an ingress can be reached; addresses that were there may stay as they are."""
    known = {point.get("ip") for point in _points(old)}
    for position, point in enumerate(_points(new)):
        path = Path("status").child("loadBalancer", "ingress").index(position)
        address, host = point.get("ip"), point.get("hostname")
        if address and address not in known:
            yield from matching(path.child("ip"), address, ip_address)
        if host:
            yield from matching(path.child("hostname"), host, is_dns1123_subdomain)
            yield from _no_address(host, path.child("hostname"))


def _points(ingress: JsonObject) -> Sequence[JsonObject]:
    status = ingress.get("status") or {}
    return (status.get("loadBalancer") or {}).get("ingress") or ()


def _service_name(gates: FeatureGates, old_names: Sequence[str]) -> TextRule:
    """Return the format of services' names: with the gate off older names must be kept."""
    if gates.enabled_if_known(_RELAXED_NAMES):
        return is_dns1123_label
    relaxed = any(is_dns1035_label(name) and not is_dns1123_label(name) for name in old_names)
    return is_dns1123_label if relaxed else is_dns1035_label


def _service_names(spec: JsonObject) -> list[str]:
    backends = [spec.get("defaultBackend") or {}]
    for rule in spec.get("rules") or ():
        paths = (rule.get("http") or {}).get("paths") or ()
        backends += [path.get("backend") or {} for path in paths]
    return [backend["service"].get("name") or "" for backend in backends if backend.get("service")]


def _has_broken_wildcard_rule(spec: JsonObject) -> bool:
    return any(
        "*" in (rule.get("host") or "") and any(_http(rule, Path("rules"), is_dns1035_label))
        for rule in spec.get("rules") or ()
    )


def _spec(
    spec: JsonObject,
    service_name: TextRule,
    *,
    any_secret: bool = False,
    any_wildcard_rule: bool = False,
) -> Errors:
    rules, backend = spec.get("rules"), spec.get("defaultBackend")
    if not rules and backend is None:
        detail = "either `defaultBackend` or `rules` must be specified"
        yield invalid_value(_SPEC, rules, detail)
    if backend is not None:
        yield from _backend(backend, _SPEC.child("defaultBackend"), service_name)
    for position, rule in enumerate(rules or ()):
        path = _SPEC.child("rules").index(position)
        host = rule.get("host") or ""
        yield from _host(host, path.child("host"))
        if "*" not in host or not any_wildcard_rule:
            yield from _http(rule, path, service_name)
    for position, tls in enumerate(spec.get("tls") or ()):
        yield from _tls(tls, _SPEC.child("tls").index(position), any_secret=any_secret)
    if (name := spec.get("ingressClassName")) is not None:
        yield from matching(_SPEC.child("ingressClassName"), name, is_dns1123_subdomain)


def _host(host: str, path: Path) -> Errors:
    if host:
        yield from _no_address(host, path)
        yield from matching(path, host, _wildcard if "*" in host else is_dns1123_subdomain)


def _no_address(host: str, path: Path) -> Errors:
    if parse_address(host) is not None:
        yield invalid_value(path, host, "must be a DNS name, not an IP address")


def _wildcard(text: str) -> list[str]:
    """Check a host that stands for all hosts below a domain."""
    problems = []
    if len(text.encode()) > _MAX_HOST:
        problems.append(f"must be no more than {_MAX_HOST} characters")
    if not _WILDCARD.fullmatch(text):
        problems.append(regex_text(_WILDCARD_RULE, _WILDCARD.pattern, "*.example.com"))
    return problems


def _tls(tls: JsonObject, path: Path, *, any_secret: bool) -> Errors:
    for position, host in enumerate(tls.get("hosts") or ()):
        rule = _wildcard if "*" in host else is_dns1123_subdomain
        yield from matching(path.child("hosts").index(position), host, rule)
    if (name := tls.get("secretName")) and not any_secret:
        yield from matching(path.child("secretName"), name, is_dns1123_subdomain)


def _http(rule: JsonObject, path: Path, service_name: TextRule) -> Errors:
    if (http := rule.get("http")) is None:
        return
    where = path.child("http", "paths")
    if not http.get("paths"):
        yield required(where)
    for position, http_path in enumerate(http.get("paths") or ()):
        yield from _path(http_path, where.index(position), service_name)


def _path(http_path: JsonObject, path: Path, service_name: TextRule) -> Errors:
    kind, text, where = http_path.get("pathType"), http_path.get("path") or "", path.child("path")
    if kind is None:
        yield required(path.child("pathType"), "pathType must be specified")
        return
    if kind not in _PATH_TYPES:
        yield not_supported(path.child("pathType"), kind, _PATH_TYPES)
    elif not text.startswith("/") and (text or kind != "ImplementationSpecific"):
        yield invalid_value(where, text, "must be an absolute path")
    if kind in ("Exact", "Prefix"):
        for part in _FORBIDDEN_PARTS:
            if part in text:
                yield invalid_value(where, text, f"must not contain '{part}'")
        for end in _FORBIDDEN_ENDS:
            if text.endswith(end):
                yield invalid_value(where, text, f"cannot end with '{end}'")
    yield from _backend(http_path.get("backend") or {}, path.child("backend"), service_name)


def _backend(backend: JsonObject, path: Path, service_name: TextRule) -> Errors:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield invalid_value(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from validate_reference(resource, path.child("resource"))
    elif service is not None:
        name = service.get("name")
        yield from required_matching(path.child("service", "name"), name, service_name)
        yield from _port(service.get("port") or {}, path)
    else:
        yield invalid_value(path, "", "resource or service backend is required")


def _port(port: JsonObject, path: Path) -> Errors:
    name, number = port.get("name"), port.get("number")
    where = path.child("service", "port")
    if name and number:
        yield invalid_value(path, "", "cannot set both port name & port number")
    elif name:
        yield from matching(where.child("name"), name, is_port_name)
    elif number:
        for detail in is_port_number(number):
            yield invalid_value(where.child("number"), number, detail)
    else:
        yield required(path, "port name or number is required")


def validate_reference(reference: JsonObject, path: Path) -> Errors:
    """Check a reference to an object of any kind: its group, if given, its kind and name."""
    if (group := reference.get("apiGroup")) is not None:
        yield from matching(path.child("apiGroup"), group, is_dns1123_subdomain)
    yield from required_matching(path.child("kind"), reference.get("kind"), is_path_segment_name)
    yield from required_matching(path.child("name"), reference.get("name"), is_path_segment_name)
